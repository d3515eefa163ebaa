// Packed joints of any kind (soft_rig.h) against the joints of the soft step one by one in double precision (soft_joint.h): every kind of
// row, within and beyond its bounds, lanes that differ in which rows take part, loops, held bodies; and one instruction set against the
// other.
#include "core/random.h"
#include "core/simd.h"
#include "model/stencil.h"
#include "model/visit.h"
#include "paths.h"
#include "physics/simulation.h"
#include "solver/measure.h"
#include "solver/soft_joint.h"
#include "solver/velocity_build.h"
#include <cstring>

using namespace sinew;

namespace {

constexpr int kSubsteps = 6;

// the joints of a scene with bodies that have been pushed and turned a little, the same for every `S`
template <class S> struct Rig {
    RowProblem q;
    Rows rows;
    State state;
    JointSource source;
    SoftJointOptions options;
    SoftJoints joints;
    std::vector<int> place;
    std::vector<SoftBody<S>> bodies;
    ParallelPtr parallel = make_parallel({.threads = 1});
};

template <class S> void make_rig(const Compiled& c, bool packs, Real speed, Rig<S>& r) {
    const Model& m = c.model;
    Rng rng{7};
    r.state = c.state;
    for (int f = 0; f < frame_count(m); ++f) {
        if (m.frame.flags[f] & kFixed) continue;
        r.state.frame.p[f] = real3(vec(r.state.frame.p[f]) + draw_vec(rng, -1e-3, 1e-3));
        r.state.frame.q[f] = real4(exp_rotation(draw_vec(rng, -0.15, 0.15)) * quat(r.state.frame.q[f]));
    }
    r.q.dt = 1.0 / 60;
    build_bodies(m, r.state, r.q);
    build_rows(m.elements->constraints, dofs_of(m), r.rows);
    const Evaluation at = evaluation_of(m, r.state, r.q.dt);
    refresh_rows(m.elements->constraints, at, r.rows);
    add_constraint_groups(dofs_of(m), r.rows, {}, r.q);
    for (Real& p : r.q.impulse) p = speed * draw_uniform(rng, -0.05, 0.05); // of the step before
    std::vector<int> groups(r.q.groups.size());
    for (std::size_t k = 0; k < groups.size(); ++k) groups[k] = int(k);
    for (int b = 0; b < r.q.body_count(); ++b) r.place.push_back(b);
    r.source = {&m.elements->constraints, &r.rows, dofs_of(m), at};
    r.options = {.substeps = kSubsteps, .h = r.q.dt / kSubsteps, .packs = packs};
    build_joints(*r.parallel, r.options, r.source, groups, r.place, r.q, r.joints);
    for (int b = 0; b < r.q.body_count(); ++b) {
        SoftBody<S> body;
        for (int k = 0; k < 6; ++k) {
            const Real v = draw_uniform(rng, -speed, speed);
            if (r.q.inverse_mass[b] > 0) body.v[k] = S(v);
        }
        r.bodies.push_back(body);
    }
}

template <class S> void sub_step(Rig<S>& r, bool moved) {
    refresh_joints(*r.parallel, r.options, r.source, moved, r.place, r.q, r.bodies, r.joints);
    warm_start_joints(*r.parallel, r.joints, r.bodies);
    solve_joints(*r.parallel, r.options, JointPass::first, r.joints, r.bodies);
    solve_joints(*r.parallel, r.options, JointPass::again, r.joints, r.bodies);
    for (SoftBody<S>& b : r.bodies)
        for (int k = 0; k < 6; ++k) b.d[k] += S(r.options.h) * b.v[k];
    solve_joints(*r.parallel, r.options, JointPass::relax, r.joints, r.bodies);
}

template <class S> int packed(const Rig<S>& r) {
    int n = 0;
    for (const SoftJointGroup& g : r.joints.groups) n += g.packed;
    return n;
}

constexpr Real kFast = 2;       // [m/s, rad/s] bodies turn by more than a factor holds in every sub-step
constexpr Real kSlow = 0.05;    // factors hold for some sub-steps
// Fast: rounding of single velocities, 6e-8 of 2 m/s, in up to nine solves, times some 10 of light limbs on heavy bodies. Slow: packed joints
// keep the levers of the factor, the others have new ones; they differ by up to 1e-3 rad, and so do velocities.
constexpr Real kFastError = 2e-5, kSlowError = 1e-3 * kSlow;

void expect_same(const Compiled& c, int substeps, Real speed, const std::string& what) {
    const Real within = speed < 1 ? kSlowError : kFastError;
    Rig<float> wide;
    Rig<double> one;
    make_rig(c, true, speed, wide);
    make_rig(c, false, speed, one);
    EXPECT_EQ(packed(wide), int(wide.joints.groups.size())) << what;
    EXPECT_EQ(packed(one), 0) << what;
    for (int n = 0; n < substeps; ++n) {
        sub_step(wide, n > 0);
        sub_step(one, n > 0);
        for (std::size_t b = 0; b < one.bodies.size(); ++b)
            for (int k = 0; k < 6; ++k)
                ASSERT_NEAR(wide.bodies[b].v[k], one.bodies[b].v[k], within)
                    << what << ", sub-step " << n << ", body " << b << ", component " << k;
    }
    read_joints(kSubsteps, wide.joints, wide.q);
    read_joints(kSubsteps, one.joints, one.q);
    for (const RowGroup& g : one.q.groups) {
        if (g.set == RowSet::free) continue; // bounded rows: within their bounds, and as many at them
        for (int k = g.row; k < g.row + g.rows; ++k) {
            const Real p = wide.q.impulse[k];
            EXPECT_TRUE(g.set == RowSet::lower ? p >= 0 : std::abs(p) <= g.limit * (1 + 1e-12)) << what << ", impulse " << p;
        }
    }
}

// boxes in a row, 1 m apart, `count` times; joints between neighbours of each row
std::string rows_of_boxes(int rows, const std::vector<std::string>& joints) {
    std::string text = R"({ "sinew": 1, "solver": "velocity", "objects": {)", list;
    for (int n = 0; n < rows; ++n) {
        text += (n ? ", " : "") + std::string("\"r") + std::to_string(n) + R"(": { "kind": "box", "size": [0.8, 0.2, 0.3], "mass": )" +
                std::to_string(1 + n) + R"(, "replicate": { "count": )" + std::to_string(joints.size() + 1) + R"(, "at": ["i", 0, )" + std::to_string(3 * n) + "] } }";
        for (std::size_t k = 0; k < joints.size(); ++k)
            list += (list.empty() ? "" : ", ") + ("\"j" + std::to_string(n) + "_" + std::to_string(k)) + "\": { " + joints[k] + R"(, "between": ["r)" +
                    std::to_string(n) + "/" + std::to_string(k) + "\", \"r" + std::to_string(n) + "/" + std::to_string(k + 1) + "\"], \"at\": [" +
                    std::to_string(k) + ".5, 0, " + std::to_string(3 * n) + "] }";
    }
    return text + "}, \"joints\": {" + list + "} }";
}

