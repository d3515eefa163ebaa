// --set path=value: changes of a document before it is expanded.
#include "scene/set.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/utf8.h"
#include "scene/document.h"
#include "scene/names.h"
#include <algorithm>
#include <charconv>

namespace sinew {
namespace {

struct Setter {
    Value& document;
    Value value;
    std::string path; // as written
    std::vector<Error>& errors;
};

bool fail_setting(Setter& s, std::string message, const std::vector<std::string>& known = {},
                  std::string_view word = {}) {
    s.errors.push_back(
        make_error(s.value, s.path, std::move(message), list_words(known), find_nearest(word, known)));
    return false;
}

std::vector<std::string> keys_of(const Value& object) {
    std::vector<std::string> keys;
    for (const Member& m : object.members) keys.push_back(m.key);
    return keys;
}

// [3] and .3 both mean the fourth item
std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> parts(1);
    for (const char c : path) {
        if (c == '.' || c == '[')
            parts.emplace_back();
        else if (c != ']')
            parts.back() += c;
    }
    return parts;
}

bool set_below(Setter& s, Value& at, std::span<const std::string> parts) {
    std::string problem;
    if (set_path(at, parts, s.value, problem)) return true;
    return fail_setting(s, problem);
}

// parameters of one object; `below` = names inside a prefab instance or replica
bool set_object(Setter& s, Member& object, std::string_view below, bool pattern,
                std::span<const std::string> parts) {
    if (parts.empty()) return fail_setting(s, "what to set is missing after the object", {}, {});
    if (below.empty() && !(pattern && find(object.value, "use"))) return set_below(s, object.value, parts);
    if (!find(object.value, "use") && !find(object.value, "replicate")) {
        if (pattern) return true;
        return fail_setting(s, "the object \"" + object.key + "\" has no parts");
    }
    Value* override = find(object.value, "override");
    if (!override) override = &set(object.value, "override", make_object());
    const std::string key = below.empty() ? "*" : std::string(below);
    // the last of several patterns wins: put this one last
    Value members = make_object();
    if (const Value* old = find(*override, key)) members = *old;
    erase(*override, key);
    std::string dotted = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) dotted += '.' + parts[i];
    set(members, dotted, s.value);
    set(*override, key, std::move(members)).place = s.value.place;
    override->members.back().place = s.value.place;
    return true;
}

bool set_objects(Setter& s, std::string_view name, std::span<const std::string> parts) {
    Value* objects = find(s.document, "objects");
    const std::size_t slash = name.find('/');
    const std::string_view root = name.substr(0, slash),
                           below = slash == std::string_view::npos ? "" : name.substr(slash + 1);
    const bool pattern = root.find_first_of("*?") != std::string_view::npos;
    bool found = false, ok = true;
    if (objects)
        for (Member& m : objects->members)
            if (match_name(root, m.key)) {
                found = true;
                ok &= set_object(s, m, below, pattern, parts);
            }
    if (found) return ok;
    const std::vector<std::string> known = objects ? keys_of(*objects) : std::vector<std::string>{};
    return fail_setting(s, "there is no object \"" + std::string(root) + '"', known, root);
}

// sections whose names must exist already: a new one would be a misspelling
bool check_known(Setter& s, const std::vector<std::string>& parts) {
    for (const char* section : {"vars", "fields", "prefabs", "materials"})
        if (parts[0] == section && parts.size() > 1) {
            const Value* v = find(s.document, section);
            const std::vector<std::string> known = v ? keys_of(*v) : std::vector<std::string>{};
            if (std::find(known.begin(), known.end(), parts[1]) == known.end())
                return fail_setting(s, "there is no \"" + parts[1] + "\" in " + section, known, parts[1]);
        }
    return true;
}

} // namespace

bool set_path(Value& at, std::span<const std::string> parts, const Value& value, std::string& problem) {
    Value* here = &at;
    if (parts.size() > 50) {
        problem = "the path is too long";
        return false;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool last = i + 1 == parts.size();
        // a part of a material that is named: like it, but for this
        if (i > 0 && parts[i - 1] == "material" && here->kind == Value::Kind::text) {
            const Value name = *here;
            *here = make_object();
            here->place = name.place;
            set(*here, "like", name);
        }
        if (here->kind == Value::Kind::array) {
            int index = -1;
            const auto [end, error] =
                std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), index);
            if (error != std::errc() || end != parts[i].data() + parts[i].size() || index < 0 ||
                index >= int(here->items.size())) {
                problem =
                    "\"" + parts[i] + "\" is no index of a list of " + std::to_string(here->items.size());
                return false;
            }
            here = &here->items[std::size_t(index)];
        } else if (here->kind == Value::Kind::object) {
            if (parts[i].empty()) {
                problem = "a name is missing in the path";
                return false;
            }
            Value* next = find(*here, parts[i]);
            if (!next) {
                next = &set(*here, parts[i], last ? value : make_object());
                next->place = here->members.back().place = value.place;
            }
            here = next;
        } else {
            problem = std::string(kind_name(here->kind)) + " has no member \"" + parts[i] + '"';
            return false;
        }
    }
    *here = value;
    return true;
}

static bool set_anywhere(Setter& s) {
    Value& document = s.document;
    if (document.kind != Value::Kind::object) return fail_setting(s, "the document is no object");
    const std::vector<std::string> parts = split_path(s.path);
    if (std::find(parts.begin(), parts.end(), "") != parts.end())
        return fail_setting(s, "a name is missing in the path");
    const std::span<const std::string> rest = std::span(parts).subspan(1);
    if (parts[0] == "objects")
        return rest.empty() ? fail_setting(s, "an object is missing in the path")
                            : set_objects(s, rest[0], rest.subspan(1));
    if (parts[0] == "include" || parts[0] == "sinew")
        return fail_setting(s, "what a scene includes is read before anything is set: change the file");
    if (std::find(kSections.begin(), kSections.end(), parts[0]) != kSections.end())
        return check_known(s, parts) && set_below(s, document, parts);
    // short forms: an object's parameter, a var
    if (parts.size() > 1) return set_objects(s, parts[0], rest);
    if (Value* vars = find(document, "vars"))
        if (Value* v = find(*vars, parts[0])) {
            *v = s.value;
            return true;
        }
    std::vector<std::string> known = kSections;
    for (const char* section : {"vars", "objects"})
        if (const Value* v = find(document, section))
            for (const Member& m : v->members) known.push_back(m.key);
    return fail_setting(s, "unknown name \"" + parts[0] + '"', known, parts[0]);
}

bool apply_set(Value& document, std::string_view assignment, std::vector<Error>& errors) {
    if (!utf8_valid(assignment)) { // it could not be shown, and not be written back
        errors.push_back({.file = "command line (--set)", .message = "invalid UTF-8 in an assignment"});
        return false;
    }
    const std::size_t equals = assignment.find('=');
    Setter s{document, {}, std::string(assignment.substr(0, equals)), errors};
    s.value.place = command_line_place("--set " + std::string(assignment));
    if (equals == std::string_view::npos || equals == 0) {
        fail_setting(s, "an assignment path=value is expected");
        errors.back().value.clear();
        return false;
    }
    const std::string_view text = assignment.substr(equals + 1);
    const Place place = s.value.place;
    Result<Value> parsed = parse_value(text, *place.file);
    s.value = parsed ? std::move(*parsed.value) : make_text(text);
    s.value.place = place;
    return set_anywhere(s);
}

bool set_value(Value& document, std::string_view path, const Value& value, std::vector<Error>& errors) {
    Setter s{document, value, std::string(path), errors};
    return set_anywhere(s);
}

} // namespace sinew
