// Grids of heights from files:
//   PGM    plain (P2) or binary (P5), 8 or 16 bits, comments allowed: shares of white, 0 to 1
//   text   rows of numbers with blanks, commas or semicolons between them, # begins a comment: the numbers themselves
// The first row lies at the smallest z, the first number of a row at the smallest x. Nothing is read beyond the file; errors
// name line and place.
#pragma once
#include "sinew/types.h"

namespace sinew {

struct HeightGrid {
    int nx = 0, nz = 0;          // at least 2 each
    std::vector<double> height;  // height[k * nx + i], finite
    bool image = false;          // shares of white
};
inline constexpr std::int64_t kMostHeights = 1 << 22; // nodes: 2049 x 2047; more is refused by name

Result<HeightGrid> parse_heights(std::string_view bytes, std::string_view file);
Result<HeightGrid> read_heights(const std::string& file);

} // namespace sinew
