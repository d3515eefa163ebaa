// Joints that a program makes between bodies that are there: the same as joints of the scene, made at any time and taken away again.
#include "simulation.h"
#include "sinew/sinew.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

constexpr double kGravity = 9.81, kStep = 0.005;

struct Bench { // as an embedding program has it
    Built built;
    State spare;
    Report report;
    Input input;
    explicit Bench(const std::string& text, int threads = 1) {
        const Result<Scene> scene = parse({}, text);
        for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
        if (!scene) return;
        Result<Built> made = build({.threads = threads}, *scene.value);
        for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
        if (made) built = std::move(*made.value);
        spare = built.state;
    }
    Id at(const std::string& name) const { return name == "world" ? kWorldId : find(built.model, name); }
    Result<Id> try_join(const std::string& a, const std::string& b, const std::string& joint, const std::string& name = {}) {
        return connect(built.model, built.state, at(a), at(b), joint, name);
    }
    Id join(const std::string& a, const std::string& b, const std::string& joint, const std::string& name = {}) {
        const Result<Id> id = try_join(a, b, joint, name);
        for (const Error& e : id.errors) ADD_FAILURE() << to_string(e);
        return id ? *id.value : Id{-2, 0};
    }
    bool let_go(Id id) { return remove(built.model, built.state, id); }
    void run(int steps) {
        for (int i = 0; i < steps; ++i)
            ASSERT_EQ(advance(*built.solver, built.model, input, built.state, spare, kStep, report), Status::ok) << report.message;
    }
    int frame(const std::string& name) const { return built.model.objects[at(name).index].frames.begin; }
    Vec3 place(const std::string& name) const { return vec(built.state.frame.p[frame(name)]); }
    Vec3 velocity(const std::string& name) const { return vec(built.state.frame.v[frame(name)]); }
    Vec3 spin(const std::string& name) const { return vec(built.state.frame.w[frame(name)]); }
};

std::string scene_of(const std::string& solver, const std::string& objects, const std::string& rest = "") {
    return fmt::format(R"({{ "time": {{ "dt": {}, "seconds": 9 }}, "solver": "{}", {} "objects": {{ {} }} }})", kStep, solver, rest, objects);
}
const std::string kWeightless = R"("gravity": 0,)";
const std::string kTwo = R"(
    "one": { "kind": "box", "size": [0.4, 0.2, 0.3], "mass": 2, "at": [-0.4, 0, 0], "velocity": [0.3, 0.1, -0.2], "angular_velocity": [0.5, -1, 0.7], "contact": false },
    "two": { "kind": "sphere", "radius": 0.2, "mass": 3, "at": [0.3, 0.1, 0], "velocity": [-0.2, 0.2, 0.1], "angular_velocity": [-0.4, 0.3, 0.2], "contact": false })";
const std::vector<std::string> kSolvers{"velocity", "articulated", "position"};
const std::vector<std::string> kKinds{
    R"("kind": "ball", "at": [0, 0, 0])", R"("kind": "cone_twist", "at": [0, 0, 0], "axis": [1, 0, 0], "swing": 0.2, "twist": [-0.1, 0.1])",
    R"("kind": "cylindrical", "at": [0, 0, 0], "axis": [1, 0, 0], "limits": [-0.01, 0.02])", R"("kind": "distance", "at": [-0.4, 0, 0], "to": [0.3, 0.1, 0])",
    R"("kind": "hinge", "at": [0, 0, 0], "axis": [0, 0, 1], "motor": { "speed": 2, "limit": 0.5 })", R"("kind": "planar", "at": [0, 0, 0], "axis": [0, 1, 0])",
    R"("kind": "point_on_line", "at": [0, 0, 0], "axis": [1, 0, 0])", R"("kind": "slider", "at": [0, 0, 0], "axis": [1, 0, 0], "spring": { "stiffness": 50 })",
    R"("kind": "universal", "at": [0, 0, 0], "axis": [1, 0, 0], "second_axis": [0, 1, 0])", R"("kind": "weld")"};

std::string text_of(const std::vector<Error>& errors) {
    std::string out;
    for (const Error& e : errors) out += to_string(e) + "\n";
    return out;
}

} // namespace

