#include "study/page.h"
#include "core/file.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace sinew {

namespace {

constexpr std::uint64_t kMostResultBytes = std::uint64_t(64) << 20;

std::string text_of(const Value& v, const char* key) {
    const Value* found = find(v, key);
    return found && found->kind == Value::Kind::text ? found->text : std::string();
}
std::string number_text(const Value& v, const char* otherwise) { return v.kind == Value::Kind::number ? fmt::format("{:.4g}", v.number) : otherwise; }
double number_of(const Value& v, const char* key) {
    const Value* found = find(v, key);
    return found && found->kind == Value::Kind::number ? found->number : 0;
}
bool is_true(const Value& v, const char* key) {
    const Value* found = find(v, key);
    return found && found->kind == Value::Kind::boolean && found->boolean;
}

std::string in_table(std::string text) { // one line, bars kept from ending the cell
    std::string out;
    for (char c : text) out += c == '|' ? std::string("\\|") : c == '\n' ? std::string(" ") : std::string(1, c);
    return out;
}

// what a race did not come to, it did not reach; what other runs have no number for is of one that failed
std::string numbers_text(const Value& study, const Value& verdict) {
    const Value* race = find(study, "race");
    const bool of_race = text_of(verdict, "why").find("race.") != std::string::npos;
    const char* otherwise = race && of_race && !is_true(*race, "reached") ? "not reached" : "not finite";
    std::string out;
    if (const Value* numbers = find(verdict, "numbers"))
        for (const Member& m : numbers->members) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", m.key, number_text(m.value, otherwise));
    return out;
}

const std::vector<Value>& verdicts_of(const Value& study) {
    static const std::vector<Value> none;
    const Value* v = find(study, "verdicts");
    return v ? v->items : none;
}

void add_table(const std::vector<Value>& studies, std::string& out) {
    std::map<std::string, int> count;
    int claims = 0;
    std::string rows;
    for (const Value& s : studies)
        for (const Value& v : verdicts_of(s)) {
            const std::string verdict = text_of(v, "verdict");
            ++count[verdict], ++claims;
            rows += fmt::format("| [{}](#{}) | {} | **{}** | {} |\n", text_of(s, "source"), text_of(s, "name"), in_table(text_of(v, "claim")), verdict,
                                in_table(numbers_text(s, v)));
        }
    out += fmt::format("{} claims: {} hold, {} do not, {} ties (leads under a fifth), {} void (times on a machine that others used).\n\n", claims,
                       count["holds"], count["does not hold"], count["tie"], count["void"]);
    out += "| where | claim | verdict | measured |\n|---|---|---|---|\n" + rows + "\n";
}

void add_race(const Value& race, std::string& out) {
    const auto threads = [&](const char* whose) { return find(race, whose) ? number_of(race, whose) : number_of(race, "threads"); };
    const double first = threads("threads_reference"), second = threads("threads_against");
    const bool equal = text_of(race, "raised").empty();
    out += fmt::format("Time {} {}, medians of {:.0f} interleaved pairs: {} {:.4g} ms per step at an error of {:.4g}; {} ",
                       equal ? "at equal settings" : "to equal error", first == second ? fmt::format("on {:.0f} threads", first)
                                       : fmt::format("({} on {:.0f} threads, {} on {:.0f})", text_of(race, "reference"), first, text_of(race, "against"), second),
                       number_of(race, "pairs"), text_of(race, "reference"), number_of(race, "ms_reference"),
                       number_of(race, "error_reference"), text_of(race, "against"));
    const Value* error = find(race, "error_against");
    if (is_true(race, "reached")) {
        if (!equal) out += fmt::format("gets there with {} = {:.0f}, ", text_of(race, "raised"), number_of(race, "value"));
        out += fmt::format("{:.4g} ms per step at {:.4g}. Ratio {:.3g}, quartiles {:.3g} to {:.3g}; by processor time {:.3g} against {:.3g} ms.",
                           number_of(race, "ms_against"), number_of(race, "error_against"), number_of(race, "ratio"), number_of(race, "ratio_low"),
                           number_of(race, "ratio_high"), number_of(race, "cpu_reference"), number_of(race, "cpu_against"));
    } else {
        out += fmt::format("does not get there: its error{} is {}.", find(race, "tried") ? fmt::format(" with {} = {:.0f}", text_of(race, "raised"), number_of(race, "tried")) : "",
                           error ? number_text(*error, "not finite") : "not finite");
    }
    if (!is_true(race, "quiet")) out += fmt::format(" Others kept {:.2g} processors busy meanwhile: the times are void.", number_of(race, "others"));
    out += "\n\n";
}

void add_study(const PageOptions& o, const Value& s, std::string& out) {
    const std::string name = text_of(s, "name");
    out += fmt::format("## {}\n\n**{}** ({}). {}\n\n", name, text_of(s, "title"), text_of(s, "source"), text_of(s, "text"));
    out += fmt::format("![{}]({}/{}.svg)\n\n", text_of(s, "title"), o.files, name);
    for (const Value& v : verdicts_of(s)) {
        out += fmt::format("- {}: **{}**.", text_of(v, "claim"), text_of(v, "verdict"));
        if (const std::string numbers = numbers_text(s, v); !numbers.empty()) out += " Measured: " + numbers + ".";
        out += fmt::format(" `{}`", text_of(v, "why"));
        if (const std::string note = text_of(v, "note"); !note.empty()) out += " " + note;
        out += "\n";
    }
    out += "\n";
    if (const Value* failures = find(s, "failures"))
        for (const Value& f : failures->items) out += fmt::format("{}\n\n", f.text);
    if (const Value* race = find(s, "race")) add_race(*race, out);
    out += fmt::format("[Numbers]({}/{}.csv)", o.files, name);
    if (!o.studies.empty()) out += fmt::format(", [study]({}/{}.study.json)", o.studies, name);
    out += "\n\n";
}

} // namespace

