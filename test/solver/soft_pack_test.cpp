// Which joints of scenes are packed, in lanes of four of one shape: trees of ball joints with blocks for joints (soft_tree.h); hinges,
// limits, motors, friction, soft joints, loops and longer trees with blocks for bodies (soft_rig.h); more than kSoftRigBodies bodies are
// solved joint by joint (soft_joint.h).
#include "model/visit.h"
#include "physics/simulation.h"
#include "paths.h"
#include "solver/measure.h"
#include "solver/soft_joint.h"
#include "solver/velocity_build.h"

using namespace sinew;

namespace {

// joints as a soft step of the scene's start builds them
struct Built {
    SoftJoints joints;
    int packed() const {
        int n = 0;
        for (const SoftJointGroup& g : joints.groups) n += g.packed;
        return n;
    }
    int count() const { return int(joints.groups.size()); }
};

Built build(const Compiled& c) {
    const Model& m = c.model;
    const ParallelPtr parallel = make_parallel({.threads = 1});
    RowProblem q;
    q.dt = 1.0 / 60;
    build_bodies(m, c.state, q);
    Rows rows;
    build_rows(m.elements->constraints, dofs_of(m), rows);
    const Evaluation at = evaluation_of(m, c.state, q.dt);
    refresh_rows(m.elements->constraints, at, rows);
    add_constraint_groups(dofs_of(m), rows, {}, q);
    std::vector<int> place(q.body_count()), groups(q.groups.size());
    for (std::size_t k = 0; k < place.size(); ++k) place[k] = int(k);
    for (std::size_t k = 0; k < groups.size(); ++k) groups[k] = int(k);
    Built out;
    build_joints(*parallel, {.substeps = 6, .h = q.dt / 6, .packs = true}, {&m.elements->constraints, &rows, dofs_of(m), at}, groups, place, q,
                 out.joints);
    return out;
}

Built build(const std::string& objects, const std::string& joints) {
    const std::optional<Compiled> c = compile_text("{ \"sinew\": 1, \"objects\": {" + objects + "}, \"joints\": {" + joints + "}, \"solver\": \"velocity\" }");
    return c ? build(*c) : Built{};
}

// boxes in a row, 1 m apart, and joints between neighbours
std::string boxes(int count) {
    return R"("box": { "kind": "box", "size": [0.8, 0.2, 0.2], "mass": 1, "replicate": { "count": )" + std::to_string(count) + R"(, "at": ["i", 0, 0] } })";
}
std::string joint(int a, int b, const std::string& what) {
    return "\"j" + std::to_string(a) + "_" + std::to_string(b) + "\": { " + what + R"(, "between": ["box/)" + std::to_string(a) + "\", \"box/" +
           std::to_string(b) + "\"], \"at\": [" + std::to_string(a) + ".5, 0, 0] }";
}
std::string chain(int count, const std::string& what) {
    std::string out;
    for (int k = 0; k + 1 < count; ++k) out += (k ? ", " : "") + joint(k, k + 1, what);
    return out;
}
const std::string kBall = R"("kind": "ball")";

} // namespace

TEST(soft_pack, dolls_of_ball_joints_are_packed_four_at_a_time) {
    const std::optional<Compiled> c = compile_text(R"json({ "sinew": 1, "solver": "velocity",
        "prefabs": { "doll": { "objects": { "chest": { "kind": "box", "size": [0.4, 0.6, 0.2], "mass": 30 },
                "limb": { "kind": "box", "size": [0.1, 0.4, 0.1], "mass": 4, "replicate": { "count": 4, "at": ["0.3*(i - 1.5)", -0.6, 0] } },
                "end": { "kind": "box", "size": [0.1, 0.4, 0.1], "mass": 3, "replicate": { "count": 4, "at": ["0.3*(i - 1.5)", -1.1, 0] } } },
            "joints": { "a0": { "kind": "ball", "between": ["chest", "limb/0"], "at": [-0.45, -0.35, 0] },
                        "a1": { "kind": "ball", "between": ["chest", "limb/1"], "at": [-0.15, -0.35, 0] },
                        "a2": { "kind": "ball", "between": ["chest", "limb/2"], "at": [0.15, -0.35, 0] },
                        "a3": { "kind": "ball", "between": ["chest", "limb/3"], "at": [0.45, -0.35, 0] },
                        "b0": { "kind": "ball", "between": ["limb/0", "end/0"], "at": [-0.45, -0.85, 0] },
                        "b1": { "kind": "ball", "between": ["limb/1", "end/1"], "at": [-0.15, -0.85, 0] },
                        "b2": { "kind": "ball", "between": ["limb/2", "end/2"], "at": [0.15, -0.85, 0] },
                        "b3": { "kind": "ball", "between": ["limb/3", "end/3"], "at": [0.45, -0.85, 0] } } } },
        "objects": { "doll": { "use": "doll", "replicate": { "count": 11, "at": ["3*i", 0, 0] } } } })json");
    ASSERT_TRUE(c);
    const Built b = build(*c);
    EXPECT_EQ(b.count(), 11 * 8);
    EXPECT_EQ(b.packed(), 11 * 8);
    EXPECT_TRUE(b.joints.components.empty());
    EXPECT_EQ(b.joints.trees.plans.size(), 1u);
    EXPECT_EQ(b.joints.trees.batches.size(), 3u); // lanes of 4, 4, 3
}

