#include "scene/placement.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/rotation.h"

namespace sinew {

bool read_direction(const Value& v, const Scope& scope, std::string_view path, Real3& out,
                    std::vector<Error>& errors) {
    Real3 d;
    if (!read_real3(v, "", scope, path, d, errors)) return false;
    const Real length = vec(d).stableNorm();
    if (!(length > 0) || !std::isfinite(length)) {
        errors.push_back(make_error(v, path, "a direction cannot be zero"));
        return false;
    }
    out = real3(vec(d) / length);
    return true;
}

static bool read_axis_angle(const Value& v, const Scope& scope, std::string_view path, Quat& out,
                            std::vector<Error>& errors) {
    Value axis;
    Real angle = 0;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("axis", axis, Field{.required = true});
        f("angle", angle, Field{.unit = "rad", .required = true});
    });
    Real3 direction{1, 0, 0};
    if (!read_fields(list, v, scope, path, errors) ||
        !read_direction(axis, scope, join_path(path, "axis"), direction, errors))
        return false;
    out = Quat(Eigen::AngleAxisd(angle, vec(direction)));
    return true;
}

static bool read_euler(const Value& v, const Scope& scope, std::string_view path, Quat& out,
                       std::vector<Error>& errors) {
    Real3 e;
    FieldList list = collect_fields([&](const FieldCollector& f) { f("euler", e, Field{.unit = "rad"}); });
    if (!read_fields(list, v, scope, path, errors)) return false;
    out = rotation_from_euler(vec(e));
    return true;
}

static bool read_quaternion(const Value& v, const Scope& scope, std::string_view path, Quat& out,
                            std::vector<Error>& errors) {
    std::vector<double> q;
    FieldList list = collect_fields(
        [&](const FieldCollector& f) { f("quaternion", q, Field{.least_count = 4, .most_count = 4}); });
    if (!read_fields(list, v, scope, path, errors)) return false;
    const Vec4 c(q[0], q[1], q[2], q[3]);
    const Real length = c.stableNorm();
    if (!(length > 0) || !std::isfinite(length)) {
        errors.push_back(make_error(v, path, "a quaternion cannot be zero"));
        return false;
    }
    // a unit quaternion stays as written to the last bit
    out = std::abs(length - 1) < 4e-16 ? Quat(q[0], q[1], q[2], q[3])
                                       : Quat(q[0] / length, q[1] / length, q[2] / length, q[3] / length);
    return true;
}

static bool read_one_rotation(const Value& v, const Scope& scope, std::string_view path, Quat& out,
                              std::vector<Error>& errors) {
    if (v.kind == Value::Kind::object && find(v, "quaternion"))
        return read_quaternion(v, scope, path, out, errors);
    if (v.kind == Value::Kind::object && find(v, "euler")) return read_euler(v, scope, path, out, errors);
    if (v.kind == Value::Kind::object) return read_axis_angle(v, scope, path, out, errors);
    errors.push_back(make_error(
        v, path, "a rotation is expected, not " + std::string(kind_name(v.kind)),
        R"({ "axis": [0, 1, 0], "angle": "20 deg" }, { "euler": [x, y, z] }, { "quaternion": [w, x, y, z] })"));
    return false;
}

bool read_rotation(const Value& v, const Scope& scope, std::string_view path, Real4& out,
                   std::vector<Error>& errors) {
    Quat total = Quat::Identity();
    bool ok = true;
    if (v.kind == Value::Kind::array) {
        for (std::size_t i = 0; i < v.items.size(); ++i) {
            Quat q = Quat::Identity();
            ok &= read_one_rotation(v.items[i], scope, join_path(path, int(i)), q, errors);
            total = q * total;
        }
    } else
        ok = read_one_rotation(v, scope, path, total, errors);
    if (ok) out = real4(total);
    return ok;
}

bool read_scale(const Value& v, const Scope& scope, std::string_view path, Real3& out,
                std::vector<Error>& errors) {
    Real3 s;
    if (v.kind == Value::Kind::array) {
        if (!read_real3(v, "", scope, path, s, errors)) return false;
    } else {
        if (!read_number(v, "", scope, path, s.x, errors)) return false;
        s.y = s.z = s.x;
    }
    if (s.x == 0 || s.y == 0 || s.z == 0) {
        errors.push_back(make_error(v, path, "a scale cannot be zero"));
        return false;
    }
    out = s;
    return true;
}

InitialPlacement compose(const InitialPlacement& outer, const InitialPlacement& inner) {
    const Quat q = quat(outer.pose.rotation);
    const Vec3 arm = q * Vec3(vec(inner.pose.position)), w = vec(outer.angular_velocity);
    return {compose(outer.pose, inner.pose),
            real3(vec(outer.velocity) + w.cross(arm) + q * Vec3(vec(inner.velocity))),
            real3(w + q * Vec3(vec(inner.angular_velocity)))};
}

bool read_placement(const Value& object, const Scope& scope, std::string_view path, InitialPlacement& out,
                    std::vector<Error>& errors) {
    bool ok = true;
    if (const Value* v = find(object, "at"))
        ok &= read_real3(*v, "m", scope, join_path(path, "at"), out.pose.position, errors);
    if (const Value* v = find(object, "rotate"))
        ok &= read_rotation(*v, scope, join_path(path, "rotate"), out.pose.rotation, errors);
    if (const Value* v = find(object, "velocity"))
        ok &= read_real3(*v, "m/s", scope, join_path(path, "velocity"), out.velocity, errors);
    if (const Value* v = find(object, "angular_velocity"))
        ok &=
            read_real3(*v, "rad/s", scope, join_path(path, "angular_velocity"), out.angular_velocity, errors);
    return ok;
}

} // namespace sinew
