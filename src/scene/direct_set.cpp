#include "scene/direct_set.h"
#include "constraint/joint_object.h"
#include "core/error.h"
#include "core/nearest.h"
#include "model/field.h"
#include "scene/names.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

bool is_motor_set(const EventSet& set) { return set.parameter == "motor" || set.parameter.starts_with("motor."); }

bool take_number(Value& v, std::string_view unit, const Scope& scope, const std::string& where, std::vector<Error>& errors) {
    double number = 0;
    if (!read_number(v, unit, scope, where, number, errors)) return false;
    const Place place = v.place;
    v = make_number(number);
    v.place = place;
    return true;
}

// Numbers that pairs of objects make their own of when they touch (model/contacts.cpp).
struct TouchNumber {
    std::string_view name, unit;
    double max;
    double Object::*member;
};
constexpr TouchNumber kTouchNumbers[] = {{"friction", "", INFINITY, &Object::friction},
                                         {"restitution", "", 1, &Object::restitution},
                                         {"rolling_friction", "m", INFINITY, &Object::rolling_friction},
                                         {"torsional_friction", "m", INFINITY, &Object::torsional_friction}};
const TouchNumber* find_touch_number(std::string_view name) {
    const auto* at = std::find_if(std::begin(kTouchNumbers), std::end(kTouchNumbers), [&](const TouchNumber& t) { return t.name == name; });
    return at == std::end(kTouchNumbers) ? nullptr : at;
}

bool can_touch(const Object& o) { return o.points.count() > 0 || (o.frames.count() > 0 && o.kind != kWorld); }
bool is_spawned(std::string_view pattern, const Object& o) { return o.spawned && o.alive && can_touch(o) && match_name(pattern, o.name); }

// What comes by an event is called by its name, or that and a number: ball, ball/2, ...
bool match_coming(std::string_view pattern, const std::string& name) {
    if (match_name(pattern, name) || match_name(pattern, name + "/2")) return true;
    const std::size_t slash = pattern.rfind('/');
    return slash != std::string_view::npos && pattern.find_first_not_of("0123456789", slash + 1) == std::string_view::npos &&
           match_name(pattern.substr(0, slash), name);
}

// "elbow.motor": "on" or "off"; "elbow.motor.speed": a number
void check_motor(EventSet& set, const Model& m, const ComingModels& coming, const Scope& scope, const std::string& where, std::vector<Error>& errors) {
    bool found = false;
    for (std::size_t k = 0; k < m.objects.size(); ++k) found = found || (match_name(set.target, m.objects[k].name) && has_motor(m, int(k)));
    for (const Model* c : coming)
        for (std::size_t k = 0; k < c->objects.size(); ++k) found = found || (match_coming(set.target, c->objects[k].name) && has_motor(*c, int(k)));
    if (!found) {
        errors.push_back(make_error(set.value, where, "no joint of this name has a motor"));
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

} // namespace

bool is_direct_set(const EventSet& set, const Model& m) {
    if (is_motor_set(set)) return true;
    const auto is_flow = [&](const VelocityField& f) { return "fields." + f.name == set.target; };
    if (set.target.starts_with("fields.")) return std::any_of(m.fields->velocity.begin(), m.fields->velocity.end(), is_flow);
    const auto is_emitter = [&](const Emitter& e) { return match_name(set.target, m.objects[e.object].name); };
    return set.parameter == "rate" && std::any_of(m.emitters.begin(), m.emitters.end(), is_emitter);
}

void check_direct_set(EventSet& set, const Model& m, const ComingModels& coming, const Scope& scope, const std::string& where,
                      std::vector<Error>& errors) {
    if (is_motor_set(set)) return check_motor(set, m, coming, scope, where, errors);
    if (!set.target.starts_with("fields.")) { // the rate of an emitter
        const Value written = set.value;
        if (take_number(set.value, "1/s", scope, where, errors) && set.value.number < 0)
            errors.push_back(make_error(written, where, "out of range", "at least 0"));
        return;
    }
    if (set.parameter == "scale") take_number(set.value, "", scope, where, errors);
    else if (set.parameter != "velocity")
        errors.push_back(make_error(set.value, where, "not a live parameter of a flow", "scale: a number; velocity: [x, y, z] in m/s",
                                    find_nearest(set.parameter, std::vector<std::string>{"scale", "velocity"})));
    else if (check_array(set.value, 3, where, "components", errors))
        for (int k = 0; k < 3; ++k) take_number(set.value.items[k], "m/s", scope, join_path(where, k), errors);
}

bool is_touch_number(std::string_view parameter) { return find_touch_number(parameter); }

bool names_scene(std::string_view pattern, const Model& m) {
    return std::any_of(m.objects.begin(), m.objects.end(), [&](const Object& o) { return !o.spawned && match_name(pattern, o.name); });
}
bool names_spawned(std::string_view pattern, const Model& m) {
    return std::any_of(m.objects.begin(), m.objects.end(), [&](const Object& o) { return is_spawned(pattern, o); });
}
template <class Is> static bool any_coming(const ComingModels& coming, const Is& is) {
    return std::any_of(coming.begin(), coming.end(), [&](const Model* m) { return std::any_of(m->objects.begin(), m->objects.end(), is); });
}
bool names_coming(std::string_view pattern, const ComingModels& coming) {
    return any_coming(coming, [&](const Object& o) { return match_coming(pattern, o.name); });
}
bool names_touching(std::string_view pattern, const ComingModels& coming) {
    return any_coming(coming, [&](const Object& o) { return can_touch(o) && match_coming(pattern, o.name); });
}

void check_touch_number(EventSet& set, const Scope& scope, const std::string& where, std::vector<Error>& errors) {
    const TouchNumber* t = find_touch_number(set.parameter);
    if (!t) {
        std::vector<std::string> known{"motor"};
        for (const TouchNumber& k : kTouchNumbers) known.emplace_back(k.name);
        errors.push_back(make_error(set.value, where, "not a live parameter of what was spawned",
                                    "friction, restitution, rolling_friction, torsional_friction; motor of joints", find_nearest(set.parameter, known)));
        return;
    }
    const Value written = set.value;
    if (take_number(set.value, t->unit, scope, where, errors) && !(set.value.number >= 0 && set.value.number <= t->max))
        errors.push_back(make_error(written, where, "out of range", t->max < INFINITY ? fmt::format("at least 0, at most {}", t->max) : "at least 0"));
}

bool set_touch_number(std::string_view pattern, std::string_view parameter, double value, Model& m) {
    const TouchNumber* t = find_touch_number(parameter);
    if (!t || !names_spawned(pattern, m)) return false;
    for (Object& o : m.objects)
        if (is_spawned(pattern, o)) o.*t->member = value;
    for (Obstacle& o : m.obstacles)
        if (parameter == "friction" && is_spawned(pattern, m.objects[o.object])) o.friction = value;
    ++m.values_revision, ++m.topology_revision; // as other live parameters (scene/live.cpp)
    return true;
}

} // namespace sinew
