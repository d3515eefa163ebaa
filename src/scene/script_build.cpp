#include "scene/script_build.h"
#include "constraint/joint_object.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/units.h"
#include "model/field.h"
#include "scene/animation.h"
#include "scene/field_kinds.h"
#include "scene/names.h"
#include "scene/scope.h"
#include <fmt/format.h>

namespace sinew {

namespace {

int find_mover(const Script& s, int object) {
    for (std::size_t k = 0; k < s.movers.size(); ++k)
        if (s.movers[k].object == object) return int(k);
    return -1;
}

bool is_free_body(const Model& m, const Object& o) {
    return o.frames.count() && !(m.frame.flags[o.frames.begin] & kFixed);
}

// a mover for every held object that has a motion or a parent that moves; parents come first
int add_mover(const Scene& scene, const Scope& scope, const Model& m, int scene_object, Script& script, std::vector<Error>& errors) {
    const SceneObject& o = scene.objects[scene_object];
    const Id id = find(m, o.name);
    if (!id || is_free_body(m, m.objects[id.index])) return -1;
    if (const int known = find_mover(script, id.index); known >= 0) return known;
    Mover mover;
    mover.object = id.index;
    mover.rest = o.pose;
    for (std::size_t k = 0; k < scene.objects.size(); ++k)
        if (!o.parent.empty() && scene.objects[k].name == o.parent) mover.parent = add_mover(scene, scope, m, int(k), script, errors);
    const bool word = o.motion.kind == Value::Kind::text; // "static", "free"
    if (o.motion.kind != Value::Kind::null && !word) {
        const Scope own = make_scope(scope, o.vars);
        mover.has_motion = parse_motion(o, own, scene.time, mover.motion, errors);
    }
    if (!mover.has_motion && mover.parent < 0) return -1;
    script.movers.push_back(std::move(mover));
    return int(script.movers.size()) - 1;
}

void check_motions(const Scene& scene, const Model& m, std::vector<Error>& errors) {
    for (const SceneObject& o : scene.objects) {
        const Id id = find(m, o.name);
        if (!id || o.motion.kind == Value::Kind::null) continue;
        if (is_free_body(m, m.objects[id.index]) && !(o.motion.kind == Value::Kind::text && o.motion.text == "free"))
            errors.push_back(make_error(o.motion, join_path(o.path, "motion"), "a free body cannot also have a motion",
                                        "drop mass, density and velocity to let the motion lead, or say \"free\""));
    }
}

// an object that the name or pattern could mean is not in the model: not built yet, or wrong itself
bool is_missing(const Scene& scene, const Model& m, std::string_view pattern) {
    for (const SceneObject& o : scene.objects)
        if (match_name(pattern, o.name) && !find(m, o.name)) return true;
    for (const std::string& name : scene.broken)
        if (match_name(pattern, name)) return true;
    return false;
}

// a number, with its unit or as an expression over vars, in place of what is written
bool take_number(Value& v, std::string_view unit, const Scope& scope, const std::string& where, std::vector<Error>& errors) {
    double number = 0;
    if (!read_number(v, unit, scope, where, number, errors)) return false;
    const Place place = v.place;
    v = make_number(number);
    v.place = place;
    return true;
}

// "elbow.motor": "on" or "off"; "elbow.motor.speed": a number
void check_motor(EventSet& set, const Scene& scene, const Scope& scope, const Model& m, const std::string& where,
                 std::vector<Error>& errors) {
    bool found = false;
    for (std::size_t k = 0; k < m.objects.size(); ++k) found = found || (match_name(set.target, m.objects[k].name) && has_motor(m, int(k)));
    if (!found) {
        if (!is_missing(scene, m, set.target)) errors.push_back(make_error(set.value, where, "no joint of this name has a motor"));
        return;
    }
    const bool is_switch = set.parameter == "motor";
    const bool word = set.value.kind == Value::Kind::text && (set.value.text == "on" || set.value.text == "off");
    if (is_switch && word) return;
    if (!is_switch && is_motor_number(set.parameter.substr(6))) {
        take_number(set.value, "*", scope, where, errors);
        return;
    }
    errors.push_back(make_error(set.value, where, "not a live parameter of a motor, or not a value it takes",
                                "motor: \"on\", \"off\"; motor.speed, motor.position, motor.limit, motor.stiffness, motor.damping: a number"));
}

void check_set(EventSet& set, const Scene& scene, const Scope& scope, const Model& m, const std::string& path,
               std::vector<Error>& errors) {
    const std::string where = join_path(path, "set." + set.target + "." + set.parameter);
    if (set.target.starts_with("fields.")) {
        std::vector<std::string> known;
        for (const VelocityField& f : m.fields->velocity) known.push_back(f.name);
        const std::string name = set.target.substr(7);
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            errors.push_back(make_error(set.value, where, "no wind or velocity field of this name",
                                        fmt::format("{}", fmt::join(known, ", ")), find_nearest(name, known)));
            return;
        }
        if (set.parameter == "scale") take_number(set.value, "", scope, where, errors);
        else if (set.parameter != "velocity")
            errors.push_back(make_error(set.value, where, "not a live parameter of a flow", "scale: a number; velocity: [x, y, z] in m/s",
                                        find_nearest(set.parameter, std::vector<std::string>{"scale", "velocity"})));
        else if (check_array(set.value, 3, where, "components", errors))
            for (int k = 0; k < 3; ++k) take_number(set.value.items[k], "m/s", scope, join_path(where, k), errors);
        return;
    }
    if (set.parameter == "motor" || set.parameter.starts_with("motor.")) {
        check_motor(set, scene, scope, m, where, errors);
        return;
    }
    bool emitter = false;
    for (const Emitter& e : m.emitters) emitter = emitter || match_name(set.target, m.objects[e.object].name);
    if (emitter && set.parameter == "rate") {
        const Value written = set.value;
        if (take_number(set.value, "1/s", scope, where, errors) && set.value.number < 0)
            errors.push_back(make_error(written, where, "out of range", "at least 0"));
        return;
    }
    if (is_missing(scene, m, set.target)) return; // said elsewhere
    errors.push_back(make_error(set.value, where, "not a live parameter: it cannot change while the simulation runs",
                                "fields.<name>.scale, fields.<name>.velocity, <emitter>.rate, <joint>.motor"));
}

// something that is held or attached has this name
void check_release(const EventRelease& r, const Value& at, const Scene& scene, const Model& m, const std::vector<Handle>& handles,
                   const std::string& path, std::vector<Error>& errors) {
    std::vector<std::string> known;
    for (const Handle& h : handles) {
        const std::string& name = m.objects[h.object].name;
        if (match_name(r.target, name) && (r.group.empty() || h.released_by == name + "." + r.group)) return;
        if (std::find(known.begin(), known.end(), h.released_by) == known.end()) known.push_back(h.released_by);
    }
    if (is_missing(scene, m, r.target)) return; // said elsewhere
    const std::string name = r.group.empty() ? r.target : r.target + "." + r.group;
    errors.push_back(make_error(at, join_path(path, "release"), fmt::format("nothing that is held or attached is called {}", name),
                                known.empty() ? "nothing is held here" : fmt::format("{}", fmt::join(known, ", ")), find_nearest(name, known)));
}

bool build_condition(const std::string& text, const Scope& scope, const Model& m, const Value& at, const std::string& path,
                     Condition& out, std::vector<Error>& errors) {
    Scope full = make_scope(scope, {});
    full.symbols.resolve = [&](std::string_view name) -> std::optional<Symbol> {
        if (scope.symbols.resolve)
            if (const auto known = scope.symbols.resolve(name)) return known;
        const MeasurementResult found = find_measurements(m, name);
        if (found.found.size() != 1) return std::nullopt;
        out.slots.push_back(found.found[0]);
        return Symbol{int(out.slots.size()) + 1, 0};
    };
    // names of the outer scope first, so that vars keep their meaning
    for (const auto& [name, symbol] : scope.symbols.names) full.symbols.names.insert({name, symbol});
    ExpressionResult compiled = compile_expression(text, full.symbols, scope.seed);
    if (compiled.value && out.slots.size() <= 62) {
        out.expression = std::move(*compiled.value);
        return true;
    }
    for (const ExpressionError& e : compiled.errors) errors.push_back(make_error(at, path, e.message, e.allowed, e.nearest));
    if (compiled.value) errors.push_back(make_error(at, path, "uses more than 62 measurements"));
    return false;
}

// true if every object that the text could mean is one that is not built yet
bool waits_for_future(const Scene& scene, const Model& m, std::string_view text) {
    for (const SceneObject& o : scene.objects)
        if (!find(m, o.name) && text.find(o.name) != std::string_view::npos) return true;
    for (const std::string& name : scene.broken)
        if (text.find(name) != std::string_view::npos) return true;
    return false;
}
// the part of a measurement before the dot names an object that is not built, or a prefab instance of such
bool measures_future(const Scene& scene, const Model& m, std::string_view name) {
    return is_missing(scene, m, name.substr(0, name.find('.')));
}

// units of the numbers against that of what is measured
void check_units(const Value& what, const Measurement& q, const std::string& path, std::vector<Error>& errors) {
    const std::string unit = measurement_unit(q);
    const auto check = [&](const Value& v, const std::string& where) {
        if (v.kind != Value::Kind::text) return;
        const QuantityResult r = parse_quantity(v.text, unit);
        if (r.status == QuantityResult::Status::wrong) errors.push_back(make_error(v, where, r.message, r.allowed, r.nearest));
    };
    check(what, path);
    for (const Member& member : what.members) {
        const bool share = member.key == "within" && member.value.kind == Value::Kind::text && member.value.text.ends_with('%');
        if (!share) check(member.value, join_path(path, member.key));
    }
}

void build_events(const Scene& scene, const Scope& scope, const Model& m, Script& script, std::vector<Error>& future,
                  std::vector<Error>& errors) {
    for (std::size_t k = 0; k < scene.events.size(); ++k) {
        ScriptEvent e;
        const std::string path = join_path("events", int(k));
        if (!parse_event(scene.events[k], scope, path, e.event, errors)) continue;
        for (EventSet& set : e.event.sets) check_set(set, scene, scope, m, path, errors);
        for (const EventRelease& r : e.event.releases)
            check_release(r, *find(scene.events[k], "release"), scene, m, script.handles, path, errors);
        if (!e.event.when.empty()) {
            if (waits_for_future(scene, m, e.event.when)) {
                future.push_back(make_error(text_at(e.event.when, place_of(scene.events[k], "when")), join_path(path, "when"),
                                            "waits for objects that are not built yet"));
                continue;
            }
            if (!build_condition(e.event.when, scope, m, scene.events[k], join_path(path, "when"), e.condition, errors)) continue;
        }
        script.events.push_back(std::move(e));
    }
}

void build_expectations(const Scene& scene, const Scope& scope, const Model& m, Script& script, std::vector<Error>& future,
                        std::vector<Error>& errors) {
    std::vector<Expectation> parsed;
    std::vector<const Value*> source; // of each
    for (std::size_t k = 0; k < scene.expect.size(); ++k) {
        parse_expect(scene.expect[k], scope, scene.time, join_path("expect", int(k)), parsed, errors);
        source.resize(parsed.size(), &scene.expect[k]);
    }
    for (std::size_t k = 0; k < parsed.size(); ++k) {
        Expectation& e = parsed[k];
        MeasurementResult found = find_measurements(m, e.measure);
        if (found.found.empty()) {
            if (measures_future(scene, m, e.measure)) {
                future.push_back(make_error(text_at(e.measure, e.place), e.path, "this measurement is not built yet"));
                continue;
            }
            errors.push_back(make_error(text_at(e.measure, e.place), e.path, found.problem, found.allowed, found.nearest));
            continue;
        }
        if (const Value* what = find(*source[k], e.measure)) check_units(*what, found.found[0], e.path, errors);
        script.expectations.push_back({std::move(e), std::move(found.found), 0});
    }
}

} // namespace

