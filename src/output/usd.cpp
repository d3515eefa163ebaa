// USD: one text file "drape.usda" per run. Objects are prims below /World, "hero/chest" is /World/hero/chest;
// names that are no identifiers of USD are changed, the scene's name stays in customData. Units: m, s; a time
// code is a frame number.
//   Mesh         polygons as imported, primvars:st with a value per corner, GeomSubsets for groups and
//                materials of polygons, vertex groups as 0/1 in primvars:sinew:group:NAME
//   BasisCurves  segments, joined where one begins with the end of the one before; widths 2 radius
//   Points       particles that are alive, widths 2 radius, ids
//   points       per frame, in the world; rigid objects: once, with xformOp:translate and orient per frame
//   velocities   [m/s] the field "velocity"; other fields are primvars:sinew:NAME
// An object with polygons, segments and particles has three prims. Topology may change during the run: its
// arrays are sampled where they change, objects that are not there yet or any more are invisible, and what
// an object does not have all the time (texture coordinates, vertex groups, fields, ids) is None where it
// lacks it, because a reading program would else take values of another topology. Positions
// that are no finite float32 are refused; in fields NaN becomes 0, and what is too large the largest number.
// USD knows y and z as up: for other directions /World is turned. A corner without texture coordinate gets
// (0, 0). The file, the spool and resume: usd.h. Reference: OpenUSD, UsdGeom and the usda grammar.
#include "output/usd.h"
#include "core/math.h"
#include "output/check.h"
#include "output/output.h"
#include "sinew/value.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {
namespace {

enum class UsdShape { mesh, lines, points };
struct UsdPart { // what one prim shows of an object
    UsdShape shape;
    std::size_t object; // in the layout
    int prim;
    std::vector<int> vertices; // of the object, as the prim has them; of particles dead ones too
};

// attributes that an object may have at some times only: of its layout, and of its frames
bool comes_with_layout(const UsdAttribute& a) {
    return a.name == "primvars:st" || a.name == "primvars:st:indices" || a.name.starts_with(kUsdGroup);
}
bool comes_with_frame(const UsdAttribute& a) {
    return a.name == "velocities" || a.name == "ids" ||
           (a.name.starts_with(kUsdField) && !a.name.starts_with(kUsdGroup));
}

constexpr std::size_t kUsdLevels = 32; // of groups in names; a slash beyond them is like any other character

bool all_dead(const SnapshotObjectFrame& f) {
    return !f.alive.empty() &&
           std::none_of(f.alive.begin(), f.alive.end(), [](std::uint8_t a) { return a != 0; });
}

// segments as polylines: vertices one curve after the other, and how many each has
std::vector<int> join_segments(const std::vector<std::array<int, 2>>& segments, std::vector<int>& counts) {
    std::vector<int> vertices;
    for (const auto& s : segments) {
        if (!counts.empty() && vertices.back() == s[0]) {
            vertices.push_back(s[1]);
            ++counts.back();
        } else {
            vertices.insert(vertices.end(), {s[0], s[1]});
            counts.push_back(2);
        }
    }
    return vertices;
}

bool holds_float(double value) {
    return std::abs(value) <= double(std::numeric_limits<float>::max());
} // no: also NaN

std::string find_bad_number(const SnapshotObject& o, const SnapshotObjectFrame& f) {
    if (all_dead(f)) return "";
    const std::vector<Real3>& x = o.rigid ? o.rest : f.position;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool shown = o.rigid || f.alive.empty() || f.alive[i];
        if (shown && !(holds_float(x[i].x) && holds_float(x[i].y) && holds_float(x[i].z)))
            return "the position of vertex " + std::to_string(i);
    }
    const Real3& p = f.pose.position;
    const Real4& q = f.pose.rotation;
    const double turn = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const bool fine =
        holds_float(p.x) && holds_float(p.y) && holds_float(p.z) && turn > 0 && holds_float(turn);
    return o.rigid && !fine ? "the pose" : "";
}

