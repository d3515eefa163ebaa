// Objects that come and go while a scene runs: they take the scene's gravity, fields, contact rules and solver, old ids stay
// refused, slots are used again, and a run that is continued knows what happened.
#include "model/visit.h"
#include "scene/spawn.h"
#include "simulation.h"
#include "sinew/sinew.h"
#include <cmath>
#include <fmt/format.h>
#include <thread>

using namespace sinew;

namespace {

struct World { // as an embedding program has it
    Built built;
    State spare;
    Report report;
    Input input;
    explicit World(const std::string& text, const Context& context = {.threads = 1}, std::string_view solver = {}) {
        const Result<Scene> scene = parse(context, text);
        for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
        if (!scene) return;
        Result<Built> made = build(context, *scene.value, solver);
        for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
        if (made) built = std::move(*made.value);
        spare = built.state;
    }
    void run(int steps, double dt) {
        for (int i = 0; i < steps; ++i)
            ASSERT_EQ(advance(*built.solver, built.model, input, built.state, spare, dt, report), Status::ok) << report.message;
    }
    Result<Id> put(const std::string& text, const Pose& at = {}, const std::string& name = {}) {
        const Result<Scene> scene = parse({}, text);
        for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
        return spawn(built.model, built.state, *scene.value, at, name);
    }
};

std::string text_of(const std::vector<Error>& errors) {
    std::string out;
    for (const Error& e : errors) out += to_string(e) + "\n";
    return out;
}

const std::string kBall = R"({ "objects": { "ball": { "kind": "sphere", "radius": 0.1, "mass": 2 } } })";
const std::string kSeed = R"({ "objects": { "grain": { "kind": "particles", "positions": [[0, 0, 0]], "mass": 1 } } })";
std::string moon(const std::string& solver, const std::string& more = "") {
    return fmt::format(R"({{ "gravity": 1.62, "time": {{ "dt": 0.01, "seconds": 9 }}, "solver": "{}", {}
        "objects": {{ "first": {{ "kind": "particles", "positions": [[5, 0, 0]], "mass": 1 }} }} }})", solver, more);
}
// fallen from rest in n steps of h at g: symplectic and implicit Euler g h^2 n (n + 1)/2, exact g (n h)^2/2
void expect_fallen(double fallen, double g, int n, double h) {
    EXPECT_GT(fallen, 0.5 * g * n * n * h * h - 1e-9);
    EXPECT_LT(fallen, 0.5 * g * n * (n + 1) * h * h + 1e-9);
}

} // namespace

TEST(spawn, what_comes_falls_by_the_gravity_of_the_scene_under_any_solver) {
    for (const std::string solver : {"explicit", "velocity", "position", "newton"}) {
        SCOPED_TRACE(solver);
        World w(moon(solver));
        w.run(3, 0.01);
        const bool bodies = solver != "newton";
        const Result<Id> id = w.put(bodies ? kBall : kSeed, {{0, 3, 0}, {}});
        ASSERT_TRUE(id) << text_of(id.errors);
        w.run(20, 0.01);
        const auto height = [&] { return bodies ? pose(w.built.model, w.built.state, *id.value).position.y : points(w.built.model, w.built.state, *id.value)[0].y; };
        expect_fallen(3 - height(), 1.62, 20, 0.01);
        // gravity that is set reaches what was spawned before and what is spawned after
        ASSERT_TRUE(set(*w.built.script, w.built.model, w.built.state, "gravity", "0").empty());
        const Result<Id> later = w.put(bodies ? kBall : kSeed, {{0, 6, 0}, {}});
        ASSERT_TRUE(later) << text_of(later.errors);
        const double y = height();
        w.run(1, 0.01);
        const double step = y - height();
        EXPECT_NEAR(step, 0.01 * 1.62 * 0.2, 0.01 * 1.62 * 0.2 * 0.1); // the speed it has
        w.run(1, 0.01);
        EXPECT_NEAR(y - height(), 2 * step, 1e-9);
        const auto* o = object_of(w.built.model, *later.value);
        ASSERT_TRUE(o);
        EXPECT_EQ(bodies ? w.built.state.frame.p[o->frames.begin].y : w.built.state.point.x[o->points.begin].y, 6);
    }
}