const std::vector<std::string> kKinds = {
    R"("kind": "hinge", "axis": [0, 0, 1])",
    R"("kind": "hinge", "axis": [0, 1, 0], "limits": ["-3 deg", "3 deg"])",
    R"("kind": "hinge", "axis": [0, 1, 0], "limits": ["-60 deg", "60 deg"], "friction": 0.5)",
    R"("kind": "hinge", "axis": [0, 0, 1], "motor": { "speed": 2, "limit": 0.3 })",
    R"("kind": "hinge", "axis": [0, 0, 1], "motor": { "stiffness": 20, "damping": 1, "limit": 0.5 })",
    R"("kind": "weld")",
    R"("kind": "weld", "compliance": 1e-4)",
    R"("kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0])",
    R"("kind": "slider", "axis": [1, 0, 0])",
    R"("kind": "slider", "axis": [1, 0, 0], "limits": ["-1 mm", "1 mm"], "friction": 3)",
    R"("kind": "slider", "axis": [1, 0, 0], "motor": { "speed": 1, "limit": 20 })",
    R"("kind": "cylindrical", "axis": [1, 0, 0])",
    R"("kind": "planar", "axis": [0, 1, 0])",
    R"("kind": "cone_twist", "axis": [1, 0, 0], "swing": "6 deg", "twist": ["-5 deg", "5 deg"])",
    R"("kind": "cone_twist", "axis": [1, 0, 0], "swing": "40 deg", "twist": ["-40 deg", "40 deg"], "friction": 0.2, "motor": { "stiffness": 30, "damping": 2, "limit": 1 })",
    R"("kind": "ball", "friction": 0.3)",
    R"("kind": "ball", "compliance": 1e-5)",
    R"("kind": "ball", "motor": { "speed": [0.5, -1, 2], "limit": 0.4 })",
    R"("kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0], "limits": ["-3 deg", "3 deg"], "second_friction": 0.2, "second_motor": { "speed": 1, "limit": 0.3 })",
    R"("kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0], "spring": { "stiffness": 20, "damping": 1 }, "second_limits": ["-2 deg", "2 deg"])",
    R"("kind": "planar", "axis": [0, 1, 0], "direction": [1, 0, 0], "limits": ["-1 mm", "1 mm"], "second_motor": { "speed": 0.5, "limit": 5 }, "twist_friction": 0.2)",
    R"("kind": "cylindrical", "axis": [1, 0, 0], "spring": { "stiffness": 500, "damping": 5 }, "twist_motor": { "speed": 2, "limit": 0.3 })",
    R"("kind": "distance", "spring": { "stiffness": 500, "damping": 5 })",
    R"("kind": "distance", "limits": ["0.499 m", "0.501 m"], "friction": 2, "motor": { "speed": 0.2, "limit": 10 })",
};

} // namespace

