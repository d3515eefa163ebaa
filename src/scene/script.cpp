#include "scene/script.h"
#include "constraint/joint_object.h"
#include "core/error.h"
#include "model/edit.h"
#include "model/field.h"
#include "model/visit.h"
#include "scene/animation.h"
#include "scene/direct_set.h"
#include "scene/measured_set.h"
#include "scene/placement.h"
#include "scene/scope.h"
#include "scene/spawn.h"
#include "solver/rest.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace sinew {

Pose mover_pose(const Script& script, int index, double t, std::span<const double> gauges) {
    const Mover& m = script.movers[index];
    const Pose own = m.has_motion ? evaluate_motion(m.motion, t, gauges) : m.rest;
    if (m.parent < 0) return own;
    // carried: what the parent did to its rest pose happens to the child too
    const Pose carried = compose(mover_pose(script, m.parent, t, gauges), invert(script.movers[m.parent].rest));
    return compose(carried, own);
}

void place_animation(const Script& script, const AnimationTrack& a, double t, std::span<const double> gauges, std::span<const Real3> local,
                     std::span<Real3> out) {
    Pose pose = a.rest;
    for (int k = 0; k < int(script.movers.size()); ++k)
        if (script.movers[k].object == a.object) pose = mover_pose(script, k, t, gauges);
    const Quat q = quat(pose.rotation);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = real3(vec(pose.position) + q * vec(local[i]));
}

static Errors fill_animated(const Script& script, const Model& m, const State& now, double t, Input& input) {
    input.animated.assign(now.animated.x.begin(), now.animated.x.end());
    for (const auto& a : script.animations) {
        if (a->object >= int(m.objects.size()) || !m.objects[a->object].alive) continue;
        const Range range = m.objects[a->object].animated;
        if (Errors e = sample_animation(*a, t, a->local); !e.empty()) return e;
        place_animation(script, *a, t, input.gauges, a->local, std::span(input.animated).subspan(range.begin, range.count()));
    }
    return {};
}

// What turns an edge from direction t turns the frame on it too: the angle about the edge beyond the smallest rotation that carries it,
// which is what reference frames of rods follow (energy/rod_bend_twist.h).
static double twist_of(const Quat& turn, const Vec3& t) {
    const Quat rest = rotation_between(t, turn * t).conjugate() * turn;
    return std::remainder(2 * std::atan2(rest.vec().dot(t), rest.w()), 2 * kPi);
}
static void fill_angles(const Handle& h, const Mover& mover, const Pose& before, const Pose& after, const Model& m, const State& now, double dt,
                        Input& input) {
    const Quat turn = quat(after.rotation) * quat(now.step == 0 ? mover.rest.rotation : before.rotation).conjugate();
    const Vec3 edge = vec(now.point.x[h.points[1]]) - vec(now.point.x[h.points[0]]);
    for (int s : h.scalars)
        if (m.scalar.flags[s] & kFixed) input.scalars.push_back({s, now.scalar.s[s] + dt * h.rate + twist_of(turn, edge.normalized())});
}

Errors fill_input(const Script& script, const Model& m, const State& now, double dt, Input& input) {
    input.targets.clear();
    input.points.clear();
    input.scalars.clear();
    const double t = now.time + dt;
    read_gauges(script.gauges, m, now, input.gauges);
    const std::vector<double>* memory = script.gauges.empty() ? nullptr : find_memory(now, kGaugeMemory);
    const std::span<const double> before = memory ? std::span<const double>(*memory) : std::span<const double>(input.gauges);
    for (int k = 0; k < int(script.movers.size()); ++k) {
        const int object = script.movers[k].object;
        if (m.objects[object].alive && m.objects[object].frames.count()) input.targets.push_back({{object, m.objects[object].generation}, mover_pose(script, k, t, input.gauges)});
    }
    for (const Handle& h : script.handles) {
        if (!m.objects[h.object].alive) continue;
        int mover = -1;
        for (int k = 0; k < int(script.movers.size()); ++k)
            if (script.movers[k].object == (h.follows >= 0 ? h.follows : h.object)) mover = k;
        if (mover < 0) continue;
        const Pose pose = mover_pose(script, mover, t, input.gauges);
        for (std::size_t i = 0; i < h.points.size(); ++i)
            if (m.point.flags[h.points[i]] & kFixed)
                input.points.push_back({h.points[i], real3(vec(pose.position) + quat(pose.rotation) * vec(h.local[i]))});
        if (!h.scalars.empty()) fill_angles(h, script.movers[mover], mover_pose(script, mover, now.time, before), pose, m, now, dt, input);
    }
    fill_motors(script.motors, m, now.time, dt, before, input);
    return fill_animated(script, m, now, t, input);
}

