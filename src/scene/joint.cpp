#include "scene/joint.h"
#include "constraint/joint_drive.h"
#include "constraint/joint_limit.h"
#include "constraint/list.h"
#include "core/error.h"
#include "core/nearest.h"
#include "scene/joint_params.h"
#include "scene/names.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

// one joint while it is built
struct JointWork {
    const SceneEntry& entry;
    const JointKind& kind;
    std::vector<JointCoordinate> coordinates;
    JointParams params;
    std::array<SpringParams, kMostCoordinates> spring;
    std::array<MotorParams, kMostCoordinates> motor;
    const SceneTime& time;
    const Scope& scope;
    ModelBuilder& builder;
    std::vector<MotorTrack> tracks; // of its motors
    std::vector<Error>& errors;
    std::array<int, 2> frames{-1, -1};
    int object = -1;
    JointAnchor anchor;
};

bool has(const JointWork& w, unsigned feature) { return w.kind.features & feature; }

void add_error(JointWork& w, std::string_view key, std::string message, std::string allowed = {}) {
    const Value* at = find(w.entry.params, std::string(key));
    w.errors.push_back(make_error(at ? *at : w.entry.params, join_path(w.entry.path, key), std::move(message), std::move(allowed)));
}

// the held frame that stands for the world
int world_frame(ModelBuilder& b) {
    if (const Id id = find(b.model, kWorld)) return b.model.objects[id.index].frames.begin;
    begin_object(b, std::string(kWorld), std::string(kWorld));
    return add_frame(b, {}, 0, {}, kFixed);
}

void add_joint_element(JointWork& w, std::string_view row, const void* params) {
    const ElementRow& r = *find_constraint(row);
    add_element(table_of(w.builder.tables.constraints, r), params, w.frames, {}, w.object);
}

// axes whose x is `axis` and whose y is as near to `second` as can be
Quat axes_of(const Vec3& axis, const Vec3& second) {
    const Vec3 x = axis.normalized();
    Vec3 y = second - second.dot(x) * x;
    if (y.norm() < 1e-6 * second.norm() || y.norm() == 0) {
        int least = 0;
        for (int k = 1; k < 3; ++k)
            if (std::abs(x[k]) < std::abs(x[least])) least = k;
        y = Vec3::Unit(least) - x[least] * x;
    }
    y.normalize();
    Mat3 m;
    m << x, y, x.cross(y);
    return Quat(m);
}

bool is_key_given(const JointWork& w, std::string_view key) { return !key.empty() && find(w.entry.params, std::string(key)); }

bool read_groups(JointWork& w) {
    bool ok = true;
    const auto read = [&](const Value& v, std::string_view key, const JointCoordinate& c, auto& group) {
        if (v.kind == Value::Kind::null) return;
        FieldList list = collect_fields([&](auto f) { group.fields(group, c, f); });
        ok &= read_fields(list, v, w.scope, join_path(w.entry.path, key), w.errors);
    };
    for (std::size_t k = 0; k < w.coordinates.size(); ++k) {
        read(w.params.spring[k], w.coordinates[k].spring, w.coordinates[k], w.spring[k]);
        read(w.params.motor[k], w.coordinates[k].motor, w.coordinates[k], w.motor[k]);
    }
    return ok;
}

bool check_ranges(JointWork& w) {
    const std::size_t before = w.errors.size();
    for (std::size_t k = 0; k < w.coordinates.size(); ++k) {
        const JointCoordinate& c = w.coordinates[k];
        const std::array<double, 2>& range = w.params.limits[k];
        if (!is_key_given(w, c.limits)) continue;
        if (!(range[0] <= range[1])) add_error(w, c.limits, "the first limit must not be above the second");
        if (!c.linear && range[1] - range[0] >= 2 * kPi) add_error(w, c.limits, "a range of a whole turn or more is no limit", "less than 360 deg");
    }
    if (has(w, kLength) && is_key_given(w, "length") && (is_key_given(w, "limits") || is_key_given(w, "motor") || is_key_given(w, "friction")))
        add_error(w, "length", "a rod has no limits, motor or friction", "length, length and spring, or any of limits, spring, motor and friction");
    if (has(w, kPlane) && is_key_given(w, "direction") &&
        vec(w.params.axis).cross(vec(w.params.direction)).norm() < 1e-6 * vec(w.params.axis).norm() * vec(w.params.direction).norm())
        add_error(w, "direction", "must not be parallel to the axis, and must have a length");
    if (has(w, kAxis) && vec(w.params.axis).norm() < 1e-9) add_error(w, "axis", "has no length");
    if (has(w, kSecondAxis) && vec(w.params.axis).cross(vec(w.params.second_axis)).norm() < 1e-6 * vec(w.params.axis).norm() * vec(w.params.second_axis).norm())
        add_error(w, "second_axis", "must not be parallel to the axis");
    return w.errors.size() == before;
}

