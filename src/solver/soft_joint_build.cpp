// Which joints belong together, and in which order their rows are factored (soft_joint.h).
#include "solver/soft_joint.h"
#include "geometry/topology.h"
#include <Eigen/LU>
#include <algorithm>
#include <numeric>

namespace sinew {

namespace {

constexpr std::size_t kMostEntries = 100000; // of the factor of a cluster
constexpr int kRun = 32;                     // groups per task

void set_spring(const SoftJointOptions& o, const Rows& rows, const SoftJointGroup& g, int k, SoftJointRow& r) {
    const int row = rows.row_begin[g.source] + k;
    const RowSpring spring = find_row_spring(rows, row, g.position, o.h);
    r.rate = spring.rate, r.softness = spring.softness;
    r.gain = g.position && !(rows.compliance[row] > 0) ? o.pull / o.h : spring.gain;
    r.is_soft = r.softness > 0;
}

// ball joints: three rigid rows that hold a point, between two bodies
bool is_ball(const Rows& rows, const SoftJointGroup& g, const RowGroup& from) {
    bool out = g.bends && g.rows == 3 && from.sides == 2;
    for (int k = rows.row_begin[g.source]; out && k < rows.row_begin[g.source] + 3; ++k)
        out = rows.compliance[k] == 0 && rows.rate[k] == 0;
    return out;
}

// held, or with an inertia in all directions
bool turns_freely(const RowProblem& q, int b) { return !(q.inverse_mass[b] > 0) || q.inverse_inertia[b].determinant() > 0; }

void add_joint(const SoftJointOptions& o, const JointSource& source, int index, const std::vector<int>& place, const RowProblem& q, SoftJoints& s) {
    const RowGroup& from = q.groups[index];
    const Rows& rows = *source.rows;
    const auto moves = [&](int side) { return q.inverse_mass[q.body[from.side + side]] > 0; };
    SoftJointGroup g;
    g.body_a = q.body[from.side];
    g.moves_a = moves(0);
    if (from.sides > 1) g.body_b = q.body[from.side + 1], g.moves_b = moves(1), g.b = place[g.body_b];
    g.a = place[g.body_a];
    g.bounded = from.set != RowSet::free;
    g.one_sided = from.set == RowSet::lower;
    g.source = from.source;
    g.position = rows.level[g.source] == Level::position;
    g.group = index;
    g.rows = from.rows;
    g.bends = !g.bounded && g.position && holds_place(q, from);
    const bool frames = std::min(g.body_a, g.body_b) >= source.dofs.points;
    g.is_soft = g.position ? rows.compliance[rows.row_begin[g.source]] > 0 : rows.damping[rows.row_begin[g.source]] > 0;
    g.is_ball = o.packs && frames && is_ball(rows, g, from);
    if (o.packs && frames && from.sides == 2 && turns_freely(q, g.body_a) && turns_freely(q, g.body_b)) g.rig = s.rig_tables[rows.key[g.source] >> 40];
    if (g.rig < 0) // limits and drives: of which coordinate
        g.rig = find_rig_element((*source.constraints)[rows.key[g.source] >> 40], int(rows.key[g.source] & ((std::uint64_t(1) << 40) - 1)), source.at);
    g.a_is_plus = g.is_ball && q.jacobian[from.lever].linear.x() > 0;
    s.groups.push_back(g);
}

void add_rows(const SoftJointOptions& o, const Rows& rows, const RowProblem& q, SoftJointGroup& g, SoftJoints& s) {
    const RowGroup& from = q.groups[g.group];
    g.row = int(s.rows.size());
    const Lever none{Vec3::Zero(), Vec3::Zero()};
    for (int k = 0; k < g.rows; ++k) {
        SoftJointRow r;
        r.ja = r.jb = r.da = r.db = none;
        r.low = from.set == RowSet::lower ? 0 : from.set == RowSet::box ? -from.limit / o.substeps : -1e300;
        r.high = from.set == RowSet::box ? from.limit / o.substeps : 1e300;
        r.impulse = std::clamp(q.impulse[from.row + k] / o.substeps, r.low, r.high);
        set_spring(o, rows, g, k, r);
        r.active = !g.bounded;
        s.rows.push_back(r);
    }
}

// sets of bodies joined by groups; held bodies join nothing
void join_bodies(int bodies, SoftJoints& s) {
    s.root.resize(bodies);
    std::iota(s.root.begin(), s.root.end(), 0);
    for (const SoftJointGroup& g : s.groups) {
        if (!g.moves_a || !g.moves_b) continue;
        const int a = find_root(s.root, g.body_a), b = find_root(s.root, g.body_b);
        s.root[std::max(a, b)] = std::min(a, b);
    }
}
int body_of(const SoftJointGroup& g) { return g.moves_a ? g.body_a : g.body_b; }

// place of each body in a walk along the groups, into s.place
void walk(int bodies, SoftJoints& s) {
    s.begin.assign(bodies + 1, 0);
    const auto each = [&](auto&& f) {
        for (const SoftJointGroup& g : s.groups)
            if (g.moves_a && g.moves_b) f(g.body_a, g.body_b), f(g.body_b, g.body_a);
    };
    each([&](int a, int) { ++s.begin[a + 1]; });
    for (int i = 0; i < bodies; ++i) s.begin[i + 1] += s.begin[i];
    s.neighbor.resize(s.begin[bodies]);
    s.count.assign(s.begin.begin(), s.begin.end() - 1);
    each([&](int a, int b) { s.neighbor[s.count[a]++] = b; });
    order_breadth_first(s.begin, s.neighbor, s.order);
    s.place.resize(bodies);
    for (int k = 0; k < bodies; ++k) s.place[s.order[k]] = k;
}

// the sides of the cluster's groups on each body
void build_couplings(const SoftJoints& s, std::vector<std::array<int, 3>>& sides, JointCluster& c) {
    const int n = int(c.groups.size());
    c.offset.resize(n + 1);
    c.lowest.resize(n);
    std::iota(c.lowest.begin(), c.lowest.end(), 0);
    sides.clear(); // body, group, side
    for (int k = 0; k < n; ++k) {
        const SoftJointGroup& g = s.groups[c.groups[k]];
        if (g.moves_a) sides.push_back({g.body_a, k, 0});
        if (g.moves_b) sides.push_back({g.body_b, k, 1});
    }
    std::sort(sides.begin(), sides.end());
    c.bodies.clear();
    for (const auto& side : sides)
        if (c.bodies.empty() || c.bodies.back() != side[0]) c.bodies.push_back(side[0]);
    c.turned.assign(c.bodies.size(), Vec3::Zero());
    c.places.assign(c.bodies.size(), -1);
    c.couplings.clear();
    for (std::size_t begin = 0, end; begin < sides.size(); begin = end) {
        for (end = begin; end < sides.size() && sides[end][0] == sides[begin][0];) ++end;
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = begin; j <= i; ++j) {
                c.couplings.push_back({sides[i][1], sides[j][1], std::uint8_t(sides[i][2]), std::uint8_t(sides[j][2])});
                c.lowest[sides[i][1]] = std::min(c.lowest[sides[i][1]], sides[j][1]);
            }
    }
}

// of the envelope with all rows that nothing bounds
std::size_t entries(const SoftJoints& s, const JointCluster& c) {
    std::size_t sum = 0, rows = 0;
    std::vector<std::size_t> before;
    for (std::size_t k = 0; k < c.groups.size(); ++k) {
        before.push_back(rows);
        if (s.groups[c.groups[k]].bounded) continue;
        for (int i = 0; i < s.groups[c.groups[k]].rows; ++i) sum += ++rows - before[c.lowest[k]];
    }
    return sum;
}

JointCluster& new_cluster(SoftJoints& s) {
    if (int(s.clusters.size()) == s.cluster_count) s.clusters.emplace_back();
    s.clusters[s.cluster_count].groups.clear();
    return s.clusters[s.cluster_count++];
}
void finish_cluster(const SoftJoints& s, std::vector<std::array<int, 3>>& sides, JointCluster& c) {
    build_couplings(s, sides, c);
    c.bounded.clear();
    for (int g : c.groups)
        if (s.groups[g].bounded) c.bounded.push_back(g);
}

// groups along the walk, set by set
void sort_groups(int bodies, SoftJoints& s, std::vector<int>& out) {
    std::vector<std::array<int, 4>> keys;
    for (std::size_t i = 0; i < s.groups.size(); ++i) {
        const SoftJointGroup& g = s.groups[i];
        const int a = g.moves_a ? s.place[g.body_a] : bodies, b = g.moves_b ? s.place[g.body_b] : bodies;
        keys.push_back({find_root(s.root, body_of(g)), std::min(a, b), std::max(a, b), int(i)});
    }
    std::sort(keys.begin(), keys.end());
    out.clear();
    for (const auto& k : keys) out.push_back(k[3]);
}

// clusters with loops; held bodies are the ground
void find_loops(int bodies, SoftJoints& s) {
    s.root.resize(bodies + 1);
    std::iota(s.root.begin(), s.root.end(), 0);
    for (int i = 0; i < s.cluster_count; ++i) {
        JointCluster& c = s.clusters[i];
        c.loops = false;
        for (int n : c.groups) {
            const SoftJointGroup& g = s.groups[n];
            if (g.bounded) continue;
            const int a = find_root(s.root, g.moves_a ? g.body_a : bodies), b = find_root(s.root, g.moves_b ? g.body_b : bodies);
            c.loops = c.loops || a == b;
            s.root[a] = b;
        }
    }
}

// Groups of clusters that are packed, one after another, each in the order of its groups
struct PackedList {
    std::vector<int> begin{0}, groups;
    void add(const JointCluster& c) {
        groups.insert(groups.end(), c.groups.begin(), c.groups.end());
        std::sort(groups.begin() + begin.back(), groups.end());
        begin.push_back(int(groups.size()));
    }
};
int body_count(const SoftJoints& s, const JointCluster& c) { // with held ones, at most
    int held = 0;
    for (int g : c.groups) held += !s.groups[g].moves_a + !s.groups[g].moves_b;
    return int(c.bodies.size()) + held;
}

// trees of ball joints alone, and other clusters of bodies; they leave the components
void choose_packed(const JointSource& source, SoftJoints& s) {
    PackedList trees, rigs;
    std::size_t kept = 0;
    for (const auto [first, end] : s.components) {
        JointCluster& c = s.clusters[first];
        for (int i = first; i < end; ++i) s.clusters[i].packed = false;
        const auto all = [&](auto&& is) { return std::all_of(c.groups.begin(), c.groups.end(), [&](int g) { return is(s.groups[g]); }); };
        for (int g : c.groups) s.groups[g].bends = s.groups[g].bends && !c.loops;
        const bool one = end == first + 1;
        if (one && !c.loops && int(c.groups.size()) <= kSoftTreeJoints && all([](const SoftJointGroup& g) { return g.is_ball; })) {
            trees.add(c);
            c.packed = true;
        } else if (one && body_count(s, c) <= kSoftRigBodies && all([](const SoftJointGroup& g) { return g.rig > 0; })) {
            rigs.add(c);
            c.packed = true;
        } else {
            s.components[kept++] = {first, end};
        }
    }
    s.components.resize(kept);
    plan_soft_trees(s.groups, trees.begin, trees.groups, s.trees);
    plan_soft_rigs(source, s.groups, rigs.begin, rigs.groups, s.rigs);
}

void build_structure(const JointSource& source, int bodies, SoftJoints& s) {
    join_bodies(bodies, s);
    walk(bodies, s);
    std::vector<int> sorted;
    sort_groups(bodies, s, sorted);
    std::vector<std::array<int, 3>> sides;
    s.cluster_count = 0;
    s.components.clear();
    const auto set_of = [&](int i) { return find_root(s.root, body_of(s.groups[i])); };
    for (std::size_t begin = 0, end; begin < sorted.size(); begin = end) {
        for (end = begin; end < sorted.size() && set_of(sorted[end]) == set_of(sorted[begin]);) ++end;
        const int first = s.cluster_count;
        JointCluster& c = new_cluster(s);
        c.groups.assign(sorted.begin() + begin, sorted.begin() + end);
        build_couplings(s, sides, c);
        if (entries(s, c) <= kMostEntries || c.groups.size() == 1) {
            finish_cluster(s, sides, c);
            s.components.push_back({first, first + 1});
            continue;
        }
        --s.cluster_count; // too large: its joints one by one
        for (std::size_t k = begin; k < end; ++k) {
            JointCluster& one = new_cluster(s);
            one.groups.push_back(sorted[k]);
            finish_cluster(s, sides, one);
        }
        s.components.push_back({first, s.cluster_count});
    }
    find_loops(bodies, s);
    choose_packed(source, s);
}

int flags_of(const SoftJointGroup& g) {
    return int(g.moves_a) + 2 * int(g.moves_b) + 4 * int(g.bounded) + 8 * int(g.is_ball) + 16 * int(g.a_is_plus) + 32 * int(g.one_sided) +
           64 * int(g.position) + 128 * int(g.is_soft) + 256 * int(g.bends) + 512 * g.rig;
}

// rows of what is not packed, and runs of successive elements of one table
void add_runs(const SoftJointOptions& o, const Rows& rows, const RowProblem& q, SoftJoints& s) {
    int last = -1;
    for (int at = 0; at < int(s.groups.size()); ++at) {
        SoftJointGroup& g = s.groups[at];
        if (g.packed) continue;
        add_rows(o, rows, q, g, s);
        const bool goes_on = last >= 0 && last == at - 1 && s.groups[last].source + 1 == g.source && at - s.runs.back()[0] < kRun &&
                             rows.key[g.source] >> 40 == rows.key[g.source - 1] >> 40;
        if (goes_on) s.runs.back()[1] = at + 1;
        else s.runs.push_back({at, at + 1});
        last = at;
    }
}

} // namespace