// groups of the same kind and name are one
std::vector<PolygonGroup> merged_groups(const SnapshotObject& o) {
    std::vector<PolygonGroup> groups;
    for (const PolygonGroup& g : o.polygon_groups) {
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const PolygonGroup& h) {
            return h.kind == g.kind && h.name == g.name;
        });
        if (same == groups.end()) {
            groups.push_back(g);
            continue;
        }
        same->polygons.insert(same->polygons.end(), g.polygons.begin(), g.polygons.end());
        std::sort(same->polygons.begin(), same->polygons.end());
        same->polygons.erase(std::unique(same->polygons.begin(), same->polygons.end()), same->polygons.end());
    }
    std::erase_if(groups, [](const PolygonGroup& g) { return g.polygons.empty(); });
    return groups;
}

double picture_aspect(const SnapshotLayout& layout) {
    const Result<Value> look = parse_value(layout.look.empty() ? "{}" : layout.look, "");
    const Value *width = look ? find(*look.value, "width") : nullptr,
                *height = look ? find(*look.value, "height") : nullptr;
    const double w = width && width->number > 0 ? width->number : 1280,
                 h = height && height->number > 0 ? height->number : 720;
    return w / h;
}

struct UsdExporter final : Exporter {
    std::string path; // empty = not open
    SnapshotLayout layout;
    UsdStage stage;
    std::vector<UsdPart> parts;
    bool fresh = true; // the layout is new since the last frame

    Errors open(const std::string& to, const SnapshotLayout& given) override {
        path.clear();
        stage = UsdStage();
        if (Errors e = stage.spool.open(to); !e.empty()) return e;
        start_usd(stage);
        path = to;
        return change_layout(given);
    }
    Errors change_layout(const SnapshotLayout& given) override {
        layout = given;
        fresh = true;
        return {};
    }
    // the file of an interrupted run is not there, because close() makes it
    Errors resume(const std::string& to, const SnapshotLayout& given, int last_frame) override {
        if (Errors e = open(to, given); !e.empty()) return e;
        Errors errors = read_usd(to, last_frame, stage);
        if (errors.empty()) return {};
        if (errors[0].line == 0)
            errors[0].message +=
                "; the USD file of a run that was not ended cleanly is made from its recording by convert";
        path.clear();
        stage = UsdStage();
        return errors;
    }

    UsdPrim& prim(int index) { return stage.prims[std::size_t(index)]; }
    int frame() const { return stage.frames.back(); }
    void put(int index, std::string_view type, std::string_view name, std::string value,
             std::string_view interpolation = "") {
        put(index, usd_attribute(prim(index), type, name, interpolation), std::move(value));
    }
    void put(int index, UsdAttribute& a, std::string value) {
        if (a.count == 0 && (comes_with_layout(a) || comes_with_frame(a))) block_before(prim(index), a);
        add_usd_sample(stage, prim(index), a, frame(), std::move(value));
        a.present = true;
    }
    // what an object gets later than its points: before the first sample USD takes the first
    void block_before(const UsdPrim& p, UsdAttribute& a) {
        const auto points = std::find_if(p.attributes.begin(), p.attributes.end(),
                                         [](const UsdAttribute& b) { return b.name == "points"; });
        if (points != p.attributes.end() && points->count > 0 && points->first_frame < frame())
            add_usd_sample(stage, p, a, points->first_frame, std::string(kUsdNone));
    }
    // before writing what comes with a layout or frame, and after it: what was not written has no value
    void expect_none(int index, bool (*which)(const UsdAttribute&)) {
        for (UsdAttribute& a : prim(index).attributes)
            if (which(a)) a.present = false;
    }
    void block_missing(int index, bool (*which)(const UsdAttribute&)) {
        for (UsdAttribute& a : prim(index).attributes)
            if (which(a) && !a.present && a.count > 0)
                add_usd_sample(stage, prim(index), a, frame(), std::string(kUsdNone));
    }
    void put_source(int index, std::string_view type, std::string_view prefix, const std::string& source,
                    int size, std::string value) {
        UsdAttribute& a = usd_source_attribute(prim(index), type, prefix, source, size);
        put(index, a, std::move(value));
    }

