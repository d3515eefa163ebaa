#include "geometry/transform.h"
#include "core/math.h"
#include "core/units.h"
#include <algorithm>
#include <Eigen/LU>

namespace sinew {

namespace {
// det(A) A^-T, which also exists for singular maps
Mat3 cofactor(const Mat3& a) {
    Mat3 c;
    c.col(0) = a.col(1).cross(a.col(2));
    c.col(1) = a.col(2).cross(a.col(0));
    c.col(2) = a.col(0).cross(a.col(1));
    return c;
}

Vec3 map_normal(const Mat3& cofactors, Real determinant, const Vec3& n) {
    const Vec3 m = (determinant < 0 ? -1 : 1) * (cofactors * n);
    const Real length = m.stableNorm();
    return length > 0 ? Vec3(m / length) : Vec3(Vec3::Zero());
}

// The first corner of each polygon stays the first.
void turn_polygons(PolygonMesh& m) {
    for (int p = 0; p < polygon_count(m); ++p) {
        const int begin = m.polygon_begin[p] + 1, end = m.polygon_begin[p + 1];
        std::reverse(m.polygon_vertex.begin() + begin, m.polygon_vertex.begin() + end);
        if (!m.polygon_uv.empty()) std::reverse(m.polygon_uv.begin() + begin, m.polygon_uv.begin() + end);
    }
}

Error wrong(const char* path, std::string_view value, std::string message, std::string allowed,
            std::string nearest = {}) {
    Error e;
    e.path = path;
    e.value = std::string(value);
    e.message = std::move(message);
    e.allowed = std::move(allowed);
    e.nearest = std::move(nearest);
    return e;
}
} // namespace

Transform make_transform(const Pose& pose) {
    return {real33(quat(pose.rotation).normalized().toRotationMatrix()), pose.position};
}

Transform make_transform(const Real3& scale, const Real4& rotation, const Real3& translation) {
    const Mat3 r = quat(rotation).normalized().toRotationMatrix();
    return {real33(r * vec(scale).asDiagonal()), translation};
}

Transform compose(const Transform& second, const Transform& first) {
    return {real33(mat(second.linear) * mat(first.linear)), transform_point(second, first.translation)};
}

std::optional<Transform> invert(const Transform& t) {
    const Mat3 a = mat(t.linear), inverse = a.inverse();
    if (!inverse.allFinite()) return {};
    const Vec3 translation = -(inverse * vec(t.translation));
    if (!translation.allFinite()) return {};
    return Transform{real33(inverse), real3(translation)};
}

Real3 transform_point(const Transform& t, const Real3& x) {
    return real3(mat(t.linear) * vec(x) + vec(t.translation));
}

Real3 transform_vector(const Transform& t, const Real3& v) { return real3(mat(t.linear) * vec(v)); }

Real3 transform_normal(const Transform& t, const Real3& n) {
    const Mat3 a = mat(t.linear);
    return real3(map_normal(cofactor(a), a.determinant(), vec(n)));
}

void transform_mesh(const Transform& t, PolygonMesh& m) {
    const Mat3 a = mat(t.linear), c = cofactor(a);
    const Real determinant = a.determinant();
    for (Real3& x : m.positions) x = real3(a * vec(x) + vec(t.translation));
    for (VertexAttribute& attribute : m.attributes) {
        if (attribute.name != "normal" || attribute.components != 3) continue;
        for (std::size_t i = 0; i + 2 < attribute.values.size(); i += 3) {
            Eigen::Map<Vec3> n(&attribute.values[i]);
            n = map_normal(c, determinant, n);
        }
    }
    if (determinant < 0) turn_polygons(m);
}

std::optional<Axis> parse_axis(std::string_view text) {
    Axis a;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        a.sign = text[0] == '-' ? -1 : 1;
        text.remove_prefix(1);
    }
    if (text.size() != 1) return {};
    const char c = text[0];
    a.index = c == 'x' || c == 'X' ? 0 : c == 'y' || c == 'Y' ? 1 : c == 'z' || c == 'Z' ? 2 : -1;
    return a.index < 0 ? std::optional<Axis>() : a;
}

Real33 axis_rotation(Axis from, Axis to) {
    const Vec3 a = from.sign * Vec3::Unit(from.index), b = to.sign * Vec3::Unit(to.index);
    if (from.index == to.index) {
        if (from.sign == to.sign) return {};
        // half a turn about the next axis
        const Vec3 c = Vec3::Unit((from.index + 1) % 3);
        return real33(2 * c * c.transpose() - Mat3::Identity());
    }
    const Vec3 c = a.cross(b);
    return real33(b * a.transpose() - a * b.transpose() + c * c.transpose());
}

Result<Transform> file_transform(std::string_view unit, std::string_view up, std::string_view scene_up) {
    Result<Transform> r;
    const std::string axes = "x, y, z, -x, -y, -z";
    const UnitResult u = parse_unit(unit);
    if (!u.ok || u.unit.power != std::array<std::int8_t, 5>{1})
        r.errors.push_back(wrong("unit", unit, u.ok ? "this is no unit of length" : u.message,
                                 "a unit of length: m, cm, mm, in, ft ...", u.nearest));
    const std::optional<Axis> from = parse_axis(up), to = parse_axis(scene_up);
    if (!from) r.errors.push_back(wrong("up", up, "this is no axis", axes));
    if (!to) r.errors.push_back(wrong("up", scene_up, "this is no axis", axes));
    if (!r.errors.empty()) return r;
    r.value = Transform{real33(u.unit.factor * mat(axis_rotation(*from, *to))), {}};
    return r;
}

} // namespace sinew