namespace {

// memory per event: times fired (of a repeated one: times that were due), time of the last, whether its condition held when last looked at
enum EventMemory { kFired, kLast, kHeld, kEventMemory };

void set_field(Model& m, const std::string& name, const std::string& parameter, const Value& value) {
    auto fields = std::make_shared<FieldSet>(*m.fields);
    for (VelocityField& f : fields->velocity) {
        if (f.name != name) continue;
        if (parameter == "scale") f.scale = make_signal(value.number);
        if (parameter == "velocity")
            for (int k = 0; k < 3; ++k) f.base[k] = make_expression(value.items[k].number);
    }
    m.fields = std::move(fields);
    ++m.values_revision;
}

// Births so far stay what they were: the clock of the emitter restarts now, and the state remembers when that was and
// how many were born by then.
enum ClockMemory { kClockChanged, kClockFrom, kClockBase, kClockRate, kClockMemory };
void set_rate(Emitter& e, int index, double rate, const Model& m, State& s) {
    const std::vector<double>* count = find_memory(s, fmt::format("emitter.{}", index));
    e.from = std::max(e.from, s.time);
    e.initial_count = count ? (*count)[0] : 0;
    e.rate = rate;
    double* clock = memory_array(s, "script.emitters", kClockMemory * m.emitters.size()).data() + kClockMemory * index;
    clock[kClockChanged] = 1;
    clock[kClockFrom] = e.from;
    clock[kClockBase] = e.initial_count;
    clock[kClockRate] = rate;
}

// after a restart: the clocks as the state remembers them
void restore_rates(Model& m, const State& s) {
    const std::vector<double>* clocks = find_memory(s, "script.emitters");
    if (!clocks || clocks->size() != kClockMemory * m.emitters.size()) return;
    for (std::size_t k = 0; k < m.emitters.size(); ++k) {
        const double* clock = clocks->data() + kClockMemory * k;
        if (clock[kClockChanged] == 0) continue;
        m.emitters[k].from = clock[kClockFrom];
        m.emitters[k].initial_count = clock[kClockBase];
        m.emitters[k].rate = clock[kClockRate];
    }
}

void set_motors(Model& m, State& s, const EventSet& set, bool again) {
    const bool is_switch = set.parameter == "motor";
    for (std::size_t k = 0; k < m.objects.size(); ++k)
        if (m.objects[k].alive && match_name(set.target, m.objects[k].name)) {
            set_motor(m, int(k), is_switch ? std::string_view("on") : std::string_view(set.parameter).substr(6),
                      is_switch ? Real(set.value.text == "on") : set.value.number);
            if (!again) wake_joined(m, int(k), s);
        }
}

// Where events spawn or remove, what all events and broken joints did, in its order: what is set reaches those that are there. A
// restart does the same to the model. Three numbers each.
enum EditMemory { kWhat, kWhich, kStep, kEditMemory };
constexpr double kEventEdit = 0, kBrokenEdit = 1;
void note_script_edit(double what, std::size_t which, State& s) {
    const std::vector<double>* known = find_memory(s, kScriptEdits);
    const std::size_t size = known ? known->size() : 0;
    double* to = memory_array(s, kScriptEdits, size + kEditMemory).data() + size;
    to[kWhat] = what, to[kWhich] = double(which), to[kStep] = double(s.step);
}

bool changes_objects(const ScriptEvent& e) { return e.spawned || !e.event.removes.empty(); }

// Among the same objects the last of several times that an event sets its numbers is enough: a lamp that blinks does not grow the state.
void note_script_event(const Script& script, std::size_t which, State& s) {
    const auto only_sets = [&](const double* e) { return e[kWhat] == kEventEdit && e[kWhich] < double(script.events.size()) && !changes_objects(script.events[std::size_t(e[kWhich])]); };
    std::vector<double>& edits = memory_array(s, kScriptEdits, find_memory(s, kScriptEdits) ? find_memory(s, kScriptEdits)->size() : 0);
    for (std::size_t at = edits.size(); !changes_objects(script.events[which]) && at >= kEditMemory && only_sets(&edits[at - kEditMemory]);) {
        at -= kEditMemory;
        if (std::size_t(edits[at + kWhich]) != which) continue;
        edits.erase(edits.begin() + std::ptrdiff_t(at), edits.begin() + std::ptrdiff_t(at + kEditMemory));
        break;
    }
    note_script_edit(kEventEdit, which, s);
}

// the clock of an emitter goes with it, those of the others keep their order
void remove_with_clock(Model& m, State& s, int object) {
    for (int k = int(m.emitters.size()); k-- > 0;) {
        if (m.emitters[k].object != object) continue;
        const std::vector<double>* clocks = find_memory(s, "script.emitters");
        if (!clocks || clocks->size() != kClockMemory * m.emitters.size()) continue;
        std::vector<double>& own = memory_array(s, "script.emitters", clocks->size());
        own.erase(own.begin() + kClockMemory * k, own.begin() + kClockMemory * (k + 1));
    }
    wake_neighbours(m, object, s);
    remove_object(m, s, {object, m.objects[object].generation});
}

// those of an event; sentences where something cannot be
void apply_edits(const ScriptEvent& e, Model& m, State& s, std::vector<std::string>& happened) {
    for (const std::string& pattern : e.event.removes)
        for (int k = 0; k < int(m.objects.size()); ++k)
            if (m.objects[k].alive && match_name(pattern, m.objects[k].name)) remove_with_clock(m, s, k);
    if (!e.spawned) return;
    const auto ids = put_spawned(*e.spawned, {}, true, m, s);
    for (const Error& error : ids.errors) happened.push_back(to_string(error));
}

// Joints that bear too much go; the state remembers which, so that a restart removes them again.
constexpr const char* kBroken = "joint.broken";
void break_joints(const Script& script, Model& m, State& s, std::vector<std::string>& happened) {
    for (const BrokenJoint& j : find_broken_joints(m, s)) {
        if (m.objects[j.object].by_program) {} // its joints are not the script's to remove again
        else if (has_edits(script)) note_script_edit(kBrokenEdit, j.object, s); // slots may be used again: the order counts
        else memory_array(s, kBroken, m.objects.size())[j.object] = 1;
        happened.push_back(fmt::format("t = {:.4f} s: joint '{}' breaks at {:.4g} N, {:.4g} N m", s.time, m.objects[j.object].name,
                                       j.force, j.torque));
        wake_neighbours(m, j.object, s);
        remove_object(m, s, {j.object, m.objects[j.object].generation});
    }
}
// pins of an attachment of the scene
void release_pins(Model& m, State& s, int group) {
    remove_elements(m, s, [&](const Table& t, int e) { return attachment_of(t, e) == group; });
}
constexpr const char* kBrokenPins = "attach.broken";
void break_attachments(const Script& script, Model& m, State& s, std::vector<std::string>& happened) {
    for (const auto& [group, force] : find_broken_attachments(m, s)) {
        memory_array(s, kBrokenPins, script.handles.size() + 1)[group] = 1;
        for (const Handle& h : script.handles)
            if (h.pins == group) happened.push_back(fmt::format("t = {:.4f} s: attachment '{}' breaks at {:.4g} N", s.time, h.released_by, force));
        release_pins(m, s, group);
    }
}

void break_again(Model& m, const State& s, State& at) {
    if (const std::vector<double>* pins = find_memory(s, kBrokenPins))
        for (std::size_t k = 0; k < pins->size(); ++k)
            if ((*pins)[k] != 0) release_pins(m, at, int(k));
    const std::vector<double>* broken = find_memory(s, kBroken);
    for (std::size_t k = 0; broken && k < std::min(broken->size(), m.objects.size()); ++k)
        if ((*broken)[k] != 0 && m.objects[k].alive) remove_object(m, at, {int(k), m.objects[k].generation});
}

// what comes from now on is made of the materials and in the fields as they are set
void renew_spawned(const EventSet& set, Script& script, const Model& m) {
    if (!set.target.starts_with("fields.") && set.target != "materials") return;
    for (ScriptEvent& e : script.events) {
        if (!e.spawned) continue;
        Result<Spawned> made = compile_spawn_event(e.event.spawn, e.event.path, *script.live.document, *m.fields->spawning, m.gravity);
        if (made) e.spawned = std::make_shared<const Spawned>(std::move(*made.value));
    }
}

// what happened, where it could not: a file that the scene needs is gone
void set_live(Script& script, Model& m, const EventSet& set, std::vector<std::string>& happened) {
    const std::string key = set.parameter.empty() ? set.target : set.target + "." + set.parameter;
    const std::vector<Error> errors = change_live(script.live, key, set.value, &m);
    for (const Error& e : errors) happened.push_back(to_string(e));
    if (errors.empty()) renew_spawned(set, script, m);
}

// of what was spawned, of what the scene began with, or of both
void set_number_or_live(Script& script, Model& m, State& s, const EventSet& set, bool again, std::vector<std::string>& happened) {
    const bool spawned = is_touch_number(set.parameter) && !names_section(set.target);
    if (spawned && set.value.kind == Value::Kind::number) set_touch_number(set.target, set.parameter, set.value.number, m);
    if (!spawned || names_scene(set.target, m)) set_live(script, m, set, happened);
    if (!again) wake_all(s);
}

// again: the event happened in an earlier part of the run, the state has its traces
void apply_sets(Script& script, Model& m, State& s, const std::vector<EventSet>& sets, bool again, std::vector<std::string>& happened) {
    for (const EventSet& set : sets)
        if (!is_direct_set(set, m)) set_number_or_live(script, m, s, set, again, happened);
        else if (set.target.starts_with("fields.")) set_field(m, set.target.substr(7), set.parameter, set.value);
        else if (set.parameter.starts_with("motor")) set_motors(m, s, set, again);
        else if (!again)
            for (Emitter& emitter : m.emitters)
                if (match_name(set.target, m.objects[emitter.object].name) && set.parameter == "rate")
                    set_rate(emitter, int(&emitter - m.emitters.data()), set.value.number, m, s);
}

// measured: the state that has or gets the numbers that its sets measure
void apply_event(Script& script, Model& m, State& s, State& measured, std::size_t event, bool again, std::vector<std::string>& happened) {
    const Event& e = script.events[event].event;
    if (script.events[event].measured.empty()) apply_sets(script, m, s, e.sets, again, happened);
    else apply_sets(script, m, s, fill_sets(script, event, m, measured, again, happened), again, happened);
    for (const EventRelease& r : e.releases)
        for (const Handle& h : script.handles) {
            if (!m.objects[h.object].alive || !match_name(r.target, m.objects[h.object].name)) continue;
            if (!r.group.empty() && h.released_by != m.objects[h.object].name + "." + r.group) continue;
            if (h.pins) release_pins(m, s, h.pins);
            for (int point : h.points) m.point.flags[point] &= std::uint8_t(~kFixed);
            for (int scalar : h.scalars) m.scalar.flags[scalar] &= std::uint8_t(~kFixed);
            ++m.topology_revision; // the set of unknowns changes
        }
}

// times at which an event was due up to t, counted from the first; whole, and more than an int holds where `every` is tiny
double due_count(const Event& e, double t) {
    constexpr double kShortest = 1e-12; // [s] no step is shorter (scene/time.cpp), so that the count stays finite
    if (t < e.at) return 0;
    if (e.every <= 0) return 1;
    return std::floor((t - e.at) / std::max(e.every, kShortest) * (1 + 1e-12)) + 1;
}

// Whether an event happens at t; the times that were due since it last did count as one, so that none is made up for after `until`.
bool happens(const Event& e, double t, double& counted) {
    if (t > e.until * (1 + 1e-12)) return false;
    const double due = due_count(e, t);
    if (due <= counted) return false;
    counted = due;
    return true;
}

} // namespace

