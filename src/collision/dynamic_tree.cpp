#include "collision/dynamic_tree.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

template <class V> bool is_leaf(const DynamicNode<V>& n) { return n.child[0] < 0; }

bool has_nan(const Aabb& b) { return b.lo.hasNaN() || b.hi.hasNaN(); }
bool has_nan(const Sphere& b) { return b.center.hasNaN() || std::isnan(b.radius); }
bool has_nan(const Obb& b) { return b.axes.hasNaN() || b.center.hasNaN() || b.half.hasNaN(); }
template <int K> bool has_nan(const Kdop<K>& b) {
    return std::any_of(b.lo.begin(), b.lo.end(), [](Real x) { return std::isnan(x); }) ||
           std::any_of(b.hi.begin(), b.hi.end(), [](Real x) { return std::isnan(x); });
}

// whether b is within a; false where that is not certain. Boxes: geometry/bounds.h
bool encloses(const Sphere& a, const Sphere& b) {
    return ((a.center - b.center).norm() + b.radius) * (1 + 1e-14) <= a.radius;
}
bool encloses(const Obb& a, const Obb& b) {
    for (int c = 0; c < 8; ++c) {
        const Vec3 side(c & 1 ? b.half.x() : -b.half.x(), c & 2 ? b.half.y() : -b.half.y(), c & 4 ? b.half.z() : -b.half.z());
        if (!contains(a, b.center + b.axes * side)) return false;
    }
    return true;
}
template <int K> bool encloses(const Kdop<K>& a, const Kdop<K>& b) {
    for (int k = 0; k < K / 2; ++k)
        if (!(a.lo[k] <= b.lo[k] && b.hi[k] <= a.hi[k])) return false;
    return true;
}

// half the surface; infinite sides count as 1e100, so that differences stay numbers
Real area(const Aabb& b) {
    const Vec3 d =
        (b.hi.cwiseMin(1e100).cwiseMax(-1e100) - b.lo.cwiseMin(1e100).cwiseMax(-1e100)).cwiseMax(0.0);
    return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
}
Real area(const Sphere& b) { return b.radius < 0 ? 0 : 2 * kPi * b.radius * b.radius; }
Real area(const Obb& b) { return area(Aabb{-b.half, b.half}); }
// of the box along the first three directions, the axes
template <int K> Real area(const Kdop<K>& b) {
    return area(Aabb{Vec3(b.lo[0], b.lo[1], b.lo[2]), Vec3(b.hi[0], b.hi[1], b.hi[2])});
}

template <class V> int take_node(DynamicTreeOf<V>& t) {
    if (t.free < 0) {
        t.node.emplace_back();
        return int(t.node.size()) - 1;
    }
    const int n = t.free;
    t.free = t.node[n].parent;
    t.node[n] = {};
    return n;
}
template <class V> void give_node(DynamicTreeOf<V>& t, int n) {
    t.node[n].parent = t.free;
    t.free = n;
}

template <class V> void fit(DynamicTreeOf<V>& t, int n) {
    DynamicNode<V>& node = t.node[n];
    node.box = merge(t.node[node.child[0]].box, t.node[node.child[1]].box);
}

// swaps a child of n with a grandchild on the other side where that makes the changed child smaller
template <class V> void rotate(DynamicTreeOf<V>& t, int n) {
    Real best = 0;
    int side = -1, grand = -1;
    for (int s = 0; s < 2; ++s) {
        const int stays = t.node[n].child[s], opened = t.node[n].child[1 - s];
        if (is_leaf(t.node[opened])) continue;
        for (int g = 0; g < 2;
             ++g) { // `stays` changes places with grandchild g; the other one keeps its parent
            const V box = merge(t.node[stays].box, t.node[t.node[opened].child[1 - g]].box);
            const Real gain = area(t.node[opened].box) - area(box);
            if (gain > best) best = gain, side = s, grand = g;
        }
    }
    if (side < 0) return;
    const int stays = t.node[n].child[side], opened = t.node[n].child[1 - side],
              up = t.node[opened].child[grand];
    t.node[n].child[side] = up, t.node[up].parent = n;
    t.node[opened].child[grand] = stays, t.node[stays].parent = opened;
    fit(t, opened);
}
template <class V> void refit_upwards(DynamicTreeOf<V>& t, int n) {
    for (; n >= 0; n = t.node[n].parent) {
        rotate(t, n);
        fit(t, n);
    }
}

