#include "render/camera.h"
#include "core/math.h"
#include <algorithm>
#include <cmath>

namespace sinew {

static Vec3 unit_or(const Vec3& v, const Vec3& otherwise) {
    const Real n = v.norm();
    return n > 1e-300 && std::isfinite(n) ? Vec3(v / n) : otherwise;
}

// any unit vector perpendicular to the unit vector n
static Vec3 any_perpendicular(const Vec3& n) {
    return n.cross(std::abs(n.x()) < 0.7 ? Vec3(1, 0, 0) : Vec3(0, 0, 1)).normalized();
}

CameraAxes camera_axes(const Camera& c) {
    const Vec3 forward = unit_or(vec(c.look_at) - vec(c.eye), Vec3(0, 0, -1));
    const Vec3 side = forward.cross(unit_or(vec(c.up), Vec3(0, 1, 0)));
    const Vec3 right = side.norm() > 1e-9 ? Vec3(side.normalized()) : any_perpendicular(forward);
    return {real3(right), real3(right.cross(forward)), real3(forward)};
}

bool is_drawable(const Vec3& p) { return p.allFinite() && p.cwiseAbs().maxCoeff() < 1e15; }

// f(position, radius) for everything that is drawn
template <class F> static void for_each_drawn(const SnapshotLayout& layout, const Snapshot& snapshot, F&& f) {
    for (std::size_t i = 0; i < std::min(layout.objects.size(), snapshot.objects.size()); ++i) {
        const SnapshotObject& object = layout.objects[i];
        const SnapshotObjectFrame& frame = snapshot.objects[i];
        if (object.kind == "plane") continue;
        const bool thick = object.draw_points || !object.segments.empty();
        if (!thick && object.polygon_begin.size() < 2) continue;
        const double radius = thick && std::isfinite(object.radius) ? std::max(0.0, object.radius) : 0;
        const std::vector<Real3>& points = object.rigid ? object.rest : frame.position;
        const Quat q = quat(frame.pose.rotation);
        for (std::size_t k = 0; k < points.size(); ++k) {
            if (k < frame.alive.size() && !frame.alive[k]) continue;
            Vec3 p = vec(points[k]);
            if (object.rigid) p = q * p + vec(frame.pose.position);
            if (is_drawable(p)) f(p, radius);
        }
    }
}

void add_bounds(const SnapshotLayout& layout, const Snapshot& snapshot, Bounds& b) {
    for_each_drawn(layout, snapshot, [&](const Vec3& p, double radius) {
        for (int k = 0; k < 3; ++k) {
            b.min[k] = std::min(b.min[k], p[k] - radius);
            b.max[k] = std::max(b.max[k], p[k] + radius);
        }
    });
}

namespace {

struct FitAxes {
    Vec3 right, top, forward, up;
    Real tx, ty; // half openings less the margin
};

} // namespace

static FitAxes fit_axes(const CameraFit& fit) {
    FitAxes a;
    a.up = unit_or(vec(fit.up), Vec3(0, 1, 0));
    const Vec3 east = std::abs(a.up.y()) > 0.9 ? Vec3(1, 0, 0) : any_perpendicular(a.up);
    const Vec3 x = (east - a.up * a.up.dot(east)).normalized(), z = x.cross(a.up);
    const Real elevation = std::clamp(fit.elevation, -1.5, 1.5);
    a.forward = -std::cos(elevation) * (std::sin(fit.azimuth) * x + std::cos(fit.azimuth) * z) -
                std::sin(elevation) * a.up;
    a.right = a.forward.cross(a.up).normalized();
    a.top = a.right.cross(a.forward);
    a.ty = std::tan(std::clamp(fit.fov, 1e-3, 3.0) / 2) * (1 - std::clamp(fit.margin, 0.0, 0.9));
    a.tx = a.ty * (fit.aspect > 0 ? fit.aspect : 1);
    return a;
}

// In camera axes a point p is inside the picture if |p_x - e_x| <= t (p_z - e_z), likewise in y. With
//   a = max(p_x - t p_z),  b = max(-p_x - t p_z)     over all p; a ball of radius r adds r sqrt(1 + t^2)
// the eye must have e_z <= -(a + b) / 2t, and e_x = (a - b) / 2 leaves the same room on both sides.
static void add_ball(const FitAxes& f, const Vec3& p, double radius, CameraReach& r) {
    const Real x = p.dot(f.right), y = p.dot(f.top), z = p.dot(f.forward);
    const Real rx = radius * std::sqrt(1 + f.tx * f.tx), ry = radius * std::sqrt(1 + f.ty * f.ty);
    const Real reach[4] = {x - f.tx * z + rx, -x - f.tx * z + rx, y - f.ty * z + ry, -y - f.ty * z + ry};
    for (int k = 0; k < 4; ++k) r.side[k] = std::max(r.side[k], reach[k]);
}

void add_reach(const SnapshotLayout& layout, const Snapshot& snapshot, const CameraFit& fit, CameraReach& r) {
    const FitAxes axes = fit_axes(fit);
    for_each_drawn(layout, snapshot, [&](const Vec3& p, double radius) { add_ball(axes, p, radius, r); });
}

void add_reach(const Bounds& b, const CameraFit& fit, CameraReach& r) {
    if (is_empty(b)) return;
    const FitAxes axes = fit_axes(fit);
    for (int c = 0; c < 8; ++c)
        add_ball(axes, Vec3(c & 1 ? b.max.x : b.min.x, c & 2 ? b.max.y : b.min.y, c & 4 ? b.max.z : b.min.z),
                 0, r);
}

Camera fit_camera(const Bounds& bounds, const CameraReach& reach, const CameraFit& fit) {
    const FitAxes f = fit_axes(fit);
    Vec3 low(-1, -1, -1), high(1, 1, 1);
    if (!is_empty(bounds)) low = vec(bounds.min), high = vec(bounds.max);
    const Vec3 middle = (low + high) / 2;
    // a point or something very thin still needs some room
    const Real size = std::max((high - low).norm(), 1e-6 * (1 + middle.cwiseAbs().maxCoeff()));
    CameraReach r = reach;
    if (is_empty(bounds)) add_reach(Bounds{{-1, -1, -1}, {1, 1, 1}}, fit, r);
    add_ball(f, middle, 0.05 * size, r);
    const auto& s = r.side;
    const Real ez = std::min(-(s[0] + s[1]) / (2 * f.tx), -(s[2] + s[3]) / (2 * f.ty));
    const Vec3 eye = (s[0] - s[1]) / 2 * f.right + (s[2] - s[3]) / 2 * f.top + ez * f.forward;
    Camera camera;
    camera.eye = real3(eye);
    camera.look_at = real3(eye + (middle - eye).dot(f.forward) * f.forward);
    camera.up = real3(f.up);
    camera.fov = std::clamp(fit.fov, 1e-3, 3.0);
    return camera;
}

Camera fit_camera(const Bounds& bounds, const CameraFit& fit) {
    CameraReach reach;
    add_reach(bounds, fit, reach);
    return fit_camera(bounds, reach, fit);
}

Camera orbit_camera(const Camera& camera, const Real3& up, double angle) {
    const Vec3 axis = unit_or(vec(up), Vec3(0, 1, 0));
    const Quat turn = exp_rotation(angle * axis);
    Camera c = camera;
    c.eye = real3(vec(camera.look_at) + turn * Vec3(vec(camera.eye) - vec(camera.look_at)));
    c.up = real3(turn * Vec3(vec(camera.up)));
    return c;
}

std::optional<double> plane_height(const SnapshotObject& object, const Pose& pose, const Real3& up) {
    if (object.kind != "plane" || !object.rigid || !is_drawable(vec(pose.position))) return {};
    const Vec3 n = unit_or(vec(up), Vec3(0, 1, 0));
    const double height = vec(pose.position).dot(n);
    if (object.rest.empty()) return height;
    double low = 1e300, high = -1e300, size = 0;
    for (const Real3& p : object.rest) {
        const Vec3 d = quat(pose.rotation) * vec(p);
        low = std::min(low, d.dot(n));
        high = std::max(high, d.dot(n));
        size = std::max(size, d.norm());
    }
    if (!(high - low <= 1e-6 * size)) return {};
    return height + high;
}

double find_ground(const SnapshotLayout& layout, const Snapshot& snapshot, const Bounds& bounds,
                   const Real3& up) {
    double ground = -1e300;
    for (std::size_t i = 0; i < std::min(layout.objects.size(), snapshot.objects.size()); ++i)
        if (const auto height = plane_height(layout.objects[i], snapshot.objects[i].pose, up))
            ground = std::max(ground, *height);
    if (ground > -1e300) return ground;
    if (is_empty(bounds)) return 0;
    const Vec3 n = unit_or(vec(up), Vec3(0, 1, 0));
    ground = 0;
    for (int k = 0; k < 3; ++k) ground += n[k] * (n[k] > 0 ? bounds.min[k] : bounds.max[k]);
    return ground;
}

} // namespace sinew
