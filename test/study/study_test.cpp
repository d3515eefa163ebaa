// A tiny study from file to verdict: runs are those of the main loop, claims are judged both ways, races end where they should.
#include "study/tiny_study.h"
#include "simulate.h"
#include "study/page.h"
#include "study/run.h"
#include "study/verdict.h"
#include <cmath>
#include <sstream>

using namespace sinew;

namespace {

// the same run by hand: sum of |l - L| of the chain and its height after each step
struct ByHand {
    std::vector<double> error, height;
};
ByHand run_by_hand(const Study& study, const std::vector<std::string>& sets) {
    Value document = study.scene;
    std::vector<Error> errors;
    for (const std::string& s : sets) EXPECT_TRUE(apply_set(document, s, errors));
    Result<Scene> scene = make_scene(document);
    Result<Compiled> compiled = compile_scene(*scene.value);
    Result<Simulation> made = make_simulation({.threads = 1}, std::move(*compiled.value));
    Simulation& s = *made.value;
    measure_start(s);
    ByHand out;
    while (!is_finished(s)) {
        EXPECT_EQ(simulate_step(s), Status::ok);
        double error = 0;
        for (int i = 0; i < 10; ++i) error += std::abs((vec(s.now.point.x[i + 1]) - vec(s.now.point.x[i])).norm() - 0.1);
        out.error.push_back(error);
        out.height.push_back(s.report.center.y);
    }
    return out;
}

int count_lines(const std::string& text) { return int(std::count(text.begin(), text.end(), '\n')); }

} // namespace

TEST(study, records_the_numbers_of_the_ordinary_run_for_every_variant_and_value) {
    const auto study = load_text(tiny_text(), "records");
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study);
    ASSERT_TRUE(r);
    ASSERT_EQ(r.value->runs.size(), 4u);
    for (const StudyRun& run : r.value->runs) {
        std::vector<std::string> sets = study->variants[run.variant].sets;
        sets.push_back("solvers.position.iterations=" + std::to_string(int(run.value)));
        const ByHand want = run_by_hand(*study, sets);
        ASSERT_EQ(run.columns[0].size(), 10u);
        for (int k = 0; k < 10; ++k) {
            EXPECT_NEAR(run.columns[0][k], want.error[k], 1e-14); // the same sums, in another order
            EXPECT_DOUBLE_EQ(run.columns[1][k], run.columns[0][k]); // rest lengths add up to 1 m within round-off
            EXPECT_NEAR(run.columns[2][k], want.height[k], 1e-14);
            EXPECT_EQ(run.frame[k], k + 1);
        }
    }
}

TEST(study, moments_of_expect_at_which_no_step_of_a_variant_ends_do_not_stop_it) {
    const std::string moment = R"("expect": [ { "at": "1/120", "chain.y": { "max": 1 } } ], "solver": "position")";
    const auto study = load_text(replaced(tiny_text(), R"("solver": "position")", moment), "moments");
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study);
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(r);
    EXPECT_EQ(r.value->runs.size(), 4u); // steps end at multiples of 1/60 s in all of them
}

TEST(study, judges_a_true_claim_and_a_false_one_with_the_numbers_that_count) {
    const auto study = load_text(tiny_text(), "judges");
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study);
    ASSERT_TRUE(r);
    ASSERT_EQ(r.value->verdicts.size(), 2u);
    const StudyVerdict &good = r.value->verdicts[0], &bad = r.value->verdicts[1];
    EXPECT_EQ(good.verdict, Verdict::holds);
    EXPECT_EQ(bad.verdict, Verdict::does_not_hold);
    EXPECT_EQ(bad.note, "of course not");
    const double few = compute_statistic("mean", find_run(*study, *r.value, 0, 2)->columns[0]),
                 many = compute_statistic("mean", find_run(*study, *r.value, 0, 20)->columns[0]);
    ASSERT_EQ(good.numbers.size(), 1u);
    EXPECT_DOUBLE_EQ(good.numbers[0].second, many / few);
    EXPECT_LT(many, few);
    EXPECT_NE(good.why.find("gs[20].error.mean = "), std::string::npos) << good.why;
}

