#include "scene/attach.h"
#include "constraint/attach_place.h"
#include "constraint/attach_point.h"
#include "constraint/list.h"
#include "core/error.h"
#include "geometry/distance_closest.h"
#include "geometry/topology.h"
#include "scene/names.h"
#include "scene/select.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace sinew {

namespace {

struct AttachParams {
    Value points, to;
    Real stiffness = 1e4, damping = 0;
    Real breaks_at = std::numeric_limits<Real>::infinity();
    bool rigid = false;
    template <class V> static void fields(AttachParams& p, V&& v) {
        v("points", p.points, Field{.doc = "which points: a selection with \"of\""});
        v("to", p.to, Field{.doc = "an object, \"world\", or a selection of another object"});
        v("stiffness", p.stiffness, Field{.min = 0, .min_exclusive = true, .unit = "N/m", .doc = "of soft pins"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "of soft pins"});
        v("rigid", p.rigid, Field{.doc = "to a free or deformable body: no pins but exact constraints, for solvers that have them"});
        v("breaks_at", p.breaks_at, Field{.min = 0, .min_exclusive = true, .unit = "N", .doc = "to a free or deformable body: sum of the forces at which all of it lets go"});
    }
};
struct RuleParams {
    Real friction = -1, thickness = -1, restitution = -1;
    bool off = false;
    template <class V> static void fields(RuleParams& p, V&& v) {
        v("friction", p.friction, Field{.min = 0, .doc = "coefficient of the pair"});
        v("thickness", p.thickness, Field{.min = 0, .unit = "m", .doc = "distance the pair keeps"});
        v("restitution", p.restitution, Field{.min = 0, .max = 1, .doc = "part of the approach speed that comes back"});
        v("off", p.off, Field{.doc = "the pair does not touch"});
    }
};

std::vector<std::string> object_names(const Model& m) {
    std::vector<std::string> names;
    for (const Object& o : m.objects) names.push_back(o.name);
    return names;
}

// points of the model that a selection means; the object must be built and made of points
std::vector<int> select_points(const Value& value, const Scope& scope, const std::string& path, int object, const PointAttributes& attributes,
                               const ModelBuilder& b, std::vector<Error>& errors) {
    Select select;
    if (!parse_select(value, scope, path, select, errors)) return {};
    const Object& o = b.model.objects[object];
    PolygonMesh mesh;
    if (o.snapshot >= 0) {
        const SnapshotObject& s = b.layout.objects[o.snapshot];
        if (s.carriers.empty()) {
            mesh.positions = s.rest;
            mesh.polygon_begin = s.polygon_begin;
            mesh.polygon_vertex = s.polygon_vertex;
            mesh.segments = s.segments;
        } else {
            mesh.positions.resize(o.points.count());
        }
        mesh.vertex_groups = s.carriers.empty() ? s.vertex_groups : s.carrier_groups;
    }
    std::vector<std::uint8_t> boundary(mesh.positions.size(), 0);
    for (int v : boundary_vertices(mesh, build_edges(mesh))) boundary[v] = 1;
    const auto own = attributes.find(object);
    const SelectSource source{{b.state.point.x.data() + o.points.begin, std::size_t(o.points.count())}, mesh.vertex_groups, boundary,
                              own == attributes.end() ? std::span<const VertexAttribute>{} : std::span<const VertexAttribute>(own->second)};
    const std::size_t before = errors.size();
    std::vector<int> out = find_selected(select, source, path, errors);
    if (out.empty() && errors.size() == before)
        errors.push_back(make_error(value, path, fmt::format("selects no point of '{}': nothing would be attached", o.name),
                                    fmt::format("a selection of some of its {} points", o.points.count())));
    for (int& i : out) i += o.points.begin;
    return out;
}

// held where they are, and carried by `follows` if that moves
void fix_points(const std::vector<int>& points, int owner, int follows, const std::string& group, ModelBuilder& b,
                std::vector<Handle>& handles) {
    Handle h;
    h.object = owner;
    h.follows = follows;
    h.released_by = b.model.objects[owner].name + "." + group;
    Pose pose;
    if (follows >= 0) {
        const int f = b.model.objects[follows].frames.begin;
        pose = {b.state.frame.p[f], b.state.frame.q[f]};
    }
    for (int i : points) {
        b.model.point.flags[i] |= kFixed;
        b.state.point.v[i] = {};
        h.points.push_back(i);
        h.local.push_back(real3(quat(pose.rotation).conjugate() * (vec(b.state.point.x[i]) - vec(pose.position))));
    }
    handles.push_back(std::move(h));
}

std::string group_of(const Value& points) {
    const Value* group = find(points, "group");
    return group ? group->text : "attach";
}

// soft pins to a free body, or rigid ones
void pin_to_frame(const std::vector<int>& points, int owner, int frame, const AttachParams& p, const std::string& group, ModelBuilder& b,
                  std::vector<Handle>& handles) {
    Handle h;
    h.object = owner;
    h.released_by = b.model.objects[owner].name + "." + group;
    h.pins = 1 + int(handles.size());
    for (int i : points) {
        const Vec3 local = quat(b.state.frame.q[frame]).conjugate() * (vec(b.state.point.x[i]) - vec(b.state.frame.p[frame]));
        const AttachPoint::Params params{p.rigid ? 0 : 1 / p.stiffness, p.damping, real3(local), Real(h.pins), std::min(p.breaks_at, 1e300)};
        add_constraint(b, *find_constraint("attach_point"), &params, std::array<int, 2>{i, frame});
    }
    handles.push_back(std::move(h));
}

// corners and weights of a place, nearest to x
struct NearestPlace {
    std::array<int, 4> corner{-1, -1, -1, -1};
    std::array<Real, 4> weight{};
    Real distance = std::numeric_limits<Real>::infinity(); // [m]
};

// The nearest point of the simplex of n corners: x itself inside a tetrahedron, otherwise that of one of its faces.
NearestPlace nearest_place(const ModelBuilder& b, const Vec3& x, std::span<const int> corners) {
    const int n = int(corners.size());
    const auto at = [&](int k) { return Vec3(vec(b.state.point.x[corners[k]])); };
    NearestPlace out;
    if (n < 4) {
        const Closest c = n == 1 ? closest_vertex_vertex(x, at(0)) : n == 2 ? closest_vertex_edge(x, at(0), at(1)) : closest_vertex_triangle(x, at(0), at(1), at(2));
        for (int k = 0; k < n; ++k) out.corner[k] = corners[k], out.weight[k] = std::abs(c.weight[1 + k]);
        out.distance = std::sqrt(c.squared);
        return out;
    }
    const Real volume = (at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0)));
    bool inside = volume != 0;
    for (int k = 0; k < 4; ++k) { // x in the place of corner k
        std::array<Vec3, 4> y{at(0), at(1), at(2), at(3)};
        y[k] = x;
        out.corner[k] = corners[k];
        out.weight[k] = (y[1] - y[0]).dot((y[2] - y[0]).cross(y[3] - y[0])) / volume;
        inside = inside && out.weight[k] >= 0;
    }
    out.distance = 0;
    if (inside) return out;
    out.distance = std::numeric_limits<Real>::infinity();
    for (int without = 0; without < 4; ++without) {
        std::array<int, 3> face{};
        for (int k = 0, i = 0; k < 4; ++k)
            if (k != without) face[i++] = corners[k];
        const NearestPlace there = nearest_place(b, x, face);
        if (there.distance < out.distance) out = there;
    }
    return out;
}