bool has_edits(const Script& script) {
    return std::any_of(script.events.begin(), script.events.end(), changes_objects);
}

// As large as the model wants it; what is in it has no part in edits of the model. What happens again has left its traces in the
// state that is continued: that stays as it is.
static State blank_state(const Model& m) {
    State at;
    at.point.x.resize(point_count(m)), at.point.v.resize(point_count(m));
    at.frame.p.resize(frame_count(m)), at.frame.q.resize(frame_count(m)), at.frame.v.resize(frame_count(m)), at.frame.w.resize(frame_count(m));
    at.scalar.s.resize(scalar_count(m)), at.scalar.ds.resize(scalar_count(m));
    at.animated.x.resize(animated_count(m)), at.animated.v.resize(animated_count(m));
    return at;
}

// `set`: what an event sets and releases, which does not change what there is
static void replay_in_order(const Script& script, Model& m, const State& s, const std::function<void(std::size_t event, State&)>& set) {
    const std::vector<double>* edits = find_memory(s, kScriptEdits);
    if (!edits || edits->size() % kEditMemory != 0) return;
    State at = blank_state(m);
    std::vector<std::string> ignored; // said when it happened
    for (const double* e = edits->data(); e != edits->data() + edits->size(); e += kEditMemory) {
        const std::size_t which = std::size_t(e[kWhich]);
        at.step = std::int64_t(e[kStep]);
        if (e[kWhat] == kEventEdit && which < script.events.size()) {
            if (set) set(which, at);
            apply_edits(script.events[which], m, at, ignored);
        }
        if (e[kWhat] == kBrokenEdit && which < m.objects.size()) remove_object(m, at, {int(which), m.objects[which].generation});
    }
}