TEST(study, writes_a_table_with_units_a_plot_and_a_summary) {
    const auto study = load_text(tiny_text(), "writes");
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study);
    const std::string folder = fresh_folder("written");
    EXPECT_TRUE(write_study(*study, *r.value, folder).empty());
    const std::string table = read_text(folder + "/tiny.csv");
    EXPECT_EQ(table.substr(0, table.find('\n')), "variant,iterations,frame,time [s],error [m],relative,height [m]");
    EXPECT_EQ(count_lines(table), 1 + 4 * 10);
    // a line in the middle: third frame of the second run
    std::istringstream lines(table);
    std::string line;
    for (int k = 0; k < 14; ++k) std::getline(lines, line);
    EXPECT_TRUE(line.starts_with("gs,20,3,0.05,")) << line;
    EXPECT_NEAR(std::stod(line.substr(13)), r.value->runs[1].columns[0][2], 1e-5 * r.value->runs[1].columns[0][2]); // six digits
    EXPECT_TRUE(std::filesystem::exists(folder + "/tiny.svg"));
    const Result<Value> summary = parse_value(read_text(folder + "/tiny.json"), "tiny.json");
    ASSERT_TRUE(summary);
    EXPECT_EQ(find(find(*summary.value, "verdicts")->items[1], "verdict")->text, "does not hold");
}

TEST(study, records_every_iteration_of_the_frames_asked_for) {
    std::string text = replaced(tiny_text(), R"("columns": { "error [m]": "constraint_error.sum", "relative": "constraint_error.sum/length.sum", "height [m]": "chain.y" })",
                                R"("every": "iteration", "frames": [5], "columns": { "error [m]": "residual_sum", "norm [m]": "residual_norm", "beta": "momentum" })");
    const auto study = load_text(text, "iterations");
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study);
    ASSERT_TRUE(r);
    const StudyRun &sweeps = *find_run(*study, *r.value, 0, 20), &residuals = *find_run(*study, *r.value, 1, 20);
    ASSERT_EQ(sweeps.iteration.size(), 21u); // before the first, and after each
    ASSERT_EQ(residuals.iteration.size(), 21u);
    for (int k = 0; k <= 20; ++k) EXPECT_EQ(sweeps.iteration[k], k);
    EXPECT_EQ(sweeps.frame[0], 5);
    EXPECT_LT(sweeps.columns[0][20], 0.5 * sweeps.columns[0][0]);
    EXPECT_LT(residuals.columns[1][20], 1e-2 * residuals.columns[1][0]); // ten rows, twenty iterations; rows turn meanwhile
    EXPECT_EQ(residuals.columns[2][0], 0);
    EXPECT_GT(*std::max_element(residuals.columns[2].begin(), residuals.columns[2].end()), 0);
    // the sum of what is left at the end is that of the state: the same scene recorded by frames has it in frame 5
    const auto by_frame = load_text(tiny_text(), "by_frame");
    const Result<StudyResult> f = run_study(*by_frame);
    EXPECT_NEAR(find_run(*by_frame, *f.value, 0, 20)->columns[0][4], sweeps.columns[0][20], 1e-6); // compliance 1e-9 m/N, forces below 1e2 N
}

TEST(study, a_trace_does_not_change_what_is_simulated) {
    const std::string by_iteration = replaced(tiny_text(), R"("columns": { "error [m]": "constraint_error.sum", "relative": "constraint_error.sum/length.sum", "height [m]": "chain.y" })",
                                              R"("every": "iteration", "frames": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "columns": { "error [m]": "residual_sum" })");
    const auto a = load_text(by_iteration, "traced"), b = load_text(replaced(by_iteration, "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", "[10]"), "untraced");
    const Result<StudyResult> traced = run_study(*a), untraced = run_study(*b);
    for (std::size_t i = 0; i < 4; ++i) { // the rows of frame 10 are the last of both
        const std::vector<double>&x = traced.value->runs[i].columns[0], &y = untraced.value->runs[i].columns[0];
        ASSERT_GT(y.size(), 2u);
        for (std::size_t k = 0; k < y.size(); ++k) EXPECT_EQ(x[x.size() - y.size() + k], y[k]);
    }
}

