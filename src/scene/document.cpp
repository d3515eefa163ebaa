#include "scene/document.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/read.h"
#include "core/value_parts.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <unordered_map>

namespace sinew {

const std::vector<std::string> kSections = {
    "sinew",  "$schema",   "name",   "description", "include",    "up",      "gravity", "time",    "seed",
    "vars",   "materials", "fields", "prefabs",     "objects",    "joints",  "attach",  "contact", "events",
    "solver", "solvers",   "camera", "light",       "background", "outputs", "expect"};

static constexpr std::uintmax_t kMaxFile = 512u << 20; // [bytes]

bool read_whole_file(const std::string& file, std::string& text, std::string& problem) {
    std::error_code error;
    // only regular files: a pipe or device would never end
    if (!std::filesystem::is_regular_file(file, error)) {
        problem = std::filesystem::exists(file, error) ? "is not a regular file" : "there is no such file";
        return false;
    }
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > kMaxFile) {
        problem = error ? "cannot be read: " + error.message() : "is larger than 512 MB";
        return false;
    }
    std::ifstream in(file, std::ios::binary);
    text.resize(std::size_t(size));
    in.read(text.data(), std::streamsize(size));
    if (!in || std::uintmax_t(in.gcount()) != size) {
        problem = "cannot be read";
        return false;
    }
    return true;
}

// what an option or the program says is relative to the working folder
static bool is_in_file(const Place& p) { return p.file && !p.file->empty() && !is_command_line(p); }

std::string resolve_file(const Value& text) {
    const std::filesystem::path file(text.text);
    if (file.is_absolute() || !is_in_file(text.place)) return file.string();
    return (std::filesystem::path(*text.place.file).parent_path() / file).lexically_normal().string();
}

template <class V, class F> static void visit_texts(V& v, F&& f) {
    if (v.kind == Value::Kind::text) f(v);
    for (auto& item : v.items) visit_texts(item, f);
    for (auto& m : v.members) visit_texts(m.value, f);
}

std::vector<std::string> text_origins(const Value& document) {
    std::vector<std::pair<long long, std::string>> runs;
    visit_texts(document, [&](const Value& v) {
        const std::string file = is_in_file(v.place) ? *v.place.file : "command line";
        if (runs.empty() || runs.back().second != file) runs.emplace_back(0, file);
        ++runs.back().first;
    });
    std::vector<std::string> lines;
    for (const auto& [count, file] : runs)
        lines.push_back(std::to_string(count) + "  " + std::filesystem::absolute(file).lexically_normal().string());
    return lines;
}

void restore_origins(const std::vector<std::string>& origins, Value& document) {
    std::vector<std::pair<long long, std::shared_ptr<const std::string>>> runs;
    long long texts = 0, told = 0;
    visit_texts(document, [&](const Value&) { ++texts; });
    for (const std::string& line : origins) {
        const std::size_t space = line.find("  ");
        long long count = 0;
        if (space == line.npos || std::from_chars(line.data(), line.data() + space, count).ec != std::errc() || count <= 0 || count > texts)
            return;
        told += count;
        runs.emplace_back(count, std::make_shared<const std::string>(line.substr(space + 2)));
    }
    if (told != texts) return;
    auto run = runs.begin();
    visit_texts(document, [&](Value& v) {
        if (run->first == 0) ++run;
        v.place.file = run->second;
        --run->first;
    });
}

bool check_version(const Value& document, std::vector<Error>& errors) {
    const Value* v = find(document, "sinew");
    if (!v) return true;
    int version = 0;
    if (v->kind != Value::Kind::number) {
        errors.push_back(make_error(*v, "sinew", "a number is expected, not " + std::string(kind_name(v->kind)), "1"));
        return false;
    }
    if (!read_integer(*v, {}, "sinew", version, errors)) return false;
    if (version >= 1 && version <= kLanguageVersion) return true;
    std::string message = version > kLanguageVersion
                              ? "this scene is written in version " + std::to_string(version) +
                                    " of the scene language, newer than this program; a newer Sinew is needed"
                              : "there is no such version of the scene language";
    errors.push_back(make_error(*v, "sinew", std::move(message),
                                kLanguageVersion == 1 ? "1" : "1 to " + std::to_string(kLanguageVersion)));
    return false;
}