// Elements of the object that have the most corners: tetrahedra of solids, triangles of cloth, segments of rods and springs; those all of
// whose corners are among `wanted`.
std::vector<std::array<int, 4>> elements_of(const ModelBuilder& b, int object, const std::vector<int>& wanted, int& corners) {
    std::vector<std::uint8_t> is_wanted(point_count(b.model), 0);
    for (int i : wanted) is_wanted[i] = 1;
    std::vector<std::array<int, 4>> out;
    corners = 0;
    for (const auto* tables : {&b.tables.energies, &b.tables.constraints})
        for (const Table& t : *tables) {
            const std::string_view name = t.row->name;
            const bool simplex = (name.starts_with("tet_") && t.row->points == 4) || (name.starts_with("tri_") && t.row->points == 3) ||
                                 ((name.starts_with("rod_") || name.starts_with("spring") || name == "distance") && t.row->points == 2);
            if (!simplex || t.row->frames > 0 || t.row->points < corners) continue;
            for (int e = 0; e < t.count(); ++e) {
                const int* id = t.stencil.data() + std::size_t(e) * t.row->stencil;
                const int n = t.row->points;
                if (!std::all_of(id, id + n, [&](int i) { return i >= 0 && is_wanted[i] && b.model.point.object[i] == object; })) continue;
                if (n > corners) out.clear(), corners = n;
                std::array<int, 4> element{-1, -1, -1, -1};
                std::copy_n(id, n, element.begin());
                out.push_back(element);
            }
        }
    return out;
}

