#include "scene/script_build.h"
#include "constraint/joint_object.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/units.h"
#include "model/field.h"
#include "model/visit.h"
#include "scene/animation.h"
#include "scene/direct_set.h"
#include "scene/field_kinds.h"
#include "scene/measured_set.h"
#include "scene/names.h"
#include "scene/scope.h"
#include "scene/spawn.h"
#include <algorithm>
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
int add_mover(const Scene& scene, const Scope& scope, GaugeRequests& gauges, const Model& m, int scene_object, Script& script,
              std::vector<Error>& errors) {
    const SceneObject& o = scene.objects[scene_object];
    const Id id = find(m, o.name);
    if (!id || is_free_body(m, m.objects[id.index])) return -1;
    if (const int known = find_mover(script, id.index); known >= 0) return known;
    Mover mover;
    mover.object = id.index;
    mover.rest = o.pose;
    for (std::size_t k = 0; k < scene.objects.size(); ++k)
        if (!o.parent.empty() && scene.objects[k].name == o.parent) mover.parent = add_mover(scene, scope, gauges, m, int(k), script, errors);
    const bool word = o.motion.kind == Value::Kind::text; // "static", "free"
    if (o.motion.kind != Value::Kind::null && !word) {
        Scope own = make_scope(scope, o.vars);
        own.gauge = find_gauge_for(gauges, o.name);
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

// What the parts of a script are checked against.
struct ScriptCheck {
    const Scene& scene;
    const Scope& scope;
    const std::vector<std::string>& wrong; // objects and joints with errors of their own
    const Model& model;
    const State& state; // the first one
    std::vector<Error>&future, &errors;
    ComingModels coming{}; // what events spawn
};

// an object that the name or pattern could mean is not in the model: its kind is not built
bool waits(const ScriptCheck& c, std::string_view pattern) {
    for (const SceneObject& o : c.scene.objects)
        if (match_name(pattern, o.name) && !find(c.model, o.name)) return true;
    return false;
}
// the same, or wrong itself: said elsewhere
bool is_missing(const ScriptCheck& c, std::string_view pattern) { return matches_broken(c.wrong, pattern) || waits(c, pattern); }

// live: the scene as the sets before this one leave it
void check_set(const ScriptCheck& c, EventSet& set, const std::string& where, LiveScene& live, std::vector<Error>& errors) {
    const std::string key = set.parameter.empty() ? set.target : set.target + "." + set.parameter;
    if (is_direct_set(set, c.model)) {
        check_direct_set(set, c.model, c.coming, c.scope, where, errors);
        return;
    }
    const bool of_scene = names_section(set.target) || names_scene(set.target, c.model);
    const bool comes = names_coming(set.target, c.coming);
    if (comes && !of_scene && !names_touching(set.target, c.coming))
        errors.push_back(make_error(set.value, where, "not a live parameter of a joint that comes with an event", "motor"));
    else if (comes && (!of_scene || is_touch_number(set.parameter)))
        check_touch_number(set, c.scope, where, errors);
    if (comes && !of_scene) return;
    for (Error& e : change_live(live, key, set.value, nullptr)) {
        e.path = where;
        errors.push_back(std::move(e));
    }
}

// What is measured has its value when the event happens; a set is good if it would be at the start of the run, or, where that value is out of
// range, with ones in these places.
void build_set(const ScriptCheck& c, int index, const std::string& path, ScriptEvent& e, LiveScene& live) {
    EventSet& set = e.event.sets[std::size_t(index)];
    if (is_missing(c, set.target)) return; // said elsewhere
    const std::string where = join_path(path, "set." + (set.parameter.empty() ? set.target : set.target + "." + set.parameter));
    const std::size_t before = c.errors.size();
    std::vector<MeasuredNumber> measured = find_measured(c.model, c.scope, c.wrong, set, index, where, c.errors);
    if (c.errors.size() > before) return;
    if (measured.empty()) return check_set(c, set, where, live, c.errors);
    const bool of_moment = set.target == "materials" || (set.target.starts_with("fields.") && !is_direct_set(set, c.model));
    if (!c.coming.empty() && of_moment) { // what is spawned keeps the material and the fields of its moment, a restart knows the last number alone
        c.errors.push_back(make_error(set.value, where, "cannot be set by what is measured where events spawn", "a number"));
        return;
    }
    std::vector<Error> first;
    for (const bool at_start : {true, false}) {
        EventSet trial = set;
        for (const MeasuredNumber& q : measured) put_number(trial, q, at_start ? measure_number(q.value, c.model, c.state, Report{}, c.scene.time.first_frame) : 1);
        std::vector<Error> errors;
        check_set(c, trial, where, live, errors);
        if (at_start) first = errors;
        if (!errors.empty()) {
            if (errors[0].message.starts_with("not a live parameter")) break;
            continue;
        }
        set = std::move(trial);
        e.measured.insert(e.measured.end(), measured.begin(), measured.end());
        return;
    }
    c.errors.insert(c.errors.end(), first.begin(), first.end());
}

// something that is held or attached has this name
void check_release(const ScriptCheck& c, const EventRelease& r, const Value& at, const std::vector<Handle>& handles,
                   const std::string& path) {
    const Model& m = c.model;
    std::vector<std::string> known;
    for (const Handle& h : handles) {
        const std::string& name = m.objects[h.object].name;
        if (match_name(r.target, name) && (r.group.empty() || h.released_by == name + "." + r.group)) return;
        if (std::find(known.begin(), known.end(), h.released_by) == known.end()) known.push_back(h.released_by);
    }
    if (is_missing(c, r.target)) return; // said elsewhere
    const std::string name = r.group.empty() ? r.target : r.target + "." + r.group;
    c.errors.push_back(make_error(at, join_path(path, "release"), fmt::format("nothing that is held or attached is called {}", name),
                                known.empty() ? "nothing is held here" : fmt::format("{}", fmt::join(known, ", ")), find_nearest(name, known)));
}

// of a measurement: the object's name or pattern
std::string_view object_part(std::string_view measurement) {
    measurement = without_objects(measurement);
    return measurement.substr(0, measurement.find('.'));
}

bool build_condition(const ScriptCheck& c, const std::string& text, const Value& at, const std::string& path, Condition& out) {
    const Scope& scope = c.scope;
    Scope full = make_scope(scope, {});
    bool missing = false; // something that has an error of its own is measured
    full.symbols.resolve = [&](std::string_view name) -> std::optional<Symbol> {
        if (scope.symbols.resolve)
            if (const auto known = scope.symbols.resolve(name)) return known;
        const MeasurementResult found = find_measurements(c.model, name);
        if (found.found.size() != 1) {
            missing = missing || matches_broken(c.wrong, object_part(name));
            return std::nullopt;
        }
        out.slots.push_back(found.found[0]);
        return Symbol{int(out.slots.size()) + 1, 0};
    };
    // names of the outer scope first, so that vars keep their meaning
    for (const auto& [name, symbol] : scope.symbols.names) full.symbols.names.insert({name, symbol});
    ExpressionResult compiled = compile_expression(text, full.symbols, scope.seed);
    if (compiled.value && out.slots.size() <= kMostConditionSlots) {
        out.expression = std::move(*compiled.value);
        return true;
    }
    if (!missing)
        for (const ExpressionError& e : compiled.errors) c.errors.push_back(make_error(at, path, e.message, e.allowed, e.nearest));
    if (compiled.value) c.errors.push_back(make_error(at, path, fmt::format("uses more than {} measurements", kMostConditionSlots)));
    return false;
}

// true if an object that the text could mean is one that is not built yet
bool waits_for_future(const ScriptCheck& c, std::string_view text) {
    for (const SceneObject& o : c.scene.objects)
        if (!find(c.model, o.name) && text.find(o.name) != std::string_view::npos && !matches_broken(c.wrong, o.name)) return true;
    return false;
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

// what comes with an event; null = nothing, or it has errors
std::shared_ptr<const Spawned> build_spawn(const ScriptCheck& c, const Value& event, const std::string& path) {
    const Value* objects = event.kind == Value::Kind::object ? find(event, "spawn") : nullptr;
    if (!objects || objects->kind != Value::Kind::object || objects->members.empty()) return nullptr; // said by parse_event
    Result<Spawned> spawned = compile_spawn_event(*objects, join_path(path, "spawn"), c.scene.document, *c.model.fields->spawning, c.model.gravity);
    c.errors.insert(c.errors.end(), spawned.errors.begin(), spawned.errors.end());
    return spawned ? std::make_shared<const Spawned>(std::move(*spawned.value)) : nullptr;
}

void build_event(const ScriptCheck& c, const Value& source, const std::string& path, std::shared_ptr<const Spawned> spawned, LiveScene& live, Script& script) {
    ScriptEvent e;
    if (source.kind == Value::Kind::null || !parse_event(source, c.scope, path, e.event, c.errors)) return;
    for (int i = 0; i < int(e.event.sets.size()); ++i) build_set(c, i, path, e, live);
    for (const EventRelease& r : e.event.releases) check_release(c, r, *find(source, "release"), script.handles, path);
    if (e.event.spawn.kind != Value::Kind::null && !spawned) return;
    e.spawned = std::move(spawned);
    if (!e.event.when.empty()) {
        if (waits_for_future(c, e.event.when)) {
            c.future.push_back(make_error(text_at(e.event.when, place_of(source, "when")), join_path(path, "when"),
                                          "waits for objects that are not built yet"));
            return;
        }
        if (!build_condition(c, e.event.when, source, join_path(path, "when"), e.condition)) return;
    }
    script.events.push_back(std::move(e));
}

void build_events(ScriptCheck& c, Script& script) {
    LiveScene live = script.live;
    std::vector<std::shared_ptr<const Spawned>> spawned; // of each: events may set what later ones bring
    for (std::size_t k = 0; k < c.scene.events.size(); ++k) {
        spawned.push_back(build_spawn(c, c.scene.events[k], join_path("events", int(k))));
        if (spawned[k]) c.coming.push_back(&spawned[k]->model);
    }
    for (std::size_t k = 0; k < c.scene.events.size(); ++k)
        build_event(c, c.scene.events[k], join_path("events", int(k)), spawned[k], live, script);
}

void build_expectations(const ScriptCheck& c, Script& script) {
    std::vector<Expectation> parsed;
    std::vector<const Value*> source; // of each
    for (std::size_t k = 0; k < c.scene.expect.size(); ++k) {
        if (c.scene.expect[k].kind != Value::Kind::null)
            parse_expect(c.scene.expect[k], c.scope, c.scene.time, join_path("expect", int(k)), parsed, c.errors);
        source.resize(parsed.size(), &c.scene.expect[k]);
    }
    for (std::size_t k = 0; k < parsed.size(); ++k) {
        Expectation& e = parsed[k];
        MeasurementResult found = find_measurements(c.model, e.measure);
        if (found.found.empty()) {
            const std::string_view object = object_part(e.measure);
            if (matches_broken(c.wrong, object)) continue; // said there
            if (waits(c, object)) {
                c.future.push_back(make_error(text_at(e.measure, e.place), e.path, "this measurement is not built yet"));
                continue;
            }
            c.errors.push_back(make_error(text_at(e.measure, e.place), e.path, found.problem, found.allowed, found.nearest));
            continue;
        }
        if (const Value* what = find(*source[k], e.measure)) check_units(*what, found.found[0], e.path, c.errors);
        script.expectations.push_back({std::move(e), std::move(found.found), 0});
    }
}

} // namespace

void build_script(const Scene& scene, const Scope& scope, GaugeRequests& gauges, const std::vector<std::string>& wrong, const Model& m, State& state,
                  Script& script, std::vector<Error>& future, std::vector<Error>& errors) {
    script.time = scene.time;
    script.vars = scene.vars;
    check_motions(scene, m, errors);
    for (std::size_t k = 0; k < scene.objects.size(); ++k) add_mover(scene, scope, gauges, m, int(k), script, errors);
    script.gauges = resolve_gauges(gauges, m, wrong, errors);
    std::vector<double> readings; // of the scene as it is written
    read_gauges(script.gauges, m, state, readings);
    // held bodies start where their motion is at time 0
    for (std::size_t k = 0; k < script.movers.size(); ++k) {
        const Range frames = m.objects[script.movers[k].object].frames;
        if (frames.count() == 0) continue;
        const Pose pose = mover_pose(script, int(k), 0, readings);
        state.frame.p[frames.begin] = pose.position;
        state.frame.q[frames.begin] = pose.rotation;
    }
    for (const auto& a : script.animations) {
        const Range range = m.objects[a->object].animated;
        std::vector<Real3> x;
        if (const Errors e = sample_animation(*a, 0, x); !e.empty()) errors.insert(errors.end(), e.begin(), e.end());
        else place_animation(script, *a, 0, readings, x, std::span(state.animated.x).subspan(range.begin, range.count()));
    }
    if (!script.gauges.empty()) {
        read_gauges(script.gauges, m, state, readings);
        memory_array(state, kGaugeMemory, readings.size()) = readings;
    }
    ScriptCheck check{scene, scope, wrong, m, state, future, errors};
    build_events(check, script);
    build_expectations(check, script);
}

} // namespace sinew
