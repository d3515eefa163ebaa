// Edits and live parameters together: what is set reaches what was spawned, loads of joints outlive edits, and a run that is
// continued has done all of it in the same order.
#include "model/visit.h"
#include "simulation.h"
#include "sinew/sinew.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// Runs to the end, then again from states saved on the way: the model and the bits are those of the run that was not interrupted.
void expect_same_when_continued(const std::string& scene, std::size_t every = 5) {
    auto s = start(scene);
    ASSERT_TRUE(s);
    std::vector<StateFile> saved;
    while (!is_finished(*s)) {
        saved.push_back(save_run(*s));
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
    }
    for (std::size_t k = 1; k < saved.size(); k += every) {
        auto r = start(scene);
        ASSERT_TRUE(r);
        continue_from(*r, saved[k]);
        while (!is_finished(*r)) ASSERT_EQ(simulate_step(*r), Status::ok) << r->report.message;
        ASSERT_EQ(hash(r->now), hash(s->now)) << "continued after step " << k;
    }
}

Simulation run_whole(const std::string& scene) {
    auto s = start(scene);
    if (!s) return {};
    run_to_end(*s);
    return std::move(*s);
}

double speed_of(const Simulation& s, const std::string& name) {
    const Id id = find(s.compiled.model, name);
    EXPECT_TRUE(id) << name;
    return id ? vec(s.now.frame.v[s.compiled.model.objects[id.index].frames.begin]).norm() : NAN;
}
double spin_of(const Simulation& s, const std::string& name) {
    const Id id = find(s.compiled.model, name);
    EXPECT_TRUE(id) << name;
    return id ? s.now.frame.w[s.compiled.model.objects[id.index].frames.begin].z : NAN;
}

std::string first_error(const std::string& text) {
    const Result<Scene> r = parse({}, text);
    std::vector<Error> errors = r.errors;
    if (r) errors = build({}, *r.value).errors;
    return errors.empty() ? "" : to_string(errors[0]);
}

struct Program { // as an embedding program has it
    Built built;
    State spare;
    Report report;
    explicit Program(const std::string& text) {
        const Result<Scene> scene = parse({}, text);
        for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
        if (!scene) return;
        Result<Built> made = build({.threads = 1}, *scene.value);
        for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
        if (made) built = std::move(*made.value);
        spare = built.state;
    }
    void run(int steps) {
        for (int i = 0; i < steps; ++i)
            ASSERT_EQ(advance(*built.solver, built.model, {}, built.state, spare, 0.01, report), Status::ok) << report.message;
    }
    Id put(const std::string& text, const Pose& at, const std::string& name = {}) {
        const Result<Scene> scene = parse({}, text);
        for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
        const Result<Id> id = spawn(built.model, built.state, *scene.value, at, name);
        for (const Error& e : id.errors) ADD_FAILURE() << to_string(e);
        return id ? *id.value : Id{};
    }
    std::vector<Error> give(std::string_view path, std::string_view value) { return set(*built.script, built.model, built.state, path, value); }
    double force(std::string_view joint) const { return joint_force(built.model, built.state, find(built.model, joint)).force.y; }
    double speed(Id id) const { return vec(built.state.frame.v[object_of(built.model, id)->frames.begin]).norm(); }
};

// a wheel on a motor that holds 3 /s
const std::string kDoll = R"("prefabs": { "doll": { "objects": { "wheel": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "contact": false } },
    "joints": { "axle": { "kind": "hinge", "between": ["world", "wheel"], "at": [0, 0, 0], "axis": [0, 0, 1], "motor": { "speed": 3, "limit": 0.05 } } } } },)";
std::string dolls(const std::string& events, const std::string& objects = R"("doll1": { "use": "doll" })") {
    return R"({ "time": { "dt": 0.01, "seconds": 0.6 }, "gravity": 0, "solver": "velocity", )" + kDoll + R"("objects": { )" + objects + R"( },
        "events": [ )" + events + " ] }";
}
const std::string kSecond = R"("spawn": { "doll2": { "use": "doll", "at": [2, 0, 0] } })";

