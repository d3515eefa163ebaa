#include "render/drawing.h"
#include <algorithm>
#include <cmath>

namespace sinew {

static const SnapshotField* find_field(const SnapshotObjectFrame& frame, std::string_view name) {
    for (const SnapshotField& f : frame.fields)
        if (f.name == name) return &f;
    return nullptr;
}

std::vector<double> field_values(const SnapshotObjectFrame& frame, const std::string& name) {
    const SnapshotField* f = find_field(frame, name);
    if (!f && name == "speed") f = find_field(frame, "velocity");
    if (!f || f->components < 1) return {};
    const std::size_t n = std::size_t(f->components), count = f->values.size() / n;
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += f->values[i * n + k] * f->values[i * n + k];
        values[i] = n == 1 ? f->values[i] : std::sqrt(sum);
    }
    return values;
}

static bool is_alive(const SnapshotObjectFrame& frame, std::size_t i) {
    return i >= frame.alive.size() || frame.alive[i];
}

static void add_range(const SnapshotLayout& layout, const Snapshot& s, const std::string& name, double& low,
                      double& high) {
    for (std::size_t i = 0; i < std::min(layout.objects.size(), s.objects.size()); ++i) {
        const std::vector<double> values = field_values(s.objects[i], name);
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (!std::isfinite(values[k]) || !is_alive(s.objects[i], k)) continue;
            low = std::min(low, values[k]);
            high = std::max(high, values[k]);
        }
    }
}

static CameraFit camera_fit(const RenderSettings& s) {
    CameraFit fit;
    fit.azimuth = s.azimuth;
    fit.elevation = s.elevation;
    fit.fov = s.fov;
    fit.aspect = double(s.width) / std::max(1, s.height);
    fit.up = s.up;
    return fit;
}

void add_to_view(const SnapshotLayout& layout, const Snapshot& s, const RenderSettings& settings, View& view) {
    add_bounds(layout, s, view.bounds);
    add_reach(layout, s, camera_fit(settings), view.reach);
    if (settings.color_by.empty() || settings.color_min != settings.color_max) return;
    // an untouched range is empty
    double low = view.color_min == view.color_max ? 1e300 : view.color_min;
    double high = view.color_min == view.color_max ? -1e300 : view.color_max;
    add_range(layout, s, settings.color_by, low, high);
    if (low < high) view.color_min = low, view.color_max = high;
}

void finish_view(const SnapshotLayout& layout, const Snapshot& first, const RenderSettings& settings,
                 const std::optional<Camera>& camera, View& view) {
    if (settings.color_min != settings.color_max)
        view.color_min = settings.color_min, view.color_max = settings.color_max;
    view.ground_height = find_ground(layout, first, view.bounds, settings.up);
    view.camera = camera ? *camera : fit_camera(view.bounds, view.reach, camera_fit(settings));
}

static void place_points(const SnapshotObject& object, const SnapshotObjectFrame& frame, Drawing& drawing,
                         DrawnObject& out) {
    const std::vector<Real3>& points = object.rigid ? object.rest : frame.position;
    const Vec3 origin = vec(drawing.origin), shift = vec(frame.pose.position) - origin;
    const Mat3 turn = quat(frame.pose.rotation).normalized().toRotationMatrix();
    int bad = 0, first = 0;
    out.position.resize(points.size());
    out.drawn.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 p = object.rigid ? Vec3(turn * vec(points[i]) + shift) : Vec3(vec(points[i]) - origin);
        // beyond 1e15 m squares overflow in single precision
        const bool finite = p.allFinite() && p.cwiseAbs().maxCoeff() < 1e15;
        const bool alive = is_alive(frame, i);
        if (!finite && alive && bad++ == 0) first = int(i);
        out.drawn[i] = finite && alive;
        out.position[i] = out.drawn[i] ? Vec3f(p.cast<float>()) : Vec3f(Vec3f::Zero());
    }
    if (bad)
        drawing.warnings.push_back(object.name + ": " + std::to_string(bad) +
                                   " points have no finite position and are not drawn, the first is " +
                                   std::to_string(first));
}

static void collect_parts(const SnapshotObject& object, const Shape& shape, DrawnObject& out) {
    const auto ok = [&](int v) { return v < int(out.drawn.size()) && out.drawn[v]; };
    for (int t = 0; t < int(shape.triangles.size()); ++t) {
        const auto& c = shape.triangles[t];
        if (ok(c[0]) && ok(c[1]) && ok(c[2])) out.triangles.push_back(t);
    }
    for (int s = 0; s < int(object.segments.size()); ++s)
        if (ok(object.segments[s][0]) && ok(object.segments[s][1])) out.segments.push_back(s);
    for (int v = 0; object.draw_points && v < int(out.drawn.size()); ++v)
        if (out.drawn[v]) out.points.push_back(v);
}

// Sums of face normals weighted by the corner's angle (Thuermer and Wuethrich 1998), which does not depend on how
// polygons were cut into triangles.
static void compute_normals(const Shape& shape, DrawnObject& out) {
    out.normal.assign(shape.normal_vertex.size(), Vec3f::Zero());
    for (const int t : out.triangles) {
        Vec3f x[3], e[3];
        for (int k = 0; k < 3; ++k) x[k] = out.position[shape.triangles[t][k]];
        for (int k = 0; k < 3; ++k) e[k] = (x[(k + 1) % 3] - x[k]).stableNormalized();
        const Vec3f n = e[0].cross(e[1]).stableNormalized();
        for (int k = 0; k < 3; ++k) {
            const float angle = std::acos(std::clamp(-e[k].dot(e[(k + 2) % 3]), -1.0f, 1.0f));
            out.normal[shape.normals[t][k]] += angle * n;
        }
    }
    for (Vec3f& n : out.normal) n = n.squaredNorm() > 1e-12f ? Vec3f(n.normalized()) : Vec3f(Vec3f::Zero());
}

