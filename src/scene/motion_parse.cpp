#include "core/error.h"
#include "core/fields.h"
#include "core/nearest.h"
#include "scene/motion.h"
#include "scene/placement.h"
#include <cmath>

namespace sinew {
namespace {

const Field kFrom{.unit = "s", .doc = "when it begins"};
const Field kTo{.unit = "s", .doc = "when it ends"};
const Field kEase{.min = 0, .unit = "s", .doc = "how long it takes to start and to stop"};

bool check_ramp(const Value& v, std::string_view path, const MotionRamp& r, std::vector<Error>& errors) {
    if (r.to - r.from >= 2 * r.ease && r.to > r.from) return true;
    errors.push_back(make_error(v, path,
                                r.to > r.from ? "starting and stopping take longer than the whole motion"
                                              : "it ends before it begins",
                                "to >= from + 2*ease"));
    return false;
}

bool parse_spin(const Value& v, const Scope& scope, std::string_view path, MotionSpin& s,
                std::vector<Error>& errors) {
    Value axis;
    s.ramp.to = INFINITY;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("axis", axis, Field{.required = true});
        f("rate", s.rate, Field{.unit = "rad/s", .required = true});
        f("from", s.ramp.from, kFrom);
        f("to", s.ramp.to, kTo);
        f("ease", s.ramp.ease, kEase);
        f("center", s.center, Field{.unit = "m"});
    });
    if (!read_fields(list, v, scope, path, errors)) return false;
    s.has_center = find_field(list, "center")->given;
    return read_direction(axis, scope, join_path(path, "axis"), s.axis, errors) &&
           check_ramp(v, path, s.ramp, errors);
}

bool parse_slide(const Value& v, const Scope& scope, std::string_view path, MotionSlide& s,
                 std::vector<Error>& errors) {
    s.ramp.to = INFINITY;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("velocity", s.velocity, Field{.unit = "m/s", .required = true});
        f("from", s.ramp.from, kFrom);
        f("to", s.ramp.to, kTo);
        f("ease", s.ramp.ease, kEase);
    });
    return read_fields(list, v, scope, path, errors) && check_ramp(v, path, s.ramp, errors);
}

bool parse_turn(const Value& v, const Scope& scope, std::string_view path, Motion& m,
                std::vector<Error>& errors) {
    Value axis;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("axis", axis, Field{.required = true});
        f("angle", m.rotate_angle, Field{.unit = "rad", .required = true});
    });
    return read_fields(list, v, scope, path, errors) &&
           read_direction(axis, scope, join_path(path, "axis"), m.rotate_axis, errors);
}

bool parse_key(const Value& v, const Scope& scope, const SceneTime& time, std::string_view path, Motion& m,
               double& last, std::vector<Error>& errors) {
    double t = 0, frame = 0;
    Value at, rotate;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("t", t, Field{.unit = "s"});
        f("frame", frame, Field{});
        f("at", at, Field{});
        f("rotate", rotate, Field{});
    });
    if (!read_fields(list, v, scope, path, errors)) return false;
    const bool has_t = list.fields[0].given, has_frame = list.fields[1].given, has_at = list.fields[2].given,
               has_rotate = list.fields[3].given;
    if (has_t == has_frame || (!has_at && !has_rotate)) {
        errors.push_back(
            make_error(v, path, "a key needs a time and what to do then", "t or frame; at, rotate or both"));
        return false;
    }
    if (has_frame) t = (frame - time.first_frame) / time.fps;
    if (!(t > last)) {
        errors.push_back(make_error(v, path, "the times of keys must increase"));
        return false;
    }
    last = t;
    bool ok = true;
    if (has_at) {
        m.at_times.push_back(t);
        ok &= read_real3(at, "m", scope, join_path(path, "at"), m.at_keys.emplace_back(), errors);
    }
    if (has_rotate) {
        m.rotate_times.push_back(t);
        ok &= read_rotation(rotate, scope, join_path(path, "rotate"), m.rotate_keys.emplace_back(), errors);
    }
    return ok;
}

bool parse_keys(const Value& v, const Scope& scope, const SceneTime& time, std::string_view path, Motion& m,
                std::vector<Error>& errors) {
    if (!check_array(v, -1, path, "keys", errors)) return false;
    if (v.items.empty()) {
        errors.push_back(make_error(v, path, "no keys", "[ { \"t\": 0, \"at\": [0, 0, 0] }, ... ]"));
        return false;
    }
    bool ok = true;
    double last = -INFINITY;
    for (std::size_t i = 0; i < v.items.size(); ++i)
        ok &= parse_key(v.items[i], scope, time, join_path(path, int(i)), m, last, errors);
    return ok;
}

} // namespace

bool parse_motion(const Value& v, const Scope& scope, const SceneTime& time, const Pose& container,
                  const Pose& rest, std::string_view path, Motion& out, std::vector<Error>& errors) {
    out = {};
    out.container = container;
    out.rest = rest;
    out.fps = time.fps;
    out.first_frame = time.first_frame;
    if (v.kind == Value::Kind::text) {
        if (v.text == "static" || v.text == "free") return true; // no motion to read: held, or left to forces
        errors.push_back(make_error(v, path, "unknown word",
                                    "\"static\", \"free\" or { spin, slide, at, move, rotate, keys }",
                                    find_nearest(v.text, std::vector<std::string>{"static", "free"})));
        return false;
    }
    Value spin, slide, turn, keys;
    std::string between = "smooth";
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("at", out.at, Field{.unit = "m"});
        f("move", out.move, Field{.unit = "m"});
        f("rotate", turn, Field{});
        f("spin", spin, Field{});
        f("slide", slide, Field{});
        f("keys", keys, Field{});
        f("between", between, Field{.allowed = {"smooth", "linear", "ease", "hold"}});
        f("repeat", out.repeat, Field{});
    });
    if (!read_fields(list, v, scope, path, errors)) return false;
    const auto given = [&](std::string_view name) { return find_field(list, name)->given; };
    out.moves = true;
    out.has_at = given("at");
    out.has_move = given("move");
    out.has_rotate = given("rotate");
    out.has_spin = given("spin");
    out.has_slide = given("slide");
    out.between = between == "linear" ? MotionBetween::linear
                  : between == "ease" ? MotionBetween::ease
                  : between == "hold" ? MotionBetween::hold
                                      : MotionBetween::smooth;
    bool ok = true;
    if (out.has_rotate) ok &= parse_turn(turn, scope, join_path(path, "rotate"), out, errors);
    if (out.has_spin) ok &= parse_spin(spin, scope, join_path(path, "spin"), out.spin, errors);
    if (out.has_slide) ok &= parse_slide(slide, scope, join_path(path, "slide"), out.slide, errors);
    if (given("keys")) ok &= parse_keys(keys, scope, time, join_path(path, "keys"), out, errors);
    const bool twice_at = out.has_at && !out.at_keys.empty(),
               twice_rotate = out.has_rotate && !out.rotate_keys.empty();
    if (twice_at || twice_rotate) {
        errors.push_back(make_error(
            v, path, std::string(twice_at ? "at" : "rotate") + " is given both by expressions and by keys"));
        ok = false;
    }
    return ok;
}

} // namespace sinew
