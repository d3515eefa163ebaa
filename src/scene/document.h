// Scene files before they mean anything: reading, including, the names of the sections.
//
// "include": ["prefabs/ragdoll.json"] is relative to the file that says it. What is included comes first;
// objects, prefabs, fields, materials and joints must have different names, lists are joined, and everything
// else (vars, time, camera, ...) is taken from the including file where both say something. A file included
// twice counts once.
#pragma once
#include "sinew/scene.h"

namespace sinew {

inline constexpr int kLanguageVersion = 1;

extern const std::vector<std::string> kSections; // the names at the top level

struct Included {
    std::vector<std::string> files; // all that were read
    std::vector<Place> broken;      // values in them that could not be read (core/value_parts.h)
    bool complete = true;           // false: one of them could not be used
};
// `document` is what `file` says; merges what it includes.
void merge_includes(Value& document, const std::string& file, Included&, std::vector<Error>&);
// an error if the document needs a newer program
bool check_version(const Value& document, std::vector<Error>&);
// Which file each text of a document comes from, as runs "count  full path" in the order of the document. Written out and read
// again, a merged document has one file; with these, names of files are relative to where they were said.
std::vector<std::string> text_origins(const Value& document);
// Puts them back; leaves everything as it is where they are not those of this document.
void restore_origins(const std::vector<std::string>& origins, Value& document);
// contents of a regular file
bool read_whole_file(const std::string& file, std::string& text, std::string& problem);

} // namespace sinew
