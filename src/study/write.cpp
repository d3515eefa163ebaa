// What a study leaves behind: name.csv with every row of every run, name.svg, name.json with the verdicts (page.cpp reads it).
#include "core/atomic_file.h"
#include "core/file.h"
#include "core/hash.h"
#include "output/text.h"
#include "study/page.h"
#include "study/plot.h"
#include "study/verdict.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr std::uint64_t kMostResultBytes = std::uint64_t(64) << 20; // of what was found

std::string cell(const std::string& text) { // quoted where it has to be
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

std::string with_unit(const std::string& name, const std::string& unit) { return unit.empty() ? name : name + " [" + unit + "]"; }

std::string write_table(const Study& s, const StudyResult& r) {
    const bool swept = !s.sweep.values.empty(), iterations = s.record.every == "iteration";
    std::string out = "variant";
    if (swept) out += "," + cell(s.sweep.title);
    out += ",frame,time [s]";
    if (iterations) out += ",iteration";
    for (const StudyColumn& c : s.record.columns) out += "," + cell(with_unit(c.name, c.unit));
    out += "\n";
    for (const StudyRun& run : r.runs)
        for (std::size_t i = 0; i < run.time.size(); ++i) {
            out += s.variants[run.variant].key;
            if (swept) append_number(out += ',', run.value, false);
            append_number(out += ',', run.frame[i], false);
            out += fmt::format(",{:.6g}", run.time[i]);
            if (iterations) append_number(out += ',', run.iteration[i], false);
            for (const std::vector<double>& c : run.columns) out += fmt::format(",{:.6g}", c[i]);
            out += '\n';
        }
    return out;
}

// Runs that blew up would leave nothing to see of the others: they are drawn up to ten times the largest number of those.
double find_limit(const StudyResult& r, int column) {
    double most = 0;
    for (const StudyRun& run : r.runs)
        if (run.failure.empty())
            for (double y : run.columns[column])
                if (std::isfinite(y)) most = std::max(most, std::abs(y));
    return most > 0 ? 10 * most : INFINITY;
}

Plot make_plot(const Study& s, const StudyResult& r) {
    const StudyPlot& p = s.plot;
    const int column = find_column(s, p.y);
    const std::string unit = s.record.columns[column].unit;
    const double limit = find_limit(r, column);
    Plot out;
    out.title = p.title.empty() ? s.title : p.title;
    out.x_label = !p.x_label.empty() ? p.x_label : p.x == "sweep" ? s.sweep.title : p.x == "time" ? "time [s]" : p.x;
    out.y_label = p.y_label.empty() ? with_unit(p.y, unit) : p.y_label;
    out.log_x = p.log.find('x') != std::string::npos, out.log_y = p.log.find('y') != std::string::npos;
    for (std::size_t v = 0; v < s.variants.size(); ++v) {
        if (!p.variants.empty() && std::find(p.variants.begin(), p.variants.end(), s.variants[v].key) == p.variants.end()) continue;
        PlotCurve curve;
        curve.title = s.variants[v].title;
        for (const StudyRun& run : r.runs) {
            if (run.variant != int(v)) continue;
            const std::vector<double>& y = run.columns[column];
            if (p.x == "sweep") {
                curve.x.push_back(run.value);
                curve.y.push_back(run.failure.empty() ? compute_statistic(p.of, y) : NAN);
                continue;
            }
            const std::vector<double>& x = p.x == "time" ? run.time : p.x == "frame" ? run.frame : run.iteration;
            curve.x.insert(curve.x.end(), x.begin(), x.end());
            for (double v : y) curve.y.push_back(run.failure.empty() || std::abs(v) <= limit ? v : NAN);
            if (!run.failure.empty()) curve.title += " (fails)";
        }
        out.curves.push_back(std::move(curve));
    }
    return out;
}

Value rounded(double x) { return std::isfinite(x) ? make_number(std::stod(fmt::format("{:.5g}", x))) : make_null(); }

Value write_race(const Study& s, const RaceResult& r) {
    Value out = make_object();
    set(out, "reference", make_text(s.race.reference));
    set(out, "against", make_text(s.race.against));
    set(out, "raised", make_text(s.race.path));
    set(out, "value", make_number(r.value));
    set(out, "reached", make_boolean(r.reached));
    if (r.tried > 0) set(out, "tried", make_number(r.tried));
    set(out, "quiet", make_boolean(r.quiet));
    set(out, "threads", make_number(s.race.threads));
    for (const StudyVariant& v : s.variants)
        if (v.threads > 0 && (v.key == s.race.reference || v.key == s.race.against))
            set(out, v.key == s.race.reference ? "threads_reference" : "threads_against", make_number(v.threads));
    set(out, "pairs", make_number(r.pairs));
    for (const auto& [name, x] : {std::pair{"error_reference", r.error_reference}, {"error_against", r.error_against},
                                  {"ms_reference", r.ms_reference}, {"ms_against", r.ms_against}, {"cpu_reference", r.cpu_reference},
                                  {"cpu_against", r.cpu_against}, {"ratio", r.ratio}, {"ratio_low", r.ratio_low},
                                  {"ratio_high", r.ratio_high}, {"others", r.others}})
        set(out, name, rounded(x));
    return out;
}

Value write_summary(const Study& s, const StudyResult& r) {
    Value out = make_object(), verdicts = make_array();
    for (const auto& [name, text] : {std::pair{"name", s.name}, {"title", s.title}, {"source", s.source}, {"text", s.text}})
        set(out, name, make_text(text));
    set(out, "made_of", make_text(hash_study(s)));
    for (const StudyVerdict& v : r.verdicts) {
        Value one = make_object(), numbers = make_object();
        set(one, "claim", make_text(v.claim));
        set(one, "verdict", make_text(verdict_name(v.verdict)));
        set(one, "why", make_text(v.why));
        for (const auto& [name, x] : v.numbers) set(numbers, name, rounded(x));
        if (!v.numbers.empty()) set(one, "numbers", numbers);
        if (!v.note.empty()) set(one, "note", make_text(v.note));
        verdicts.items.push_back(std::move(one));
    }
    set(out, "verdicts", std::move(verdicts));
    Value failures = make_array();
    for (const StudyRun& run : r.runs)
        if (!run.failure.empty()) failures.items.push_back(make_text(s.variants[run.variant].title + ": " + run.failure));
    if (!failures.items.empty()) set(out, "failures", std::move(failures));
    if (r.race.done) set(out, "race", write_race(s, r.race));
    return out;
}

} // namespace

