// The verbs of sinew/sinew.h for embedding programs. No exception leaves them.
#include "constraint/joint_object.h"
#include "core/error.h"
#include "geometry/triangulate.h"
#include "model/edit.h"
#include "model/field.h"
#include "model/snapshot.h"
#include "model/visit.h"
#include "output/state_file.h"
#include "scene/connect.h"
#include "scene/direct_set.h"
#include "scene/load.h"
#include "scene/names.h"
#include "scene/spawn.h"
#include "simulate.h"
#include "sinew/sinew.h"
#include "solver/rest.h"
#include <fmt/format.h>

namespace sinew {

void ScriptDelete::operator()(Script* s) const { delete s; }

const char* version() { return SINEW_VERSION; }

template <class T, class F> static Result<T> guarded(F&& f) {
    try {
        return f();
    } catch (const std::exception& e) { // out of memory, at the latest
        Result<T> r;
        r.errors.push_back(Error{.message = e.what()});
        return r;
    }
}

template <class F> static std::vector<Error> guarded_errors(F&& f) {
    try {
        return f();
    } catch (const std::exception& e) {
        return {Error{.message = e.what()}};
    }
}

// A scene with errors is compiled as far as it can be, so that all of them are told at once.
static Result<Scene> checked_scene(LoadedScene loaded) {
    if (loaded.errors.empty()) return {std::move(loaded.scene), {}};
    if (loaded.usable) {
        std::vector<Error> more = compile_parts(loaded.scene, {}, true).errors;
        remove_about(loaded.broken, more);
        loaded.errors.insert(loaded.errors.end(), more.begin(), more.end());
        remove_duplicates(loaded.errors);
    }
    return {std::nullopt, std::move(loaded.errors)};
}

Result<Scene> load(const Context&, const std::string& file, std::span<const std::string> set) {
    return guarded<Scene>([&] { return checked_scene(load_parts(file, set)); });
}

Result<Scene> parse(const Context&, std::string_view text, const std::string& name) {
    return guarded<Scene>([&] { return checked_scene(parse_parts(text, name)); });
}

// kept by the solver between calls of `advance`
struct Measuring {
    ParallelPtr parallel = make_parallel({.threads = 1});
    MeasureScratch scratch;
    decltype(Context::log) log;
    // the state that was measured last
    std::int64_t step = -1;
    double time = 0;
    int topology = -1, values = -1;
    bool own_contacts = false; // the solver counted contacts itself
};

static Measuring& measuring_of(Solver& solver) {
    if (!solver.measuring) solver.measuring = std::make_shared<Measuring>();
    return *static_cast<Measuring*>(solver.measuring.get());
}

static void tell(const decltype(Context::log)& log, LogLevel level, const std::string& text) {
    if (log) log(level, text);
}

Result<Built> build(const Context& context, const Scene& scene, std::string_view solver) {
    return guarded<Built>([&]() -> Result<Built> {
        Result<Compiled> compiled = compile_scene(scene, solver);
        if (!compiled) return {std::nullopt, std::move(compiled.errors)};
        Compiled& c = *compiled.value;
        Built built;
        built.model = std::move(c.model);
        built.state = std::move(c.state);
        built.solver = find_solver(c.solver)->make(context, built.model, built.state, c.settings.get());
        measuring_of(*built.solver).log = context.log;
        built.script.reset(new Script(std::move(c.script)));
        built.dt = c.dt;
        built.notes = std::move(c.notes);
        for (const std::string& note : built.notes) tell(context.log, note.starts_with("warning") ? LogLevel::warning : LogLevel::info, note);
        Result<Built> result;
        result.value.emplace(std::move(built));
        return result;
    });
}

// The power of dampers at the start of a step is that of the end of the one before, unless the program has changed something.
static void measure_before(const Model& model, const State& now, Measuring& m) {
    if (m.step == now.step && m.time == now.time && m.topology == model.topology_revision && m.values == model.values_revision) return;
    measure_power(*m.parallel, model, now, m.own_contacts, m.scratch);
}

static void tell_step(const Measuring& m, double time, const Report& r, const std::string& why) {
    const auto at = [&](const std::string& text) { return fmt::format("t = {:.6g} s: {}", time, text); };
    if (r.status == Status::failed) return tell(m.log, LogLevel::error, at(r.message));
    if (r.retries) tell(m.log, LogLevel::warning, at(fmt::format("the step was shortened {} times: {}", r.retries, why)));
    for (const std::string& text : r.warnings) tell(m.log, LogLevel::warning, at(text));
}

Status advance(Solver& solver, const Model& model, const Input& input, State& now, State& spare, double dt, Report& report,
               int max_retries) {
    try {
        Measuring& m = measuring_of(solver);
        measure_before(model, now, m);
        const double start = now.time;
        std::string why;
        const Status status = advance_step(solver, model, input, now, spare, dt, report, max_retries, &why);
        if (status == Status::ok) {
            measure_step(*m.parallel, model, now, m.scratch, report);
            m.step = now.step, m.time = now.time, m.topology = model.topology_revision, m.values = model.values_revision;
            m.own_contacts = report.islands + report.asleep > 0;
        } else m.step = -1;
        tell_step(m, start, report, why);
        return status;
    } catch (const std::exception& e) {
        report.status = Status::failed;
        report.message = e.what();
        return Status::failed;
    }
}

std::vector<Error> script_input(const Script& script, const Model& model, const State& now, double dt, Input& input) {
    return guarded_errors([&] { return fill_input(script, model, now, dt, input); });
}

std::vector<std::string> script_events(Script& script, Model& model, State& now, const Report& last) {
    try {
        return run_events(script, model, now, last, script.time.first_frame + now.time * script.time.fps);
    } catch (const std::exception& e) {
        return {e.what()};
    }
}

void replay_events(Script& script, Model& model, State& restored) {
    try {
        apply_past_events(script, model, restored);
    } catch (const std::exception&) { // out of memory: the next step cannot be made either, and says so
    }
}

std::vector<Error> save(const State& state, const std::string& file) {
    return guarded_errors([&] {
        StateFile f;
        f.state = state;
        f.program_version = version();
        return write_state(file, f);
    });
}

Result<State> restore(const Model& model, const std::string& file) {
    return guarded<State>([&]() -> Result<State> {
        StateFile f;
        std::vector<Error> errors = read_state(file, f);
        if (errors.empty() && !has_sizes_of(model, f.state))
            errors.push_back(Error{.file = file, .message = "this state belongs to another model"});
        if (!errors.empty()) return {std::nullopt, std::move(errors)};
        return {std::move(f.state), {}};
    });
}

std::span<const Real3> points(const Model& m, const State& s, Id id) {
    const Object* o = object_of(m, id);
    if (!o) return {};
    if (o->animated.count()) return {s.animated.x.data() + o->animated.begin, std::size_t(o->animated.count())};
    return {s.point.x.data() + o->points.begin, std::size_t(o->points.count())};
}

Pose pose(const Model& m, const State& s, Id id) {
    const Object* o = object_of(m, id);
    if (!o || o->frames.count() == 0) return {};
    return {s.frame.p[o->frames.begin], s.frame.q[o->frames.begin]};
}

JointForce joint_force(const Model& m, const State& s, Id id) {
    const Object* o = object_of(m, id);
    if (!o || !is_joint(m, id.index)) return {};
    try {
        std::vector<JointLoad> loads;
        compute_joint_loads(m, s, loads);
        return {real3(loads[id.index].force), real3(loads[id.index].torque)};
    } catch (const std::exception&) { // no memory, no answer
        return {};
    }
}

std::vector<JointBreak> overloaded_joints(const Model& m, const State& now) {
    std::vector<JointBreak> out;
    try {
        for (const BrokenJoint& j : find_broken_joints(m, now))
            out.push_back({{j.object, m.objects[j.object].generation}, j.force, j.torque});
    } catch (const std::exception&) { // no memory, no answer
        out.clear();
    }
    return out;
}

std::vector<std::array<int, 3>> triangles(const Model& m, Id id) {
    const Object* o = object_of(m, id);
    if (!o || o->snapshot < 0) return {};
    try {
        const SnapshotObject& s = m.layout->objects[o->snapshot];
        if (!s.carriers.empty()) { // points() are those of the solid, not of its skin
            std::vector<std::array<int, 3>> out;
            for (int t = o->triangles.begin; t < o->triangles.end; ++t) {
                out.push_back(m.surface.triangles[t]);
                for (int& v : out.back()) v = m.surface.vertices[v].index - o->points.begin;
            }
            return out;
        }
        PolygonMesh mesh;
        mesh.positions = s.rest;
        mesh.polygon_begin = s.polygon_begin;
        mesh.polygon_vertex = s.polygon_vertex;
        return triangulate(mesh).triangles;
    } catch (const std::exception&) { // no memory, no triangles
        return {};
    }
}

std::vector<Real3> vertices(const Model& m, const State& s, Id id) {
    const Object* o = object_of(m, id);
    if (!o) return {};
    try {
        if (!o->frames.count()) {
            const std::span<const Real3> x = points(m, s, id);
            return {x.begin(), x.end()};
        }
        if (o->snapshot < 0) return {};
        std::vector<Real3> x = m.layout->objects[o->snapshot].rest;
        const Pose at = pose(m, s, id);
        for (Real3& v : x) v = real3(vec(at.position) + quat(at.rotation) * vec(v));
        return x;
    } catch (const std::exception&) { // no memory, no vertices
        return {};
    }
}

Result<Id> spawn(Model& model, State& state, const Scene& what, const Pose& at, const std::string& name) {
    return guarded<Id>([&]() -> Result<Id> {
        const std::shared_ptr<const SpawnContext> around = model.fields->spawning ? model.fields->spawning : std::make_shared<const SpawnContext>();
        if (std::vector<Error> wrong = find_name_errors(name, "spawn"); !wrong.empty()) return {std::nullopt, std::move(wrong)};
        Result<NamedSpawn> made = recall_spawn(what, *around, model.gravity, name);
        if (made) made.errors = find_spawn_problems(*made.value->what, model);
        if (!made.errors.empty()) return {std::nullopt, std::move(made.errors)};
        Result<std::vector<Id>> ids = put_spawned(*made.value->what, at, name.empty(), model, state, made.value->name);
        if (!ids) return {std::nullopt, std::move(ids.errors)};
        for (const Id& id : *ids.value) model.objects[std::size_t(id.index)].by_program = true;
        return {ids.value->front(), {}};
    });
}

Result<Id> connect(Model& model, State& state, Id a, Id b, std::string_view joint, const std::string& name) {
    return guarded<Id>([&]() -> Result<Id> {
        const Result<Value> value = parse_value(joint, "joint");
        if (!value) return {std::nullopt, value.errors};
        Result<Id> id = connect_bodies(model, state, {a, b}, *value.value, name);
        if (id) model.objects[std::size_t(id.value->index)].by_program = true;
        return id;
    });
}

bool remove(Model& model, State& state, Id id) {
    try {
        if (object_of(model, id)) wake_neighbours(model, id.index, state);
        return remove_object(model, state, id);
    } catch (const std::exception&) {
        return false;
    }
}

static std::vector<Error> set_number(Model& model, State& state, std::string_view path, double value) {
    static constexpr std::string_view head = "fields.", tail = ".scale";
    if (path.starts_with(head) && path.ends_with(tail)) {
        const std::string_view name = path.substr(head.size(), path.size() - head.size() - tail.size());
        auto fields = std::make_shared<FieldSet>(*model.fields);
        for (VelocityField& f : fields->velocity)
            if (f.name == name) {
                f.scale = make_signal(value);
                model.fields = std::move(fields);
                ++model.values_revision;
                return {};
            }
    }
    if (const std::size_t dot = path.rfind(".motor."); dot != std::string_view::npos)
        if (const Id joint = find(model, path.substr(0, dot)); joint && set_motor(model, joint.index, path.substr(dot + 7), value)) {
            wake_joined(model, joint.index, state);
            return {};
        }
    if (const std::size_t dot = path.rfind('.'); dot != std::string_view::npos && is_touch_number(path.substr(dot + 1)))
        if (const Object* o = object_of(model, find(model, path.substr(0, dot))); o && o->spawned) {
            EventSet set{std::string(path.substr(0, dot)), std::string(path.substr(dot + 1)), make_number(value)};
            std::vector<Error> errors;
            check_touch_number(set, {}, std::string(path), errors);
            if (errors.empty()) {
                set_touch_number(set.target, set.parameter, value, model);
                wake_all(state);
            }
            return errors;
        }
    return {Error{.path = std::string(path), .message = "not a live number",
                  .allowed = "fields.<name>.scale, <joint>.motor.speed (position, limit, stiffness, damping, on), friction, restitution, rolling_friction, "
                             "torsional_friction of what was spawned; others with the script"}};
}

std::vector<Error> set(Model& model, State& state, std::string_view path, double value) {
    return guarded_errors([&] { return set_number(model, state, path, value); });
}

std::vector<Error> set(Script& script, Model& model, State& state, std::string_view path, std::string_view value) {
    return guarded_errors([&]() -> std::vector<Error> {
        const Result<Value> parsed = parse_value(value, "set");
        Value v = parsed ? *parsed.value : make_text(value);
        v.place = {std::make_shared<const std::string>("set"), 1, 1};
        return set_by_script(script, model, state, path, v);
    });
}

bool renew_solver(const Context& context, Script& script, const Model& model, State& now, std::unique_ptr<Solver>& solver) {
    if (!script.live.new_settings) return false;
    try {
        auto made = make_again(context, script.live, model, now);
        made->measuring = solver ? solver->measuring : nullptr; // and its log
        solver = std::move(made);
        script.live.new_settings = false;
        return true;
    } catch (const std::exception&) { // no memory: the old one goes on
        return false;
    }
}

} // namespace sinew