TEST(soft_pack, ragdolls_of_the_prefab_are_packed_with_their_limits_and_friction) {
    const Result<Scene> scene = load_scene(source_dir() + "/scenes/joints/ragdoll_pile.json");
    ASSERT_TRUE(scene);
    const Result<Compiled> c = compile_scene(*scene.value);
    ASSERT_TRUE(c);
    const Built b = build(*c.value);
    EXPECT_GE(b.count(), 27 * 10);
    EXPECT_EQ(b.packed(), b.count());
    EXPECT_TRUE(b.joints.components.empty());
    EXPECT_TRUE(b.joints.trees.batches.empty());
    ASSERT_EQ(b.joints.rigs.plans.size(), 1u);
    EXPECT_EQ(b.joints.rigs.batches.size(), 7u); // lanes of 4, and 3 in the last
    const SoftRigPlan& p = b.joints.rigs.plans[0];
    EXPECT_EQ(p.moving, 11);         // bodies, and a tree: nothing fills in
    EXPECT_EQ(p.joints.size(), 10u); // rows of one joint together
    EXPECT_EQ(p.row.size(), 10u);
}

TEST(soft_pack, chains_of_ball_joints_are_up_to_the_most_joints) {
    const Built most = build(boxes(kSoftTreeJoints + 1), chain(kSoftTreeJoints + 1, kBall));
    EXPECT_EQ(most.joints.trees.batches.size(), 1u);
    const Built more = build(boxes(kSoftTreeJoints + 2), chain(kSoftTreeJoints + 2, kBall));
    EXPECT_TRUE(more.joints.trees.batches.empty());
    EXPECT_EQ(more.packed(), kSoftTreeJoints + 1);
    EXPECT_EQ(more.joints.rigs.batches.size(), 1u);
    const Built longest = build(boxes(kSoftRigBodies), chain(kSoftRigBodies, kBall)), longer = build(boxes(kSoftRigBodies + 1), chain(kSoftRigBodies + 1, kBall));
    EXPECT_EQ(longest.packed(), kSoftRigBodies - 1);
    EXPECT_EQ(longer.count(), kSoftRigBodies);
    EXPECT_EQ(longer.packed(), 0);
}

TEST(soft_pack, loops_have_blocks_for_bodies) {
    EXPECT_TRUE(build(boxes(4), chain(4, kBall)).joints.rigs.batches.empty());
    const Built ring = build(boxes(4), chain(4, kBall) + ", " + joint(0, 3, kBall));
    EXPECT_TRUE(ring.joints.trees.batches.empty());
    EXPECT_EQ(ring.packed(), 4);
    EXPECT_FALSE(ring.joints.rigs.plans[0].joints[0].bends); // no chord in loops
    // both ends held by the world close a loop through it
    const std::string held = R"(, "w0": { "kind": "ball", "between": ["world", "box/0"], "at": [-0.5, 0, 0] })",
                      other = R"(, "w3": { "kind": "ball", "between": ["world", "box/3"], "at": [3.5, 0, 0] })";
    const Built bridge = build(boxes(4), chain(4, kBall) + held + other);
    EXPECT_EQ(bridge.packed(), 5);
    EXPECT_FALSE(bridge.joints.rigs.plans[0].joints[0].bends);
}

// one joint of another kind in a tree, and the whole tree has blocks for bodies
TEST(soft_pack, joints_with_more_or_other_rows_have_blocks_for_bodies) {
    for (const std::string& what :
         {std::string(R"("kind": "hinge", "axis": [0, 0, 1])"), std::string(R"("kind": "hinge", "axis": [0, 0, 1], "limits": [-1, 1])"),
          std::string(R"("kind": "hinge", "axis": [0, 0, 1], "motor": { "speed": 1, "limit": 2 })"), std::string(R"("kind": "weld")"),
          std::string(R"("kind": "slider", "axis": [1, 0, 0])"), std::string(R"("kind": "cone_twist", "axis": [1, 0, 0], "swing": "30 deg")"),
          std::string(R"("kind": "ball", "friction": 1)"), std::string(R"("kind": "ball", "compliance": 1e-4)")}) {
        const Built b = build(boxes(4), chain(3, kBall) + ", " + joint(2, 3, what));
        EXPECT_GE(b.count(), 3) << what;
        EXPECT_EQ(b.packed(), b.count()) << what;
        EXPECT_TRUE(b.joints.trees.batches.empty()) << what;
        EXPECT_EQ(b.joints.rigs.batches.size(), 1u) << what;
    }
}

TEST(soft_pack, clusters_are_judged_one_by_one) {
    const Built b = build(boxes(6), chain(3, kBall) + ", " + joint(3, 4, kBall) + ", " + joint(4, 5, R"("kind": "hinge", "axis": [0, 0, 1])"));
    EXPECT_EQ(b.packed(), 4);
    EXPECT_EQ(b.joints.trees.batches.size(), 1u);
    EXPECT_EQ(b.joints.rigs.batches.size(), 1u);
    EXPECT_TRUE(b.joints.components.empty());
}