// where a box adds least surface, going down
template <class V> int find_sibling(const DynamicTreeOf<V>& t, const V& box) {
    int n = t.root;
    while (!is_leaf(t.node[n])) {
        const Real joined = area(merge(t.node[n].box, box)), inherited = joined - area(t.node[n].box);
        Real cost[2];
        for (int s = 0; s < 2; ++s) {
            const DynamicNode<V>& c = t.node[t.node[n].child[s]];
            cost[s] = area(merge(c.box, box)) - (is_leaf(c) ? 0 : area(c.box)) + inherited;
        }
        if (joined < cost[0] && joined < cost[1]) break;
        n = t.node[n].child[cost[1] < cost[0]];
    }
    return n;
}

template <class V> void link(DynamicTreeOf<V>& t, int leaf) {
    if (t.root < 0) {
        t.root = leaf;
        return;
    }
    const int sibling = find_sibling(t, t.node[leaf].box), above = t.node[sibling].parent,
              joint = take_node(t);
    t.node[joint].parent = above;
    t.node[joint].child[0] = sibling, t.node[joint].child[1] = leaf;
    t.node[sibling].parent = t.node[leaf].parent = joint;
    if (above < 0)
        t.root = joint;
    else
        t.node[above].child[t.node[above].child[1] == sibling] = joint;
    refit_upwards(t, joint);
}
template <class V> void unlink(DynamicTreeOf<V>& t, int leaf) {
    const int joint = t.node[leaf].parent;
    if (joint < 0) {
        t.root = -1;
        return;
    }
    const int sibling = t.node[joint].child[t.node[joint].child[0] == leaf], above = t.node[joint].parent;
    t.node[sibling].parent = above;
    if (above < 0)
        t.root = sibling;
    else
        t.node[above].child[t.node[above].child[1] == joint] = sibling;
    give_node(t, joint);
    t.node[leaf].parent = -1;
    refit_upwards(t, above);
}

template <class V> bool is_present(const DynamicTreeOf<V>& t, int id) {
    return id >= 0 && id < int(t.leaf.size()) && t.leaf[id] >= 0;
}

// f(leaf node) for leaves whose nodes pass the test; follows parent links, so no stack can overflow
template <class V, class Test, class F> void visit(const DynamicTreeOf<V>& t, int root, Test&& test, F&& f) {
    int n = root;
    while (n >= 0) {
        if (test(t.node[n].box)) {
            if (!is_leaf(t.node[n])) {
                n = t.node[n].child[0];
                continue;
            }
            f(n);
        }
        // to the next one on the right of the path
        while (n != root && t.node[t.node[n].parent].child[1] == n) n = t.node[n].parent;
        n = n == root ? -1 : t.node[t.node[n].parent].child[1];
    }
}

} // namespace

template <class V> bool insert_box(DynamicTreeOf<V>& t, int id, const std::type_identity_t<V>& box) {
    if (id < 0 || is_present(t, id) || has_nan(box)) return false;
    if (int(t.leaf.size()) <= id) {
        t.leaf.resize(id + 1, -1);
        t.exact.resize(id + 1);
    }
    const int n = take_node(t);
    t.node[n].box = grow(box, t.margin);
    t.node[n].id = id;
    t.leaf[id] = n;
    t.exact[id] = box;
    link(t, n);
    ++t.count;
    return true;
}

template <class V> bool remove_box(DynamicTreeOf<V>& t, int id) {
    if (!is_present(t, id)) return false;
    unlink(t, t.leaf[id]);
    give_node(t, t.leaf[id]);
    t.leaf[id] = -1;
    --t.count;
    return true;
}

template <class V> bool move_box(DynamicTreeOf<V>& t, int id, const std::type_identity_t<V>& box) {
    if (!is_present(t, id) || has_nan(box)) return false;
    const int n = t.leaf[id];
    t.exact[id] = box;
    if (encloses(t.node[n].box, box)) return true;
    unlink(t, n);
    t.node[n].box = grow(box, t.margin);
    link(t, n);
    return true;
}

template <class V> void clear(DynamicTreeOf<V>& t) {
    t.node.clear();
    t.root = t.free = -1;
    t.leaf.assign(t.leaf.size(), -1);
    t.count = 0;
}

namespace {
template <class V> void add_pairs_of(const DynamicTreeOf<V>& t, int id, PairBuffer& found) {
    const V& box = t.exact[id];
    if (t.leaf[id] < 0 || is_empty(box)) return;
    visit(
        t, t.root, [&](const V& b) { return overlap(b, box); },
        [&](int n) {
            const int other = t.node[n].id;
            if (other > id && !is_empty(t.exact[other]) && overlap(t.exact[other], box)) add_pair(found, id, other);
        });
}
} // namespace

