// UTF-8: validity, counting and cutting of characters.
#pragma once
#include <string>
#include <string_view>

namespace sinew {

// Length in bytes of the valid character that starts at text[i], 0 if there is none (overlong forms,
// surrogates, and code points above U+10FFFF are invalid).
int utf8_length(std::string_view text, std::size_t i);
bool utf8_valid(std::string_view text);
void append_utf8(unsigned code_point, std::string& out);
inline bool utf8_continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
std::string shorten_utf8(std::string_view text,
                         int limit); // at most `limit` characters, the end replaced by "..."

} // namespace sinew
