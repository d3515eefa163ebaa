#include "study/verdict.h"
#include "core/error.h"
#include "study/expression_errors.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace sinew {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

constexpr double kLead = 1.2; // times measured on other days differ by as much

struct Reference { // a name of a claim
    int race = -1; // member of the race
    int variant = -1, column = -1, at = 0;
    double value = 0;
    std::string statistic;
    // `for`: where that column of the variant is as large as it is of another run
    int by_column = -1, other = -1;
    double other_value = 0;
    std::string by_statistic;
};

struct RaceNumber {
    std::string_view name;
    bool timed; // worth nothing on a machine that others use
    bool reached; // is there only where the error was reached
    double (*of)(const RaceResult&);
};
constexpr RaceNumber kRace[] = {
    {"race.ratio", true, true, [](const RaceResult& r) { return r.ratio; }},
    {"race.ratio_low", true, true, [](const RaceResult& r) { return r.ratio_low; }},
    {"race.ratio_high", true, true, [](const RaceResult& r) { return r.ratio_high; }},
    {"race.ms_reference", true, false, [](const RaceResult& r) { return r.ms_reference; }},
    {"race.ms_against", true, true, [](const RaceResult& r) { return r.ms_against; }},
    {"race.cpu_ratio", false, true, [](const RaceResult& r) { return r.cpu_against > 0 ? r.cpu_reference / r.cpu_against : kNothing; }},
    {"race.iterations", false, true, [](const RaceResult& r) { return r.value > 0 ? double(r.value) : kNothing; }},
    {"race.reached", false, false, [](const RaceResult& r) { return double(r.reached); }},
    {"race.error_reference", false, false, [](const RaceResult& r) { return r.error_reference; }},
    {"race.error_against", false, false, [](const RaceResult& r) { return r.error_against; }},
};

bool take_index(std::string_view& text, double& out) { // "[12]" at the start
    if (!text.starts_with("[")) return false;
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return false;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + close, out);
    if (error != std::errc() || end != text.data() + close) return false;
    text.remove_prefix(close + 1);
    return true;
}