void replay_edits(const Script& script, Model& m, const State& s) { replay_in_order(script, m, s, {}); }

void register_events(const Script& script, const Model& m, State& s) {
    if (script.events.empty()) return;
    memory_array(s, "script.events", kEventMemory * script.events.size());
    if (has_edits(script)) memory_array(s, kScriptEdits, 0);
    register_sets(script, s);
    for (const ScriptEvent& e : script.events)
        for (const EventSet& set : e.event.sets)
            if (set.parameter == "rate") memory_array(s, "script.emitters", kClockMemory * m.emitters.size());
}

std::vector<Error> set_by_script(Script& script, Model& m, State& s, std::string_view key, const Value& value) {
    Event event;
    std::vector<Error> errors;
    if (!parse_sets(make_object({{std::string(key), value, value.place}}), "set", event, errors)) return errors;
    EventSet& set = event.sets[0];
    const bool direct = is_direct_set(set, m), of_scene = names_section(set.target) || names_scene(set.target, m);
    const bool spawned = !direct && names_spawned(set.target, m) && (!of_scene || is_touch_number(set.parameter));
    if (direct) check_direct_set(set, m, {}, make_scope(script.vars), std::string(key), errors);
    if (spawned) check_touch_number(set, make_scope(script.vars), std::string(key), errors);
    if (!direct && errors.empty() && (!spawned || of_scene)) errors = change_live(script.live, key, value, &m);
    if (!errors.empty()) return errors;
    if (!direct) wake_all(s);
    std::vector<std::string> ignored;
    if (direct) apply_sets(script, m, s, event.sets, false, ignored);
    else renew_spawned(set, script, m);
    if (spawned) set_touch_number(set.target, set.parameter, set.value.number, m);
    return errors;
}