// blocks that slide at 2 m/s; `more`: contact rules
const std::string kSlider = R"({ "kind": "box", "size": [0.2, 0.1, 0.2], "mass": 1, "at": [0, 0.05, 0], "velocity": [2, 0, 0], "friction": 0.2 })";
std::string slide(const std::string& events, const std::string& more = "") {
    return R"({ "time": { "dt": 0.01, "seconds": 0.6 }, "solver": "velocity", )" + more +
           R"("objects": { "floor": { "kind": "plane", "friction": 0.2 } }, "events": [ )" + events + " ] }";
}
std::string drop(const std::string& name, double z) {
    return fmt::format(R"("spawn": {{ "{}": {{ "kind": "box", "size": [0.2, 0.1, 0.2], "mass": 1, "at": [0, 0.05, {}], "velocity": [2, 0, 0], "friction": 0.2 }} }})", name, z);
}

constexpr double kGravity = 9.81;

} // namespace

TEST(live_spawn, motors_switched_off_before_a_doll_comes_leave_its_own_on) {
    const std::string scene = dolls(R"({ "at": 0.1, "set": { "doll*.motor": "off" } }, { "at": 0.2, )" + kSecond + " }");
    const Simulation s = run_whole(scene);
    EXPECT_LT(spin_of(s, "doll1/wheel"), 1); // 0.1 s of 0.05 N m on 1/150 kg m^2: 0.75 /s
    EXPECT_NEAR(spin_of(s, "doll2/wheel"), 3, 0.1); // there within 0.4 s
    expect_same_when_continued(scene);
}

TEST(live_spawn, a_rule_that_was_set_before_a_block_comes_is_that_of_the_block) {
    const std::string scene = slide(R"({ "at": 0.1, "set": { "contact[0].friction": 0 } }, { "at": 0.2, )" + drop("block", 0) + " }",
                                    R"("contact": [ { "between": ["floor", "*"], "friction": 0.9 } ],)");
    EXPECT_NEAR(speed_of(run_whole(scene), "block"), 2, 1e-9);
    expect_same_when_continued(scene);
}

TEST(live_spawn, a_rule_that_is_set_reaches_what_came_before) {
    const std::string scene = slide("{ \"at\": 0.1, " + drop("block", 0) + R"( }, { "at": 0.2, "set": { "contact[1].friction": 0 } })",
                                    R"("contact": [ { "between": ["floor", "*"], "friction": 1 }, { "between": ["*", "floor"], "friction": 0.5 } ],)");
    EXPECT_NEAR(speed_of(run_whole(scene), "block"), 2 - 0.1 * 0.5 * kGravity, 0.06); // a step more or less: 0.05 m/s
    expect_same_when_continued(scene);
}

