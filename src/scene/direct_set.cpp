#include "scene/direct_set.h"
#include "constraint/joint_object.h"
#include "core/error.h"
#include "core/nearest.h"
#include "model/field.h"
#include <algorithm>

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

// "elbow.motor": "on" or "off"; "elbow.motor.speed": a number
void check_motor(EventSet& set, const Model& m, const Scope& scope, const std::string& where, std::vector<Error>& errors) {
    bool found = false;
    for (std::size_t k = 0; k < m.objects.size(); ++k) found = found || (match_name(set.target, m.objects[k].name) && has_motor(m, int(k)));
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

void check_direct_set(EventSet& set, const Model& m, const Scope& scope, const std::string& where, std::vector<Error>& errors) {
    if (is_motor_set(set)) return check_motor(set, m, scope, where, errors);
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

} // namespace sinew