// Made before the first step, a joint gives the bits that it gives as one of the scene.
TEST(connect, a_joint_of_any_kind_is_that_of_the_scene) {
    for (const std::string& solver : kSolvers)
        for (const std::string& kind : kKinds)
            for (const std::string other : {"two", "world"}) {
                SCOPED_TRACE(fmt::format("{}: {}, {}", solver, kind, other));
                Bench born(scene_of(solver, kTwo, R"("joints": { "j": { "between": ["one", ")" + other + "\"], " + kind + " } },"));
                Bench made(scene_of(solver, kTwo));
                made.join("one", other, "{ " + kind + " }", "j");
                ASSERT_TRUE(made.at("j"));
                born.run(40), made.run(40);
                for (const std::string name : {"one", "two"}) {
                    EXPECT_EQ(born.place(name), made.place(name)) << name;
                    EXPECT_EQ(born.spin(name), made.spin(name)) << name;
                }
                EXPECT_EQ(joint_force(born.built.model, born.built.state, born.at("j")).force, joint_force(made.built.model, made.built.state, made.at("j")).force);
            }
}

// Bodies that fly and are welded go on as one: momentum and angular momentum are what they were. It is an inelastic impact:
//   v = sum m v/sum m,  w = I^-1 L about the common centre of mass
TEST(connect, a_weld_in_flight_is_an_inelastic_impact) {
    for (const std::string& solver : kSolvers) {
        SCOPED_TRACE(solver);
        Bench b(scene_of(solver, kTwo, kWeightless));
        b.run(20);
        const Model& m = b.built.model;
        const std::array<std::string, 2> names{"one", "two"};
        const auto totals = [&](Vec3& centre, Vec3& p, Vec3& l, Mat3& inertia) {
            centre = p = l = Vec3::Zero(), inertia.setZero();
            double mass = 0;
            for (const auto& n : names) mass += m.frame.mass[b.frame(n)], centre += m.frame.mass[b.frame(n)] * b.place(n), p += m.frame.mass[b.frame(n)] * b.velocity(n);
            centre /= mass;
            for (const auto& n : names) {
                const int f = b.frame(n);
                const Mat3 turn = quat(b.built.state.frame.q[f]).toRotationMatrix(), own = turn * mat(m.frame.inertia[f]) * turn.transpose();
                const Vec3 r = b.place(n) - centre;
                l += own * b.spin(n) + m.frame.mass[f] * r.cross(b.velocity(n));
                inertia += own + m.frame.mass[f] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
            }
            return mass;
        };
        Vec3 centre, p, l;
        Mat3 inertia;
        const double mass = totals(centre, p, l, inertia);
        const double apart = (b.place("two") - b.place("one")).norm();
        b.join("one", "two", R"({ "kind": "weld" })");
        b.run(1);
        const Vec3 w = inertia.inverse() * l;
        // within a step it turns on by h |w| and its axes with it; sweeps of `position` end at 1e-3 or so of the impact
        const double bound = 2 * kStep * w.squaredNorm() + (solver == "position" ? 5e-3 : 1e-6);
        for (const auto& n : names) EXPECT_LT((b.spin(n) - w).norm(), bound) << n;
        b.run(200);
        Vec3 there, p2, l2;
        Mat3 i2;
        totals(there, p2, l2, i2);
        EXPECT_LT((p2 - p).norm(), 1e-12); // rounding of 200 steps
        EXPECT_LT((there - centre - 201 * kStep * p / mass).norm(), 1e-11);
        EXPECT_LT((l2 - l).norm(), 0.02 * l.norm()); // of the schemes, which turn by 0.7 rad/s for a second
        EXPECT_NEAR((b.place("two") - b.place("one")).norm(), apart, 1e-4);
    }
}