std::string_view take_word(std::string_view& text) {
    const std::size_t end = std::min(text.size(), text.find_first_of(".["));
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

int variant_index(const Study& s, std::string_view key) {
    for (std::size_t i = 0; i < s.variants.size(); ++i)
        if (s.variants[i].key == key) return int(i);
    return -1;
}
bool has_value(const Study& s, double value) { return std::find(s.sweep.values.begin(), s.sweep.values.end(), value) != s.sweep.values.end(); }
bool is_statistic(std::string_view word) {
    const std::vector<std::string> known = statistic_names();
    return std::find(known.begin(), known.end(), word) != known.end();
}
// ".cost.median": column and statistic
bool take_column(const Study& s, std::string_view& name, int& column, std::string& statistic) {
    if (!name.starts_with(".")) return false;
    name.remove_prefix(1);
    if ((column = find_column(s, take_word(name))) < 0 || !name.starts_with(".")) return false;
    name.remove_prefix(1);
    statistic = take_word(name);
    return true;
}

// what follows variant of a study with a sweep: ".stretch.end.for.cost.median.of.cr[9]"
bool parse_equal(const Study& s, std::string_view name, Reference& out) {
    constexpr std::string_view kFor = ".for", kOf = ".of.";
    if (!take_column(s, name, out.column, out.statistic) || !is_statistic(out.statistic) || !name.starts_with(kFor)) return false;
    name.remove_prefix(kFor.size());
    if (!take_column(s, name, out.by_column, out.by_statistic) || !is_statistic(out.by_statistic) || !name.starts_with(kOf)) return false;
    name.remove_prefix(kOf.size());
    out.other = variant_index(s, take_word(name));
    return out.other >= 0 && take_index(name, out.other_value) && name.empty() && has_value(s, out.other_value);
}

bool parse_reference(const Study& s, std::string_view name, Reference& out) {
    if (s.race.wanted)
        for (std::size_t i = 0; i < std::size(kRace); ++i)
            if (kRace[i].name == name) return out.race = int(i), true;
    out.variant = variant_index(s, take_word(name));
    if (out.variant < 0) return false;
    const bool indexed = take_index(name, out.value);
    if (!indexed && !s.sweep.values.empty()) return parse_equal(s, name, out);
    if (indexed && !has_value(s, out.value)) return false;
    if (!take_column(s, name, out.column, out.statistic)) return false;
    double at = 0;
    if (out.statistic == "at") return take_index(name, at) && name.empty() && (out.at = int(at), true);
    return name.empty() && is_statistic(out.statistic);
}

double interpolate_between(const std::array<double, 2>& x, const std::array<double, 2>& y, double at) {
    if (x[1] == x[0]) return std::min(y[0], y[1]);
    const bool logs = x[0] > 0 && x[1] > 0 && y[0] > 0 && y[1] > 0;
    const double part = logs ? std::log(at / x[0]) / std::log(x[1] / x[0]) : (at - x[0]) / (x[1] - x[0]);
    return logs ? y[0] * std::pow(y[1] / y[0], part) : y[0] + part * (y[1] - y[0]);
}

double read_equal(const Study& s, const StudyResult& r, const Reference& ref) {
    const auto of = [&](const StudyRun& run, int column, const std::string& statistic) { return compute_statistic(statistic, run.columns[column]); };
    const StudyRun* other = find_run(s, r, ref.other, ref.other_value);
    if (!other || !other->failure.empty()) return kNothing;
    const double at = of(*other, ref.by_column, ref.by_statistic);
    std::vector<std::array<double, 2>> known;
    for (const StudyRun& run : r.runs) {
        if (run.variant != ref.variant || !run.failure.empty()) continue;
        const std::array<double, 2> row{of(run, ref.by_column, ref.by_statistic), of(run, ref.column, ref.statistic)};
        if (std::isfinite(row[0]) && std::isfinite(row[1])) known.push_back(row);
    }
    std::sort(known.begin(), known.end());
    for (std::size_t i = 1; i < known.size(); ++i)
        if (at >= known[i - 1][0] && at <= known[i][0]) return interpolate_between({known[i - 1][0], known[i][0]}, {known[i - 1][1], known[i][1]}, at);
    return kNothing;
}

double read_reference(const Study& s, const StudyResult& r, const Reference& ref) {
    if (ref.other >= 0) return read_equal(s, r, ref);
    if (ref.race >= 0) return r.race.done && (r.race.reached || !kRace[ref.race].reached) ? kRace[ref.race].of(r.race) : kNothing;
    const StudyRun* run = find_run(s, r, ref.variant, ref.value);
    if (!run || !run->failure.empty()) return kNothing;
    const std::vector<double>& rows = run->columns[ref.column];
    if (ref.statistic != "at") return compute_statistic(ref.statistic, rows);
    const std::vector<double>& key = s.record.every == "iteration" ? run->iteration : run->frame;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (std::abs(key[i] - ref.at) < 1e-6) return rows[i];
    return kNothing;
}

std::vector<std::string> known_claim_names(const Study& s) {
    std::vector<std::string> out;
    for (const StudyVariant& v : s.variants)
        for (const StudyColumn& c : s.record.columns)
            out.push_back(s.sweep.values.empty() ? fmt::format("{}.{}.end", v.key, c.name)
                                                 : fmt::format("{}[{}].{}.end", v.key, s.sweep.values[0], c.name));
    if (s.race.wanted)
        for (const RaceNumber& n : kRace) out.emplace_back(n.name);
    return out;
}

struct Judged {
    double value = kNothing;
    bool is_void = false; // it speaks of times that are worth nothing
    std::vector<std::pair<std::string, double>> parts;
};
// `times`: instead of all times that are worth nothing, `ratio`: instead of those of a race; nan = as they are
struct Pretended {
    double times = kNothing, ratio = kNothing;
};
Judged judge(const Study& s, const StudyResult& r, const Value& text, const Pretended& pretended = {}) {
    Judged out;
    Symbols symbols;
    symbols.resolve = [&](std::string_view name) -> std::optional<Symbol> {
        Reference ref;
        if (!parse_reference(s, name, ref)) return std::nullopt;
        double x = read_reference(s, r, ref);
        if (ref.race >= 0 && kRace[ref.race].timed && !r.race.quiet) {
            out.is_void = true;
            if (!std::isnan(pretended.times)) x = pretended.times;
        }
        if (ref.race >= 0 && kRace[ref.race].name.starts_with("race.ratio") && !std::isnan(x) && !std::isnan(pretended.ratio)) x = pretended.ratio;
        const auto same = [&](const auto& p) { return p.first == name; };
        if (std::find_if(out.parts.begin(), out.parts.end(), same) == out.parts.end()) out.parts.emplace_back(std::string(name), x);
        return Symbol{-1, x};
    };
    const ExpressionResult e = compile_expression(text.text, symbols);
    if (e.value) out.value = evaluate(*e.value, {});
    for (const auto& part : out.parts)
        if (!std::isfinite(part.second)) out.value = kNothing;
    return out;
}

} // namespace