TEST(spawn, fields_and_contact_rules_of_the_scene_act_on_what_comes) {
    World w(moon("explicit", R"("fields": { "pull": { "kind": "attractor_point", "at": [0, 0, 0], "strength": 3 } },
        "contact": [ { "between": ["first", "*"], "off": true } ],)"));
    const auto count = [&](std::string_view name) {
        for (const Table& t : w.built.model.elements->energies)
            if (t.row->name == name) return t.count();
        return 0;
    };
    EXPECT_EQ(count("attractor_point"), 1);
    ASSERT_EQ(w.built.model.contact_rules.size(), 1u);
    ASSERT_TRUE(w.put(kSeed, {{1, 0, 0}, {}}));
    ASSERT_TRUE(w.put(kSeed, {{2, 0, 0}, {}}));
    EXPECT_EQ(count("attractor_point"), 3);
    ASSERT_EQ(w.built.model.contact_rules.size(), 3u);
    EXPECT_TRUE(w.built.model.contact_rules[2].off);
    EXPECT_EQ(w.built.model.contact_rules[2].a, 0);
    EXPECT_EQ(w.built.model.contact_rules[2].b, find(w.built.model, "grain/2").index);
    // rules go with the object
    EXPECT_TRUE(remove(w.built.model, w.built.state, find(w.built.model, "grain/2")));
    EXPECT_EQ(w.built.model.contact_rules.size(), 2u);
}

TEST(spawn, what_cannot_be_spawned_is_refused_by_name) {
    World w(moon("newton"));
    const auto refused = [&](const std::string& text, const std::string& why) {
        const std::size_t objects = w.built.model.objects.size();
        const Result<Id> id = w.put(text);
        EXPECT_FALSE(id) << text;
        EXPECT_NE(text_of(id.errors).find(why), std::string::npos) << text_of(id.errors);
        EXPECT_EQ(w.built.model.objects.size(), objects);
    };
    refused(kBall, "'ball' has free rigid bodies, which solver 'newton' does not take");
    refused(R"({ "objects": { "a": { "kind": "sphere", "motion": { "spin": { "axis": [0, 1, 0], "rate": 1 } } } } })", "objects.a.motion");
    refused(R"({ "gravity": 3, "objects": { "a": { "kind": "particles", "positions": [[0, 0, 0]] } } })", "gravity is of the scene");
    refused(R"({ "fields": { "gust": { "kind": "wind", "velocity": [1, 0, 0] } }, "objects": { "a": { "kind": "particles", "positions": [[0, 0, 0]] } } })",
            "fields.gust");
    refused(R"({ "objects": { "a": { "kind": "emitter" } } })", "emitters are");
    refused(R"({ "objects": { "a": { "kind": "particles", "positions": [[0, 0, 0]] } }, "events": [ { "at": 1, "remove": "a" } ] })", "events are");
    refused(R"({ "objects": { "a": { "kind": "particles", "positions": [[0, 0, 0]] } }, "attach": [ { "points": { "of": "a" }, "to": "world" } ] })",
            "attachments are");
}

TEST(spawn, names_are_prefixed_numbered_and_never_taken_twice) {
    World w(moon("velocity"));
    const std::string pair = R"({ "objects": { "a": { "kind": "sphere", "mass": 1 }, "b": { "kind": "sphere", "mass": 1, "at": [3, 0, 0] } },
        "joints": { "j": { "kind": "ball", "between": ["a", "b"] } } })";
    ASSERT_TRUE(w.put(pair, {{0, 9, 0}, {}}, "two"));
    for (const char* name : {"two/a", "two/b", "two/j"}) EXPECT_TRUE(find(w.built.model, name)) << name;
    const Result<Id> again = w.put(pair, {}, "two");
    EXPECT_FALSE(again);
    EXPECT_NE(text_of(again.errors).find("there already"), std::string::npos);
    ASSERT_TRUE(w.put(kBall, {}, "thrown"));
    EXPECT_TRUE(find(w.built.model, "thrown"));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(w.put(kBall, {{0, 20.0 + i, 0}, {}}));
    for (const char* name : {"ball", "ball/2", "ball/3"}) EXPECT_TRUE(find(w.built.model, name)) << name;
}