bool find_bodies(JointWork& w, bool check_only, const std::vector<std::string>& wrong, std::vector<Error>& future) {
    if (w.entry.names[0] == kWorld && w.entry.names[1] == kWorld) return add_error(w, "between", "both sides are the world"), false;
    for (int i = 0; i < 2; ++i) {
        const std::string& name = w.entry.names[i];
        if (name == kWorld) {
            w.frames[i] = world_frame(w.builder);
            continue;
        }
        const Id id = find(w.builder.model, name);
        if (matches_broken(wrong, name)) return false;
        if (!id) { // its kind is not built
            if (check_only) future.push_back(make_error(w.entry.params, w.entry.path, "waits for objects that are not built yet"));
            return false;
        }
        const Object& o = w.builder.model.objects[id.index];
        if (o.frames.count() == 0) {
            add_error(w, "between", fmt::format("'{}' is not a rigid body (points of cloth, solids and rods are tied with \"attach\")", name));
            return false;
        }
        w.frames[i] = o.frames.begin;
    }
    return true;
}

// where the joint sits on its bodies, from where they are at the start
void place_anchor(JointWork& w, bool at_given, bool to_given) {
    const FrameState& f = w.builder.state.frame;
    const Pose& frame = w.entry.frame;
    const auto world = [&](const Real3& x) { return Vec3(vec(frame.position) + quat(frame.rotation) * vec(x)); };
    const int shown = w.entry.names[1] == kWorld ? 0 : 1; // default place: the centre of a body
    std::array<Vec3, 2> x;
    x[0] = at_given ? world(w.params.at) : vec(f.p[w.frames[shown]]);
    const bool at_centre = has(w, kLength) && (!at_given || w.entry.names[1] != kWorld); // of the second body; the world has none
    x[1] = to_given ? world(w.params.to) : at_centre ? Vec3(vec(f.p[w.frames[1]])) : x[0];
    if (has(w, kLength) && !at_given) x[0] = vec(f.p[w.frames[0]]);
    const Quat turn = quat(frame.rotation);
    const Vec3 axis = turn * vec(w.params.axis);
    // without a second axis the joint's others follow from the first alone
    std::array<Quat, 2> axes;
    axes[0] = axes[1] = axes_of(axis, has(w, kSecondAxis) ? Vec3(turn * vec(w.params.second_axis)) : Vec3(turn * vec(w.params.direction)));
    for (int i = 0; i < 2; ++i) {
        const Quat q = quat(f.q[w.frames[i]]);
        w.anchor.local[i] = real3(q.conjugate() * (x[i] - vec(f.p[w.frames[i]])));
        w.anchor.axes[i] = real4((q.conjugate() * axes[i]).normalized());
    }
    if (w.params.breaks_at > 0) w.anchor.breaks_force = w.params.breaks_at;
    if (w.params.breaks_torque > 0) w.anchor.breaks_torque = w.params.breaks_torque;
}

void add_limit(JointWork& w, std::string_view row, Real lower, Real upper, int coordinate = 0) {
    struct Params { // as JointLimit<...>::Params
        JointAnchor anchor;
        Real compliance, lower, upper, coordinate;
    } p{w.anchor, w.params.compliance, lower, upper, Real(coordinate)};
    static_assert(sizeof(Params) == sizeof(JointLimit<void>::Params));
    add_joint_element(w, row, &p);
}

// what keeps the bodies together; a distance that is limited or driven is no rod
void add_holding(JointWork& w, Real length) {
    if (has(w, kLength)) {
        struct Params { // as JointDistance::Params
            JointAnchor anchor;
            Real compliance, length;
        } p{w.anchor, w.params.compliance, length};
        const bool loose = is_key_given(w, "limits") || is_key_given(w, "spring") || is_key_given(w, "motor") || is_key_given(w, "friction");
        if (!loose) add_joint_element(w, "joint_distance", &p);
    } else {
        struct Params { // as JointEquality<...>::Params
            JointAnchor anchor;
            Real compliance;
        } p{w.anchor, w.params.compliance};
        add_joint_element(w, w.kind.row, &p);
    }
    for (std::size_t k = 0; k < w.coordinates.size(); ++k)
        if (is_key_given(w, w.coordinates[k].limits))
            add_limit(w, w.coordinates[k].limit, w.params.limits[k][0], w.params.limits[k][1], w.coordinates[k].number);
    if (is_key_given(w, "swing")) add_limit(w, "joint_limit_swing", -1, w.params.swing);
}

