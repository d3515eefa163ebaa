// Making errors about values of a document.
#pragma once
#include "sinew/value.h"

namespace sinew {

// place and text of the value; path as given
Error make_error(const Value& at, std::string_view path, std::string message, std::string allowed = {},
                 std::string nearest = {});
// the same about the name of a member
Error make_error(const Member& at, std::string_view path, std::string message, std::string allowed = {},
                 std::string nearest = {});
Value text_at(std::string_view text, const Place&);                 // a name, for an error about where it stands
Place command_line_place(std::string_view option);                  // of values given by an option: "--solver newton"
bool is_command_line(const Place&);
Place place_of(const Value& object, std::string_view key);          // of the key; the object's own if absent
std::string join_path(std::string_view path, std::string_view key); // "a" + "b" = "a.b", "" + "b" = "b"
std::string join_path(std::string_view path, int index);            // "a" + 2 = "a[2]"

// the same about the same place once: replicas of a wrong object are all wrong in the same way
void remove_duplicates(std::vector<Error>&);

} // namespace sinew
