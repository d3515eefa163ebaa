#include "scene/names.h"
#include "core/error.h"
#include "core/nearest.h"
#include <algorithm>

namespace sinew {

bool check_name(const Member& m, std::string_view path, std::vector<Error>& errors) {
    bool ok = !m.key.empty() && m.key.size() <= 100 && !(m.key[0] >= '0' && m.key[0] <= '9');
    for (const char c : m.key)
        ok = ok && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                    static_cast<unsigned char>(c) >= 0x80);
    if (!ok) {
        errors.push_back(
            make_error(m, path, "not a name", "letters, digits and _, not beginning with a digit"));
        return false;
    }
    if (m.key == kWorld) {
        errors.push_back(make_error(m, path, "the name \"world\" is taken: it stands for no object"));
        return false;
    }
    return true;
}

std::vector<Error> find_name_errors(std::string_view name, std::string_view path) {
    const auto error = [&](std::string message) {
        return std::vector<Error>{Error{.path = std::string(path), .value = std::string(name), .message = std::move(message), .allowed = "letters, digits, _ and -, parts by /"}};
    };
    if (name == kWorld) return error("the name \"world\" is taken: it stands for no object");
    const bool has_sign = name.find_first_of("*?.,[]{}\"") != name.npos || std::any_of(name.begin(), name.end(), [](char c) { return c >= 0 && c <= ' '; });
    const bool has_gap = name.starts_with('/') || name.ends_with('/') || name.find("//") != name.npos;
    return has_sign || has_gap ? error("not a name") : std::vector<Error>();
}

bool check_symbol(const Member& m, std::string_view path, std::vector<Error>& errors) {
    if (!check_name(m, path, errors)) return false;
    for (std::string_view taken : {"t", "frame", "x", "y", "z", "pi", "e"})
        if (m.key == taken) {
            errors.push_back(make_error(m, path, "this name has a meaning of its own in expressions"));
            return false;
        }
    return true;
}

std::string resolve_name(std::string_view prefix, std::string_view reference) {
    if (reference == kWorld) return std::string(reference);
    if (!reference.empty() && reference[0] == '/') return std::string(reference.substr(1));
    return std::string(prefix) + std::string(reference);
}

std::string_view without_objects(std::string_view path) {
    constexpr std::string_view kObjects = "objects.";
    const bool has_both = path.starts_with(kObjects) && path.find('.', kObjects.size()) != std::string_view::npos;
    return has_both ? path.substr(kObjects.size()) : path;
}

static bool match_wildcards(std::string_view pattern, std::string_view name) {
    std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) { // let the last star take one character more
            p = star + 1;
            n = ++resume;
        } else
            return false;
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

bool match_name(std::string_view pattern, std::string_view name) {
    if (match_wildcards(pattern, name)) return true;
    // everything below what the pattern matches
    for (std::size_t slash = name.find('/'); slash != std::string_view::npos;
         slash = name.find('/', slash + 1))
        if (match_wildcards(pattern, name.substr(0, slash))) return true;
    return false;
}

std::vector<int> match_names(std::string_view pattern, std::span<const std::string> names) {
    std::vector<int> found;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (match_name(pattern, names[i])) found.push_back(int(i));
    return found;
}

bool check_file_name(const Value& at, std::string_view path, std::string_view name, std::vector<Error>& errors) {
    std::string problem;
    if (name.empty()) problem = "a file needs a name";
    else if (name.find_first_of("/\\") != std::string_view::npos || name.find("..") != std::string_view::npos || name == ".")
        problem = "files of a run stay in its folder: no /, \\ or .. here";
    for (const char c : name)
        if (static_cast<unsigned char>(c) < 32 || c == 127) problem = "a file name has no control characters";
    if (name.size() > 200) problem = "this is too long for a file name";
    if (problem.empty()) return true;
    errors.push_back(make_error(at, path, std::move(problem), "a plain name such as \"drape\""));
    return false;
}

void add_name(NameIndex& index, const std::string& name) {
    if (!index.known.insert(name).second) return;
    index.names.push_back(name);
    for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
        index.groups.insert(name.substr(0, slash));
}

void add_unbuilt(NameIndex& index, const Scene& scene) {
    for (const std::string& name : scene.broken) {
        if (name != kAnything) add_name(index, name);
        index.broken.push_back(name);
    }
    for (const std::string& name : scene.empty) add_name(index, name);
}

bool is_incomplete(const Scene& scene) { return std::find(scene.broken.begin(), scene.broken.end(), kAnything) != scene.broken.end(); }

bool matches_broken(std::span<const std::string> broken, std::string_view pattern) {
    for (const std::string& name : broken) {
        if (name == kAnything || match_name(pattern, name)) return true;
        for (std::size_t slash = pattern.find('/'); slash != std::string_view::npos; slash = pattern.find('/', slash + 1))
            if (match_wildcards(pattern.substr(0, slash), name)) return true;
    }
    return false;
}

bool has_match(const NameIndex& index, std::string_view pattern) {
    const std::string text(pattern);
    if (index.known.contains(text) || index.groups.contains(text)) return true;
    if (pattern.find_first_of("*?") == std::string_view::npos) return false;
    for (const std::string& n : index.names)
        if (match_name(pattern, n)) return true;
    return false;
}

bool check_reference(const NameIndex& index, const Value& at, std::string_view path, std::string_view pattern,
                     bool exact, std::vector<Error>& errors) {
    if (exact ? index.known.contains(std::string(pattern)) : has_match(index, pattern)) return true;
    if (matches_broken(index.broken, pattern)) return true;
    if (errors.size() >= kEnoughErrors) return false;
    std::string message = "there is no object \"" + std::string(pattern) + '"';
    if (exact && index.groups.contains(std::string(pattern)))
        message = '"' + std::string(pattern) + "\" is a group of objects; one of them is meant here";
    else if (pattern.find_first_of("*?") != std::string_view::npos)
        message = exact ? "one object is meant here, not a pattern" : "no object matches this pattern";
    std::vector<std::string> candidates(index.names.begin(), index.names.end());
    if (!exact) candidates.insert(candidates.end(), index.groups.begin(), index.groups.end());
    std::string nearest = find_nearest(pattern, candidates);
    errors.push_back(
        make_error(at, path, std::move(message), list_words(index.names, 20), std::move(nearest)));
    return false;
}

} // namespace sinew
