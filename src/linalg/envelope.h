// Cholesky factorisation of a symmetric positive definite matrix stored by its envelope: of each row the lower part from
// its first entry to the diagonal. A = L L^T has the same envelope, so that chains and stacks, numbered along their
// length, cost time in proportion to their size. Numbering: order_breadth_first.
#pragma once
#include "core/math.h"
#include <vector>

namespace sinew {

struct Envelope {
    std::vector<int> first;            // per row: its first column
    std::vector<std::size_t> begin;    // per row: where its entries begin, one more at the end
    std::vector<Real> value;
    int size() const { return int(first.size()); }
};

// Rows with the given first columns (each at most its own index), all entries zero.
void build_envelope(std::span<const int> first, Envelope&);
inline Real& entry(Envelope& a, int row, int column) { return a.value[a.begin[row] + (column - a.first[row])]; }
// A -> L in place; false if a pivot is not positive.
bool factor_envelope(Envelope&);
void solve_envelope(const Envelope& factor, std::span<Real> x); // x: right-hand side, then solution

// New order of the nodes of a graph, breadth first from a node of least degree of each component, reversed (Cuthill and
// McKee 1969, George 1971): neighbours get near numbers. Graph in CSR; order[k] = node with the new number k.
void order_breadth_first(std::span<const int> begin, std::span<const int> neighbor, std::vector<int>& order);

} // namespace sinew