// pins to places of another deformable body, or of the same one
void pin_to_places(const std::vector<int>& points, int owner, int target, const std::vector<int>& others, const AttachParams& p,
                   const SceneEntry& entry, ModelBuilder& b, std::vector<Handle>& handles, std::vector<Error>& errors) {
    constexpr Real kOn = 1e-6; // [m] from a place that is rigidly held
    Handle h;
    h.object = owner;
    h.released_by = b.model.objects[owner].name + "." + group_of(p.points);
    h.pins = 1 + int(handles.size());
    int corners = 0;
    const std::vector<std::array<int, 4>> elements = elements_of(b, target, others, corners);
    for (int i : points) {
        const Vec3 x = vec(b.state.point.x[i]);
        NearestPlace best;
        const auto consider = [&](std::span<const int> corner) {
            if (std::find(corner.begin(), corner.end(), i) != corner.end()) return;
            const NearestPlace there = nearest_place(b, x, corner);
            if (there.distance < best.distance) best = there;
        };
        for (const auto& element : elements) consider(std::span(element).first(corners));
        if (elements.empty())
            for (const int& k : others) consider({&k, 1});
        if (best.corner[0] < 0) continue; // it is all there is
        if (p.rigid && best.distance > kOn) {
            errors.push_back(make_error(p.points, join_path(entry.path, "rigid"),
                                        fmt::format("a point is {:.3g} m away from '{}': only what lies on it can be held rigidly", best.distance, b.model.objects[target].name)));
            return;
        }
        const AttachPlace::Params params{p.rigid ? 0 : 1 / p.stiffness, p.damping, best.weight, Real(h.pins), std::min(p.breaks_at, 1e300)};
        std::array<int, 5> stencil{i, -1, -1, -1, -1};
        std::copy(best.corner.begin(), best.corner.end(), stencil.begin() + 1);
        add_constraint(b, *find_constraint("attach_place"), &params, stencil);
    }
    handles.push_back(std::move(h));
}

} // namespace

FieldList describe_attach(std::shared_ptr<void>& owner) {
    auto params = std::make_shared<AttachParams>();
    owner = params;
    return collect_fields([&](auto v) { AttachParams::fields(*params, v); });
}

FieldList describe_contact(std::shared_ptr<void>& owner) {
    auto params = std::make_shared<RuleParams>();
    owner = params;
    return collect_fields([&](auto v) { RuleParams::fields(*params, v); });
}