TEST(study, a_race_ends_at_the_smallest_setting_that_reaches_the_error) {
    std::string text = replaced(tiny_text(), R"("sweep": { "path": "solvers.position.iterations", "values": [2, 20], "title": "iterations" },)",
                                R"("race": { "reference": "gs", "against": "cr", "raise": "solvers.position.iterations", "error": "error", "most": 64, "pairs": 1, "threads": 1 },)");
    text = replaced(text, R"("gs": { "title": "sweeps" })", R"("gs": { "title": "sweeps", "set": { "solvers.position.iterations": 12 } })");
    text = replaced(text, R"("holds": "gs[20].error.mean < gs[2].error.mean", "show": { "ratio": "gs[20].error.mean/gs[2].error.mean" })",
                    R"("holds": "race.reached && race.error_against <= race.error_reference && race.iterations > 1")");
    text = replaced(text, R"("gs[20].error.mean > gs[2].error.mean")", R"("race.ratio > 0")");
    const auto study = load_text(text, "race");
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study);
    ASSERT_TRUE(r);
    const RaceResult& race = r.value->race;
    ASSERT_TRUE(race.reached);
    EXPECT_LE(race.error_against, race.error_reference);
    EXPECT_EQ(r.value->verdicts[0].verdict, Verdict::holds);
    const auto mean_error = [&](int n) {
        const ByHand h = run_by_hand(*study, {"solvers.position.method=conjugate_residuals", "solvers.position.iterations=" + std::to_string(n)});
        return compute_statistic("mean", h.error);
    };
    EXPECT_LE(mean_error(race.value), race.error_reference + 1e-14);
    EXPECT_GT(mean_error(race.value - 1), race.error_reference);
    // from above it comes down to the same, and no further than `least`
    const std::string above = replaced(text, R"("substeps": 1, "chains": false)", R"("substeps": 1, "iterations": 40, "chains": false)");
    for (const auto& [least, ends] : {std::pair{1, race.value}, std::pair{38, 38}}) {
        const auto lowered = load_text(replaced(above, R"("most": 64)", "\"least\": " + std::to_string(least) + ", \"most\": 64"), "race");
        ASSERT_TRUE(lowered);
        const Result<StudyResult> down = run_study(*lowered);
        ASSERT_TRUE(down);
        EXPECT_EQ(down.value->race.value, ends) << least;
    }
}

// With a setting of its own the second could win by doing less: on two threads a single iteration of minimal residuals was "as good" as 15.
TEST(study, a_race_of_threads_runs_at_equal_settings) {
    std::string text = replaced(tiny_text(), R"("sweep": { "path": "solvers.position.iterations", "values": [2, 20], "title": "iterations" },)",
                                R"("race": { "reference": "gs", "against": "two", "error": "error", "pairs": 1, "threads": 1 },)");
    text = replaced(text, R"("gs": { "title": "sweeps" })", R"("gs": { "title": "sweeps" }, "two": { "title": "on two threads", "threads": 2 })");
    text = replaced(text, R"("holds": "gs[20].error.mean < gs[2].error.mean", "show": { "ratio": "gs[20].error.mean/gs[2].error.mean" })",
                    R"("holds": "race.reached && race.error_against == race.error_reference")");
    text = replaced(text, R"("gs[20].error.mean > gs[2].error.mean")", R"("race.iterations > 0")");
    const auto study = load_text(text, "threads_race");
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study);
    ASSERT_TRUE(r);
    EXPECT_TRUE(r.value->race.reached);
    EXPECT_EQ(r.value->race.error_against, r.value->race.error_reference);
    EXPECT_GT(r.value->race.ms_against, 0);
    EXPECT_EQ(r.value->race.value, 0); // none was looked for
    EXPECT_EQ(r.value->verdicts[0].verdict, Verdict::holds);
    EXPECT_EQ(r.value->verdicts[1].verdict, Verdict::does_not_hold);
    const std::string folder = fresh_folder("threads_race_out");
    EXPECT_TRUE(write_study(*study, *r.value, folder).empty());
    std::string page;
    EXPECT_TRUE(write_page({"A page", "", "", ""}, folder, {"tiny"}, page).empty());
    EXPECT_NE(page.find("Time at equal settings (gs on 1 threads, two on 2), medians of 1 interleaved pairs"), std::string::npos) << page;
}

