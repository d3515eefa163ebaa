#include "narrow_judge.h"
#include <algorithm>
#include <cmath>
#include <queue>

namespace sinew::bench {

Placed place(const ShapeStore& store, const Shape& s, const Pose& pose) {
    const Quat q(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
    return {&s, s.kind == Shape::hull ? &store.hulls[s.data] : nullptr, q.normalized().toRotationMatrix(),
            vec(pose.position)};
}

// in the axes of the shape
static Vec3 furthest_here(const Placed& s, const Vec3& d) {
    const Real3& size = s.shape->size;
    const double around = std::hypot(d.x(), d.z()), rx = around > 0 ? size.x * d.x() / around : size.x,
                 rz = around > 0 ? size.x * d.z() / around : 0;
    const auto side = [](double v) { return v < 0 ? -1.0 : 1.0; };
    switch (s.shape->kind) {
    case Shape::box:
        return {side(d.x()) * size.x, side(d.y()) * size.y, side(d.z()) * size.z};
    case Shape::capsule:
        return Vec3(0, side(d.y()) * size.y, 0) + size.x * d.normalized();
    case Shape::cylinder:
        return {rx, side(d.y()) * size.y, rz};
    case Shape::cone: {
        const Vec3 apex(0, size.y, 0), rim(rx, -size.y, rz);
        return d.dot(apex) > d.dot(rim) ? apex : rim;
    }
    default: {
        Vec3 best = vec(s.hull->vertices[0]);
        for (const Real3& v : s.hull->vertices)
            if (d.dot(vec(v)) > d.dot(best)) best = vec(v);
        return best;
    }
    }
}
Vec3 furthest(const Placed& s, const Vec3& n) { return s.R * furthest_here(s, s.R.transpose() * n) + s.p; }

// distance to the planes and curves that bound the shape: a bound of the distance to the shape near its faces
double outside_by(const Placed& s, const Vec3& world) {
    const Vec3 x = s.R.transpose() * (world - s.p);
    const Real3& size = s.shape->size;
    const double around = std::hypot(x.x(), x.z());
    double out = 0;
    switch (s.shape->kind) {
    case Shape::box:
        for (int k = 0; k < 3; ++k) out = std::max(out, std::abs(x[k]) - vec(size)[k]);
        break;
    case Shape::capsule:
        out = (x - Vec3(0, std::clamp(x.y(), -size.y, size.y), 0)).norm() - size.x;
        break;
    case Shape::cylinder:
        out = std::max(std::abs(x.y()) - size.y, around - size.x);
        break;
    case Shape::cone: { // outward normal of the side: (2 h, r) / length
        const double slant = std::hypot(2 * size.y, size.x);
        out = std::max(-size.y - x.y(), (2 * size.y * around + size.x * (x.y() - size.y)) / slant);
        break;
    }
    default:
        for (std::size_t f = 0; f < s.hull->face_normal.size(); ++f)
            out = std::max(out, vec(s.hull->face_normal[f]).dot(x) - s.hull->face_offset[f]);
    }
    return std::max(0.0, out);
}

double separation(const Placed& a, const Placed& b, const Vec3& n) {
    return n.dot(furthest(b, -n)) - n.dot(furthest(a, n));
}

namespace {

struct Cell {
    double bound; // h is no less in the cell
    Vec3 corner[3];
};
struct Later {
    bool operator()(const Cell& x, const Cell& y) const { return x.bound > y.bound; }
};

// the largest of min_j f_j(m) over m in [0, 1], f_j linear from u_j to v_j: at an end or where two cross
double max_min(const Vec3& u, const Vec3& v) {
    double best = std::max(u.minCoeff(), v.minCoeff());
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j) {
            const double at_u = u[i] - u[j], at_v = v[i] - v[j], m = at_u / (at_u - at_v);
            if (m > 0 && m < 1) best = std::max(best, Vec3((1 - m) * u + m * v).minCoeff());
        }
    return best;
}

// Bound of h over the triangle; the least h at its corners and centre in `value`. Any point w of the
// difference bounds h from below by the linear n.w, which is least at a corner of the flat triangle; of the
// points furthest along corners and centre every mixture of two is tried. On the sphere n is up to 1/cos r
// longer.
double look(const Placed& a, const Placed& b, const Vec3 (&corner)[3], double& value) {
    const Vec3 n[4] = {corner[0], corner[1], corner[2], (corner[0] + corner[1] + corner[2]).normalized()};
    Vec3 at_corners[4];
    value = std::numeric_limits<double>::infinity();
    double chord = 0;
    for (int i = 0; i < 4; ++i) {
        const Vec3 w = furthest(a, n[i]) - furthest(b, -n[i]);
        value = std::min(value, n[i].dot(w));
        at_corners[i] = {w.dot(corner[0]), w.dot(corner[1]), w.dot(corner[2])};
        chord = std::max(chord, (n[i] - n[3]).norm());
    }
    double flat = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) flat = std::max(flat, max_min(at_corners[i], at_corners[j]));
    return flat < 0 ? flat / (1 - 0.5 * chord * chord) : flat;
}

} // namespace

Bracket judge_distance(const Placed& a, const Placed& b, double tolerance) {
    constexpr int kMost = 400000; // directions; what is left open then stays in the bracket
    std::priority_queue<Cell, std::vector<Cell>, Later> open;
    Bracket out;
    double best = std::numeric_limits<double>::infinity();
    const auto add = [&](const Vec3& p, const Vec3& q, const Vec3& r) {
        Cell cell{0, {p, q, r}};
        double value;
        cell.bound = look(a, b, cell.corner, value);
        best = std::min(best, value);
        ++out.looked;
        if (cell.bound < best - tolerance) open.push(cell);
    };
    for (int octant = 0; octant < 8; ++octant)
        add((octant & 1 ? -1.0 : 1.0) * Vec3::UnitX(), (octant & 2 ? -1.0 : 1.0) * Vec3::UnitY(),
            (octant & 4 ? -1.0 : 1.0) * Vec3::UnitZ());
    while (!open.empty() && open.top().bound < best - tolerance && out.looked < kMost) {
        const Cell cell = open.top();
        open.pop();
        const Vec3(&p)[3] = cell.corner;
        const Vec3 m0 = (p[1] + p[2]).normalized(), m1 = (p[2] + p[0]).normalized(),
                   m2 = (p[0] + p[1]).normalized();
        add(p[0], m2, m1), add(p[1], m0, m2), add(p[2], m1, m0), add(m0, m1, m2);
    }
    const double bound = open.empty() ? best - tolerance : std::min(best - tolerance, open.top().bound);
    out.low = -best, out.high = -bound;
    return out;
}

} // namespace sinew::bench