    void place_world() {
        const bool turned = layout.up != "y" && layout.up != "z";
        if (turned && layout.up == "-z")
            put(0, "float", "xformOp:rotateX", "180");
        else if (turned)
            put(0, "float", "xformOp:rotateZ", layout.up == "x" ? "90" : layout.up == "-x" ? "-90" : "180");
        if (layout.camera.size() != 10) return;
        const std::vector<double>& c = layout.camera;
        const Vec3 eye(c[0], c[1], c[2]), at(c[3], c[4], c[5]), up(c[6], c[7], c[8]);
        // a camera looks along its -z, y points to the top of the picture
        Mat3 axes;
        axes.col(2) = (eye - at).normalized();
        Vec3 right = up.cross(axes.col(2));
        if (!(right.norm() > 1e-9 * up.norm()))
            right = (std::abs(axes(0, 2)) < 0.7 ? Vec3(1, 0, 0) : Vec3(0, 0, 1)).cross(axes.col(2));
        axes.col(0) = right.normalized();
        axes.col(1) = axes.col(2).cross(axes.col(0));
        UsdPrim like;
        like.type = "Camera";
        like.parent = 0;
        const int camera = find_or_add_prim(stage, like);
        const double height = 0.24;          // [0.1 m] of the film
        const double range[2] = {0.01, 1e5}; // [m]
        put(camera, "float2", "clippingRange", usd_tuple(range, true));
        put(camera, "float", "focalLength", usd_number(height / (2 * std::tan(c[9] / 2))));
        put(camera, "float", "horizontalAperture", usd_number(height * picture_aspect(layout)));
        put(camera, "float", "verticalAperture", usd_number(height));
        put_pose(camera, {real3(eye), real4(Quat(axes))});
    }

