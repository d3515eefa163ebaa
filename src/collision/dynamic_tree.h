// Tree of boxes to which single boxes are added, moved and taken away: binary, balanced by rotations that
// shrink the summed surface, leaves grown by a margin so that small moves change nothing (Catto 2019,
// "Dynamic Bounding Volume Hierarchies"; the descent follows the cheapest child instead of branch and bound).
// For a few bodies that come and go; for many boxes that all move, aabb_tree.h is faster. Pairs are decided
// on the exact boxes, as everywhere.
#pragma once
#include "collision/aabb_tree.h"

namespace sinew {

struct DynamicNode {
    Aabb box;                // leaf: exact box grown by the margin; else of both children
    int parent = -1;         // free nodes: the next free one
    int child[2] = {-1, -1}; // both -1: leaf
    int id = -1;             // leaf: the caller's number
};
struct DynamicTree {
    Real margin = 0; // [m]
    std::vector<DynamicNode> node;
    int root = -1, free = -1;
    std::vector<int> leaf;   // per id its node, -1 = absent
    std::vector<Aabb> exact; // per id
    int count = 0;           // boxes
};

// False, and nothing changed, if the id is there already (or negative), or a number is NaN.
bool insert_box(DynamicTree&, int id, const Aabb&);
bool remove_box(DynamicTree&, int id);            // false if it is not there
bool move_box(DynamicTree&, int id, const Aabb&); // false if it is not there, or a number is NaN
void clear(DynamicTree&);                         // keeps the memory

// Sorted; empty boxes are found by nothing.
void find_self_pairs(const DynamicTree&, PairScratch&, std::vector<Pair>& out);
void find_in_box(const DynamicTree&, const Aabb& q, std::vector<int>& out);
void find_on_ray(const DynamicTree&, const Ray&, std::vector<int>& out);

int depth_of(const DynamicTree&); // of the deepest leaf, 0 if empty

} // namespace sinew