void build_joints(const Parallel& parallel, const SoftJointOptions& o, const JointSource& source, const std::vector<int>& groups,
                  const std::vector<int>& place, const RowProblem& q, SoftJoints& s) {
    s.groups.clear();
    s.rows.clear();
    s.runs.clear();
    if (groups.empty()) {
        s.cluster_count = 0;
        s.components.clear();
        s.shape.clear();
        s.trees.batches.clear(), s.trees.group.clear(), s.trees.error.clear();
        clear_soft_rigs(s.rigs);
        return;
    }
    s.rig_tables.resize(source.constraints->size());
    for (std::size_t k = 0; k < s.rig_tables.size(); ++k) s.rig_tables[k] = find_rig_table((*source.constraints)[k]);
    for (int i : groups) {
        if (q.groups[i].set == RowSet::box && !(q.groups[i].limit > 0)) continue; // switched off
        add_joint(o, source, i, place, q, s);
    }
    s.shape_now.clear();
    for (const SoftJointGroup& g : s.groups)
        for (int n : {g.body_a, g.body_b, flags_of(g), g.rows}) s.shape_now.push_back(n);
    if (s.shape != s.shape_now) {
        s.shape = s.shape_now;
        build_structure(source, q.body_count(), s);
    }
    for (int i = 0; i < s.cluster_count; ++i) {
        JointCluster& c = s.clusters[i];
        for (int g : c.groups) s.groups[g].packed = c.packed, s.groups[g].bends = s.groups[g].bends && !c.loops;
        for (std::size_t k = 0; k < c.bodies.size(); ++k) c.places[k] = place[c.bodies[k]];
    }
    add_runs(o, *source.rows, q, s);
    if (!s.runs.empty()) {
        s.x.assign(source.at.x, source.at.x + source.dofs.points);
        s.p.assign(source.at.p, source.at.p + source.dofs.frames);
        s.q.assign(source.at.q, source.at.q + source.dofs.frames);
    }
    pack_soft_trees(parallel, o, *source.rows, s.groups, place, q, s.trees);
    pack_soft_rigs(parallel, o, source, s.groups, place, q, s.rigs);
}

} // namespace sinew
