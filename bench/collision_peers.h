// Trees of boxes by other libraries, called as their manuals say. Each is there only if it was found at build
// time.
#pragma once
#include "collision/pairs.h"
#include "sinew/types.h"
#include <array>
#include <memory>
#include <span>
#include <vector>

namespace sinew::bench {

// What the trees are built over: boxes of triangles. A box of its own is the triangle (lo, hi, hi).
struct Soup {
    std::vector<Real3> x; // [m]
    std::vector<std::array<int, 3>> triangles;
};

// Takes a pair or leaves it, before it is written down.
using Keep = bool (*)(const void* data, int i, int j);

struct TreePeer {
    virtual ~TreePeer() = default;
    virtual void load(const Soup&) = 0; // into the library's own types, not timed
    virtual void build() = 0;
    virtual void refit() = 0; // after `load` of the same triangles at new places
    virtual void self_pairs(Keep, const void* data, std::vector<Pair>& out) = 0;
    virtual void tree_pairs(TreePeer& other, Keep, const void* data,
                            std::vector<Pair>& out) = 0; // same library
};
struct PeerEntry {
    const char* name;
    std::unique_ptr<TreePeer> (*make)();
};
std::span<const PeerEntry> tree_peers();

} // namespace sinew::bench