TEST(spawn, a_thousand_bullets_do_not_grow_the_state_and_old_ids_stay_refused) {
    for (const std::string& what : {kBall, std::string(R"({ "objects": { "sheet": { "kind": "cloth_grid", "size": [0.1, 0.1], "edge": "5 cm" } } })")}) {
        World w(moon("velocity"));
        const Result<Scene> scene = parse({}, what);
        ASSERT_TRUE(scene);
        const bool body = what == kBall;
        std::vector<Id> old;
        std::size_t bytes = 0, corners = 0;
        for (int i = 0; i < (body ? 1000 : 300); ++i) {
            const Result<Id> id = spawn(w.built.model, w.built.state, *scene.value, {{0, 5, 0}, {}});
            ASSERT_TRUE(id) << text_of(id.errors);
            if (i % 100 == 0) w.run(2, 0.01), old.push_back(*id.value);
            else ++w.built.state.step, w.built.state.time += 0.01; // time goes on
            ASSERT_TRUE(remove(w.built.model, w.built.state, *id.value));
            ASSERT_FALSE(remove(w.built.model, w.built.state, *id.value));
            if (i == 200) bytes = memory_bytes(w.built.state), corners = w.built.model.surface.vertices.size();
        }
        EXPECT_EQ(memory_bytes(w.built.state), bytes);
        EXPECT_LE(w.built.model.objects.size(), 3u);
        EXPECT_LE(frame_count(w.built.model), 2);
        EXPECT_EQ(w.built.model.surface.vertices.size(), corners);
        EXPECT_LE(w.built.model.layout->objects.size(), 3u);
        EXPECT_TRUE(w.built.model.colliders.empty());
        const Result<Id> id = w.put(what, {{0, 5, 0}, {}});
        ASSERT_TRUE(id);
        EXPECT_GT(id.value->generation, 0); // the slot was used before
        for (const Id& o : old) {
            EXPECT_FALSE(object_of(w.built.model, o));
            w.input.targets.push_back({o, {{9, 9, 9}, {}}}); // nobody follows it
            w.input.body_forces.push_back({o, {1e6, 0, 0}, {}, {}});
        }
        w.run(1, 0.01);
        for (const Real3& x : vertices(w.built.model, w.built.state, *id.value)) EXPECT_LT(std::abs(x.x), 0.2);
    }
}

// the same edits at the same steps
static std::uint64_t edited_run(int threads, bool own_jobs) {
    Context context{.threads = threads};
    if (own_jobs) // from the last to the first, in two threads
        context.parallel_for = [](int count, const std::function<void(int)>& task) {
            const int half = count / 2;
            std::thread other([&] {
                for (int i = count; i-- > half;) task(i);
            });
            for (int i = half; i-- > 0;) task(i);
            other.join();
        };
    World w(R"x({ "time": { "dt": 0.01, "seconds": 9 }, "solver": "velocity",
        "objects": { "floor": { "kind": "plane" }, "stack": { "kind": "box", "mass": 1, "size": [0.4, 0.4, 0.4],
                     "replicate": { "count": 300, "index": "i", "at": ["0.5*(i - 10*floor(i/10))", "0.2 + 0.4*floor(i/100)", "0.5*(floor(i/10) - 10*floor(i/100))"] } } } })x",
            context);
    for (int k = 0; k < 12; ++k) {
        const Result<Id> id = w.put(kBall, {{0.5 * k, 2, 0.5 * k}, {}});
        EXPECT_TRUE(id) << text_of(id.errors);
        w.run(4, 0.01);
        if (k % 3 != 0) remove(w.built.model, w.built.state, *id.value);
    }
    return hash(w.built.state);
}

TEST(spawn, the_same_edits_give_the_same_hash_on_any_threads_and_job_system) {
    const std::uint64_t expected = edited_run(1, false);
    EXPECT_EQ(edited_run(1, false), expected);
    for (int threads : {2, 3, 8}) EXPECT_EQ(edited_run(threads, false), expected) << threads << " threads";
    EXPECT_EQ(edited_run(2, true), expected);
}