std::vector<std::string> run_events(Script& script, Model& m, State& s, const Report& r, double frame) {
    std::vector<std::string> happened;
    break_joints(script, m, s, happened);
    break_attachments(script, m, s, happened);
    for (std::size_t k = 0; k < script.events.size(); ++k) {
        const ScriptEvent& e = script.events[k];
        double* memory = memory_array(s, "script.events", kEventMemory * script.events.size()).data() + kEventMemory * k;
        bool fire = false;
        if (e.event.when.empty()) {
            fire = happens(e.event, s.time * (1 + 1e-14), memory[kFired]);
        } else {
            const bool holds = evaluate(e.condition, m, s, r, frame);
            fire = holds && memory[kHeld] == 0 && !(e.event.once && memory[kFired] > 0);
            memory[kHeld] = holds;
            memory[kFired] += fire;
        }
        if (!fire) continue;
        memory[kLast] = s.time;
        happened.push_back(fmt::format("t = {:.4f} s: {}", s.time, e.event.path));
        apply_event(script, m, s, s, k, false, happened);
        if (has_edits(script)) note_script_event(script, k, s);
        apply_edits(e, m, s, happened);
    }
    return happened;
}

// without spawns and removals: each event once, by the time it happened last
static void repeat_last(const Script& script, const State& s, const std::function<void(std::size_t event)>& repeat) {
    const std::vector<double>* memory = find_memory(s, "script.events");
    if (!memory || memory->size() != kEventMemory * script.events.size()) return;
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < script.events.size(); ++k)
        if ((*memory)[kEventMemory * k + kFired] > 0) order.push_back({(*memory)[kEventMemory * k + kLast], k});
    std::sort(order.begin(), order.end());
    for (const auto& [time, k] : order) repeat(k);
}

