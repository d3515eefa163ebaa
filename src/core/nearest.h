// The nearest known word, for messages such as: did you mean "stiffness"?
// Edit distance = fewest insertions, deletions, replacements and swaps of neighbours (Damerau 1964,
// restricted), letters compared without case. A word counts as near when at most a third of it differs, or
// when one of the two is the beginning of the other ("vel", "velocity").
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

int edit_distance(std::string_view a, std::string_view b);
std::string find_nearest(std::string_view word, std::span<const std::string> known); // empty if none is near
std::string list_words(std::span<const std::string> words, int limit = 40);          // "a, b, c, ..."

} // namespace sinew
