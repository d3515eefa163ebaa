// Numbers as text: the shortest digits that read back as the same number.
#pragma once
#include <charconv>
#include <string>

namespace sinew {

inline void append_number(std::string& out, double value, bool single) {
    char digits[32];
    const auto end = single ? std::to_chars(digits, digits + sizeof digits, float(value))
                            : std::to_chars(digits, digits + sizeof digits, value);
    out.append(digits, end.ptr);
}
inline void append_integer(std::string& out, long long value) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}
// a name as one word: spaces become _
inline std::string one_word(std::string name) {
    for (char& c : name)
        if (c == ' ') c = '_';
    return name;
}

} // namespace sinew
