// The page of the paper's studies: every study loads, and the page says what the results say.
#include "study/page.h"
#include "study/tiny_study.h"
#include "study/verdict.h"
#include <algorithm>
#include <cmath>

using namespace sinew;

namespace {

std::vector<std::string> study_files(const std::string& folder) {
    std::vector<std::string> out;
    for (const auto& f : std::filesystem::directory_iterator(folder))
        if (f.path().string().ends_with(".study.json")) out.push_back(f.path().string());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

TEST(study_page, every_study_of_the_paper_loads) {
    const std::vector<std::string> files = study_files(source_dir() + "/scenes/paper/francu_2016");
    EXPECT_GE(files.size(), 20u);
    for (const std::string& file : files) {
        const Result<Study> s = load_study(file);
        for (const Error& e : s.errors) ADD_FAILURE() << to_string(e);
        if (!s) continue;
        EXPECT_EQ(s.value->name + ".study.json", std::filesystem::path(file).filename().string());
    }
}

TEST(study_page, the_committed_page_is_made_of_the_committed_results) {
    const std::string studies = source_dir() + "/scenes/paper/francu_2016", folder = source_dir() + "/docs/francu_2016",
                      page = source_dir() + "/docs/francu_2016.md";
    std::vector<std::string> names;
    for (const std::string& file : study_files(studies)) {
        const std::string name = std::filesystem::path(file).filename().string();
        names.push_back(name.substr(0, name.size() - std::string(".study.json").size()));
    }
    std::string text;
    for (const Error& e : write_page(make_page_options(studies, folder, page), folder, names, text)) ADD_FAILURE() << to_string(e);
    EXPECT_EQ(text, read_text(page)) << "run `sinew study scenes/paper/francu_2016 --out docs/francu_2016 --resume --page docs/francu_2016.md`";
}

// A study that was changed has to be run again.
TEST(study_page, the_committed_results_are_of_the_committed_studies) {
    for (const std::string& file : study_files(source_dir() + "/scenes/paper/francu_2016")) {
        const Result<Study> s = load_study(file);
        ASSERT_TRUE(s) << file;
        EXPECT_TRUE(is_result_of(*s.value, source_dir() + "/docs/francu_2016")) << "run `tools/francu.sh " << s.value->name << "`";
    }
}
TEST(study_page, the_hash_of_a_study_sees_all_of_it) {
    const auto hash_of = [](const std::string& from, const std::string& to) {
        const auto s = load_text(from.empty() ? tiny_text() : replaced(tiny_text(), from, to), "hashed");
        return s ? hash_study(*s) : std::string("does not load");
    };
    const std::string plain = hash_of("", "");
    EXPECT_EQ(plain.size(), 16u);
    EXPECT_EQ(hash_of("", ""), plain);
    EXPECT_NE(hash_of("of course not", "certainly not"), plain);
    EXPECT_NE(hash_of("\"of\": \"mean\"", "\"of\": \"max\""), plain);
    EXPECT_NE(hash_of("gs[20].error.mean/gs[2].error.mean", "gs[20].error.max/gs[2].error.max"), plain);
    EXPECT_NE(hash_of("\"chains\": false", "\"chains\": true"), plain);
    EXPECT_NE(hash_of("conjugate_residuals", "minres"), plain);
    EXPECT_NE(hash_of("[2, 20]", "[2, 4, 20]"), plain);
    EXPECT_NE(hash_of("\"chain.y\"", "\"chain.x\""), plain);
    EXPECT_NE(hash_of("gs[20].error.mean > gs[2].error.mean", "gs[20].error.mean > 2"), plain);
}

TEST(study_page, says_how_far_a_race_came_that_did_not_get_there) {
    std::string text = replaced(tiny_text(), R"("sweep": { "path": "solvers.position.iterations", "values": [2, 20], "title": "iterations" },)",
                                R"("race": { "reference": "gs", "against": "cr", "raise": "solvers.position.iterations", "error": "error", "most": 64 },)");
    text = replaced(text, R"("holds": "gs[20].error.mean < gs[2].error.mean", "show": { "ratio": "gs[20].error.mean/gs[2].error.mean" })",
                    R"("holds": "race.reached && race.ratio > 1", "show": { "ratio": "race.ratio" })");
    text = replaced(text, R"("gs[20].error.mean > gs[2].error.mean")", R"("cr.error.mean < gs.error.mean", "show": { "error": "cr.error.mean" })");
    const auto study = load_text(text, "far");
    ASSERT_TRUE(study);
    StudyResult r;
    for (int variant : {0, 1}) {
        StudyRun run;
        run.variant = variant;
        run.frame = run.time = {1};
        run.columns = {{0.25}, {0.25}, {0}};
        if (variant) run.failure = "failed at t = 1 s";
        r.runs.push_back(run);
    }
    const auto page_with = [&](double error) {
        r.race = {.done = true, .quiet = true, .tried = 64, .error_reference = 0.25, .error_against = error};
        judge_claims(*study, r);
        const std::string folder = fresh_folder("far_out");
        EXPECT_TRUE(write_study(*study, r, folder).empty());
        std::string page;
        EXPECT_TRUE(write_page({"A page", "", "", ""}, folder, {"tiny"}, page).empty());
        return page;
    };
    const std::string far = page_with(0.5), blown = page_with(INFINITY);
    EXPECT_NE(far.find("cr does not get there: its error with solvers.position.iterations = 64 is 0.5."), std::string::npos) << far;
    EXPECT_NE(blown.find("cr does not get there: its error with solvers.position.iterations = 64 is not finite."), std::string::npos) << blown;
    EXPECT_NE(far.find("Measured: ratio not reached."), std::string::npos) << far;
    EXPECT_NE(far.find("Measured: error not finite."), std::string::npos) << far; // its run failed, whatever the race came to
}

TEST(study_page, has_claims_verdicts_numbers_and_links) {
    const auto study = load_text(tiny_text(), "page");
    ASSERT_TRUE(study);
    const Result<StudyResult> r = run_study(*study);
    const std::string folder = fresh_folder("page_out");
    EXPECT_TRUE(write_study(*study, *r.value, folder).empty());
    std::string text;
    const PageOptions o{"A page", "Some words.", "images", "studies"};
    EXPECT_TRUE(write_page(o, folder, {"tiny"}, text).empty());
    for (const char* part : {"# A page\n", "Some words.", "2 claims: 1 hold, 1 do not, 0 ties (leads under a fifth), 0 void", "| more sweeps leave less error | **holds** | ratio 0.",
                             "| fewer sweeps leave less error | **does not hold** |", "(images/tiny.svg)", "(images/tiny.csv)", "(studies/tiny.study.json)", "of course not"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_FALSE(write_page(o, folder, {"tiny", "missing"}, text).empty());
}