TEST(live_spawn, sets_spawns_removals_and_breaks_in_turn_are_done_in_the_same_order_again) {
    expect_same_when_continued(dolls(R"({ "at": 0.05, "every": 0.1, )" + kSecond + R"( }, { "at": 0.1, "every": 0.12, "set": { "doll*.motor": "off" } },
        { "at": 0.14, "every": 0.12, "set": { "doll2/axle/2.motor": "on", "doll1.motor.speed": -2 } }, { "at": 0.31, "remove": "doll2/wheel/2" },
        { "at": 0.33, "set": { "gravity": 2, "doll1/wheel.friction": 0.3 } }, { "at": 0.36, "set": { "doll2.friction": 0.1 } })"), 4);
}

TEST(live_spawn, numbers_of_what_came_are_set_by_name_and_what_comes_later_is_as_written) {
    const std::string scene = slide("{ \"at\": 0.1, " + drop("block", 0) + " }, { \"at\": 0.1, " + drop("other", 1) + R"( },
        { "at": 0.1, "set": { "block.friction": 0 } }, { "at": 0.2, )" + drop("block", 2) + " }");
    const Simulation s = run_whole(scene);
    EXPECT_NEAR(speed_of(s, "block"), 2, 1e-9);
    EXPECT_NEAR(speed_of(s, "other"), 2 - 0.5 * 0.2 * kGravity, 1e-3);
    EXPECT_NEAR(speed_of(s, "block/2"), 2 - 0.4 * 0.2 * kGravity, 1e-3);
    expect_same_when_continued(scene);
    // the numbered one alone; a pattern reaches those of the scene too
    const Simulation one = run_whole(slide(R"({ "at": 0.1, "every": 0.05, "until": 0.16, )" + drop("block", 0) + R"( }, { "at": 0.15, "set": { "block/2.friction": 0 } })"));
    EXPECT_EQ(one.compiled.model.objects[find(one.compiled.model, "block/2").index].friction, 0);
    EXPECT_EQ(one.compiled.model.objects[find(one.compiled.model, "block").index].friction, 0.2);
    const Simulation all = run_whole(slide("{ \"at\": 0.1, " + drop("block", 0) + R"( }, { "at": 0.2, "set": { "*.restitution": 0.5 } })"));
    for (const Object& o : all.compiled.model.objects) EXPECT_EQ(o.restitution, 0.5) << o.name;
}

TEST(live_spawn, what_comes_after_a_material_or_a_field_was_set_is_made_of_it) {
    const std::string slick = slide(R"({ "at": 0.1, "set": { "materials.felt.friction": 0 } }, { "at": 0.2, "spawn": { "block": { "kind": "box",
        "size": [0.2, 0.1, 0.2], "mass": 1, "at": [0, 0.05, 0], "velocity": [2, 0, 0], "material": "felt" } } })", R"("materials": { "felt": { "friction": 0.8 } },)");
    EXPECT_NEAR(speed_of(run_whole(slick), "block"), 2, 1e-9);
    expect_same_when_continued(slick);
    const std::string calm = R"({ "time": { "dt": 0.01, "seconds": 0.6 }, "gravity": 0, "solver": "velocity",
        "fields": { "pull": { "kind": "attractor_point", "at": [0, 0, 0], "strength": 3 } }, "objects": { "rock": { "kind": "sphere", "mass": 1, "at": [9, 0, 0] } },
        "events": [ { "at": 0.1, "set": { "fields.pull.strength": 0 } }, { "at": 0.2, "spawn": { "ball": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0, 2, 0] } } } ] })";
    EXPECT_NEAR(speed_of(run_whole(calm), "ball"), 0, 1e-12);
    expect_same_when_continued(calm);
}

TEST(live_spawn, motors_that_only_events_bring_can_be_set) {
    const std::string scene = dolls("{ \"at\": 0.1, " + kSecond + R"( }, { "at": 0.3, "set": { "doll2/axle.motor.speed": -3 } })",
                                    R"("stone": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [9, 0, 0] })");
    EXPECT_NEAR(spin_of(run_whole(scene), "doll2/wheel"), 3 * 0.75 - 0.3 * 0.05 * 150, 0.8); // 7.5 /s^2 either way
    EXPECT_LT(spin_of(run_whole(scene), "doll2/wheel"), 1);
    expect_same_when_continued(scene);
}

TEST(live_spawn, what_spawned_objects_do_not_have_is_refused_by_name) {
    const auto error = [](const std::string& set) { return first_error(slide("{ \"at\": 0.1, " + drop("block", 0) + " }, { \"at\": 0.2, \"set\": { " + set + " } }")); };
    EXPECT_EQ(error(R"("block.friction": 0.5)"), "");
    EXPECT_EQ(error(R"("block/3.rolling_friction": "2 mm")"), "");
    EXPECT_NE(error(R"("block.friction": -1)").find("at least 0"), std::string::npos) << error(R"("block.friction": -1)");
    EXPECT_NE(error(R"("block.restitution": 2)").find("at most 1"), std::string::npos) << error(R"("block.restitution": 2)");
    EXPECT_NE(error(R"("block.mass": 2)").find("friction, restitution"), std::string::npos) << error(R"("block.mass": 2)");
    EXPECT_NE(error(R"("block.motor": "off")").find("no joint of this name has a motor"), std::string::npos);
    EXPECT_NE(error(R"("bloc.friction": 2)").find("no object"), std::string::npos) << error(R"("bloc.friction": 2)");
}

