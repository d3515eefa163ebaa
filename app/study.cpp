// sinew study: one scene in several variants, numbers, a plot and a verdict per claim; a folder of studies makes a page.
#include "command.h"
#include "core/atomic_file.h"
#include "study/page.h"
#include "study/study.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

namespace fs = std::filesystem;
constexpr const char* kEnding = ".study.json";

std::vector<std::string> find_studies(const std::string& path, std::vector<Error>& errors) {
    std::vector<std::string> out;
    std::error_code e;
    if (fs::is_regular_file(path, e)) return {path};
    if (!fs::is_directory(path, e)) return errors.push_back(Error{.file = path, .message = "no such file or folder"}), out;
    for (const auto& f : fs::directory_iterator(path, e))
        if (f.path().string().ends_with(kEnding)) out.push_back(f.path().string());
    if (out.empty()) errors.push_back(Error{.file = path, .message = "no studies here", .allowed = std::string("files named *") + kEnding});
    std::sort(out.begin(), out.end());
    return out;
}

void print_verdicts(const Study& s, const StudyResult& r) {
    for (const StudyVerdict& v : r.verdicts) fmt::print("{:<14} {}: {}\n    {}\n", verdict_name(v.verdict), s.name, v.claim, v.why);
}

} // namespace

int command_study(const StudyOptions& given) {
    StudyOptions o = given;
    std::vector<Error> errors;
    const std::vector<std::string> files = find_studies(o.path, errors);
    if (!errors.empty()) return print_errors(errors), kBadInput;
    if (o.out.empty()) o.out = "out/study";
    std::error_code failed;
    fs::create_directories(o.out, failed);
    if (failed) return print_errors({Error{.file = o.out, .message = "cannot make the folder: " + failed.message()}}), kFailed;
    std::vector<Study> studies; // all are read before the first runs
    for (const std::string& file : files) {
        Result<Study> s = load_study(file);
        errors.insert(errors.end(), s.errors.begin(), s.errors.end());
        if (!s) continue;
        if (!o.resume && !o.overwrite && fs::exists(o.out + "/" + s.value->name + ".json"))
            errors.push_back(Error{.file = o.out + "/" + s.value->name + ".json", .message = "is there already", .allowed = "--overwrite to replace it, --resume to keep it"});
        studies.push_back(std::move(*s.value));
    }
    if (!errors.empty()) return print_errors(errors), kBadInput;
    std::vector<std::string> names;
    for (const Study& s : studies) {
        names.push_back(s.name);
        if (o.resume && is_result_of(s, o.out)) continue;
        const auto tell = [&](const std::string& line) {
            if (!o.quiet) fmt::print(stderr, "{}\n", line);
        };
        const Result<StudyResult> r = run_study(s, tell);
        if (!r) return print_errors(r.errors), kFailed;
        if (const auto e = write_study(s, *r.value, o.out); !e.empty()) return print_errors(e), kFailed;
        if (!o.quiet) print_verdicts(s, *r.value);
    }
    if (o.page.empty()) return kOk;
    std::string page;
    errors = write_page(make_page_options(fs::is_directory(o.path) ? o.path : fs::path(o.path).parent_path().string(), o.out, o.page), o.out, names, page);
    if (errors.empty()) errors = write_atomically(o.page, as_bytes(page));
    return errors.empty() ? kOk : (print_errors(errors), kFailed);
}

} // namespace sinew