// Balls, pairs and numbered ones in turn, some removed, gravity set in between; `forget`: nothing of an earlier spawn is kept.
static std::uint64_t repeated_run(bool forget) {
    World w(R"({ "time": { "dt": 0.01, "seconds": 9 }, "solver": "velocity", "objects": { "floor": { "kind": "plane" } } })");
    const std::string pair = R"({ "objects": { "a": { "kind": "sphere", "radius": 0.2, "mass": 1 }, "b": { "kind": "box", "mass": 1, "at": [1.5, 0, 0] } },
        "joints": { "j": { "kind": "ball", "between": ["a", "b"] } } })";
    for (int k = 0; k < 24; ++k) {
        if (forget) put<std::vector<KeptSpawn>>(nullptr, w.built.model.fields->spawning->kept);
        const std::string name = k % 2 ? "" : fmt::format("s{}", k);
        const Result<Id> id = w.put(k % 3 ? kBall : pair, {{0.5 * k, 1 + 0.1 * k, 0}, {}}, name);
        EXPECT_TRUE(id) << text_of(id.errors);
        w.run(3, 0.01);
        if (k % 4 == 1 && id) remove(w.built.model, w.built.state, *id.value);
        const bool heavier = k != 12 || set(*w.built.script, w.built.model, w.built.state, "gravity", "3").empty();
        EXPECT_TRUE(heavier);
    }
    std::string names;
    for (const Object& o : w.built.model.objects) names += o.name + (o.alive ? " " : "- ");
    return hash(w.built.state) ^ std::hash<std::string>{}(names);
}

TEST(spawn, what_is_kept_of_earlier_spawns_changes_nothing) { EXPECT_EQ(repeated_run(false), repeated_run(true)); }

TEST(spawn, what_is_kept_serves_the_same_scene_only) {
    World w(moon("explicit", R"("fields": { "pull": { "kind": "attractor_point", "at": [0, 0, 0], "strength": 3, "objects": ["f*"] } },)"));
    const SpawnContext& around = *w.built.model.fields->spawning;
    const auto kept = [&] {
        const auto list = take(around.kept);
        return list ? list->size() : 0;
    };
    const auto mass = [&](const Result<Id>& id) { return w.built.model.point.mass[object_of(w.built.model, *id.value)->points.begin]; };
    const auto seed = [](const std::string& mass, const std::string& more = "") {
        return R"({ "vars": { "m": )" + mass + R"( }, "objects": { "grain": { "kind": "particles", "positions": [[0, 0, 0]], "mass": "m")" + more + " } } }";
    };
    EXPECT_EQ(mass(w.put(seed("1"))), 1);
    EXPECT_EQ(kept(), 1u);
    EXPECT_EQ(mass(w.put(seed("1"))), 1);
    EXPECT_EQ(kept(), 1u); // taken from there
    EXPECT_EQ(mass(w.put(seed("2"))), 2); // the var alone is different
    EXPECT_EQ(kept(), 2u);
    const Result<Id> moving = w.put(seed("1", R"(, "velocity": [1, 0, 0])"));
    EXPECT_EQ(w.built.state.point.v[object_of(w.built.model, *moving.value)->points.begin].x, 1);
    EXPECT_EQ(kept(), 3u);
    // the field acts by name: on f, not on g, whatever is kept
    const auto pulled = [&] {
        for (const Table& t : w.built.model.elements->energies)
            if (t.row->name == "attractor_point") return t.count();
        return 0;
    };
    ASSERT_EQ(pulled(), 1);
    ASSERT_TRUE(w.put(seed("1"), {}, "g_1"));
    EXPECT_EQ(pulled(), 1);
    ASSERT_TRUE(w.put(seed("1"), {}, "f_1"));
    EXPECT_EQ(pulled(), 2);
    ASSERT_TRUE(w.put(seed("1"), {}, "g_2"));
    EXPECT_EQ(pulled(), 2);
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(w.put(seed(std::to_string(k + 3))));
    EXPECT_LE(kept(), 8u); // and no more than that
    // a rule or field that is set makes other surroundings
    ASSERT_TRUE(set(*w.built.script, w.built.model, w.built.state, "fields.pull.strength", "5").empty());
    ASSERT_TRUE(w.put(seed("1"), {}, "f_2"));
    EXPECT_EQ(pulled(), 3);
    EXPECT_NE(w.built.model.fields->spawning.get(), nullptr);
}

