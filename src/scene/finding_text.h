// How findings are worded (scene/findings.h).
#pragma once
#include "scene/findings.h"

namespace sinew {

inline std::string finding_text(const std::array<int, 2>& e) { return std::to_string(e[0]) + "-" + std::to_string(e[1]); }
inline std::string finding_text(int i) { return std::to_string(i); }

template <class T> std::string count_and_list(const std::vector<T>& list, const char* one, const char* many) {
    constexpr std::size_t kShown = 5;
    std::string s = std::to_string(list.size()) + " " + (list.size() == 1 ? one : many) + " (";
    for (std::size_t i = 0; i < list.size() && i < kShown; ++i) s += (i ? ", " : "") + finding_text(list[i]);
    return s + (list.size() > kShown ? ", ...)" : ")");
}

inline Finding make_finding(const std::string& object, const char* kind, std::string message, const std::vector<Real3>& x) {
    Finding f;
    f.object = object;
    f.kind = kind;
    f.message = std::move(message);
    f.positions = x;
    return f;
}

} // namespace sinew
