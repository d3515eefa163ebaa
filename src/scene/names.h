// Names of objects and references to them.
#pragma once
#include "sinew/scene.h"
#include <unordered_set>

namespace sinew {

inline constexpr std::string_view kWorld = "world"; // stands for no object in joints and attachments

inline constexpr std::size_t kEnoughErrors = 200; // a scene with more is not searched for further ones

// Among the broken names of a scene: a file could not be included, and names that nothing has may be in it.
inline constexpr std::string_view kAnything = "*";

// What a program calls its objects: not "world", and nothing that paths of parameters and patterns would take for something else.
std::vector<Error> find_name_errors(std::string_view name, std::string_view path);
// letters, digits and _, not beginning with a digit, so that names can be used in expressions; not "world"
bool check_name(const Member&, std::string_view path, std::vector<Error>&);
// A name that expressions use: of a var, an index of replicas, a param of a prefab. One of those that mean something of their own
// (t, x, pi, ...) would hide that.
bool check_symbol(const Member&, std::string_view path, std::vector<Error>&);

// Inside a prefab names are local: "chest" in the instance "hero" is "hero/chest"; "/floor" is global.
std::string resolve_name(std::string_view prefix, std::string_view reference);

// "objects.sheet.x" as --set takes it is "sheet.x"; what has less behind `objects` stays as it is.
std::string_view without_objects(std::string_view path);

// A name that becomes part of a file's name stays in its folder: an error for slashes, "..", control characters, nothing.
bool check_file_name(const Value& at, std::string_view path, std::string_view name, std::vector<Error>&);

// Everything a reference can mean.
struct NameIndex {
    std::vector<std::string> names;                // objects (joints, fields, ... where they count)
    std::unordered_set<std::string> known, groups; // groups: beginnings of names up to a slash
    std::vector<std::string> broken;               // those with errors of their own: what is below them is not known
};
void add_name(NameIndex&, const std::string& name);
void add_unbuilt(NameIndex&, const Scene&); // those with errors of their own, replicas of which there are none
bool is_incomplete(const Scene&);           // a file could not be included
// the pattern could mean something that has an error of its own, or a part of it
bool matches_broken(std::span<const std::string> broken, std::string_view pattern);
bool has_match(const NameIndex&, std::string_view pattern);
// an error if the pattern (or exact name) matches nothing
bool check_reference(const NameIndex&, const Value& at, std::string_view path, std::string_view pattern,
                     bool exact, std::vector<Error>&);

} // namespace sinew