namespace {

struct Loader {
    Included& included; // names as opened, normalised
    std::vector<Error>& errors;
    std::vector<std::string> chain; // files being included now
};

std::string normalise(const std::string& file) {
    std::error_code error;
    const std::filesystem::path p = std::filesystem::weakly_canonical(file, error);
    return error ? std::filesystem::path(file).lexically_normal().string() : p.string();
}

// members of `included` in front of those of `own`
void merge_named(const Value& included, Value& own, std::string_view section, bool own_wins,
                 std::vector<Error>& errors) {
    std::unordered_map<std::string_view, const Member*> mine;
    for (const Member& m : own.members) mine.emplace(m.key, &m);
    std::vector<Member> merged;
    for (const Member& m : included.members) {
        const auto it = mine.find(m.key);
        if (it == mine.end()) {
            merged.push_back(m);
            continue;
        }
        if (own_wins) continue;
        const Place& p = m.place;
        errors.push_back(make_error(*it->second, join_path(section, m.key),
                                    "this name is also used in an included file, " + (p.file ? *p.file : "") +
                                        ":" + std::to_string(p.line)));
    }
    merged.insert(merged.end(), own.members.begin(), own.members.end());
    own.members = std::move(merged);
}

void merge_section(const Member& m, Value& document, std::vector<Error>& errors) {
    static const std::vector<std::string> not_merged = {"include", "sinew", "$schema", "name", "description"};
    static const std::vector<std::string> distinct = {"objects",   "prefabs", "fields",
                                                      "materials", "joints",  "attach"};
    const auto in = [&](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), m.key) != list.end();
    };
    if (in(not_merged)) return;
    Value* own = find(document, m.key);
    if (!own) {
        document.members.push_back(m);
        return;
    }
    if (own->kind == Value::Kind::object && m.value.kind == Value::Kind::object) {
        if (in(distinct) || m.key == "vars" || m.key == "solvers")
            merge_named(m.value, *own, m.key, !in(distinct), errors);
    } else if (own->kind == Value::Kind::array && m.value.kind == Value::Kind::array && m.key != "gravity") {
        own->items.insert(own->items.begin(), m.value.items.begin(), m.value.items.end());
    } else if (in(distinct))
        errors.push_back(make_error(*own, m.key, "this and the included file write " + m.key + " differently",
                                    "a list in both or { } in both"));
}

void include_into(Value& document, const std::string& file, Loader& loader);

void include_file(const Value& name, int index, Value& document, Loader& loader) {
    const std::string path = join_path("include", index), file = resolve_file(name), id = normalise(file);
    const auto begin = std::find(loader.chain.begin(), loader.chain.end(), id);
    if (begin != loader.chain.end()) {
        std::string cycle;
        for (auto it = begin; it != loader.chain.end(); ++it)
            cycle += std::filesystem::path(*it).filename().string() + " -> ";
        loader.errors.push_back(make_error(name, path,
                                           "files include each other in a circle: " + cycle +
                                               std::filesystem::path(id).filename().string()));
        return;
    }
    Included& included = loader.included;
    if (std::find(included.files.begin(), included.files.end(), id) != included.files.end()) return; // counts once
    included.files.push_back(id);
    std::string text, problem;
    ValueParts parsed;
    if (!read_whole_file(file, text, problem))
        loader.errors.push_back(make_error(name, path, problem));
    else
        parsed = parse_value_parts(text, file);
    loader.errors.insert(loader.errors.end(), parsed.errors.begin(), parsed.errors.end());
    included.broken.insert(included.broken.end(), parsed.broken.begin(), parsed.broken.end());
    if (parsed.usable && parsed.value.kind != Value::Kind::object) {
        loader.errors.push_back(
            make_error(parsed.value, "",
                       "a scene file is an object { }, not " + std::string(kind_name(parsed.value.kind))));
        parsed.usable = false;
    }
    if (!parsed.usable || !check_version(parsed.value, loader.errors)) {
        included.complete = false;
        return;
    }
    include_into(parsed.value, file, loader);
    for (const Member& m : parsed.value.members) merge_section(m, document, loader.errors);
}

void include_into(Value& document, const std::string& file, Loader& loader) {
    const Value* include = find(document, "include");
    if (!include) return;
    const Value list = *include; // the document changes below
    erase(document, "include");
    loader.included.complete &= check_array(list, -1, "include", "file names", loader.errors);
    if (loader.chain.size() >= 50) {
        loader.errors.push_back(
            make_error(list, "include", "files include each other too deeply", "50 levels"));
        loader.included.complete = false;
        return;
    }
    loader.chain.push_back(normalise(file));
    // backwards, because each goes in front of what is there
    for (std::size_t i = list.items.size(); i-- > 0;) {
        std::string unused;
        if (read_text(list.items[i], join_path("include", int(i)), unused, loader.errors))
            include_file(list.items[i], int(i), document, loader);
        else
            loader.included.complete = false;
    }
    loader.chain.pop_back();
}

} // namespace

void merge_includes(Value& document, const std::string& file, Included& included, std::vector<Error>& errors) {
    Loader loader{included, errors, {}};
    included.files.push_back(normalise(file));
    include_into(document, file, loader);
}

} // namespace sinew