TEST(study, variants_may_have_threads_of_their_own) {
    const auto study = load_text(replaced(tiny_text(), R"("variants": { )", R"("variants": { "two": { "title": "on two threads", "threads": 2 }, )"), "threads");
    ASSERT_TRUE(study);
    const auto two = std::find_if(study->variants.begin(), study->variants.end(), [](const StudyVariant& v) { return v.key == "two"; });
    ASSERT_NE(two, study->variants.end());
    EXPECT_EQ(threads_of(*two, 1), 2);
    for (const StudyVariant& v : study->variants)
        if (v.key != "two") {
            EXPECT_EQ(threads_of(v, study->threads), study->threads);
        }
}

TEST(study, claims_about_times_are_void_on_a_busy_machine) {
    Study s;
    s.race.wanted = true;
    StudyClaim c;
    c.text = "faster";
    c.holds = make_text("race.ratio > 1");
    s.claims = {c};
    StudyResult r;
    r.race = {.done = true, .reached = true, .quiet = false, .ratio = 2};
    judge_claims(s, r);
    EXPECT_EQ(r.verdicts[0].verdict, Verdict::is_void);
    s.claims[0].holds = make_text("race.reached && race.ratio > 1");
    r.race.reached = false; // whatever the times are
    s.claims[0].show = {{"iterations", make_text("race.iterations")}};
    judge_claims(s, r);
    EXPECT_EQ(r.verdicts[0].verdict, Verdict::does_not_hold);
    EXPECT_FALSE(std::isfinite(r.verdicts[0].numbers[0].second)); // there are none, not 0
    r.race.reached = true;
    judge_claims(s, r);
    EXPECT_EQ(r.verdicts[0].verdict, Verdict::is_void);
    r.race.quiet = true;
    judge_claims(s, r);
    EXPECT_EQ(r.verdicts[0].verdict, Verdict::holds);
    r.race.ratio = 0.5;
    judge_claims(s, r);
    EXPECT_EQ(r.verdicts[0].verdict, Verdict::does_not_hold);
}

TEST(study, leads_under_a_fifth_are_ties) {
    Study s;
    s.race.wanted = true;
    StudyResult r;
    r.race = {.done = true, .reached = true, .quiet = true};
    const auto verdict = [&](const char* holds, double ratio) {
        StudyClaim c;
        c.holds = make_text(holds);
        s.claims = {c};
        r.race.ratio = ratio;
        judge_claims(s, r);
        return r.verdicts[0].verdict;
    };
    const char* faster = "race.reached && race.ratio > 1";
    EXPECT_EQ(verdict(faster, 1.21), Verdict::holds);
    EXPECT_EQ(verdict(faster, 1.113), Verdict::tie);
    EXPECT_EQ(verdict(faster, 0.9), Verdict::tie);
    EXPECT_EQ(verdict(faster, 0.83), Verdict::does_not_hold);
    EXPECT_EQ(verdict("race.ratio >= 1.5", 1.1), Verdict::does_not_hold); // a fifth more or less would not change it
    EXPECT_EQ(verdict("race.reached", 1.1), Verdict::holds);              // not about times
    r.race.quiet = false;
    EXPECT_EQ(verdict(faster, 1.1), Verdict::is_void);
    r.race.reached = false;
    EXPECT_EQ(verdict(faster, 1.1), Verdict::does_not_hold);
    EXPECT_EQ(verdict_name(Verdict::tie), "tie");
}