// A ball that falls is caught by a rope, hangs and is let go.
TEST(connect, a_falling_ball_is_caught_hangs_and_is_let_go) {
    for (const std::string& solver : kSolvers) {
        SCOPED_TRACE(solver);
        Bench b(scene_of(solver, R"("hook": { "kind": "sphere", "radius": 0.1, "motion": "static", "at": [0, 2, 0] },
            "ball": { "kind": "sphere", "radius": 0.1, "mass": 3, "at": [0, 1, 0] })"));
        b.run(20);
        const double height = b.place("ball").y();
        EXPECT_LT(b.velocity("ball").y(), -0.9);
        const Id rope = b.join("hook", "ball", R"({ "kind": "distance", "at": [0, 2, 0], "limits": [0, 1.2] })", "rope");
        EXPECT_EQ(joint_force(b.built.model, b.built.state, rope).force, Real3{}); // it has carried nothing yet
        b.run(400);
        EXPECT_NEAR(b.place("ball").y(), 0.8, 2e-3); // soft steps give way by g/omega^2, less than a millimetre
        EXPECT_LT(b.place("ball").y(), height);
        EXPECT_NEAR(joint_force(b.built.model, b.built.state, rope).force.y, 3 * kGravity, 0.01 * 3 * kGravity);
        EXPECT_TRUE(b.let_go(rope));
        EXPECT_FALSE(b.let_go(rope));
        EXPECT_FALSE(find(b.built.model, "rope"));
        const double y = b.place("ball").y(), v = b.velocity("ball").y(), t = 20 * kStep;
        b.run(20);
        EXPECT_NEAR(b.place("ball").y() - y, v * t - 0.5 * kGravity * t * t, 0.5 * kGravity * t * kStep + 1e-9); // symplectic Euler is ahead by so much
    }
}

TEST(connect, a_joint_that_bears_too_little_breaks) {
    for (const std::string& solver : kSolvers) {
        SCOPED_TRACE(solver);
        Bench b(scene_of(solver, R"("hook": { "kind": "sphere", "radius": 0.1, "motion": "static", "at": [0, 2, 0] }, "ball": { "kind": "sphere", "radius": 0.1, "mass": 3, "at": [0, 1, 0] })"));
        const Id strong = b.join("hook", "ball", R"({ "kind": "ball", "at": [0, 2, 0], "breaks_at": "60 N" })");
        b.run(40);
        script_events(*b.built.script, b.built.model, b.built.state, b.report);
        EXPECT_NE(object_of(b.built.model, strong), nullptr);
        EXPECT_TRUE(b.let_go(strong));
        const Id weak = b.join("hook", "ball", R"({ "kind": "ball", "at": [0, 2, 0], "breaks_at": "20 N" })"); // it bears 29.4 N
        b.run(1);
        const auto broken = overloaded_joints(b.built.model, b.built.state);
        ASSERT_EQ(broken.size(), 1u);
        EXPECT_EQ(broken[0].joint, weak);
        EXPECT_EQ(script_events(*b.built.script, b.built.model, b.built.state, b.report).size(), 1u);
        EXPECT_EQ(object_of(b.built.model, weak), nullptr);
        EXPECT_TRUE(b.built.model.contact_rules.empty());
        b.run(20);
        EXPECT_LT(b.place("ball").y(), 0.97); // it falls: g t^2/2 = 4.9 cm
    }
}

TEST(connect, what_sleeps_wakes_and_what_is_joined_does_not_touch) {
    for (const std::string solver : {"velocity", "articulated"}) {
        SCOPED_TRACE(solver);
        Bench b(scene_of(solver, R"("floor": { "kind": "plane" }, "box": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [0, 0.1, 0] },
            "lid": { "kind": "box", "size": [0.2, 0.1, 0.2], "mass": 1, "at": [0, 0.25, 0] })"));
        b.run(300);
        ASSERT_EQ(b.velocity("box").norm(), 0) << "it does not sleep";
        const double box = b.place("box").y();
        const Id winch = b.join("world", "lid", R"({ "kind": "slider", "axis": [0, 1, 0], "motor": { "speed": 0.1, "limit": 100 } })", "winch");
        b.run(100);
        EXPECT_NEAR(b.place("lid").y(), 0.25 + 0.1 * 100 * kStep, 5e-3); // a millimetre of depth and of the first steps each
        EXPECT_NEAR(b.place("box").y(), box, 1e-3);
        EXPECT_TRUE(set(b.built.model, b.built.state, "winch.motor.speed", -0.1).empty());
        const Id guide = b.join("lid", "box", R"({ "kind": "slider", "axis": [0, 1, 0] })"), twin = b.join("box", "lid", R"({ "kind": "slider", "axis": [0, 1, 0] })");
        EXPECT_TRUE(b.let_go(twin)); // the other goes on keeping them apart from each other
        b.run(200); // into the box: who shares a joint does not touch
        EXPECT_NEAR(b.place("lid").y(), 0.25 - 0.1 * 100 * kStep, 1e-2);
        EXPECT_NEAR(b.place("box").y(), box, 1e-3);
        EXPECT_TRUE(set(b.built.model, b.built.state, "winch.motor.speed", 0).empty());
        EXPECT_TRUE(b.let_go(guide)); // they touch again, and the lid is held: the box is pushed out, but the floor is in the way
        b.run(1);
        EXPECT_GT(b.report.contact_count, 4);
        EXPECT_TRUE(b.let_go(winch));
        b.run(100);
        EXPECT_NEAR(b.place("lid").y(), 0.25, 5e-3);
    }
}

// One joint goes and one contact comes, so that the number of what a sleeper meets is as before: it wakes all the same.
TEST(connect, what_hangs_asleep_falls_when_it_is_let_go) {
    for (const std::string solver : {"velocity", "articulated"})
        for (const std::string joint : {"made", "born"}) {
            SCOPED_TRACE(solver + ", " + joint);
            const std::string weld = joint == "born" ? R"("joints": { "j": { "kind": "weld", "between": ["shelf", "ball"] } },)" : "";
            Bench b(scene_of(solver, R"("shelf": { "kind": "box", "size": [1, 0.2, 1], "motion": "static", "at": [0, 2, 0] },
                "ball": { "kind": "sphere", "radius": 0.1, "mass": 3, "at": [0, 1.8, 0] })", weld));
            if (joint == "made") b.join("shelf", "ball", R"({ "kind": "weld" })", "j");
            b.run(300);
            ASSERT_GT(b.report.asleep, 0);
            ASSERT_NEAR(b.place("ball").y(), 1.8, 1e-6);
            EXPECT_TRUE(b.let_go(b.at("j")));
            b.run(20);
            EXPECT_NEAR(b.place("ball").y(), 1.8 - 0.5 * kGravity * 0.01, 0.5 * kGravity * 0.1 * kStep + 1e-6); // symplectic Euler is ahead by so much
        }
}

// Forces of what sleeps stay when something is joined elsewhere.
TEST(connect, joints_that_sleep_keep_their_loads) {
    for (const std::string solver : {"velocity", "articulated"}) {
        SCOPED_TRACE(solver);
        Bench b(scene_of(solver, R"("hook": { "kind": "sphere", "radius": 0.1, "motion": "static", "at": [0, 2, 0] }, "ball": { "kind": "sphere", "radius": 0.1, "mass": 3, "at": [0, 1, 0] },
            "far": { "kind": "sphere", "radius": 0.1, "motion": "static", "at": [9, 2, 0] }, "other": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [9, 1, 0], "angular_velocity": [1, 0, 0] },
            "third": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [19, 1, 0] })",
                        R"("joints": { "a_late": { "kind": "distance", "between": ["far", "other"], "limits": [0, 1] } },)"));
        const Id rope = b.join("hook", "ball", R"({ "kind": "distance", "limits": [0, 1], "at": [0, 2, 0] })", "rope");
        b.run(400);
        const auto load = [&] { return joint_force(b.built.model, b.built.state, rope).force.y; };
        const double before = load();
        ASSERT_EQ(b.velocity("ball").norm(), 0) << "it does not sleep";
        EXPECT_NEAR(before, 3 * kGravity, 0.3);
        b.join("far", "third", R"({ "kind": "distance", "limits": [0, 20], "at": [9, 2, 0] })");
        b.run(3);
        EXPECT_EQ(b.velocity("ball").norm(), 0);
        EXPECT_NEAR(load(), before, 1e-12 * before);
        EXPECT_TRUE(b.let_go(b.at("a_late")));
        b.run(3);
        EXPECT_NEAR(load(), before, 1e-12 * before);
    }
}

