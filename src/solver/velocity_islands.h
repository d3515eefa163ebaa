// Islands: bodies that can move and are joined by groups of rows. Held bodies join nothing.
#pragma once
#include "solver/velocity_solve.h"

namespace sinew {

struct Islands {
    std::vector<int> body_begin{0}, body;   // CSR, bodies ascending; islands by their first body
    std::vector<int> group_begin{0}, group; // CSR, groups ascending
    std::vector<int> root, number;          // per body: union-find, island or -1
    int count() const { return int(body_begin.size()) - 1; }
    IslandView view(int i) const {
        return {std::span(body).subspan(body_begin[i], body_begin[i + 1] - body_begin[i]),
                std::span(group).subspan(group_begin[i], group_begin[i + 1] - group_begin[i])};
    }
};
// Bodies without a group form no island.
void build_islands(const RowProblem&, Islands&);
// Largest ratio of the masses of two bodies that a group of the island joins, both able to move; 1 if there is none.
Real mass_ratio(const RowProblem&, const IslandView&);

} // namespace sinew
