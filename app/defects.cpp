#include "defects.h"
#include "command.h"
#include "core/math.h"
#include "geometry/bounds.h"
#include "render/render.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace sinew {

namespace {
constexpr int kPictures = 20;

// Polygons of the finding as sorted corners, to take them out of the grey object.
std::set<std::vector<int>> polygon_set(const Finding& f) {
    std::set<std::vector<int>> s;
    for (std::vector<int> p : f.polygons) std::sort(p.begin(), p.end()), s.insert(std::move(p));
    return s;
}

void remove_polygons(SnapshotObject& o, const std::set<std::vector<int>>& gone) {
    std::vector<int> begin{0}, vertex;
    for (std::size_t p = 0; p + 1 < o.polygon_begin.size(); ++p) {
        std::vector<int> corners(o.polygon_vertex.begin() + o.polygon_begin[p], o.polygon_vertex.begin() + o.polygon_begin[p + 1]), sorted = corners;
        std::sort(sorted.begin(), sorted.end());
        if (gone.contains(sorted)) continue;
        vertex.insert(vertex.end(), corners.begin(), corners.end());
        begin.push_back(int(vertex.size()));
    }
    o.polygon_begin = std::move(begin);
    o.polygon_vertex = std::move(vertex);
    o.uv.clear();
    o.polygon_uv.clear();
}

// The first place, and room around it: eight times its size, between 2 % and all of the object. Vertices are shown together, with at
// least 10 %: one alone would be a dot with nothing around it, seen from where the surface next to it hides it.
Aabb place_of(const Finding& f) {
    Aabb place, all;
    for (const Real3& x : f.positions) all = merge(all, Vec3(vec(x)));
    const auto add = [&](int v) { place = merge(place, Vec3(vec(f.positions[v]))); };
    if (!f.polygons.empty()) std::for_each(f.polygons[0].begin(), f.polygons[0].end(), add);
    else if (!f.edges.empty()) add(f.edges[0][0]), add(f.edges[0][1]);
    else if (!f.vertices.empty()) std::for_each(f.vertices.begin(), f.vertices.end(), add);
    else place = all;
    const Real diagonal = (all.hi - all.lo).norm();
    const bool spread = f.polygons.empty() && f.edges.empty();
    const Real size = (place.hi - place.lo).norm();
    const Real room = std::clamp((spread ? 0.5 : 3.5) * size, (spread ? 0.1 : 0.02) * diagonal, 0.5 * diagonal);
    return grow(place, room > 0 ? room : 0.5);
}

// Outlines and corners in red, polygons where they have an area.
SnapshotObject red_object(const Finding& f, Real size, std::vector<Real3>& positions) {
    SnapshotObject o;
    o.name = "defect";
    o.kind = "mesh";
    o.color = {0.8, 0.02, 0.02};
    o.radius = (f.polygons.empty() && f.edges.empty() ? 0.01 : 0.006) * size;
    o.draw_points = true;
    std::vector<int> index(f.positions.size(), -1);
    const auto at = [&](int v) {
        if (index[v] < 0) index[v] = int(positions.size()), positions.push_back(f.positions[v]);
        return index[v];
    };
    for (const auto& polygon : f.polygons) {
        for (std::size_t i = 0; i < polygon.size(); ++i) {
            const int a = at(polygon[i]), b = at(polygon[(i + 1) % polygon.size()]);
            o.polygon_vertex.push_back(a);
            if (a != b) o.segments.push_back({a, b});
        }
        o.polygon_begin.push_back(int(o.polygon_vertex.size()));
    }
    for (const auto& e : f.edges) o.segments.push_back({at(e[0]), at(e[1])});
    for (int v : f.vertices) at(v);
    o.rest = positions;
    o.point_count = int(positions.size());
    return o;
}

// Edges instead of polygons, so that what is inside can be seen.
void make_wires(SnapshotObject& o, Real radius) {
    std::set<std::array<int, 2>> edges;
    for (std::size_t p = 0; p + 1 < o.polygon_begin.size(); ++p)
        for (int i = o.polygon_begin[p], n = o.polygon_begin[p + 1]; i < n; ++i) {
            const int a = o.polygon_vertex[i], b = o.polygon_vertex[i + 1 < n ? i + 1 : o.polygon_begin[p]];
            edges.insert({std::min(a, b), std::max(a, b)});
        }
    o.segments.assign(edges.begin(), edges.end());
    o.radius = radius;
    o.polygon_begin = {0};
    o.polygon_vertex.clear();
    o.uv.clear();
    o.polygon_uv.clear();
}

Result<Picture> draw(const SnapshotLayout& layout, const Snapshot& snapshot, const Finding& f) {
    SnapshotLayout l = layout;
    Snapshot s = snapshot;
    const std::set<std::vector<int>> gone = polygon_set(f);
    const Aabb place = place_of(f);
    for (SnapshotObject& o : l.objects) {
        const bool involved = o.name == f.object || o.name == f.other;
        o.color = involved ? Real3{0.55, 0.56, 0.6} : Real3{0.3, 0.31, 0.33};
        if (o.name == f.object && f.kind != "intersection" && !gone.empty()) remove_polygons(o, gone);
        // nothing may stand between the camera and the place
        if (o.name == f.other && o.name != f.object && f.kind == "inside") make_wires(o, 0.001 * (place.hi - place.lo).norm());
        if (!involved) o.polygon_begin = {0}, o.polygon_vertex.clear(), o.segments.clear(), o.draw_points = false;
    }
    SnapshotObjectFrame frame;
    l.objects.push_back(red_object(f, (place.hi - place.lo).norm(), frame.position));
    s.objects.push_back(std::move(frame));
    RenderSettings settings;
    settings.width = 800, settings.height = 600;
    settings.ground = "none";
    settings.caption = f.object + ": " + f.message;
    FilmView view;
    add_to_view(l, s, settings, view);
    CameraFit fit;
    fit.aspect = 800.0 / 600;
    const Bounds box{real3(place.lo), real3(place.hi)};
    CameraReach reach;
    add_reach(box, fit, reach);
    finish_view(l, s, settings, fit_camera(box, reach, fit), view);
    auto painter = make_painter(l, settings);
    if (!painter) return {std::nullopt, painter.errors};
    const ParallelPtr parallel = make_parallel(make_context(0, true));
    auto picture = render_frame(*parallel, *painter.value, s, view);
    if (!picture) return {std::nullopt, picture.errors};
    return {std::move(picture.value->picture), {}};
}
} // namespace

std::vector<Error> draw_findings(const SnapshotLayout& layout, const Snapshot& snapshot, const std::vector<Finding>& findings,
                                 const std::string& folder, bool overwrite, std::vector<std::string>& files) {
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    for (int i = 0; i < int(findings.size()) && i < kPictures; ++i) {
        std::string name = findings[i].object + (findings[i].other.empty() ? "" : "_" + findings[i].other) + "_" + findings[i].kind;
        for (char& c : name)
            if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
        const std::string path = (std::filesystem::path(folder) / (name + ".png")).string();
        if (!overwrite && std::filesystem::exists(path, code))
            return {Error{.file = path, .message = "exists already", .allowed = "--overwrite, or another folder"}};
        const Result<Picture> picture = draw(layout, snapshot, findings[i]);
        if (!picture) return picture.errors;
        if (auto e = write_png(*picture.value, path)) return {*e};
        files.push_back(path);
    }
    return {};
}

} // namespace sinew