// A joint of the scene keeps its bodies from touching while it lasts; so does one that a program makes where the other was.
TEST(connect, bodies_touch_again_when_a_joint_of_the_scene_is_removed) {
    for (const std::string& solver : kSolvers)
        for (const bool again : {false, true}) {
            SCOPED_TRACE(fmt::format("{}, {}", solver, again));
            Bench b(scene_of(solver, R"("slab": { "kind": "box", "size": [1, 0.2, 1], "motion": "static", "at": [0, -0.1, 0] },
                "ball": { "kind": "sphere", "radius": 0.1, "mass": 3, "at": [0, 0.15, 0] })",
                          R"("joints": { "rope": { "kind": "distance", "between": ["slab", "ball"], "limits": [0, 9] } },)"));
            EXPECT_TRUE(b.let_go(b.at("rope")));
            if (again) EXPECT_TRUE(b.let_go(b.join("slab", "ball", R"({ "kind": "distance", "limits": [0, 9] })")));
            b.run(100);
            EXPECT_NEAR(b.place("ball").y(), 0.1, 2e-3); // sinks by what carries it
        }
}

// Rows that come where no others are have carried nothing, even where they are not met: the ball falls half a meter below its rope's end.
TEST(connect, a_joint_that_is_not_met_has_no_load_before_its_first_step) {
    for (const std::string& solver : kSolvers) {
        SCOPED_TRACE(solver);
        Bench b(scene_of(solver, R"("hook": { "kind": "sphere", "radius": 0.1, "motion": "static", "at": [0, 2, 0] }, "ball": { "kind": "sphere", "radius": 0.1, "mass": 3, "at": [0, 0.5, 0] })"));
        const Id rope = b.join("hook", "ball", R"({ "kind": "distance", "limits": [0, 1], "at": [0, 2, 0], "breaks_at": "500 N" })", "rope");
        EXPECT_EQ(joint_force(b.built.model, b.built.state, rope).force, Real3{});
        EXPECT_TRUE(script_events(*b.built.script, b.built.model, b.built.state, b.report).empty());
        EXPECT_TRUE(b.at("rope"));
    }
}