// positions at times
bool read_keys(JointWork& w, const JointCoordinate& c, const Value& keys, const std::string& path, Motion& out) {
    if (!check_array(keys, -1, path, "{ t, position }", w.errors)) return false;
    struct Key {
        Real t = 0, position = 0;
    };
    for (std::size_t i = 0; i < keys.items.size(); ++i) {
        Key key;
        FieldList list = collect_fields([&](auto v) {
            v("t", key.t, Field{.unit = "s", .required = true, .doc = ""});
            v("position", key.position, Field{.unit = c.linear ? "m" : "rad", .required = true, .doc = ""});
        });
        const std::string here = fmt::format("{}[{}]", path, i);
        if (!read_fields(list, keys.items[i], w.scope, here, w.errors)) return false;
        if (i > 0 && !(key.t > out.at_times.back())) {
            w.errors.push_back(make_error(keys.items[i], join_path(here, "t"), "times of keys must increase"));
            return false;
        }
        out.at_times.push_back(key.t);
        out.at_keys.push_back({key.position, 0, 0});
    }
    out.moves = !out.at_keys.empty();
    out.between = MotionBetween::linear;
    return true;
}

// what the motor is told in every step, if that of any motor of the joint changes
void add_track(JointWork& w, std::size_t k, int order, Real rest, const std::string& path) {
    const JointCoordinate& c = w.coordinates[k];
    const MotorParams& motor = w.motor[k];
    MotorTrack track;
    track.object = w.object, track.order = order;
    track.all_rotation = c.drive == "joint_drive_turn";
    track.motion.fps = w.time.fps, track.motion.first_frame = w.time.first_frame;
    if (motor.keys.kind != Value::Kind::null && !read_keys(w, c, motor.keys, join_path(path, "keys"), track.motion)) return;
    // rotations are given in the axes of the place, as built; motors count in the first body's
    const Quat to_body = quat(w.builder.state.frame.q[w.frames[0]]).conjugate() * quat(w.entry.frame.rotation);
    track.to_body = real4(to_body);
    if (motor.target.kind != Value::Kind::null && !parse_motion(motor.target, w.scope, w.time, {}, {}, join_path(path, "target"), track.motion, w.errors)) return;
    track.position = motor.position, track.speed = motor.speed, track.spin = motor.spin;
    if (!find(w.params.motor[k], "position")) track.position = make_signal(rest);
    w.tracks.push_back(std::move(track));
}

void add_motor(JointWork& w, std::size_t k, DriveParams p, int order) {
    const JointCoordinate& c = w.coordinates[k];
    const MotorParams& motor = w.motor[k];
    const std::string path = join_path(w.entry.path, c.motor);
    if (motor.keys.kind != Value::Kind::null && find(w.params.motor[k], "position"))
        w.errors.push_back(make_error(w.params.motor[k], path, "has both a position and keys of it"));
    const bool has_target = motor.keys.kind != Value::Kind::null || motor.target.kind != Value::Kind::null;
    if (has_target && !(motor.stiffness > 0)) w.errors.push_back(make_error(w.params.motor[k], path, "a motor without stiffness does not go to a target"));
    const double start[2] = {0, double(w.time.first_frame)};
    p.stiffness = motor.stiffness, p.damping = motor.damping, p.limit = std::min(motor.limit, kNoLimit);
    if (find(w.params.motor[k], "position")) p.rest = evaluate(motor.position, start);
    p.speed = evaluate(motor.speed, start);
    const Quat to_body = quat(w.builder.state.frame.q[w.frames[0]]).conjugate() * quat(w.entry.frame.rotation);
    p.spin = real3(to_body * vec(evaluate(motor.spin, start)));
    p.servant = 1, p.off = motor.on ? 0 : 1, p.order = order;
    add_joint_element(w, c.drive, &p);
    add_track(w, k, order, p.rest, path);
}

// length: of a distance, where its spring and its winch are at ease unless they say otherwise
void add_drives(JointWork& w, Real length) {
    int motors = 0;
    for (std::size_t k = 0; k < w.coordinates.size(); ++k) {
        const JointCoordinate& c = w.coordinates[k];
        DriveParams p;
        p.anchor = w.anchor, p.coordinate = c.number;
        if (has(w, kLength)) p.rest = length;
        if (is_key_given(w, c.spring)) {
            DriveParams spring = p;
            spring.stiffness = w.spring[k].stiffness, spring.damping = w.spring[k].damping;
            if (find(w.params.spring[k], "rest")) spring.rest = w.spring[k].rest;
            if (spring.stiffness > 0 || spring.damping > 0) add_joint_element(w, c.drive, &spring);
        }
        if (is_key_given(w, c.motor)) add_motor(w, k, p, motors++);
        if (w.params.friction[k] > 0) {
            p.limit = w.params.friction[k];
            add_joint_element(w, c.drive, &p);
        }
    }
}