std::string_view verdict_name(Verdict v) {
    return v == Verdict::holds ? "holds" : v == Verdict::does_not_hold ? "does not hold" : v == Verdict::tie ? "tie" : "void";
}
std::vector<std::string> statistic_names() { return {"start", "end", "mean", "min", "max", "sum", "median", "rises"}; }

int find_column(const Study& s, std::string_view name) {
    for (std::size_t i = 0; i < s.record.columns.size(); ++i)
        if (s.record.columns[i].name == name) return int(i);
    return -1;
}

const StudyRun* find_run(const Study& s, const StudyResult& r, int variant, double value) {
    for (const StudyRun& run : r.runs)
        if (run.variant == variant && (s.sweep.values.empty() || run.value == value)) return &run;
    return nullptr;
}

double compute_statistic(std::string_view of, std::span<const double> rows) {
    if (rows.empty()) return kNothing;
    if (of == "start") return rows.front();
    if (of == "end") return rows.back();
    if (of == "min") return *std::min_element(rows.begin(), rows.end());
    if (of == "max") return *std::max_element(rows.begin(), rows.end());
    const double sum = std::accumulate(rows.begin(), rows.end(), 0.0);
    if (of == "sum") return sum;
    if (of == "mean") return sum / double(rows.size());
    if (of == "rises") {
        int count = 0;
        for (std::size_t i = 1; i < rows.size(); ++i) count += rows[i] > rows[i - 1] + 1e-6 * std::abs(rows[i - 1]);
        return count;
    }
    std::vector<double> sorted(rows.begin(), rows.end());
    std::sort(sorted.begin(), sorted.end());
    return 0.5 * (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]);
}

void check_claims(const Study& s, std::vector<Error>& errors) {
    const auto check = [&](const Value& text, const std::string& path) {
        if (text.kind != Value::Kind::text) {
            errors.push_back(make_error(text, path, "must be a text", "an expression of what is recorded"));
            return;
        }
        Symbols symbols;
        symbols.resolve = [&](std::string_view name) -> std::optional<Symbol> {
            Reference ref;
            return parse_reference(s, name, ref) ? std::optional(Symbol{-1, 1}) : std::nullopt;
        };
        const ExpressionResult r = compile_expression(text.text, symbols);
        if (!r.value) add_expression_errors(text, path, r, known_claim_names(s), errors);
    };
    for (std::size_t i = 0; i < s.claims.size(); ++i) {
        const std::string path = join_path("claims", int(i));
        check(s.claims[i].holds, path + ".holds");
        for (const auto& [name, text] : s.claims[i].show) check(text, path + ".show." + name);
    }
}

void judge_claims(const Study& s, StudyResult& r) {
    r.verdicts.clear();
    for (const StudyClaim& c : s.claims) {
        Judged j = judge(s, r, c.holds);
        const auto holds_with = [&](const Pretended& pretended) {
            const Judged other = judge(s, r, c.holds, pretended);
            return std::isfinite(other.value) && other.value != 0;
        };
        // what no time could change is not void: who never gets there is not faster
        if (j.is_void && holds_with({.times = 0}) == holds_with({.times = 1e300})) j.is_void = false;
        const bool close = r.race.done && r.race.ratio > 1 / kLead && r.race.ratio < kLead;
        const bool tie = close && holds_with({.ratio = kLead}) != holds_with({.ratio = 1 / kLead});
        StudyVerdict v{c.text, c.note, Verdict::is_void, {}, {}};
        v.verdict = j.is_void ? Verdict::is_void : tie ? Verdict::tie : std::isfinite(j.value) && j.value != 0 ? Verdict::holds : Verdict::does_not_hold;
        v.why = c.holds.text + ":";
        for (std::size_t i = 0; i < j.parts.size(); ++i) v.why += fmt::format("{} {} {}", i ? "," : "", j.parts[i].first,
                                                                             std::isfinite(j.parts[i].second) ? fmt::format("= {:.4g}", j.parts[i].second)
                                                                             : j.parts[i].first.starts_with("race.") && r.race.done ? "not reached" : "= nan");
        if (j.is_void) v.why += fmt::format("; others kept {:.2f} processors busy", r.race.others);
        for (const auto& [name, text] : c.show) v.numbers.emplace_back(name, judge(s, r, text).value);
        r.verdicts.push_back(std::move(v));
    }
}

} // namespace sinew