PageOptions make_page_options(const std::string& studies, const std::string& folder, const std::string& page) {
    namespace fs = std::filesystem;
    PageOptions p;
    std::error_code e;
    const fs::path from = fs::weakly_canonical(fs::path(studies), e), at = fs::weakly_canonical(fs::path(page), e).parent_path();
    p.title = from.filename().string();
    p.files = fs::weakly_canonical(fs::path(folder), e).lexically_relative(at).generic_string();
    p.studies = from.lexically_relative(at).generic_string();
    Bytes bytes;
    if (!read_file((from / "README.md").string(), 1 << 20, bytes).empty()) return p;
    std::string text(bytes.begin(), bytes.end());
    const std::size_t end = std::min(text.size(), text.find('\n'));
    if (text.starts_with("# ")) p.title = text.substr(2, end - 2), text.erase(0, end);
    const std::size_t first = text.find_first_not_of('\n'), last = text.find_last_not_of('\n');
    if (first != std::string::npos) p.text = text.substr(first, last - first + 1);
    return p;
}

Errors write_page(const PageOptions& o, const std::string& folder, const std::vector<std::string>& names, std::string& out) {
    Errors errors;
    std::vector<Value> studies;
    for (const std::string& name : names) {
        const std::string file = folder + "/" + name + ".json";
        Bytes bytes;
        if (Errors e = read_file(file, kMostResultBytes, bytes); !e.empty()) {
            add_errors(errors, e);
            continue;
        }
        Result<Value> parsed = parse_value(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), file);
        add_errors(errors, parsed.errors);
        if (parsed) studies.push_back(std::move(*parsed.value));
    }
    if (!errors.empty()) return errors;
    out = fmt::format("# {}\n\n{}\n\n", o.title, o.text);
    add_table(studies, out);
    for (const Value& s : studies) add_study(o, s, out);
    while (out.ends_with("\n\n")) out.pop_back();
    return {};
}

} // namespace sinew
