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
static Vec3 perpendicular(const Vec3& n) {
    return n.cross(std::abs(n.x()) < 0.7 ? Vec3(1, 0, 0) : Vec3(0, 0, 1)).normalized();
}

CameraAxes camera_axes(const Camera& c) {
    const Vec3 forward = unit_or(vec(c.look_at) - vec(c.eye), Vec3(0, 0, -1));
    const Vec3 side = forward.cross(unit_or(vec(c.up), Vec3(0, 1, 0)));
    const Vec3 right = side.norm() > 1e-9 ? Vec3(side.normalized()) : perpendicular(forward);
    return {real3(right), real3(right.cross(forward)), real3(forward)};
}

static bool is_finite(const Real3& p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

static void add_ball(const Vec3& p, double radius, Bounds& b) {
    for (int k = 0; k < 3; ++k) {
        b.min[k] = std::min(b.min[k], p[k] - radius);
        b.max[k] = std::max(b.max[k], p[k] + radius);
    }
}

void add_bounds(const SnapshotLayout& layout, const Snapshot& snapshot, Bounds& b) {
    const std::size_t count = std::min(layout.objects.size(), snapshot.objects.size());
    for (std::size_t i = 0; i < count; ++i) {
        const SnapshotObject& object = layout.objects[i];
        const SnapshotObjectFrame& frame = snapshot.objects[i];
        if (object.kind == "plane") continue;
        const bool drawn_thick = object.draw_points || !object.segments.empty();
        if (!drawn_thick && object.polygon_begin.size() < 2) continue;
        const double radius = drawn_thick && std::isfinite(object.radius) ? std::max(0.0, object.radius) : 0;
        const std::vector<Real3>& points = object.rigid ? object.rest : frame.position;
        const Quat q = quat(frame.pose.rotation);
        for (std::size_t k = 0; k < points.size(); ++k) {
            if (k < frame.alive.size() && !frame.alive[k]) continue;
            Real3 p = points[k];
            if (object.rigid) p = real3(q * vec(p) + vec(frame.pose.position));
            if (is_finite(p)) add_ball(vec(p), radius, b);
        }
    }
}

Camera fit_camera(const Bounds& bounds, const CameraFit& fit) {
    Vec3 low(-1, -1, -1), high(1, 1, 1);
    if (!is_empty(bounds)) low = vec(bounds.min), high = vec(bounds.max);
    // a point or a flat thing still needs some room
    const Real size = std::max((high - low).norm(), 1e-6 * (1 + low.cwiseAbs().maxCoeff()));
    const Vec3 middle = (low + high) / 2, half = ((high - low) / 2).cwiseMax(Vec3::Constant(0.05 * size));

    // directions of the view
    const Vec3 up = unit_or(vec(fit.up), Vec3(0, 1, 0));
    const Vec3 east = std::abs(up.y()) > 0.9 ? Vec3(1, 0, 0) : perpendicular(up);
    const Vec3 x = (east - up * up.dot(east)).normalized(), z = x.cross(up);
    const Real elevation = std::clamp(fit.elevation, -1.5, 1.5);
    const Vec3 back = std::cos(elevation) * (std::sin(fit.azimuth) * x + std::cos(fit.azimuth) * z) +
                      std::sin(elevation) * up;
    const Vec3 forward = -back, right = forward.cross(up).normalized(), top = right.cross(forward);

    // For each corner p in camera axes and a half opening t: |p_x - e_x| <= t (p_z - e_z). With
    // a = max(p_x - t p_z), b = max(-p_x - t p_z) the farthest eye that is needed is e_z = -(a + b) / 2t, and
    // e_x = (a - b) / 2 leaves the same room on both sides. The same in y; the smaller e_z serves both.
    const Real fov = std::clamp(fit.fov, 1e-3, 3.0), room = 1 - std::clamp(fit.margin, 0.0, 0.9);
    const Real aspect = fit.aspect > 0 ? fit.aspect : 1;
    const Real ty = std::tan(fov / 2) * room, tx = std::tan(fov / 2) * aspect * room;
    Vec4 reach = Vec4::Constant(-1e300);
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
        const Vec3 d = half.cwiseProduct(sign);
        const Real px = d.dot(right), py = d.dot(top), pz = d.dot(forward);
        reach = reach.cwiseMax(Vec4(px - tx * pz, -px - tx * pz, py - ty * pz, -py - ty * pz));
    }
    const Real ez = std::min(-(reach[0] + reach[1]) / (2 * tx), -(reach[2] + reach[3]) / (2 * ty));
    const Real ex = (reach[0] - reach[1]) / 2, ey = (reach[2] - reach[3]) / 2;
    Camera camera;
    const Vec3 eye = middle + ex * right + ey * top + ez * forward;
    camera.eye = real3(eye);
    camera.look_at = real3(eye - ez * forward);
    camera.up = real3(up);
    camera.fov = fov;
    return camera;
}

Camera orbit_camera(const Camera& camera, const Real3& up, double angle) {
    const Vec3 axis = unit_or(vec(up), Vec3(0, 1, 0));
    const Quat turn = exp_rotation(angle * axis);
    Camera c = camera;
    c.eye = real3(vec(camera.look_at) + turn * Vec3(vec(camera.eye) - vec(camera.look_at)));
    c.up = real3(turn * Vec3(vec(camera.up)));
    return c;
}

double find_ground(const SnapshotLayout& layout, const Snapshot& snapshot, const Bounds& bounds,
                   const Real3& up) {
    const Vec3 n = unit_or(vec(up), Vec3(0, 1, 0));
    double ground = -1e300;
    const std::size_t count = std::min(layout.objects.size(), snapshot.objects.size());
    for (std::size_t i = 0; i < count; ++i) {
        const SnapshotObject& object = layout.objects[i];
        const Pose& pose = snapshot.objects[i].pose;
        if (object.kind != "plane" || !object.rigid || !is_finite(pose.position)) continue;
        // horizontal if all its vertices are at one height; a plane without vertices is taken by its position
        double low = vec(pose.position).dot(n), high = low;
        if (!object.rest.empty()) low = 1e300, high = -1e300;
        double spread = 0;
        for (const Real3& p : object.rest) {
            const Vec3 d = quat(pose.rotation) * vec(p);
            const double h = d.dot(n) + vec(pose.position).dot(n);
            low = std::min(low, h), high = std::max(high, h), spread = std::max(spread, d.norm());
        }
        if (high - low <= 1e-6 * spread + 1e-12) ground = std::max(ground, high);
    }
    if (ground > -1e300) return ground;
    if (is_empty(bounds)) return 0;
    ground = 0;
    for (int k = 0; k < 3; ++k) ground += n[k] * (n[k] > 0 ? bounds.min[k] : bounds.max[k]);
    return ground;
}

} // namespace sinew