static void choose_colors(const SnapshotObject& object, int index, bool gray, DrawnObject& out) {
    const Real3 unset = SnapshotObject{}.color;
    const Vec3 c = gray                    ? Vec3(vec(linear_from_hex(0xc9c9c6)))
                   : object.color == unset ? Vec3(vec(object_color(index)))
                                           : Vec3(vec(object.color));
    const Vec3 color = c.allFinite() ? Vec3(c.cwiseMax(0.0).cwiseMin(1.0)) : Vec3(vec(unset));
    out.color = color.cast<float>();
    // the back of a sheet: a little paler and darker, as the wrong side of a fabric is
    const float mean = out.color.sum() / 3;
    out.back_color = 0.82f * (0.72f * out.color + Vec3f::Constant(0.28f * mean));
}

static void scale_values(const SnapshotObjectFrame& frame, const RenderSettings& settings, const SnapshotObject& object,
                         Drawing& drawing, DrawnObject& out) {
    std::vector<double> values = field_values(frame, settings.color_by);
    out.gray = values.empty();
    if (values.empty()) return;
    drawing.has_field = true;
    out.value.assign(out.position.size(), std::nanf(""));
    int bad = 0;
    for (std::size_t i = 0; i < std::min(values.size(), out.value.size()); ++i) {
        bad += !std::isfinite(values[i]) && out.drawn[i];
        if (std::isfinite(values[i]))
            out.value[i] = float((values[i] - drawing.color_min) / (drawing.color_max - drawing.color_min));
    }
    if (bad)
        drawing.warnings.push_back(object.name + ": " + std::to_string(bad) + " values of \"" + settings.color_by +
                                   "\" are not finite and are drawn grey");
}

// The range asked for, that of the film, or that of the frame; never empty, so that it can be divided by.
static void choose_range(const SnapshotLayout& layout, const Snapshot& s, const RenderSettings& settings,
                         const View& view, Drawing& drawing) {
    double low = settings.color_min, high = settings.color_max;
    if (low == high) low = view.color_min, high = view.color_max;
    if (low == high) {
        low = 1e300, high = -1e300;
        add_range(layout, s, settings.color_by, low, high);
        if (low > high) low = 0, high = 1;
    }
    if (!(high > low)) high = low + std::max(1e-9, 1e-6 * std::abs(low));
    drawing.color_min = low;
    drawing.color_max = high;
}

static std::vector<Error> check_snapshot(const SnapshotLayout& layout, const Snapshot& s) {
    std::vector<Error> errors;
    if (s.objects.size() != layout.objects.size()) {
        errors.push_back({.message = "frame " + std::to_string(s.frame) + " has " + std::to_string(s.objects.size()) +
                                     " objects, its layout " + std::to_string(layout.objects.size())});
        return errors;
    }
    for (std::size_t i = 0; i < s.objects.size(); ++i) {
        const SnapshotObject& o = layout.objects[i];
        const std::size_t count = o.rigid ? o.rest.size() : s.objects[i].position.size();
        if (count == std::size_t(std::max(0, o.point_count))) continue;
        errors.push_back({.path = "objects." + o.name,
                          .message = "frame " + std::to_string(s.frame) + " has " + std::to_string(count) +
                                     " positions, the layout says " + std::to_string(o.point_count)});
    }
    return errors;
}

Result<Drawing> build_drawing(const SnapshotLayout& layout, const std::vector<Shape>& shapes, const Snapshot& s,
                              const RenderSettings& settings, const View& view) {
    if (auto errors = check_snapshot(layout, s); !errors.empty()) return {{}, std::move(errors)};
    Drawing drawing;
    if (!is_empty(view.bounds)) drawing.origin = real3((vec(view.bounds.min) + vec(view.bounds.max)) / 2);
    const bool by_field = !settings.color_by.empty();
    if (by_field) choose_range(layout, s, settings, view, drawing);
    drawing.objects.resize(layout.objects.size());
    int colored = 0; // objects that took a colour of the palette
    for (std::size_t i = 0; i < layout.objects.size(); ++i) {
        const SnapshotObject& object = layout.objects[i];
        DrawnObject& out = drawing.objects[i];
        // a horizontal plane is the ground, which is drawn by itself
        const bool is_ground = plane_height(object, s.objects[i].pose, settings.up).has_value();
        if (is_ground && settings.ground != GroundStyle::none) continue;
        place_points(object, s.objects[i], drawing, out);
        collect_parts(object, shapes[i], out);
        compute_normals(shapes[i], out);
        if (by_field) scale_values(s.objects[i], settings, object, drawing, out);
        choose_colors(object, colored, out.gray, out);
        colored += object.color == SnapshotObject{}.color;
        out.sheet = shapes[i].open;
        out.radius = std::isfinite(object.radius) && object.radius > 0 ? float(object.radius) : 0;
    }
    return {std::move(drawing), {}};
}

} // namespace sinew