TEST(spawn, worlds_that_step_at_once_do_not_know_of_each_other) {
    const std::uint64_t expected = edited_run(1, false);
    std::uint64_t a = 0, b = 0;
    std::thread first([&] { a = edited_run(1, false); }), second([&] { b = edited_run(2, false); });
    first.join(), second.join();
    EXPECT_EQ(a, expected);
    EXPECT_EQ(b, expected);
}

static const std::string kEvents = R"({ "time": { "dt": 0.01, "seconds": 1 }, "solver": "velocity",
    "prefabs": { "pair": { "objects": { "a": { "kind": "sphere", "radius": 0.1, "mass": 1 }, "b": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0.3, 0, 0] } },
                           "joints": { "j": { "kind": "ball", "between": ["a", "b"], "at": [0.15, 0, 0] } } } },
    "objects": { "floor": { "kind": "plane" }, "post": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [3, 0.1, 0] } },
    "events": [ { "at": 0.1, "every": 0.1, "spawn": { "ball": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0, 1, 0], "velocity": [2, 0, 0] } } },
                { "at": 0.25, "spawn": { "twin": { "use": "pair", "at": [-1, 1, 0] } } },
                { "when": "post.x > 3.001 || t > 0.55", "once": true, "remove": ["ball", "post"] },
                { "at": 0.7, "remove": "twin/j" }, { "at": 0.75, "set": { "gravity": 1.62 } } ] })";

TEST(spawn_events, come_and_go_at_their_time_and_a_run_continues_to_the_same_hash_from_any_step) {
    auto s = start(kEvents);
    ASSERT_TRUE(s);
    std::vector<StateFile> saved;
    std::vector<std::uint64_t> hashes;
    while (!is_finished(*s)) {
        saved.push_back(save_run(*s));
        hashes.push_back(hash(s->now));
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
    }
    const Model& m = s->compiled.model;
    EXPECT_FALSE(find(m, "post"));
    EXPECT_TRUE(find(m, "twin/a") && find(m, "twin/b") && !find(m, "twin/j"));
    EXPECT_TRUE(find(m, "ball") && find(m, "ball/2") && find(m, "ball/4") && !find(m, "ball/5")); // of 0.6, 0.7, 0.8, 0.9 s
    EXPECT_LT(m.objects.size(), 13u); // slots are used again
    for (std::size_t k = 3; k < saved.size(); k += 7) {
        auto r = start(kEvents);
        ASSERT_TRUE(r);
        continue_from(*r, saved[k]);
        ASSERT_EQ(hash(r->now), hashes[k]);
        EXPECT_TRUE(has_sizes_of(r->compiled.model, r->now));
        while (!is_finished(*r)) ASSERT_EQ(simulate_step(*r), Status::ok) << r->report.message;
        EXPECT_EQ(hash(r->now), hash(s->now)) << "continued after step " << k;
        for (std::size_t i = 0; i < m.objects.size(); ++i) EXPECT_EQ(r->compiled.model.objects[i].name, m.objects[i].name);
    }
}

TEST(spawn_events, the_solver_is_chosen_for_what_will_come) {
    const auto c = compile_text(R"({ "time": { "seconds": 1 }, "objects": { "floor": { "kind": "plane" } },
        "events": [ { "at": 0.5, "spawn": { "box": { "kind": "box", "mass": 1, "at": [0, 3, 0] } } } ] })");
    ASSERT_TRUE(c);
    EXPECT_EQ(c->solver, "velocity");
    EXPECT_EQ(frame_count(c->model), 1); // the floor
}