void add_joint(JointWork& w, bool check_only, const std::vector<std::string>& wrong, std::vector<Error>& future) {
    FieldList list;
    describe_joint(w.params, w.kind.features, list);
    if (!read_fields(list, w.entry.params, w.scope, w.entry.path, w.errors) || !read_groups(w) || !check_ranges(w)) return;
    const auto given = [&](std::string_view name) {
        const FieldRef* f = find_field(list, name);
        return f && f->given;
    };
    if (!find_bodies(w, check_only, wrong, future)) return;
    if (find(w.builder.model, w.entry.name)) {
        add_error(w, "between", fmt::format("the name '{}' is taken by an object", w.entry.name));
        return;
    }
    place_anchor(w, given("at"), given("to"));
    w.object = begin_object(w.builder, w.entry.name, w.entry.kind);
    const FrameState& f = w.builder.state.frame;
    const auto place = [&](int i) {
        return Vec3(vec(f.p[w.frames[i]]) + quat(f.q[w.frames[i]]) * vec(w.anchor.local[i]));
    };
    const Real length = given("length") ? w.params.length : (place(1) - place(0)).norm();
    add_holding(w, length);
    add_drives(w, length);
}

bool changes(const MotorTrack& t) {
    return t.motion.moves || !is_constant(t.position) || !is_constant(t.speed) || !is_constant(t.spin);
}

template <unsigned Features> JointKind kind(std::string_view name, std::string_view doc, std::string_view row) {
    return {name, doc, row, Features, []() -> std::shared_ptr<void> { return std::make_shared<JointParams>(); },
            [](void* p, unsigned features, FieldList& list) { describe_joint(*static_cast<JointParams*>(p), features, list); }};
}

} // namespace

std::span<const JointKind> joint_kinds() {
    static const std::vector<JointKind> kinds{
        kind<kTurn>("ball", "two bodies share a point", "joint_ball"),
        kind<kAxis | kSwing | kTurn>("cone_twist", "ball joint whose axis stays in a cone and whose twist is limited", "joint_ball"),
        kind<kAxis | kSlide | kTwistToo>("cylindrical", "slides along an axis and turns about it", "joint_cylindrical"),
        kind<kLength>("distance", "rod between two places; with limits a rope or strut, with a spring or a motor a damper or a winch", "joint_distance"),
        kind<kAxis | kTwist>("hinge", "two bodies share a point and an axis", "joint_hinge"),
        kind<kAxis | kPlane>("planar", "moves in the plane across the axis and turns about it", "joint_planar"),
        kind<kAxis | kSlide>("point_on_line", "a point of the second body stays on a line of the first", "joint_line"),
        kind<kAxis | kSlide>("slider", "slides along an axis without turning", "joint_slider"),
        kind<kAxis | kSecondAxis | kCardan>("universal", "two crossed axes, one in each body, as of a Cardan shaft", "joint_universal"),
        kind<0>("weld", "two bodies move as one", "joint_weld"),
    };
    return kinds;
}

const JointKind* find_joint_kind(std::string_view name) {
    for (const JointKind& k : joint_kinds())
        if (k.name == name) return &k;
    return nullptr;
}

void add_joints(const Scene& scene, const Scope& scene_scope, bool check_only, ModelBuilder& b, std::vector<MotorTrack>& tracks,
                GaugeRequests& gauges, std::vector<Error>& future, std::vector<std::string>& wrong, std::vector<Error>& errors) {
    for (const SceneEntry& e : scene.joints) {
        const JointKind* kind = find_joint_kind(e.kind);
        if (!kind) {
            std::vector<std::string> known;
            for (const JointKind& k : joint_kinds()) known.emplace_back(k.name);
            errors.push_back(make_error(text_at(e.kind, e.params.place), join_path(e.path, "kind"), "no joint of this kind",
                                        fmt::format("{}", fmt::join(known, ", ")), find_nearest(e.kind, known)));
            wrong.push_back(e.name);
            continue;
        }
        Scope scope = make_scope(scene_scope, e.vars);
        scope.gauge = find_gauge_for(gauges, e.name);
        JointWork w{e, *kind, coordinates_of(kind->features), {}, {}, {}, scene.time, scope, b, {}, errors, {-1, -1}, -1, {}};
        const std::size_t waiting = future.size();
        add_joint(w, check_only, wrong, future);
        if (std::any_of(w.tracks.begin(), w.tracks.end(), changes)) tracks.insert(tracks.end(), w.tracks.begin(), w.tracks.end());
        if (!find(b.model, e.name) && future.size() == waiting) wrong.push_back(e.name);
    }
}

} // namespace sinew
