#include "render/drawing.h"
#include <algorithm>
#include <cmath>

namespace sinew {

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
        const bool ok = is_drawable(p), alive = is_alive(frame, i);
        if (!ok && alive && bad++ == 0) first = int(i);
        out.drawn[i] = ok && alive;
        out.position[i] = out.drawn[i] ? Vec3f(p.cast<float>()) : Vec3f(Vec3f::Zero());
    }
    if (bad)
        drawing.warnings.push_back(object.name + ": " + std::to_string(bad) +
                                   " points have no finite position and are not drawn, the first is " +
                                   std::to_string(first));
}

static void collect_parts(const SnapshotObject& object, const DrawnShape& shape, DrawnObject& out) {
    const auto ok = [&](int v) { return v < int(out.drawn.size()) && out.drawn[v]; };
    // a face is drawn as a whole or not at all
    std::vector<std::uint8_t> whole(object.polygon_begin.size());
    for (std::size_t p = 0; p + 1 < object.polygon_begin.size(); ++p)
        whole[p] = std::all_of(object.polygon_vertex.begin() + object.polygon_begin[p],
                               object.polygon_vertex.begin() + object.polygon_begin[p + 1], ok);
    for (int t = 0; t < int(shape.triangles.size()); ++t)
        if (whole[shape.polygon[t]]) out.triangles.push_back(t);
    for (int s = 0; s < int(object.segments.size()); ++s)
        if (ok(object.segments[s][0]) && ok(object.segments[s][1])) out.segments.push_back(s);
    for (int v = 0; object.draw_points && v < int(out.drawn.size()); ++v)
        if (out.drawn[v]) out.points.push_back(v);
}

// Sums of face normals weighted by the corner's angle (Thuermer and Wuethrich 1998), which does not depend on
// how polygons were cut into triangles.
static void compute_normals(const DrawnShape& shape, DrawnObject& out) {
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

static void scale_values(const SnapshotObjectFrame& frame, const RenderSettings& settings,
                         const SnapshotObject& object, Drawing& drawing, DrawnObject& out) {
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
        drawing.warnings.push_back(object.name + ": " + std::to_string(bad) + " values of \"" +
                                   settings.color_by + "\" are not finite and are drawn grey");
}

// The range asked for, that of the film, or that of the frame; never empty, so that it can be divided by.
static void choose_range(const SnapshotLayout& layout, const Snapshot& s, const RenderSettings& settings,
                         const FilmView& view, Drawing& drawing) {
    auto [low, high] = settings.color_range;
    if (low == high) low = view.color_range[0], high = view.color_range[1];
    if (low == high) {
        low = 1e300, high = -1e300;
        add_field_range(layout, s, settings.color_by, low, high);
        if (low > high) low = 0, high = 1;
    }
    if (!(high > low)) high = low + std::max(1e-9, 1e-6 * std::abs(low));
    drawing.color_min = low;
    drawing.color_max = high;
}

static std::vector<Error> check_point_counts(const SnapshotLayout& layout, const Snapshot& s) {
    std::vector<Error> errors;
    if (s.objects.size() != layout.objects.size()) {
        errors.push_back({.message = "frame " + std::to_string(s.frame) + " has " +
                                     std::to_string(s.objects.size()) + " objects, its layout " +
                                     std::to_string(layout.objects.size())});
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

Result<Drawing> build_drawing(const SnapshotLayout& layout, const std::vector<DrawnShape>& shapes,
                              const Snapshot& s, const RenderSettings& settings, const FilmView& view) {
    if (auto errors = check_point_counts(layout, s); !errors.empty()) return {{}, std::move(errors)};
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
        if (is_ground && ground_style(settings) != GroundStyle::none) continue;
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