TEST(live_spawn, a_program_sets_rules_and_numbers_of_what_it_spawned) {
    Program w(R"({ "time": { "dt": 0.01, "seconds": 0.6 }, "solver": "velocity", "contact": [ { "between": ["floor", "r*"], "friction": 0.2 } ],
        "objects": { "floor": { "kind": "plane", "friction": 0.2 }, "rock": { "kind": "box", "at": [20, 0.5, 0], "mass": 1 } } })");
    const std::string block = R"({ "objects": { "block": )" + kSlider + " } }";
    const Id ruled = w.put(block, {}, "ruled"), named = w.put(block, {{0, 0, 1}, {}}, "named"), plain = w.put(block, {{0, 0, 2}, {}}, "plain"),
             quick = w.put(block, {{0, 0, 3}, {}}, "quick");
    w.run(10);
    EXPECT_TRUE(w.give("contact[0].friction", "0").empty());
    EXPECT_TRUE(w.give("named.friction", "0").empty());
    EXPECT_TRUE(set(w.built.model, w.built.state, "quick.friction", 0).empty());
    EXPECT_FALSE(w.give("named.mass", "3").empty());
    EXPECT_FALSE(w.give("nobody.friction", "3").empty());
    EXPECT_FALSE(set(w.built.model, w.built.state, "quick.friction", -1).empty());
    EXPECT_FALSE(set(w.built.model, w.built.state, "floor.friction", 0.5).empty()); // of the scene: with the script
    const double after = 2 - 0.1 * 0.2 * kGravity;
    for (const Id id : {ruled, named, plain, quick}) EXPECT_NEAR(w.speed(id), after, 1e-3);
    w.run(20);
    for (const Id id : {ruled, named, quick}) EXPECT_NEAR(w.speed(id), after, 1e-3);
    EXPECT_NEAR(w.speed(plain), 2 - 0.3 * 0.2 * kGravity, 1e-3);
}

TEST(live_spawn, loads_of_joints_outlive_what_comes_and_goes_between_two_steps) {
    const std::string pair = R"({ "objects": { "a": { "kind": "sphere", "radius": 0.1, "mass": 1 }, "b": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0.5, 0, 0] } },
        "joints": { "j": { "kind": "ball", "between": ["a", "b"], "at": [0.25, 0, 0], "breaks_at": "50 N" }, "w": { "kind": "weld", "between": ["a", "b"], "at": [0.25, 0, 0] } } })";
    for (const std::string solver : {"velocity", "position", "articulated"}) {
        SCOPED_TRACE(solver);
        Program w(R"({ "time": { "dt": 0.01, "seconds": 9 }, "solver": ")" + solver + R"(",
            "objects": { "light": { "kind": "sphere", "radius": 0.1, "mass": 1, "velocity": [0.5, 0, 0] }, "heavy": { "kind": "sphere", "radius": 0.1, "mass": 4, "at": [2, 0, 0] } },
            "joints": { "small": { "kind": "ball", "between": ["world", "light"], "at": [0, 1, 0], "breaks_at": "15 N" },
                        "big": { "kind": "ball", "between": ["world", "heavy"], "at": [2, 1, 0], "breaks_at": "45 N" } } })");
        w.run(40);
        const double small = w.force("small"), big = w.force("big");
        EXPECT_NEAR(big, 4 * kGravity, 0.5);
        const auto expect_loads = [&](const char* when) {
            EXPECT_EQ(w.force("big"), big) << when;
            if (find(w.built.model, "small")) {
                EXPECT_EQ(w.force("small"), small) << when;
            }
            EXPECT_TRUE(overloaded_joints(w.built.model, w.built.state).empty()) << when;
        };
        const Id first = w.put(pair, {{5, 0, 0}, {}}, "first");
        expect_loads("something came");
        EXPECT_EQ(w.force("first/j"), 0); // it has carried nothing yet
        EXPECT_TRUE(remove(w.built.model, w.built.state, find(w.built.model, "small")));
        expect_loads("something came and as much went");
        EXPECT_TRUE(remove(w.built.model, w.built.state, first));
        expect_loads("what came went");
        w.put(pair, {{8, 0, 0}, {}}, "second");
        expect_loads("another came");
        w.run(1);
        EXPECT_NEAR(w.force("big"), big, 0.01 * big);
    }
}

