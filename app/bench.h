// Rows of sinew bench, as they are written and compared.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinew {

using BenchRow = std::vector<std::pair<std::string, std::string>>; // column, cell
std::string find_cell(const BenchRow&, std::string_view name);     // empty if absent

} // namespace sinew
