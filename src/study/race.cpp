// Time to equal error (spec U, Tables 8.1 to 8.3): a setting of one variant, its iterations, is raised from what the scene says until the mean of its error
// over the run is no larger than that of the reference, or lowered as long as it is; then both run in turn, and the ratio of their times per step is taken
// pair by pair. Variants that differ in their threads alone run at equal settings, and must have the same error. Times are those of the solver's steps but the first. On a machine of which others use more than a tenth of a
// processor they are worth nothing, and the result says so.
#include "core/error.h"
#include "study/machine_load.h"
#include "study/run.h"
#include "study/verdict.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr double kQuiet = 0.1; // processors that others may use
constexpr double kBusy = 0.5;  // and so many that trying is pointless
constexpr int kFew = 3;        // pairs then, for processor times

const StudyVariant& find_variant(const Study& s, const std::string& key) {
    return *std::find_if(s.variants.begin(), s.variants.end(), [&](const StudyVariant& v) { return v.key == key; });
}

struct Entrant {
    const StudyVariant& variant;
    std::vector<std::string> sets;
};

// mean error with the setting at n; infinite: the run fails, or something is not finite
double error_at(const Study& s, const Entrant& e, int n, Errors& errors) {
    Entrant raised = e;
    raised.sets.push_back(fmt::format("{}={}", s.race.path, n));
    StudyRun run;
    if (!run_variant(s, {raised.sets, threads_of(e.variant, s.race.threads)}, e.variant.value, &run, nullptr, errors) || !run.failure.empty()) return INFINITY;
    const double error = compute_statistic("mean", run.columns[find_column(s, s.race.error)]);
    return std::isfinite(error) ? error : INFINITY;
}

// What the scene says the setting is, 1 if it does not: the search begins there. With very few iterations the error can look small
// for a wrong reason, as all of a cloth falls freely but for a few links at its corners: downwards it goes one by one, to the last that
// still is below, and not below `least`.
int first_setting(const Study& s) {
    const Value* at = &s.scene;
    std::string_view path = s.race.path;
    while (at && !path.empty()) {
        const std::size_t dot = std::min(path.size(), path.find('.'));
        at = at->kind == Value::Kind::object ? find(*at, path.substr(0, dot)) : nullptr;
        path.remove_prefix(std::min(path.size(), dot + 1));
    }
    return at && at->kind == Value::Kind::number && at->number >= 1 ? int(std::min(at->number, double(s.race.most))) : 1;
}

// smallest setting that reaches the error: doubled until it does, then halved between, or lowered one by one; 0 = none up to `most`
int find_setting(const Study& s, const Entrant& e, double wanted, double& reached, Errors& errors) {
    const int first = first_setting(s);
    int low = first - 1, high = 0;
    for (int n = low + 1; errors.empty(); n = std::min(2 * n, s.race.most)) {
        reached = error_at(s, e, n, errors);
        if (reached <= wanted) {
            high = n;
            break;
        }
        low = n;
        if (n == s.race.most) return 0;
    }
    double best = reached;
    while (high <= first && high > s.race.least && errors.empty()) {
        const double error = error_at(s, e, high - 1, errors);
        low = high - 1;
        if (error > wanted) break;
        --high, best = error;
    }
    while (high - low > 1 && errors.empty()) {
        const int n = low + (high - low) / 2;
        const double error = error_at(s, e, n, errors);
        if (error <= wanted) high = n, best = error;
        else low = n;
    }
    reached = best;
    return high;
}

double quantile(std::vector<double> x, double part) {
    if (x.empty()) return 0;
    std::sort(x.begin(), x.end());
    const double at = part * double(x.size() - 1);
    const std::size_t i = std::size_t(at);
    return i + 1 < x.size() ? x[i] + (at - double(i)) * (x[i + 1] - x[i]) : x.back();
}

} // namespace

// raises the setting of `against`; what never gets there is timed where it stopped
static void find_equal_error(const Study& s, Entrant& against, const std::function<void(const std::string&)>& tell, RaceResult& r, Errors& errors) {
    r.value = find_setting(s, against, r.error_reference, r.error_against, errors);
    r.reached = r.value > 0;
    if (!r.reached) r.tried = s.race.most;
    if (tell)
        tell(fmt::format("{}: error {:.4g} of {} {} by {} {} {} = {}", s.name, r.error_reference, s.race.reference,
                         r.reached ? "reached" : "not reached", s.race.against, r.reached ? "at" : "up to", s.race.path,
                         r.reached ? r.value : r.tried));
    against.sets.push_back(fmt::format("{}={}", s.race.path, r.reached ? r.value : r.tried));
}

RaceResult run_race(const Study& s, const StudyResult& done, const std::function<void(const std::string&)>& tell, Errors& errors) {
    RaceResult r;
    const Entrant reference{find_variant(s, s.race.reference), find_variant(s, s.race.reference).sets};
    Entrant against{find_variant(s, s.race.against), find_variant(s, s.race.against).sets};
    const StudyRun* run = find_run(s, done, int(&reference.variant - s.variants.data()), 0);
    r.error_reference = run && run->failure.empty() ? compute_statistic("mean", run->columns[find_column(s, s.race.error)]) : NAN;
    r.done = true;
    const MachineLoad start = read_load();
    if (s.race.path.empty()) {
        const StudyRun* other = find_run(s, done, int(&against.variant - s.variants.data()), 0);
        r.error_against = other && other->failure.empty() ? compute_statistic("mean", other->columns[find_column(s, s.race.error)]) : NAN;
        r.reached = r.error_against == r.error_reference;
    } else {
        find_equal_error(s, against, tell, r, errors);
    }
    if (!errors.empty()) return r;
    std::vector<double> ratio, wall[2], cpu[2];
    const MachineLoad before = read_load();
    // no need for many where they will be void
    const bool busy = processors_of_others(start, before) > kBusy;
    for (int k = 0; k < (busy ? std::min(kFew, s.race.pairs) : s.race.pairs); ++k)
        for (int turn = 0; turn < 2; ++turn) {
            const bool second = (turn + k) % 2; // who begins changes
            const Entrant& e = second ? against : reference;
            RunTimes t;
            if (!run_variant(s, {e.sets, threads_of(e.variant, s.race.threads)}, e.variant.value, nullptr, &t, errors)) return r;
            wall[second].push_back(1000 * t.wall / std::max(1, t.steps));
            cpu[second].push_back(1000 * t.cpu / std::max(1, t.steps));
            if (turn == 1) ratio.push_back(wall[0].back() / wall[1].back());
        }
    r.others = processors_of_others(before, read_load());
    r.pairs = int(ratio.size());
    r.quiet = r.others >= 0 && r.others <= kQuiet && r.pairs == s.race.pairs;
    r.ms_reference = quantile(wall[0], 0.5), r.ms_against = quantile(wall[1], 0.5);
    r.cpu_reference = quantile(cpu[0], 0.5), r.cpu_against = quantile(cpu[1], 0.5);
    r.ratio = quantile(ratio, 0.5), r.ratio_low = quantile(ratio, 0.25), r.ratio_high = quantile(ratio, 0.75);
    if (tell)
        tell(fmt::format("{}: {:.3g} ms against {:.3g} ms per step on {} threads, ratio {:.3g} ({:.3g} to {:.3g}); others used {:.2f} processors{}", s.name,
                         r.ms_reference, r.ms_against, s.race.threads, r.ratio, r.ratio_low, r.ratio_high, r.others, r.quiet ? "" : ": void"));
    return r;
}

} // namespace sinew
