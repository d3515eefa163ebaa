// Tree of bounding volumes to which single ones are added, moved and taken away: binary, balanced by rotations that
// shrink the summed surface, leaves grown by a margin so that small moves change nothing (Catto 2019,
// "Dynamic Bounding Volume Hierarchies"; the descent follows the cheapest child instead of branch and bound).
// For bodies that come and go, most of which rest or move slowly. For many boxes that all move far, aabb_tree.h is faster. Pairs are decided on the exact volumes, as everywhere. Written once for all
// volumes of geometry/bounds.h and geometry/bounding_volumes.h (box, sphere, oriented box, k-DOP); compiled for each in
// dynamic_tree.cpp.
#pragma once
#include "collision/aabb_tree.h"
#include "geometry/bounding_volumes.h"
#include <type_traits>

namespace sinew {

template <class Volume> struct DynamicNode {
    Volume box;              // leaf: exact volume grown by the margin; else of both children
    int parent = -1;         // free nodes: the next free one
    int child[2] = {-1, -1}; // both -1: leaf
    int id = -1;             // leaf: the caller's number
};
template <class Volume> struct DynamicTreeOf {
    Real margin = 0; // [m]
    std::vector<DynamicNode<Volume>> node;
    int root = -1, free = -1;
    std::vector<int> leaf;     // per id its node, -1 = absent
    std::vector<Volume> exact; // per id
    int count = 0;             // volumes
};
using DynamicTree = DynamicTreeOf<Aabb>;

// False, and nothing changed, if the id is there already (or negative), or a number is NaN.
template <class V> bool insert_box(DynamicTreeOf<V>&, int id, const std::type_identity_t<V>&);
template <class V> bool remove_box(DynamicTreeOf<V>&, int id); // false if it is not there
// False if it is not there, or a number is NaN.
template <class V> bool move_box(DynamicTreeOf<V>&, int id, const std::type_identity_t<V>&);
template <class V> void clear(DynamicTreeOf<V>&); // keeps the memory

// Exactly the volumes of the list, under their indices: inserts, moves and removes what differs. An empty tree takes a
// twentieth of the mean size as margin. False, and an empty tree, if a number is NaN.
bool update_boxes(DynamicTree&, std::span<const Aabb>);

// Sorted; empty volumes are found by nothing. The first with threads: the same list for any number of them.
template <class V> void find_self_pairs(const Parallel&, const DynamicTreeOf<V>&, const PairFilter&, PairScratch&, std::vector<Pair>& out);
template <class V> void find_self_pairs(const DynamicTreeOf<V>&, PairScratch&, std::vector<Pair>& out);
template <class V> void find_in_box(const DynamicTreeOf<V>&, const std::type_identity_t<V>& q, std::vector<int>& out);
void find_on_ray(const DynamicTree&, const Ray&, std::vector<int>& out);

template <class V> int depth_of(const DynamicTreeOf<V>&); // of the deepest leaf, 0 if empty

} // namespace sinew