TEST(live_spawn, loads_beyond_what_a_joint_bears_are_found_although_something_came) {
    Program w(R"({ "time": { "dt": 0.01, "seconds": 9 }, "solver": "velocity",
        "objects": { "load": { "kind": "sphere", "radius": 0.1, "mass": 4 } },
        "joints": { "hook": { "kind": "ball", "between": ["world", "load"], "at": [0, 1, 0], "breaks_at": "30 N" } } })");
    w.run(5);
    ASSERT_EQ(overloaded_joints(w.built.model, w.built.state).size(), 1u);
    w.put(R"({ "objects": { "a": { "kind": "sphere", "radius": 0.1, "mass": 1 } }, "joints": { "j": { "kind": "ball", "between": ["world", "a"] } } })", {{5, 0, 0}, {}}, "new");
    const auto found = overloaded_joints(w.built.model, w.built.state);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].force, 4 * kGravity, 0.5);
}

// The first hook breaks; what the motors of the others were told stays with them when a program restores the state.
TEST(live_spawn, motors_keep_their_targets_where_a_run_with_a_broken_joint_is_restored) {
    const std::string scene = R"x({ "time": { "dt": 0.01, "seconds": 0.5 }, "solver": "velocity",
        "objects": { "load": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 10, "contact": false },
                     "wheel": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [2, 0, 0], "contact": false },
                     "other": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [4, 0, 0], "contact": false } },
        "joints": { "hook": { "kind": "hinge", "between": ["world", "load"], "axis": [0, 0, 1], "breaks_at": "50 N", "motor": { "speed": 1, "limit": 1 } },
                    "axle": { "kind": "hinge", "between": ["world", "wheel"], "axis": [0, 0, 1], "motor": { "stiffness": 5, "damping": 0.5, "limit": 1 } },
                    "pin": { "kind": "hinge", "between": ["world", "other"], "axis": [0, 0, 1], "motor": { "stiffness": 5, "damping": 0.5, "limit": 1 } } } })x";
    const auto step = [](Program& p, const Input& input) {
        script_events(*p.built.script, p.built.model, p.built.state, p.report);
        ASSERT_EQ(advance(*p.built.solver, p.built.model, input, p.built.state, p.spare, 0.01, p.report), Status::ok) << p.report.message;
    };
    Program whole(scene);
    Input input;
    input.motors = {{find(whole.built.model, "axle"), 0.5, 0}, {find(whole.built.model, "pin"), -0.3, 0}};
    for (int i = 0; i < 5; ++i) step(whole, i == 0 ? input : Input{});
    ASSERT_FALSE(find(whole.built.model, "hook"));
    Program again(scene);
    again.built.state = whole.built.state;
    replay_events(*again.built.script, again.built.model, again.built.state);
    EXPECT_EQ(hash(again.built.state), hash(whole.built.state)); // it has its traces
    for (int i = 0; i < 40; ++i) step(whole, {}), step(again, {});
    EXPECT_EQ(hash(again.built.state), hash(whole.built.state));
}