TEST(advance, a_shortened_step_takes_bad_targets_and_counts_once_and_reports_damping) {
    // a solver that refuses long steps
    struct Short final : Solver {
        Solver* inner = nullptr;
        Report step(const Model& m, const Input& i, const State& now, State& next, double dt, Trace* t) override {
            if (dt <= 0.0026) return inner->step(m, i, now, next, dt, t);
            Report r;
            r.status = Status::failed, r.message = "too long";
            return r;
        }
    };
    std::vector<std::string> said;
    Context context{.threads = 1};
    context.log = [&](LogLevel level, std::string_view text) { said.push_back((level == LogLevel::warning ? "warning: " : "") + std::string(text)); };
    World w(R"({ "time": { "fps": 100, "seconds": 9 }, "gravity": 0, "solver": "explicit",
        "objects": { "p": { "kind": "particles", "positions": [[0, 0, 0]], "mass": 1, "velocity": [1, 0, 0] } },
        "fields": { "air": { "kind": "drag", "linear": 0.5 } } })", context);
    EXPECT_EQ(said.size(), w.built.notes.size());
    EXPECT_FALSE(said.empty()); // substeps and why
    Short solver;
    solver.inner = w.built.solver.get();
    solver.measuring = w.built.solver->measuring;
    w.input.targets = {{find(w.built.model, "nobody"), {}}, {{99, 0}, {}}};
    w.input.points = {{-1, {}}, {5, {}}};
    w.input.scalars = {{-1, 0}, {0, 1}};
    said.clear();
    ASSERT_EQ(advance(solver, w.built.model, w.input, w.built.state, w.spare, 0.01, w.report), Status::ok);
    EXPECT_EQ(w.report.retries, 2);
    EXPECT_EQ(w.built.state.step, 1);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_NE(said[0].find("shortened 2 times: too long"), std::string::npos) << said[0];
    // work of drag over the step: -c v^2 dt, by the power at both ends
    const double v = w.built.state.point.v[0].x;
    EXPECT_NEAR(w.report.work_damping, -0.5 * 0.01 * 0.5 * (1 + v * v), 1e-12);
    // a step that fails leaves the count alone
    ASSERT_EQ(advance(solver, w.built.model, w.input, w.built.state, w.spare, 1, w.report, 2), Status::failed);
    EXPECT_EQ(w.built.state.step, 1);
}

TEST(embed, vertices_of_a_body_are_in_the_world_and_match_its_triangles) {
    World w(R"({ "objects": { "box": { "kind": "box", "size": [2, 2, 2], "at": [5, 0, 0], "motion": "static" },
        "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.5 } } })");
    const Id box = find(w.built.model, "box"), sheet = find(w.built.model, "sheet");
    const auto v = vertices(w.built.model, w.built.state, box);
    ASSERT_GE(v.size(), 8u);
    double volume = 0; // of the closed surface
    for (const auto& t : triangles(w.built.model, box)) {
        for (int i : t) ASSERT_LT(std::size_t(i), v.size());
        volume += vec(v[t[0]]).dot(vec(v[t[1]]).cross(vec(v[t[2]]))) / 6;
    }
    EXPECT_NEAR(volume, 8, 1e-12);
    for (const Real3& x : v) EXPECT_NEAR(std::abs(x.x - 5), 1, 1e-12);
    EXPECT_EQ(vertices(w.built.model, w.built.state, sheet).size(), points(w.built.model, w.built.state, sheet).size());
    EXPECT_TRUE(vertices(w.built.model, w.built.state, {}).empty());
}

// An aggregate of as many members as a structured binding takes; a new one that `visit` does not name does not compile here.
TEST(visit, names_every_member_of_a_state_and_of_an_input) {
    State s;
    auto& [time, step, point, frame, scalar, animated, attributes, memory] = s;
    auto& [x, v, alive, age, id] = point;
    auto& [p, q, fv, fw] = frame;
    auto& [sv, ds] = scalar;
    auto& [ax, av] = animated;
    std::vector<const void*> members{&time, &step, &x, &v, &alive, &age, &id, &p, &q, &fv, &fw, &sv, &ds, &ax, &av, &attributes, &memory}, seen;
    visit(s, [&](const char*, auto& member) { seen.push_back(&member); });
    EXPECT_EQ(seen, members);
    Input i;
    auto& [targets, points, moved, point_forces, body_forces, grabs, motors, scalars, gauges] = i;
    members = {&targets, &points, &moved, &point_forces, &body_forces, &grabs, &motors, &scalars, &gauges}, seen.clear();
    visit(i, [&](const char*, auto& member) { seen.push_back(&member); });
    EXPECT_EQ(seen, members);
}