    // the prim of one part of an object, and of the groups that its name speaks of
    int place_prim(const SnapshotObject& o, std::string_view type, std::string_view part) {
        UsdPrim group;
        group.type = "Xform";
        group.parent = 0;
        std::size_t begin = 0, levels = 0;
        for (std::size_t slash = o.name.find('/'); slash != o.name.npos && levels < kUsdLevels;
             slash = o.name.find('/', begin), ++levels) {
            group.name = o.name.substr(begin, slash - begin);
            group.parent = find_or_add_prim(stage, group);
            begin = slash + 1;
        }
        UsdPrim p;
        p.type = type;
        p.name = o.name;
        p.part = part;
        p.kind = o.kind;
        p.material = o.material;
        p.rigid = o.rigid;
        p.parent = group.parent;
        const std::size_t before = stage.prims.size();
        const int index = find_or_add_prim(stage, p);
        // what comes later was not to be seen before
        UsdAttribute& visibility = usd_attribute(prim(index), "token", "visibility");
        if (stage.prims.size() > before && frame() != stage.frames.front())
            add_usd_sample(stage, prim(index), visibility, stage.frames.front(), "\"invisible\"");
        return index;
    }
    void place_part(std::size_t object, UsdShape shape, bool first) {
        const SnapshotObject& o = layout.objects[object];
        constexpr std::string_view types[] = {"Mesh", "BasisCurves", "Points"},
                                   names[] = {"mesh", "lines", "points"};
        const std::size_t s = std::size_t(shape);
        UsdPart part{shape, object, place_prim(o, types[s], first ? "" : names[s]), {}};
        expect_none(part.prim, comes_with_layout);
        std::vector<int> counts;
        if (shape == UsdShape::lines) {
            part.vertices = join_segments(o.segments, counts);
            put(part.prim, "int[]", "curveVertexCounts", usd_integers(counts));
        } else {
            part.vertices.resize(std::size_t(o.point_count));
            std::iota(part.vertices.begin(), part.vertices.end(), 0);
        }
        if (shape == UsdShape::mesh) place_polygons(o, part.prim);
        constexpr int one[1] = {0};
        put(part.prim, "color3f[]", "primvars:displayColor", usd_array(&o.color.x, 3, one), "constant");
        if (shape != UsdShape::mesh) {
            const double width = 2 * o.radius;
            put(part.prim, "float[]", "widths", usd_array(&width, 1, one), "constant");
        }
        if (o.rigid) {
            put(part.prim, "point3f[]", "points",
                o.rest.empty() ? "[]" : usd_array(&o.rest[0].x, 3, part.vertices));
            put(part.prim, "float3[]", "extent", usd_extent(o.rest, part.vertices, margin(part)));
        }
        if (shape != UsdShape::points || o.rigid) place_vertex_groups(o, part);
        block_missing(part.prim, comes_with_layout);
        parts.push_back(std::move(part));
    }
    void place_polygons(const SnapshotObject& o, int index) {
        std::vector<int> counts;
        for (int p = 0; p < polygon_count(o); ++p)
            counts.push_back(o.polygon_begin[std::size_t(p) + 1] - o.polygon_begin[std::size_t(p)]);
        put(index, "int[]", "faceVertexCounts", usd_integers(counts));
        put(index, "int[]", "faceVertexIndices", usd_integers(o.polygon_vertex));
        if (!o.polygon_uv.empty()) {
            std::vector<std::array<double, 2>> uv = o.uv;
            std::vector<int> corner = o.polygon_uv, rows;
            if (std::find(corner.begin(), corner.end(), -1) != corner.end()) uv.push_back({0, 0});
            std::replace(corner.begin(), corner.end(), -1, int(uv.size()) - 1);
            rows.resize(uv.size());
            std::iota(rows.begin(), rows.end(), 0);
            put(index, "texCoord2f[]", "primvars:st", usd_array(uv[0].data(), 2, rows), "faceVarying");
            put(index, "int[]", "primvars:st:indices", usd_integers(corner));
        }
        place_polygon_groups(o, index);
    }
    void place_polygon_groups(const SnapshotObject& o, int mesh) {
        constexpr const char* kinds[] = {"group", "object", "material"};
        std::vector<int> present;
        for (const PolygonGroup& g : merged_groups(o)) {
            UsdPrim like;
            like.type = "GeomSubset";
            like.name = g.name;
            like.part = kinds[std::size_t(g.kind)];
            like.parent = mesh;
            const std::size_t before = stage.prims.size();
            present.push_back(find_or_add_prim(stage, like));
            if (stage.prims.size() > before && frame() != stage.frames.front())
                add_usd_sample(stage, prim(present.back()),
                               usd_attribute(prim(present.back()), "int[]", "indices"), stage.frames.front(),
                               "[]");
            put(present.back(), "int[]", "indices", usd_integers(g.polygons));
        }
        const std::vector<int> children = prim(mesh).children;
        for (int child : children)
            if (std::find(present.begin(), present.end(), child) == present.end())
                put(child, "int[]", "indices", "[]");
    }
    void place_vertex_groups(const SnapshotObject& o, const UsdPart& part) {
        for (const auto& [name, vertices] : o.vertex_groups) {
            std::vector<int> member(std::size_t(o.point_count), 0), shown;
            for (int v : vertices) member[std::size_t(v)] = 1;
            for (int v : part.vertices) shown.push_back(member[std::size_t(v)]);
            put_source(part.prim, "int[]", kUsdGroup, name, 1, usd_integers(shown));
        }
    }
    double margin(const UsdPart& part) const {
        return part.shape == UsdShape::mesh ? 0.0 : layout.objects[part.object].radius;
    }

    // prims and topology of a new layout; objects that it has no longer are hidden
    void place_objects() {
        parts.clear();
        place_world();
        for (std::size_t i = 0; i < layout.objects.size(); ++i) {
            const SnapshotObject& o = layout.objects[i];
            const bool mesh = polygon_count(o) > 0, lines = !o.segments.empty();
            if (mesh) place_part(i, UsdShape::mesh, true);
            if (lines) place_part(i, UsdShape::lines, !mesh);
            if (o.draw_points || (!mesh && !lines)) place_part(i, UsdShape::points, !mesh && !lines);
        }
        std::vector<std::uint8_t> present(stage.prims.size(), 0);
        for (const UsdPart& part : parts) present[std::size_t(part.prim)] = 1;
        for (std::size_t i = 0; i < stage.prims.size(); ++i) {
            const std::string& type = stage.prims[i].type;
            if (!present[i] && (type == "Mesh" || type == "BasisCurves" || type == "Points"))
                put(int(i), "token", "visibility", "\"invisible\"");
        }
    }

