#include "render/view.h"
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

void add_field_range(const SnapshotLayout& layout, const Snapshot& s, const std::string& name, double& low,
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

void add_to_view(const SnapshotLayout& layout, const Snapshot& s, const RenderSettings& settings,
                 FilmView& view) {
    add_bounds(layout, s, view.bounds);
    add_reach(layout, s, camera_fit(settings), view.reach);
    const auto given = settings.color_range;
    if (settings.color_by.empty() || given[0] != given[1]) return;
    // an untouched range is empty
    auto& [a, b] = view.color_range;
    double low = a == b ? 1e300 : a, high = a == b ? -1e300 : b;
    add_field_range(layout, s, settings.color_by, low, high);
    if (low < high) a = low, b = high;
}

void finish_view(const SnapshotLayout& layout, const Snapshot& first, const RenderSettings& settings,
                 const std::optional<Camera>& camera, FilmView& view) {
    if (settings.color_range[0] != settings.color_range[1]) view.color_range = settings.color_range;
    view.ground_height = find_ground(layout, first, view.bounds, settings.up);
    view.camera = camera ? *camera : fit_camera(view.bounds, view.reach, camera_fit(settings));
}

std::vector<Error> check_view(const FilmView& view) {
    std::vector<Error> errors;
    const auto need = [&](bool ok, const char* path, const char* message, const char* allowed) {
        if (!ok) errors.push_back({.path = path, .message = message, .allowed = allowed});
    };
    const Camera& c = view.camera;
    need(is_drawable(vec(c.eye)), "camera.eye", "not a place", "three numbers below 1e15 m");
    need(is_drawable(vec(c.look_at)), "camera.look_at", "not a place", "three numbers below 1e15 m");
    need(vec(c.up).allFinite(), "camera.up", "not a direction", "three numbers");
    need(c.fov >= 1e-3 && c.fov <= 3.1, "camera.fov", "opening angle out of range", "0.001 to 3.1 rad");
    need(std::isfinite(view.ground_height), "ground_height", "not a number", "a height in m");
    need(std::isfinite(view.color_range[0]) && std::isfinite(view.color_range[1]), "color_range",
         "not numbers", "two numbers");
    return errors;
}

} // namespace sinew