// y = 8/x^2 at x = 1, 2 and 4: a straight line in logarithms
TEST(study, numbers_at_equal_cost_lie_between_those_of_the_sweep) {
    auto s = load_text(tiny_text(), "equal");
    ASSERT_TRUE(s);
    s->sweep.values = {1, 2, 4};
    StudyResult r;
    for (int variant : {0, 1})
        for (double x : s->sweep.values) {
            StudyRun run;
            run.variant = variant, run.value = x;
            run.frame = run.time = {1};
            run.columns = {{8 / (x * x)}, {variant ? 0.75 * x : x}, {-x}};
            r.runs.push_back(run);
        }
    const auto number = [&](const char* text) {
        StudyClaim c;
        c.holds = make_text("1");
        c.show = {{"x", make_text(text)}};
        s->claims = {c};
        judge_claims(*s, r);
        return r.verdicts[0].numbers[0].second;
    };
    EXPECT_NEAR(number("gs.error.end.for.relative.mean.of.cr[4]"), 8 / 9.0, 1e-14);  // relative is 3
    EXPECT_NEAR(number("gs.error.end.for.relative.mean.of.cr[2]"), 8 / 2.25, 1e-14); // 1.5
    EXPECT_TRUE(std::isnan(number("gs.error.end.for.relative.mean.of.cr[1]")));      // 0.75: less than any of gs
    EXPECT_NEAR(number("gs.height.end.for.relative.mean.of.cr[4]"), -3, 1e-14);      // below zero there are no logarithms
    for (const char* wrong : {"gs.error.end.for.relative.mean.of.cr", "gs.error.end.for.relative.mean.of.cr[3]", "gs.error.end.for.relative.of.cr[4]",
                              "gs.error.end.for.speed.mean.of.cr[4]", "gs.error.for.relative.mean.of.cr[4]", "gs.error.end.for.relative.mean.of.no[4]"}) {
        StudyClaim c;
        c.holds = make_text(wrong);
        s->claims = {c};
        std::vector<Error> errors;
        check_claims(*s, errors);
        EXPECT_FALSE(errors.empty()) << wrong;
    }
}

TEST(study, a_run_that_fails_makes_its_claims_false_not_silent) {
    // a spring without mass to speak of under forward Euler blows up
    std::string text = replaced(tiny_text(), R"("solver": "position", "solvers": { "position": { "substeps": 1, "chains": false } })",
                                R"("solver": "explicit", "solvers": { "explicit": { "scheme": "forward_euler" }, "position": { "substeps": 1, "chains": false } })");
    text = replaced(text, R"("rod": { "model": "distance", "compliance": 1e-9 })", R"("rod": { "model": "spring", "stiffness": 1e300 })");
    text = replaced(text, R"("relative": "constraint_error.sum/length.sum", )", "");
    Result<Study> study = load_study(write_text(fresh_folder("fails") + "/fails.study.json", text));
    for (const Error& e : study.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study.value);
    ASSERT_TRUE(r);
    EXPECT_FALSE(r.value->runs[0].failure.empty());
    EXPECT_EQ(r.value->verdicts[0].verdict, Verdict::does_not_hold);
}

TEST(study, statistics_of_rows) {
    const std::vector<double> rows{3, 1, 2, 2, 7};
    EXPECT_EQ(compute_statistic("start", rows), 3);
    EXPECT_EQ(compute_statistic("end", rows), 7);
    EXPECT_EQ(compute_statistic("min", rows), 1);
    EXPECT_EQ(compute_statistic("max", rows), 7);
    EXPECT_EQ(compute_statistic("sum", rows), 15);
    EXPECT_EQ(compute_statistic("mean", rows), 3);
    EXPECT_EQ(compute_statistic("median", rows), 2);
    EXPECT_EQ(compute_statistic("rises", rows), 2);
}
