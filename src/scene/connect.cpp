#include "scene/connect.h"
#include "core/error.h"
#include "core/read.h"
#include "model/edit.h"
#include "scene/joint.h"
#include "scene/names.h"
#include "scene/spawn.h"
#include "solver/rest.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr const char* kPath = "joint";

// The joint is compiled on its own, over bodies that stand for those of the running model.
struct Connection {
    const Model& running;
    const State& now;
    ModelBuilder builder{};
    SceneEntry entry{};
    std::vector<int> there{}; // per object of the builder: which of the running model it is, -1 = it comes
    std::vector<Error> errors{};
};

void add_error(Connection& c, std::string value, std::string message, std::string allowed = {}) {
    c.errors.push_back(Error{.path = kPath, .value = std::move(value), .message = std::move(message), .allowed = std::move(allowed)});
}

// one side: its name for the joint, and a body at its place
void add_side(Connection& c, Id id) {
    const bool is_world = id == kWorldId;
    const Id named = is_world ? find(c.running, kWorld) : id; // once a joint holds on to the world, it is an object
    const Object* o = object_of(c.running, named);
    if (!o && !is_world) return add_error(c, {}, "one of the bodies is not there", "ids of what is there, kWorldId");
    c.entry.names.push_back(o ? o->name : std::string(kWorld));
    if (!o) return; // the joint brings it
    if (o->frames.count() != 1)
        return add_error(c, o->name, "is not a rigid body", "the ids of two bodies, or of one and kWorldId");
    const int frame = o->frames.begin;
    begin_object(c.builder, o->name, o->kind);
    add_frame(c.builder, {c.now.frame.p[frame], c.now.frame.q[frame]}, c.running.frame.mass[frame], c.running.frame.inertia[frame], c.running.frame.flags[frame]);
    c.there.push_back(named.index);
}

void read_entry(Connection& c, const Value& joint, const std::string& name) {
    if (joint.kind != Value::Kind::object) return add_error(c, {}, "an object { } is expected", R"({ "kind": "ball", "at": [0, 1, 0] })");
    c.entry.params = joint;
    c.entry.path = kPath;
    const Value* kind = find(joint, "kind");
    if (!kind) return add_error(c, {}, "missing: the joint needs a kind");
    if (!read_text(*kind, join_path(kPath, "kind"), c.entry.kind, c.errors)) return;
    if (const Value* between = find(joint, "between"))
        c.errors.push_back(make_error(*between, join_path(kPath, "between"), "the bodies are given by their ids"));
    for (const char* key : {"kind", "between"}) erase(c.entry.params, key);
    if (!name.empty())
        for (Error& e : find_name_errors(name, kPath)) c.errors.push_back(std::move(e));
    if (!name.empty() && find(c.running, name)) add_error(c, name, "an object of this name is there already", "another name");
    c.entry.name = !name.empty() ? name : c.entry.kind;
    if (name.empty() && find(c.running, c.entry.name)) c.entry.name += fmt::format("/{}", find_free_number({c.entry.name}, c.running));
}

void build_joint(Connection& c) {
    const std::shared_ptr<const SpawnContext> around = c.running.fields->spawning ? c.running.fields->spawning : std::make_shared<const SpawnContext>();
    Scene scene;
    scene.time = around->scene.time;
    scene.vars = around->scene.vars;
    scene.joints.push_back(c.entry);
    c.builder.model.gravity = c.running.gravity;
    std::vector<MotorTrack> tracks;
    GaugeRequests gauges;
    std::vector<Error> future;
    std::vector<std::string> wrong;
    add_joints(scene, make_scene_scope(scene), false, c.builder, tracks, gauges, future, wrong, c.errors);
    if (!tracks.empty())
        add_error(c, {}, "targets of motors that move are of the scene, not of a joint that a program makes", "numbers, which `set` changes later");
    const int object = c.errors.empty() ? find(c.builder.model, c.entry.name).index : -1;
    const auto holds = [&](const Table& t) { return std::find(t.object.begin(), t.object.end(), object) != t.object.end(); };
    if (c.errors.empty() && std::none_of(c.builder.tables.constraints.begin(), c.builder.tables.constraints.end(), holds))
        add_error(c, {}, "neither holds nor limits nor drives anything", "a length, limits, spring, motor or friction");
}

// who shares a joint does not touch while it lasts, unless a rule says what the pair does
void add_rule(Connection& c) {
    std::array<int, 2> in_builder, in_running;
    for (int i = 0; i < 2; ++i) {
        const Id running = find(c.running, c.entry.names[i]);
        if (!running) return; // the world, which the joint brings
        in_builder[i] = find(c.builder.model, c.entry.names[i]).index, in_running[i] = running.index;
    }
    const auto says = [&](const ContactRule& r) {
        return r.joint < 0 && ((r.a == in_running[0] && r.b == in_running[1]) || (r.a == in_running[1] && r.b == in_running[0]));
    };
    if (std::any_of(c.running.contact_rules.begin(), c.running.contact_rules.end(), says)) return;
    ContactRule rule{.a = in_builder[0], .b = in_builder[1], .off = true};
    rule.joint = find(c.builder.model, c.entry.name).index;
    c.builder.model.contact_rules.push_back(rule);
}

} // namespace

Result<Id> connect_bodies(Model& m, State& s, const std::array<Id, 2>& bodies, const Value& joint, const std::string& name) {
    Connection c{m, s};
    if (bodies[0] == bodies[1] && bodies[0] != Id{}) add_error(c, {}, bodies[0] == kWorldId ? "both sides are the world" : "both sides are the same body");
    read_entry(c, joint, name);
    for (const Id& id : bodies)
        if (c.errors.empty()) add_side(c, id);
    if (c.errors.empty()) build_joint(c);
    if (!c.errors.empty()) return {std::nullopt, std::move(c.errors)};
    add_rule(c);
    finish_model(c.builder);
    register_elements(*c.builder.model.elements, c.builder.state);
    const Spawned made{std::move(c.builder.model), std::move(c.builder.state)};
    if (std::vector<Error> problems = find_spawn_problems(made, m); !problems.empty()) {
        for (Error& e : problems) e.path = kPath;
        return {std::nullopt, std::move(problems)};
    }
    c.there.resize(made.model.objects.size(), -1);
    const int object = append_objects(m, s, made.model, made.state, {}, c.there).back(); // the joint comes last
    begin_row_forces(m, s);
    wake_joined(m, object, s);
    return {Id{object, m.objects[object].generation}, {}};
}

} // namespace sinew