void apply_past_events(Script& script, Model& m, State& s) {
    std::vector<std::string> ignored; // said when it happened
    const auto repeat = [&](std::size_t k, State& at) { apply_event(script, m, at, s, k, true, ignored); };
    if (has_edits(script)) replay_in_order(script, m, s, repeat);
    State at = blank_state(m);
    break_again(m, s, at);
    if (!has_edits(script)) repeat_last(script, s, [&](std::size_t k) { repeat(k, at); });
    restore_rates(m, s);
}

// Where nothing is alive there is nothing to measure (nan); the sentence says why.
static std::string check_measurement(const Expectation& e, const Measurement& q, const Model& m, const State& s, const Report& r,
                                     double frame) {
    if (q.object >= 0 && !m.objects[q.object].alive) return fmt::format("cannot be measured: '{}' was removed", m.objects[q.object].name);
    const double measured = evaluate(q, m, s, r);
    if (std::isnan(measured) && q.object >= 0)
        return fmt::format("cannot be measured: '{}' has no living points", m.objects[q.object].name);
    return check_expectation(e, measured, s.time, frame);
}

static bool is_due(const Expectation& e, double t, double dt, bool frame_end, bool last) {
    const double slack = moment_slack(dt);
    switch (e.when) {
    case Expectation::When::end: return last;
    case Expectation::When::at: return std::abs(t - e.at) <= slack;
    case Expectation::When::frames: return frame_end && t >= e.after - slack && t <= e.before + slack;
    case Expectation::When::steps: return t >= e.after - slack && t <= e.before + slack;
    }
    return false;
}

std::vector<std::string> check_expectations(Script& script, const Model& m, const State& s, const Report& r, double frame,
                                            bool frame_end, bool last) {
    std::vector<std::string> failures;
    for (ScriptExpectation& e : script.expectations) {
        if (!is_due(e.expectation, s.time, r.dt, frame_end, last)) continue;
        ++e.looked;
        for (const Measurement& q : e.measurements) {
            const std::string problem = check_measurement(e.expectation, q, m, s, r, frame);
            if (!problem.empty())
                failures.push_back(fmt::format("{} at t = {:.6g} s: {} {}", e.expectation.path, s.time, q.name, problem));
        }
    }
    return failures;
}

std::vector<std::string> unmet_expectations(const Script& script) {
    std::vector<std::string> out;
    for (const ScriptExpectation& e : script.expectations)
        if (e.looked == 0)
            out.push_back(fmt::format("{}: was never looked at: no step ends at its time", e.expectation.path));
    return out;
}

} // namespace sinew