// five rows of one shape: a full batch and one lane of the next
TEST(soft_rig, every_kind_of_joint_agrees_with_the_rows_one_by_one) {
    for (const std::string& kind : kKinds) {
        const std::optional<Compiled> c = compile_text(rows_of_boxes(5, {R"("kind": "hinge", "axis": [0, 0, 1])", kind, kind}));
        ASSERT_TRUE(c) << kind;
        expect_same(*c, 4, kFast, kind);
        expect_same(*c, 4, kSlow, kind);
    }
}

TEST(soft_rig, ragdolls_of_the_prefab_agree_with_the_rows_one_by_one) {
    const Result<Scene> scene = load_scene(source_dir() + "/scenes/joints/ragdoll_pile.json");
    ASSERT_TRUE(scene);
    const Result<Compiled> c = compile_scene(*scene.value);
    ASSERT_TRUE(c);
    expect_same(*c.value, 3, kFast, "ragdolls");
    expect_same(*c.value, 6, kSlow, "slow ragdolls");
}

TEST(soft_rig, loops_and_held_bodies_agree_with_the_rows_one_by_one) {
    const std::string hinge = R"("kind": "hinge", "axis": [0, 0, 1])";
    std::string text = rows_of_boxes(3, {hinge, R"("kind": "cone_twist", "axis": [1, 0, 0], "swing": "50 deg")", hinge});
    text.resize(text.rfind("} }"));
    for (int n = 0; n < 3; ++n) // the ends of each row to the world
        for (int end = 0; end < 2; ++end)
            text += ", \"w" + std::to_string(n) + std::to_string(end) + R"(": { "kind": "ball", "between": ["world", "r)" + std::to_string(n) + "/" +
                    (end ? "3" : "0") + "\"], \"at\": [" + (end ? "3.5" : "-0.5") + ", 0, " + std::to_string(3 * n) + "] }";
    const std::optional<Compiled> c = compile_text(text + "} }");
    ASSERT_TRUE(c);
    expect_same(*c, 3, kFast, "loops");
    expect_same(*c, 6, kSlow, "slow loops");
}

TEST(soft_rig, both_instruction_sets_give_the_same_bits) {
    if (!has_avx2()) GTEST_SKIP() << "no AVX2 here";
    const std::optional<Compiled> c = compile_text(rows_of_boxes(5, kKinds));
    ASSERT_TRUE(c);
    Rig<float> fast, plain;
    make_rig(*c, true, kFast, fast);
    make_rig(*c, true, kFast, plain);
    plain.joints.rigs.avx2 = false;
    for (int n = 0; n < 4; ++n) sub_step(fast, n > 0), sub_step(plain, n > 0);
    EXPECT_EQ(std::memcmp(fast.bodies.data(), plain.bodies.data(), fast.bodies.size() * sizeof fast.bodies[0]), 0);
}