void build_script(const Scene& scene, const Scope& scope, const Model& m, State& state, Script& script,
                  std::vector<Error>& future, std::vector<Error>& errors) {
    script.time = scene.time;
    script.vars = scene.vars;
    check_motions(scene, m, errors);
    for (std::size_t k = 0; k < scene.objects.size(); ++k) add_mover(scene, scope, m, int(k), script, errors);
    // held bodies start where their motion is at time 0
    for (std::size_t k = 0; k < script.movers.size(); ++k) {
        const Range frames = m.objects[script.movers[k].object].frames;
        if (frames.count() == 0) continue;
        const Pose pose = mover_pose(script, int(k), 0);
        state.frame.p[frames.begin] = pose.position;
        state.frame.q[frames.begin] = pose.rotation;
    }
    for (const auto& a : script.animations) {
        const Range range = m.objects[a->object].animated;
        std::vector<Real3> x;
        if (const Errors e = sample_animation(*a, 0, x); !e.empty()) errors.insert(errors.end(), e.begin(), e.end());
        else place_animation(script, *a, 0, x, std::span(state.animated.x).subspan(range.begin, range.count()));
    }
    build_events(scene, scope, m, script, future, errors);
    build_expectations(scene, scope, m, script, future, errors);
}

} // namespace sinew
