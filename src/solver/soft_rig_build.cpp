// Which joints are packed together, and in which order their bodies are eliminated (soft_rig.h).
#include "constraint/joint_object.h"
#include "solver/soft_joint.h"
#include "solver/soft_order.h"
#include <algorithm>

namespace sinew {

namespace {

static_assert(kSoftRigBodies <= kSoftOrderBlocks);

// rows of a table: three of a place first where there are, then these
constexpr int kRate = 9; // instead of a coordinate
struct RigTable {
    std::string_view name;
    bool place;
    int rows;
    struct Row { SoftRigTerm term; unsigned char j, k; double sign; } row[5];
    int coordinate = 0;
};
constexpr SoftRigTerm kCross = SoftRigTerm::cross, kTurn = SoftRigTerm::turn, kTwist = SoftRigTerm::twist, kSwing = SoftRigTerm::swing,
                      kSlide = SoftRigTerm::slide, kLength = SoftRigTerm::length, kCardan = SoftRigTerm::cardan, kSpin = SoftRigTerm::spin;
constexpr RigTable kTables[] = {
    {"joint_ball", true, 0, {}},
    {"joint_hinge", true, 2, {{kCross, 1, 0, 1}, {kCross, 2, 0, 1}}},
    {"joint_universal", true, 1, {{kCross, 0, 1, 1}}},
    {"joint_weld", true, 3, {{kTurn, 0, 0, 1}, {kTurn, 0, 1, 1}, {kTurn, 0, 2, 1}}},
    {"joint_slider", false, 5, {{kSlide, 0, 1, 1}, {kSlide, 0, 2, 1}, {kTurn, 0, 0, 1}, {kTurn, 0, 1, 1}, {kTurn, 0, 2, 1}}},
    {"joint_cylindrical", false, 4, {{kSlide, 0, 1, 1}, {kSlide, 0, 2, 1}, {kCross, 1, 0, 1}, {kCross, 2, 0, 1}}},
    {"joint_planar", false, 3, {{kSlide, 0, 0, 1}, {kCross, 1, 0, 1}, {kCross, 2, 0, 1}}},
    {"joint_line", false, 2, {{kSlide, 0, 1, 1}, {kSlide, 0, 2, 1}}},
    {"joint_distance", false, 1, {{kLength, 0, 0, 1}}},
    {"joint_limit_slide", false, 2, {{kSlide, 0, 0, 1}, {kSlide, 0, 0, -1}}},
    {"joint_limit_twist", false, 2, {{kTwist, 0, 0, 1}, {kTwist, 0, 0, -1}}},
    {"joint_limit_swing", false, 2, {{kSwing, 0, 0, 1}, {kSwing, 0, 0, -1}}},
    {"joint_limit_length", false, 2, {{kLength, 0, 0, 1}, {kLength, 0, 0, -1}}},
    {"joint_drive_slide", false, 1, {{kSlide, 0, 0, 1}}},
    {"joint_drive_twist", false, 1, {{kTwist, 0, 0, 1}}},
    {"joint_drive_length", false, 1, {{kLength, 0, 0, 1}}},
    {"joint_drive_turn", false, 3, {{kTurn, 0, 0, 1}, {kTurn, 0, 1, 1}, {kTurn, 0, 2, 1}}},
    {"joint_limit_cardan", false, 2, {{kCardan, 0, 0, 1}, {kCardan, 0, 0, -1}}},
    {"joint_drive_cardan", false, 1, {{kCardan, 0, 0, 1}}},
    // other coordinates of the same tables, and rates of all rotation
    {"joint_limit_slide", false, 2, {{kSlide, 0, 1, 1}, {kSlide, 0, 1, -1}}, 1},
    {"joint_limit_slide", false, 2, {{kSlide, 0, 2, 1}, {kSlide, 0, 2, -1}}, 2},
    {"joint_drive_slide", false, 1, {{kSlide, 0, 1, 1}}, 1},
    {"joint_drive_slide", false, 1, {{kSlide, 0, 2, 1}}, 2},
    {"joint_limit_cardan", false, 2, {{kCardan, 0, 1, 1}, {kCardan, 0, 1, -1}}, 1},
    {"joint_drive_cardan", false, 1, {{kCardan, 0, 1, 1}}, 1},
    {"joint_drive_turn", false, 3, {{kSpin, 0, 0, 1}, {kSpin, 0, 1, 1}, {kSpin, 0, 2, 1}}, kRate},
};

// one joint of a cluster: all groups with the same bodies and anchor
struct RigJoint {
    int a = 0, b = 0;               // numbers of bodies
    int anchor = -1, place = -1;    // groups
    const JointAnchor* at = nullptr;
    std::vector<SoftRigSource> rows;
    std::vector<SoftRigRowKind> kinds;
};
struct RigCluster {
    std::vector<int> bodies;        // numbers, sorted
    std::vector<std::uint8_t> moves;
    std::vector<RigJoint> joints;
    std::vector<int> shape;
};

bool same_anchor(const JointAnchor& x, const JointAnchor& y) { return x.local == y.local && x.axes == y.axes; }

void add_group(const JointSource& source, std::span<const SoftJointGroup> groups, int index, RigCluster& out) {
    const SoftJointGroup& g = groups[index];
    const Rows& rows = *source.rows;
    const Table& t = (*source.constraints)[rows.key[g.source] >> 40];
    const JointAnchor& at = joint_anchor(t, int(rows.key[g.source] & ((std::uint64_t(1) << 40) - 1)));
    const RigTable& table = kTables[g.rig - 1];
    const auto is_mine = [&](const RigJoint& j) {
        return j.a == g.body_a && j.b == g.body_b && same_anchor(*j.at, at) && !(table.place && j.place >= 0);
    };
    auto found = std::find_if(out.joints.begin(), out.joints.end(), is_mine);
    if (found == out.joints.end()) {
        out.joints.push_back({g.body_a, g.body_b, index, -1, &at, {}, {}});
        found = out.joints.end() - 1;
    }
    if (table.place) found->place = index;
    for (int k = 0; k < table.rows; ++k) {
        const RigTable::Row& row = table.row[k];
        SoftRigRowKind kind;
        kind.term = row.term, kind.j = row.j, kind.k = row.k, kind.sign = row.sign;
        kind.soft = g.is_soft, kind.one_sided = g.one_sided, kind.bounded = g.bounded, kind.position = g.position;
        found->rows.push_back({index, k + (table.place ? 3 : 0)});
        found->kinds.push_back(kind);
    }
}

RigCluster describe(const JointSource& source, std::span<const SoftJointGroup> groups, std::span<const int> list) {
    RigCluster out;
    for (int g : list) out.bodies.push_back(groups[g].body_a), out.bodies.push_back(groups[g].body_b);
    std::sort(out.bodies.begin(), out.bodies.end());
    out.bodies.erase(std::unique(out.bodies.begin(), out.bodies.end()), out.bodies.end());
    out.moves.assign(out.bodies.size(), 0);
    const auto at = [&](int b) { return int(std::lower_bound(out.bodies.begin(), out.bodies.end(), b) - out.bodies.begin()); };
    for (int g : list) {
        add_group(source, groups, g, out);
        out.moves[at(groups[g].body_a)] = groups[g].moves_a, out.moves[at(groups[g].body_b)] = groups[g].moves_b;
    }
    for (RigJoint& j : out.joints) {
        j.a = at(j.a), j.b = at(j.b);
        const int place = j.place < 0 ? 0 : 1 + 2 * int(groups[j.place].is_soft) + 4 * int(groups[j.place].bends);
        for (int n : {j.a, j.b, int(out.moves[j.a]) + 2 * int(out.moves[j.b]), place, int(j.kinds.size())}) out.shape.push_back(n);
        for (const SoftRigRowKind& k : j.kinds)
            for (int n : {int(k.term), int(k.j), int(k.k), int(k.sign), int(k.soft) + 2 * int(k.one_sided) + 4 * int(k.bounded) + 8 * int(k.position)})
                out.shape.push_back(n);
    }
    return out;
}

SoftRigPlan make_plan(std::span<const SoftJointGroup> groups, const RigCluster& c) {
    SoftRigPlan p;
    p.shape = c.shape;
    std::vector<int> moving, index(c.bodies.size(), -1);
    for (std::size_t b = 0; b < c.bodies.size(); ++b)
        if (c.moves[b]) index[b] = int(moving.size()), moving.push_back(int(b));
    std::vector<std::uint64_t> near(moving.size(), 0);
    for (const RigJoint& j : c.joints) {
        if (index[j.a] < 0 || index[j.b] < 0) continue;
        near[index[j.a]] |= std::uint64_t(1) << index[j.b];
        near[index[j.b]] |= std::uint64_t(1) << index[j.a];
    }
    const SoftOrder order = build_soft_order(near);
    p.moving = int(moving.size());
    for (int k : order.order) p.body.push_back(moving[k]);
    for (std::size_t b = 0; b < c.bodies.size(); ++b)
        if (!c.moves[b]) p.body.push_back(int(b));
    std::vector<int> position(c.bodies.size());
    for (std::size_t k = 0; k < p.body.size(); ++k) position[p.body[k]] = int(k);
    for (const RigJoint& j : c.joints) {
        SoftRigJointKind kind;
        kind.a = position[j.a], kind.b = position[j.b];
        kind.place = j.place >= 0;
        kind.soft = kind.place && groups[j.place].is_soft, kind.bends = kind.place && groups[j.place].bends;
        if (kind.a < p.moving && kind.b < p.moving) {
            kind.a_is_row = kind.a > kind.b;
            kind.block = order.find(std::max(kind.a, kind.b), std::min(kind.a, kind.b));
        }
        kind.row = int(p.rows.size());
        for (SoftRigRowKind row : j.kinds) {
            if (row.term == SoftRigTerm::slide || row.term == SoftRigTerm::length) row.slide = p.slides++;
            p.rows.push_back(row);
        }
        kind.end = int(p.rows.size());
        p.joints.push_back(kind);
    }
    p.begin = order.begin, p.row = order.row, p.update = order.update;
    return p;
}

// room for four clusters of one plan
void add_batch(int plan, SoftRigs& t) {
    const SoftRigPlan& p = t.plans[plan];
    std::array<int, kSoftRigLanes> none;
    none.fill(-1);
    t.batches.push_back({plan, int(t.number.size()), int(t.anchor.size()), int(t.source.size()), int(t.slides.size()), int(t.diagonals.size()),
                         int(t.factors.size())});
    t.number.resize(t.number.size() + p.body.size(), none);
    t.anchor.resize(t.anchor.size() + p.joints.size(), none);
    t.place.resize(t.place.size() + p.joints.size(), none);
    t.source.resize(t.source.size() + p.rows.size());
    t.slides.resize(t.slides.size() + p.slides);
    t.diagonals.resize(t.diagonals.size() + p.moving);
    t.factors.resize(t.factors.size() + p.row.size());
}

void fill_lane(const RigCluster& c, int lane, SoftRigs& t) {
    const SoftRigBatch& b = t.batches.back();
    const SoftRigPlan& p = t.plans[b.plan];
    for (std::size_t k = 0; k < p.body.size(); ++k) t.number[b.body + k][lane] = c.bodies[p.body[k]];
    int row = b.row;
    for (std::size_t k = 0; k < c.joints.size(); ++k) {
        t.anchor[b.joint + k][lane] = c.joints[k].anchor;
        t.place[b.joint + k][lane] = c.joints[k].place;
        for (const SoftRigSource& s : c.joints[k].rows) t.source[row++][lane] = s;
    }
}

} // namespace

static int find_rig_table(std::string_view name, int coordinate) {
    const auto found = std::find_if(std::begin(kTables), std::end(kTables),
                                    [&](const RigTable& r) { return r.name == name && r.coordinate == coordinate; });
    return found == std::end(kTables) ? 0 : int(found - std::begin(kTables)) + 1;
}
int find_rig_table(const Table& t) {
    const bool has_coordinates = t.row->name.starts_with("joint_limit_") || t.row->name.starts_with("joint_drive_");
    return has_coordinates ? -1 : find_rig_table(t.row->name, 0);
}
int find_rig_element(const Table& t, int e, const Evaluation& at) {
    if (t.row->name != "joint_drive_turn") return find_rig_table(t.row->name, joint_coordinate(t, e));
    if (t.row->level(t, e) == Level::velocity) return find_rig_table(t.row->name, kRate);
    return has_turn_target(t, e, at) ? 0 : find_rig_table(t.row->name, 0); // packed turns are from as built
}

void clear_soft_rigs(SoftRigs& t) {
    t.plans.clear(), t.batches.clear(), t.number.clear(), t.anchor.clear(), t.place.clear(), t.source.clear();
    t.bodies.clear(), t.joints.clear(), t.rows.clear(), t.slides.clear(), t.diagonals.clear(), t.factors.clear(), t.error.clear();
}

void plan_soft_rigs(const JointSource& source, std::span<const SoftJointGroup> groups, std::span<const int> begin, std::span<const int> list,
                    SoftRigs& t) {
    clear_soft_rigs(t);
    const int count = int(begin.size()) - 1;
    std::vector<RigCluster> clusters;
    std::vector<int> plan_of;
    for (int i = 0; i < count; ++i) {
        clusters.push_back(describe(source, groups, list.subspan(begin[i], begin[i + 1] - begin[i])));
        const auto known = std::find_if(t.plans.begin(), t.plans.end(), [&](const SoftRigPlan& p) { return p.shape == clusters.back().shape; });
        plan_of.push_back(int(known - t.plans.begin()));
        if (known == t.plans.end()) t.plans.push_back(make_plan(groups, clusters.back()));
    }
    for (int n = 0; n < int(t.plans.size()); ++n) {
        int lane = kSoftRigLanes;
        for (int i = 0; i < count; ++i) {
            if (plan_of[i] != n) continue;
            if (lane == kSoftRigLanes) add_batch(n, t), lane = 0;
            fill_lane(clusters[i], lane++, t);
        }
    }
    t.bodies.resize(t.number.size());
    t.joints.resize(t.anchor.size());
    t.rows.resize(t.source.size());
    t.error.assign(t.batches.size(), 0);
}

} // namespace sinew