std::string hash_study(const Study& s) {
    std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n{} threads\n", s.name, s.title, s.source, s.text, write_value(s.scene, 0), s.threads);
    for (const StudyVariant& v : s.variants) {
        all += fmt::format("{} {} {} threads:", v.key, v.title, v.threads);
        for (const std::string& set : v.sets) all += " " + set;
        all += '\n';
    }
    for (const Value* v : {&s.sweep.value, &s.race.value, &s.plot.value}) all += write_value(*v, 0) + "\n";
    all += s.record.every;
    for (int frame : s.record.frames) all += fmt::format(" {}", frame);
    for (const StudyColumn& c : s.record.columns) all += "\n" + c.name + " [" + c.unit + "] " + write_value(c.text, 0);
    for (const StudyClaim& c : s.claims) {
        all += "\n" + c.text + "\n" + c.note + "\n" + write_value(c.holds, 0);
        for (const auto& [name, text] : c.show) all += "\n" + name + " " + write_value(text, 0);
    }
    Hash h;
    add(h, std::string_view(all));
    return fmt::format("{:016x}", h.value);
}

bool is_result_of(const Study& s, const std::string& folder) {
    Bytes bytes;
    if (!read_file(folder + "/" + s.name + ".json", kMostResultBytes, bytes).empty()) return false;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text.find("\"made_of\": \"" + hash_study(s) + "\"") != std::string_view::npos;
}

Errors write_study(const Study& s, const StudyResult& r, const std::string& folder) {
    const std::string base = folder + "/" + s.name;
    Errors errors = write_atomically(base + ".csv", as_bytes(write_table(s, r)));
    add_errors(errors, write_atomically(base + ".svg", as_bytes(write_svg(make_plot(s, r)))));
    add_errors(errors, write_atomically(base + ".json", as_bytes(write_value(write_summary(s, r)) + "\n")));
    return errors;
}

} // namespace sinew
