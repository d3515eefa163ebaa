#include "solver/articulated_build.h"
#include "constraint/joint.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

namespace sinew {

namespace {

struct TreeRow {
    std::string_view row;
    JointType type;
};
constexpr TreeRow kTreeRows[] = {
    {"joint_ball", JointType::ball},           {"joint_cylindrical", JointType::cylindrical},
    {"joint_hinge", JointType::revolute},      {"joint_planar", JointType::planar},
    {"joint_slider", JointType::prismatic},    {"joint_universal", JointType::universal},
    {"joint_weld", JointType::weld},
};

std::optional<JointType> type_of(const Table& t) {
    for (const TreeRow& r : kTreeRows)
        if (r.row == t.row->name) return r.type;
    return {};
}

struct Edge { // a joint that may become coordinates
    int object, table, element, group;
    JointType type;
    std::array<int, 2> frame;
    bool in_tree = false;
};

bool is_link(const Model& m, int frame) {
    return frame >= 0 && !(m.frame.flags[frame] & kFixed) && m.objects[m.frame.object[frame]].alive;
}

// joints in the order of the scene
std::vector<Edge> list_edges(const Model& m, int& group_count) {
    std::vector<Edge> out;
    group_count = 0;
    const std::vector<Table>& tables = m.elements->constraints;
    for (std::size_t k = 0; k < tables.size(); ++k) {
        const Table& t = tables[k];
        const std::optional<JointType> type = type_of(t);
        for (int e = 0; e < t.count(); ++e, ++group_count) {
            if (!type || t.row->compliance(t, e) > 0) continue;
            out.push_back({t.object[e], int(k), e, group_count, *type, {t.stencil[2 * e], t.stencil[2 * e + 1]}});
        }
    }
    std::sort(out.begin(), out.end(), [](const Edge& a, const Edge& b) {
        return std::pair(a.object, a.group) < std::pair(b.object, b.group);
    });
    return out;
}

// Kruskal: a joint is in the tree if it joins what was not joined; the ground is the last node
void choose_tree(const Model& m, std::vector<Edge>& edges) {
    const int ground = frame_count(m);
    std::vector<int> root(ground + 1);
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int i) {
        while (root[i] != i) i = root[i] = root[root[i]];
        return i;
    };
    for (Edge& e : edges) {
        const int a = find(is_link(m, e.frame[0]) ? e.frame[0] : ground), b = find(is_link(m, e.frame[1]) ? e.frame[1] : ground);
        if (a == b) continue;
        root[a] = b;
        e.in_tree = true;
    }
}

// x and y of a universal joint change places when it is read from its other end, where the second turn comes first
const Quat kSwapXY(0, std::sqrt(0.5), std::sqrt(0.5), 0); // half a turn about (1, 1, 0)

struct Builder {
    const Model& m;
    std::vector<Edge>& edges;
    std::vector<std::vector<int>> at;  // per frame: its tree edges
    std::vector<int> link_of;          // per frame
    BuiltForest& out;
    int tree = 0;

    int base_of(int frame) {
        if (frame < 0) return -1;
        auto& bases = out.forest.base_frames;
        const auto found = std::find(bases.begin(), bases.end(), frame);
        if (found != bases.end()) return int(found - bases.begin());
        bases.push_back(frame);
        return int(bases.size()) - 1;
    }
    int add_link(int frame) {
        Link l;
        l.tree = tree;
        l.frame = frame;
        l.mass = m.frame.mass[frame];
        l.inertia = mat(m.frame.inertia[frame]);
        out.forest.links.push_back(l);
        out.joints.emplace_back();
        return link_of[frame] = int(out.forest.links.size()) - 1;
    }
    // child hangs on the edge's other body
    int hang(const Edge& e, int child_side) {
        const int child = e.frame[child_side], parent = e.frame[1 - child_side];
        const int i = add_link(child);
        Link& l = out.forest.links[i];
        const Table& t = m.elements->constraints[e.table];
        JointAnchor anchor;
        std::memcpy(&anchor, t.data.data() + std::size_t(e.element) * t.row->data_size, sizeof anchor);
        const auto frame_on = [&](int side) { return JointFrame{vec(anchor.local[side]), quat(anchor.axes[side]).normalized()}; };
        l.a = frame_on(1 - child_side), l.b = frame_on(child_side);
        l.kind = e.type;
        if (e.type == JointType::universal && child_side == 0) l.a.axes = l.a.axes * kSwapXY, l.b.axes = l.b.axes * kSwapXY;
        l.parent = is_link(m, parent) ? link_of[parent] : -1;
        if (l.parent < 0) l.base = base_of(parent);
        out.joints[i] = {e.table, e.element, child_side == 0};
        out.held[e.group] = 1;
        return i;
    }
    // everything that hangs on the link, breadth first
    void grow(int first) {
        for (int i = first; i < int(out.forest.links.size()); ++i)
            for (int k : at[out.forest.links[i].frame])
                for (int side = 0; side < 2; ++side) {
                    const int frame = edges[k].frame[side];
                    if (is_link(m, frame) && link_of[frame] < 0) hang(edges[k], side);
                }
        ++tree;
    }
};

} // namespace

void build_forest(const Model& m, BuiltForest& out) {
    out = {};
    int groups = 0;
    std::vector<Edge> edges = list_edges(m, groups);
    out.held.assign(groups, 0);
    choose_tree(m, edges);
    Builder b{m, edges, std::vector<std::vector<int>>(frame_count(m)), std::vector<int>(frame_count(m), -1), out};
    for (int k = 0; k < int(edges.size()); ++k)
        for (int frame : edges[k].frame)
            if (edges[k].in_tree && is_link(m, frame)) b.at[frame].push_back(k);
    for (const Edge& e : edges) { // trees on the ground
        if (!e.in_tree || (is_link(m, e.frame[0]) && is_link(m, e.frame[1]))) continue;
        b.grow(b.hang(e, is_link(m, e.frame[0]) ? 0 : 1));
    }
    for (int frame = 0; frame < frame_count(m); ++frame) { // floating trees and single bodies
        if (!is_link(m, frame) || b.link_of[frame] >= 0) continue;
        b.grow(b.add_link(frame));
    }
    finish_forest(out.forest);
}

} // namespace sinew