    void put_pose(int index, const Pose& pose) {
        put(index, "double3", "xformOp:translate", usd_tuple({&pose.position.x, 3}, false));
        const Quat q = quat(pose.rotation).normalized();
        const double turn[4] = {q.w(), q.x(), q.y(), q.z()};
        put(index, "quatf", "xformOp:orient", usd_tuple(turn, true));
    }
    void put_fields(const UsdPart& part, const SnapshotObjectFrame& f, std::span<const int> vertices) {
        constexpr std::string_view types[] = {"", "float[]", "float2[]", "float3[]", "float4[]"};
        for (const SnapshotField& field : f.fields) {
            std::string value = usd_array(field.values.data(), field.components, vertices);
            const bool rigid = layout.objects[part.object].rigid;
            if (field.name == "velocity" && field.components == 3 && !rigid) {
                put(part.prim, "vector3f[]", "velocities", std::move(value));
                continue;
            }
            const bool grouped = field.components <= 4;
            put_source(part.prim, types[grouped ? std::size_t(field.components) : 1], kUsdField, field.name,
                       grouped ? 1 : field.components, std::move(value));
        }
    }
    void put_part(const UsdPart& part, const SnapshotObjectFrame& f) {
        const SnapshotObject& o = layout.objects[part.object];
        const bool particles = part.shape == UsdShape::points && !o.rigid, hidden = !particles && all_dead(f);
        put(part.prim, "token", "visibility", hidden ? "\"invisible\"" : "\"inherited\"");
        if (hidden) return;
        expect_none(part.prim, comes_with_frame);
        std::vector<int> living;
        std::span<const int> vertices = part.vertices;
        if (particles && !f.alive.empty()) {
            std::copy_if(vertices.begin(), vertices.end(), std::back_inserter(living),
                         [&](int v) { return f.alive[std::size_t(v)] != 0; });
            vertices = living;
        }
        if (o.rigid) {
            put_pose(part.prim, f.pose);
        } else {
            put(part.prim, "point3f[]", "points",
                f.position.empty() ? "[]" : usd_array(&f.position[0].x, 3, vertices));
            put(part.prim, "float3[]", "extent", usd_extent(f.position, vertices, margin(part)));
        }
        if (particles && !(f.alive.empty() && f.id.empty())) {
            std::string ids = "[";
            for (int v : vertices)
                ids += (ids.size() > 1 ? "," : "") +
                       std::to_string(f.id.empty() ? std::uint32_t(v) : f.id[std::size_t(v)]);
            put(part.prim, "int64[]", "ids", ids + "]");
        }
        put_fields(part, f, vertices);
        block_missing(part.prim, comes_with_frame);
    }

    Errors write(const Snapshot& s) override {
        for (std::size_t i = 0; i < layout.objects.size(); ++i) {
            const std::string what = find_bad_number(layout.objects[i], s.objects[i]);
            if (what.empty()) continue;
            Error error = file_error(path, what + " in frame " + std::to_string(s.frame) +
                                               " is no finite float32, which USD cannot hold");
            error.path = "objects." + layout.objects[i].name;
            return {error};
        }
        stage.frames.push_back(s.frame);
        put(0, "double", kUsdTime, usd_double(s.time));
        if (fresh) place_objects();
        fresh = false;
        for (const UsdPart& part : parts) put_part(part, s.objects[part.object]);
        return stage.errors;
    }
    Errors close() override {
        if (path.empty()) return {};
        Errors errors = stage.errors;
        if (errors.empty()) errors = write_usd(stage, layout, path);
        stage = UsdStage();
        path.clear();
        return errors;
    }
};
} // namespace

std::unique_ptr<Exporter> make_usd_exporter(const ExporterSettings&) {
    return std::make_unique<UsdExporter>();
}

} // namespace sinew