// Which of its joints broke is the program's to know: a state does not say so to a model where another has taken the place.
TEST(connect, joints_that_broke_are_not_broken_again_in_a_continued_run) {
    const std::string text = scene_of("velocity", R"("hook": { "kind": "sphere", "radius": 0.1, "motion": "static", "at": [0, 2, 0] }, "ball": { "kind": "sphere", "radius": 0.1, "mass": 3, "at": [0, 1, 0] })");
    Bench b(text);
    b.join("hook", "ball", R"({ "kind": "ball", "at": [0, 2, 0], "breaks_at": "20 N" })");
    b.run(1);
    ASSERT_EQ(script_events(*b.built.script, b.built.model, b.built.state, b.report).size(), 1u);
    b.run(3);
    const State early = b.built.state;
    b.join("hook", "ball", R"({ "kind": "ball", "at": [0, 2, 0] })", "strong");
    b.run(10);
    Bench again(text);
    again.built.state.frame = early.frame;
    again.join("hook", "ball", R"({ "kind": "ball", "at": [0, 2, 0] })", "strong");
    EXPECT_EQ(again.at("strong").index, b.at("strong").index); // it has the slot of the one that broke
    again.built.state = b.built.state;
    replay_events(*again.built.script, again.built.model, again.built.state);
    EXPECT_TRUE(again.at("strong"));
    b.run(10), again.run(10);
    EXPECT_EQ(b.place("ball"), again.place("ball"));
}

TEST(connect, what_was_spawned_is_joined_and_takes_its_joints_with_it) {
    Bench b(scene_of("velocity", kTwo, kWeightless));
    const Result<Scene> crate = parse({}, R"({ "objects": { "crate": { "kind": "box", "mass": 1, "size": [0.1, 0.1, 0.1], "contact": false } } })");
    const Result<Id> id = spawn(b.built.model, b.built.state, *crate.value, {{0, 1, 0}, {}});
    ASSERT_TRUE(id);
    const Id first = b.join("one", "crate", R"({ "kind": "ball" })"), second = b.join("crate", "world", R"({ "kind": "ball" })"), third = b.join("one", "two", R"({ "kind": "weld" })");
    EXPECT_EQ(b.built.model.objects[first.index].name, "ball");
    EXPECT_EQ(b.built.model.objects[second.index].name, "ball/2");
    b.run(20);
    EXPECT_LT((b.place("crate") - Vec3(0, 1, 0)).norm(), 1e-3);
    EXPECT_TRUE(remove(b.built.model, b.built.state, *id.value));
    EXPECT_EQ(object_of(b.built.model, first), nullptr);
    EXPECT_EQ(object_of(b.built.model, second), nullptr);
    EXPECT_NE(object_of(b.built.model, third), nullptr);
    EXPECT_TRUE(find(b.built.model, "one"));
    b.run(5);
}

TEST(connect, a_thousand_grips_do_not_grow_the_state) {
    Bench b(scene_of("velocity", kTwo, kWeightless));
    b.join("one", "world", R"({ "kind": "ball" })");
    std::size_t frames = 0, objects = 0;
    for (int i = 0; i < 1000; ++i) {
        const Id grip = b.join("one", i % 2 ? "two" : "world", R"({ "kind": "weld" })");
        b.run(1);
        ASSERT_TRUE(b.let_go(grip));
        b.run(1);
        if (i == 1) frames = b.built.state.frame.p.size(), objects = b.built.model.objects.size();
    }
    EXPECT_EQ(b.built.state.frame.p.size(), frames);
    EXPECT_EQ(b.built.model.objects.size(), objects);
    EXPECT_EQ(frames, 3u);
}

