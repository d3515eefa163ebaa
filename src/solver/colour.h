// Greedy colouring of elements: no two elements of one colour share an unknown that can move, so that a colour may run in
// parallel, and a sweep over the colours one after another has the same bits for any number of threads (spec C26).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

struct Colours {
    std::vector<int> begin{0};   // per colour: its first entry of `order`
    std::vector<int> order;      // elements by colour, ascending within each
    bool last_is_serial = false; // the last colour holds what found no colour, one after another
    int count() const { return int(begin.size()) - 1; }

    std::vector<std::uint64_t> used; // scratch, zero between calls: per unknown the colours of its elements, as bits
    std::vector<int> colour;         // scratch: per element
};

// unknowns: `width` per element, entries < 0 or with held != 0 join nothing; `unknown_count` of all. Elements in their
// order get the first colour that none of their unknowns has.
void colour_elements(std::span<const int> unknowns, int width, int unknown_count, std::span<const unsigned char> held, Colours&);
// The same with a varying number of unknowns: element i has those from begin[i] to begin[i + 1].
void colour_elements(std::span<const int> begin, std::span<const int> unknowns, int unknown_count,
                     std::span<const unsigned char> held, Colours&);

} // namespace sinew