void add_attachments(const Scene& scene, const Scope& scene_scope, bool check_only, const std::vector<std::string>& wrong, const PointAttributes& attributes,
                     ModelBuilder& b, std::vector<Handle>& handles, std::vector<Error>& future, std::vector<Error>& errors) {
    for (const SceneEntry& e : scene.attach) {
        AttachParams p;
        FieldList list = collect_fields([&](auto v) { AttachParams::fields(p, v); });
        const Scope scope = make_scope(scene_scope, e.vars);
        if (!read_fields(list, e.params, scope, e.path, errors)) continue;
        if (matches_broken(wrong, e.names[0]) || matches_broken(wrong, e.names[1])) continue; // said there
        const Id owner = find(b.model, e.names[0]);
        const bool to_world = e.names[1] == kWorld;
        const Id to = to_world ? Id{} : find(b.model, e.names[1]);
        if (!owner || (!to_world && !to)) {
            // the object exists in the scene; its kind is not built
            if (check_only) future.push_back(make_error(p.points, e.path, "waits for objects that are not built yet"));
            continue;
        }
        const Object& from = b.model.objects[owner.index];
        if (from.points.count() == 0) {
            errors.push_back(make_error(p.points, join_path(e.path, "points"), "this object has no points to attach"));
            continue;
        }
        const std::vector<int> points = select_points(p.points, scope, join_path(e.path, "points"), owner.index, attributes, b, errors);
        if (points.empty()) continue; // said there
        if (to_world) {
            if (std::isfinite(p.breaks_at))
                errors.push_back(make_error(*find(e.params, "breaks_at"), join_path(e.path, "breaks_at"), "only attachments to free and deformable bodies break"));
            fix_points(points, owner.index, -1, group_of(p.points), b, handles);
            continue;
        }
        const Object& target = b.model.objects[to.index];
        const bool free_body = target.frames.count() && !(b.model.frame.flags[target.frames.begin] & kFixed);
        if (std::isfinite(p.breaks_at) && target.frames.count() && !free_body)
            errors.push_back(make_error(*find(e.params, "breaks_at"), join_path(e.path, "breaks_at"), "only attachments to free and deformable bodies break"));
        if (target.frames.count()) {
            const int frame = target.frames.begin;
            if (b.model.frame.flags[frame] & kFixed) fix_points(points, owner.index, to.index, group_of(p.points), b, handles);
            else pin_to_frame(points, owner.index, frame, p, group_of(p.points), b, handles);
            continue;
        }
        if (target.points.count() == 0) {
            errors.push_back(make_error(p.to, join_path(e.path, "to"), fmt::format("'{}' has neither points nor a body to attach to", target.name)));
            continue;
        }
        const std::vector<int> others = select_points(p.to.kind == Value::Kind::object ? p.to : make_text("all"), scope,
                                                      join_path(e.path, "to"), to.index, attributes, b, errors);
        if (others.empty()) continue; // said there
        pin_to_places(points, owner.index, to.index, others, p, e, b, handles, errors);
    }
}

std::vector<RulePattern> read_contact_rules(const Scene& scene, const Scope& scene_scope, std::vector<Error>& errors) {
    std::vector<RulePattern> rules;
    for (const SceneEntry& e : scene.contact) {
        RuleParams p;
        FieldList list = collect_fields([&](auto v) { RuleParams::fields(p, v); });
        const Scope scope = make_scope(scene_scope, e.vars);
        if (!read_fields(list, e.params, scope, e.path, errors)) continue;
        rules.push_back({e.names[0], e.names[1], {-1, -1, p.off, p.friction, p.thickness, p.restitution}});
    }
    return rules;
}

void add_contact_rules(const Scene& scene, const Scope& scene_scope, ModelBuilder& b, std::vector<Error>& errors) {
    const std::vector<std::string> names = object_names(b.model);
    // bodies that share a joint overlap by design: they do not touch while it lasts unless a rule below says so
    for (const SceneEntry& e : scene.joints) {
        if (e.names.size() != 2) continue;
        if (const Id i = find(b.model, e.names[0]), k = find(b.model, e.names[1]); i && k)
            b.model.contact_rules.push_back({.a = i.index, .b = k.index, .off = true, .joint = find(b.model, e.name).index});
    }
    for (const RulePattern& r : read_contact_rules(scene, scene_scope, errors))
        for (int i : match_names(r.a, names))
            for (int k : match_names(r.b, names)) b.model.contact_rules.push_back({i, k, r.rule.off, r.rule.friction, r.rule.thickness, r.rule.restitution});
}

} // namespace sinew
