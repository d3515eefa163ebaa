#include "collision/dynamic_tree.h"
#include <algorithm>

namespace sinew {

namespace {

bool has_nan(const Aabb& b) { return b.lo.hasNaN() || b.hi.hasNaN(); }
bool is_leaf(const DynamicNode& n) { return n.child[0] < 0; }
bool encloses(const Aabb& a, const Aabb& b) {
    return (a.lo.array() <= b.lo.array()).all() && (b.hi.array() <= a.hi.array()).all();
}
// half the surface; infinite sides count as 1e100, so that differences stay numbers
Real area(const Aabb& b) {
    const Vec3 d =
        (b.hi.cwiseMin(1e100).cwiseMax(-1e100) - b.lo.cwiseMin(1e100).cwiseMax(-1e100)).cwiseMax(0.0);
    return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
}

int take_node(DynamicTree& t) {
    if (t.free < 0) {
        t.node.emplace_back();
        return int(t.node.size()) - 1;
    }
    const int n = t.free;
    t.free = t.node[n].parent;
    t.node[n] = {};
    return n;
}
void give_node(DynamicTree& t, int n) {
    t.node[n].parent = t.free;
    t.free = n;
}

void fit(DynamicTree& t, int n) {
    DynamicNode& node = t.node[n];
    node.box = merge(t.node[node.child[0]].box, t.node[node.child[1]].box);
}

// swaps a child of n with a grandchild on the other side where that makes the changed child smaller
void rotate(DynamicTree& t, int n) {
    Real best = 0;
    int side = -1, grand = -1;
    for (int s = 0; s < 2; ++s) {
        const int stays = t.node[n].child[s], opened = t.node[n].child[1 - s];
        if (is_leaf(t.node[opened])) continue;
        for (int g = 0; g < 2;
             ++g) { // `stays` changes places with grandchild g; the other one keeps its parent
            const Aabb box = merge(t.node[stays].box, t.node[t.node[opened].child[1 - g]].box);
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
void refit_upwards(DynamicTree& t, int n) {
    for (; n >= 0; n = t.node[n].parent) {
        rotate(t, n);
        fit(t, n);
    }
}

// where a box adds least surface, going down
int find_sibling(const DynamicTree& t, const Aabb& box) {
    int n = t.root;
    while (!is_leaf(t.node[n])) {
        const Real joined = area(merge(t.node[n].box, box)), inherited = joined - area(t.node[n].box);
        Real cost[2];
        for (int s = 0; s < 2; ++s) {
            const DynamicNode& c = t.node[t.node[n].child[s]];
            cost[s] = area(merge(c.box, box)) - (is_leaf(c) ? 0 : area(c.box)) + inherited;
        }
        if (joined < cost[0] && joined < cost[1]) break;
        n = t.node[n].child[cost[1] < cost[0]];
    }
    return n;
}

void link(DynamicTree& t, int leaf) {
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
void unlink(DynamicTree& t, int leaf) {
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

bool is_present(const DynamicTree& t, int id) {
    return id >= 0 && id < int(t.leaf.size()) && t.leaf[id] >= 0;
}

// f(leaf node) for leaves whose nodes pass the test; follows parent links, so no stack can overflow
template <class Test, class F> void visit(const DynamicTree& t, int root, Test&& test, F&& f) {
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

bool insert_box(DynamicTree& t, int id, const Aabb& box) {
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

bool remove_box(DynamicTree& t, int id) {
    if (!is_present(t, id)) return false;
    unlink(t, t.leaf[id]);
    give_node(t, t.leaf[id]);
    t.leaf[id] = -1;
    --t.count;
    return true;
}

bool move_box(DynamicTree& t, int id, const Aabb& box) {
    if (!is_present(t, id) || has_nan(box)) return false;
    const int n = t.leaf[id];
    t.exact[id] = box;
    if (encloses(t.node[n].box, box)) return true;
    unlink(t, n);
    t.node[n].box = grow(box, t.margin);
    link(t, n);
    return true;
}

void clear(DynamicTree& t) {
    t.node.clear();
    t.root = t.free = -1;
    t.leaf.assign(t.leaf.size(), -1);
    t.count = 0;
}

void find_self_pairs(const DynamicTree& t, PairScratch& s, std::vector<Pair>& out) {
    start_pieces(s, 1);
    PairBuffer& found = s.pieces[0];
    for (int id = 0; id < int(t.leaf.size()); ++id) {
        const Aabb& box = t.exact[id];
        if (t.leaf[id] < 0 || is_empty(box)) continue;
        visit(
            t, t.root, [&](const Aabb& b) { return overlap(b, box); },
            [&](int n) {
                const int other = t.node[n].id;
                if (other > id && !is_empty(t.exact[other]) && overlap(t.exact[other], box))
                    add_pair(found, id, other);
            });
    }
    out.assign(found.pair.begin(), found.pair.begin() + std::ptrdiff_t(found.count));
    std::sort(out.begin(), out.end());
}

void find_in_box(const DynamicTree& t, const Aabb& q, std::vector<int>& out) {
    out.clear();
    if (is_empty(q)) return;
    visit(
        t, t.root, [&](const Aabb& b) { return overlap(b, q); },
        [&](int n) {
            const Aabb& box = t.exact[t.node[n].id];
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

int depth_of(const DynamicTree& t) {
    int deepest = 0;
    for (int n : t.leaf) {
        int depth = 0;
        for (; n >= 0; n = t.node[n].parent) ++depth;
        deepest = std::max(deepest, depth);
    }
    return deepest;
}

} // namespace sinew