template <class V>
void find_self_pairs(const Parallel& parallel, const DynamicTreeOf<V>& t, const PairFilter& filter, PairScratch& s, std::vector<Pair>& out) {
    constexpr int grain = 256;
    const int n = int(t.leaf.size());
    start_pieces(s, chunk_count(n, grain));
    parallel_for(parallel, n, grain, [&](int begin, int end) {
        for (int id = begin; id < end; ++id) add_pairs_of(t, id, s.pieces[begin / grain]);
    });
    join_pieces(parallel, n, filter, s, out);
}

template <class V> void find_self_pairs(const DynamicTreeOf<V>& t, PairScratch& s, std::vector<Pair>& out) {
    start_pieces(s, 1);
    PairBuffer& found = s.pieces[0];
    for (int id = 0; id < int(t.leaf.size()); ++id) add_pairs_of(t, id, found);
    out.assign(found.pair.begin(), found.pair.begin() + std::ptrdiff_t(found.count));
    std::sort(out.begin(), out.end());
}

bool update_boxes(DynamicTree& t, std::span<const Aabb> boxes) {
    if (std::any_of(boxes.begin(), boxes.end(), [](const Aabb& b) { return has_nan(b); })) return clear(t), false;
    const int n = int(boxes.size());
    if (t.count == 0) {
        Real size = 0;
        for (const Aabb& b : boxes) {
            const Real side = (b.hi - b.lo).maxCoeff();
            if (side > 0 && std::isfinite(side)) size += side / n;
        }
        t.margin = size / 20;
    }
    for (int id = n; id < int(t.leaf.size()); ++id) remove_box(t, id);
    for (int id = 0; id < n; ++id)
        if (!move_box(t, id, boxes[id])) insert_box(t, id, boxes[id]);
    return true;
}

template <class V> void find_in_box(const DynamicTreeOf<V>& t, const std::type_identity_t<V>& q, std::vector<int>& out) {
    out.clear();
    if (is_empty(q)) return;
    visit(
        t, t.root, [&](const V& b) { return overlap(b, q); },
        [&](int n) {
            const V& box = t.exact[t.node[n].id];
            if (!is_empty(box) && overlap(box, q)) out.push_back(t.node[n].id);
        });
    std::sort(out.begin(), out.end());
}

void find_on_ray(const DynamicTree& t, const Ray& ray, std::vector<int>& out) {
    out.clear();
    if (!ray.start.allFinite() || !ray.direction.allFinite()) return;
    const auto meets = [&](const Aabb& b) {
        const RayInterval i = intersect(ray, b);
        return i.t_in <= i.t_out;
    };
    visit(t, t.root, meets, [&](int n) {
        const Aabb& box = t.exact[t.node[n].id];
        if (!is_empty(box) && meets(box)) out.push_back(t.node[n].id);
    });
    std::sort(out.begin(), out.end());
}

template <class V> int depth_of(const DynamicTreeOf<V>& t) {
    int deepest = 0;
    for (int n : t.leaf) {
        int depth = 0;
        for (; n >= 0; n = t.node[n].parent) ++depth;
        deepest = std::max(deepest, depth);
    }
    return deepest;
}

#define SINEW_DYNAMIC_TREE(V)                                                                                         \
    template bool insert_box(DynamicTreeOf<V>&, int, const V&);                                                       \
    template bool remove_box(DynamicTreeOf<V>&, int);                                                                 \
    template bool move_box(DynamicTreeOf<V>&, int, const V&);                                                         \
    template void clear(DynamicTreeOf<V>&);                                                                           \
    template void find_self_pairs(const Parallel&, const DynamicTreeOf<V>&, const PairFilter&, PairScratch&,          \
                                  std::vector<Pair>&);                                                                \
    template void find_self_pairs(const DynamicTreeOf<V>&, PairScratch&, std::vector<Pair>&);                         \
    template void find_in_box(const DynamicTreeOf<V>&, const V&, std::vector<int>&);                                  \
    template int depth_of(const DynamicTreeOf<V>&);
SINEW_DYNAMIC_TREE(Aabb)
SINEW_DYNAMIC_TREE(Sphere)
SINEW_DYNAMIC_TREE(Obb)
SINEW_DYNAMIC_TREE(Kdop<14>)
SINEW_DYNAMIC_TREE(Kdop<18>)
SINEW_DYNAMIC_TREE(Kdop<26>)
#undef SINEW_DYNAMIC_TREE

} // namespace sinew