// The same edits on a model that was built anew, from a state on the way, and on any number of threads: the same bits.
TEST(connect, the_same_edits_give_the_same_hash) {
    const std::string heap = R"("floor": { "kind": "plane" }, "box": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [0, 0.11, 0], "replicate": { "count": [4, 4, 4], "index": ["i", "j", "k"], "at": ["0.21*i", "0.21*j", "0.21*k"] } })";
    for (const std::string& solver : kSolvers) {
        SCOPED_TRACE(solver);
        std::vector<std::uint64_t> hashes;
        const auto edit = [](Bench& b) {
            b.join("box/0/3/0", "box/3/3/3", R"({ "kind": "distance", "limits": [0, 0.5] })", "rope");
            b.join("box/1/1/1", "world", R"({ "kind": "ball" })", "nail");
        };
        const auto finish = [&](Bench& b) {
            b.run(20);
            ASSERT_TRUE(b.let_go(b.at("rope")));
            b.run(20);
            hashes.push_back(hash(b.built.state));
        };
        State early, half; // a joint is made of where its bodies are
        for (const int threads : {1, 2, 3, 8}) {
            Bench b(scene_of(solver, heap), threads);
            b.run(10);
            early = b.built.state;
            edit(b);
            b.run(10);
            half = b.built.state;
            finish(b);
        }
        Bench again(scene_of(solver, heap));
        again.built.state = early;
        edit(again);
        again.built.state = half;
        finish(again);
        for (std::uint64_t h : hashes) EXPECT_EQ(h, hashes[0]);
    }
}

TEST(connect, what_cannot_be_is_refused_by_name_and_changes_nothing) {
    Bench b(scene_of("velocity", kTwo + R"(, "rope": { "kind": "chain", "to": [1, 0, 0], "count": 3, "at": [0, 5, 0] })", kWeightless));
    const std::string weld = R"({ "kind": "weld" })";
    const Id gone = b.join("one", "two", weld);
    ASSERT_TRUE(b.let_go(gone));
    const std::uint64_t before = hash(b.built.state);
    const int revision = b.built.model.topology_revision;
    const auto expect_refused = [&](const Result<Id>& r, const std::string& words) {
        EXPECT_FALSE(r);
        EXPECT_NE(text_of(r.errors).find(words), std::string::npos) << text_of(r.errors);
        EXPECT_EQ(hash(b.built.state), before);
        EXPECT_EQ(b.built.model.topology_revision, revision);
    };
    for (const char* name : {"", "grip"}) { // a name hides no error
        expect_refused(b.try_join("one", "one", weld, name), "both sides are the same body");
        expect_refused(b.try_join("one", "two", R"({ "kind": "weld", "between": ["one", "two"] })", name), "given by their ids");
    }
    expect_refused(b.try_join("world", "world", weld), "both sides are the world");
    expect_refused(b.try_join("one", "rope", weld), "is not a rigid body");
    expect_refused(connect(b.built.model, b.built.state, b.at("one"), gone, weld), "one of the bodies is not there");
    expect_refused(b.try_join("one", "nobody", weld), "one of the bodies is not there");
    expect_refused(b.try_join("nobody", "no one", weld), "one of the bodies is not there");
    for (const char* name : {"world", "a.b", "a*", "a//b", "/a", "a b"}) expect_refused(b.try_join("one", "two", weld, name), "name");
    expect_refused(b.try_join("one", "two", R"({ "kind": "distance", "friction": 0 })"), "neither holds nor limits nor drives");
    expect_refused(b.try_join("one", "two", R"({ "kind": "wled" })"), "weld");
    expect_refused(b.try_join("one", "two", "{ }"), "the joint needs a kind");
    expect_refused(b.try_join("one", "two", "\"weld\""), "an object { } is expected");
    expect_refused(b.try_join("one", "two", R"({ "kind": )"), "joint");
    expect_refused(b.try_join("one", "two", R"({ "kind": "ball", "radius": 3 })"), "radius");
    expect_refused(b.try_join("one", "two", R"({ "kind": "hinge" })"), "axis");
    expect_refused(b.try_join("one", "two", R"({ "kind": "hinge", "axis": [0, 0, 1], "motor": { "speed": "2*t" } })"), "targets of motors that move");
    expect_refused(b.try_join("one", "two", R"({ "kind": "hinge", "axis": [0, 0, 1], "motor": { "speed": "one.y" } })"), "targets of motors that move");
    expect_refused(b.try_join("one", "two", weld, "rope"), "an object of this name is there already");
}
