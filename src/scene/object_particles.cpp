// Particles: by list, filling a shape, or born by an emitter; massive or carried by a velocity field (spec P1, P4, P8).
#include "core/error.h"
#include "core/random.h"
#include "energy/attach.h"
#include "energy/list.h"
#include "scene/kinds.h"
#include "scene/mesh_source.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

std::vector<Real3> grid_places(const Real3& size, Real spacing, BuildContext& c) {
    std::array<int, 3> n{};
    Real total = 1;
    for (int k = 0; k < 3; ++k) {
        n[k] = int(std::min(1e6, std::floor(size[k] / spacing + 1e-9))) + 1;
        total *= n[k];
    }
    std::vector<Real3> out;
    if (total > 5e7) {
        add_error(c, "spacing", make_number(spacing), fmt::format("gives {:.3g} particles, more than 50 million", total));
        return out;
    }
    for (int z = 0; z < n[2]; ++z)
        for (int y = 0; y < n[1]; ++y)
            for (int x = 0; x < n[0]; ++x)
                out.push_back({(x - 0.5 * (n[0] - 1)) * spacing, (y - 0.5 * (n[1] - 1)) * spacing, (z - 0.5 * (n[2] - 1)) * spacing});
    return out;
}

std::vector<Real3> random_places(const std::string& shape, const Real3& size, int count, std::uint64_t seed) {
    std::vector<Real3> out;
    for (int i = 0; i < count; ++i) {
        Rng rng{seed, std::uint64_t(i), 0};
        if (shape == "sphere") {
            const Real3 b = draw_in_ball(rng);
            out.push_back({size.x * b.x, size.x * b.y, size.x * b.z});
        } else {
            const Real x = draw_uniform(rng) - 0.5, y = draw_uniform(rng) - 0.5, z = draw_uniform(rng) - 0.5;
            out.push_back({x * size.x, y * size.y, z * size.z});
        }
    }
    return out;
}

// parameters of another shape are misunderstandings
void refuse_keys(BuildContext& c, std::initializer_list<const char*> keys, std::string_view beside) {
    for (const char* key : keys)
        if (const Value* v = find(c.object.params, key)) add_error(c, key, *v, fmt::format("has no effect beside {}", beside));
}
void refuse_other_shapes(const std::string& shape, BuildContext& c) {
    if (shape == "mesh") refuse_keys(c, {"size", "spacing"}, "shape mesh");
    else if (shape == "grid") refuse_keys(c, {"mesh"}, "shape grid");
    else refuse_keys(c, {"mesh", "spacing"}, "shape " + shape);
}

PolygonMesh local_places(const Particles::Params& p, BuildContext& c) {
    PolygonMesh mesh;
    if (!p.positions.empty()) mesh.positions = p.positions;
    else if (p.shape == "mesh") mesh = read_mesh_source(c, "mesh", p.mesh);
    else if (p.shape == "grid") mesh.positions = grid_places(p.size, p.spacing, c);
    else mesh.positions = random_places(p.shape, p.size, p.count, c.scene.seed * 1000003 + p.seed);
    mesh.polygon_begin = {0}; // particles, not faces
    mesh.polygon_vertex.clear();
    mesh.polygon_uv.clear();
    mesh.segments.clear();
    return mesh;
}

// [[a, b], ...]
std::vector<std::array<int, 2>> read_links(const Value& links, int count, BuildContext& c) {
    std::vector<std::array<int, 2>> out;
    if (links.kind == Value::Kind::null) return out;
    if (!check_array(links, -1, c.path("links"), "pairs of particles", c.errors)) return out;
    for (std::size_t i = 0; i < links.items.size(); ++i) {
        const std::string path = join_path(c.path("links"), int(i));
        std::array<int, 2> pair{};
        if (!check_array(links.items[i], 2, path, "two particles", c.errors)) continue;
        bool ok = true;
        for (int k = 0; k < 2; ++k) ok &= read_integer(links.items[i].items[k], c.scope, path, pair[k], c.errors);
        if (!ok) continue;
        if (pair[0] < 0 || pair[1] < 0 || pair[0] >= count || pair[1] >= count || pair[0] == pair[1])
            c.errors.push_back(make_error(links.items[i], path, "must be two different particles",
                                          fmt::format("numbers from 0 to {}", count - 1)));
        else out.push_back(pair);
    }
    return out;
}

struct AnchorParams {
    int point = 0;
    Real3 to{1e300, 0, 0};
    Attach::Params attach;
    template <class V> static void fields(AnchorParams& p, V&& v) {
        v("point", p.point, Field{.min = 0, .doc = "particle"});
        v("to", p.to, Field{.unit = "m", .doc = "place in the world; default: where the particle is"});
        Attach::fields(p.attach, v);
    }
};

void add_anchors(const Value& anchors, Range points, BuildContext& c) {
    if (anchors.kind == Value::Kind::null) return;
    if (!check_array(anchors, -1, c.path("anchors"), "anchors", c.errors)) return;
    for (std::size_t i = 0; i < anchors.items.size(); ++i) {
        AnchorParams p;
        FieldList list = collect_fields([&](auto v) { AnchorParams::fields(p, v); });
        const std::string path = join_path(c.path("anchors"), int(i));
        if (!read_fields(list, anchors.items[i], c.scope, path, c.errors)) continue;
        if (p.point >= points.count()) {
            c.errors.push_back(make_error(anchors.items[i], path, "no particle of this number",
                                          fmt::format("0 to {}", points.count() - 1)));
            continue;
        }
        if (p.to.x < 1e300) p.attach.to = p.to;
        add_energy(c.builder, *find_energy("attach"), &p.attach, std::array<int, 1>{points.begin + p.point});
    }
}

// a list: one number per particle, or one list of numbers (all of one length) per particle
bool read_attribute_list(const Value& list, Range points, const std::string& path, BuildContext& c, NamedValues& out) {
    const std::size_t before = c.errors.size();
    if (!check_array(list, points.count(), path, "one entry per particle", c.errors)) return false;
    const bool vectors = !list.items.empty() && list.items[0].kind == Value::Kind::array;
    out.components = vectors ? int(std::max<std::size_t>(1, list.items[0].items.size())) : 1;
    out.values.assign(std::size_t(points.end) * out.components, 0.0);
    double* to = out.values.data() + std::size_t(points.begin) * out.components;
    for (int i = 0; i < points.count(); ++i, to += out.components) {
        const std::string at = join_path(path, i);
        if (!vectors) {
            read_number(list.items[i], "", c.scope, at, *to, c.errors);
        } else if (check_array(list.items[i], out.components, at, "as many numbers as the others", c.errors)) {
            for (int k = 0; k < out.components; ++k)
                read_number(list.items[i].items[k], "", c.scope, join_path(at, k), to[k], c.errors);
        }
    }
    return c.errors.size() == before;
}

bool read_attribute(const Value& value, Range points, const Scope& scope, const std::string& path, BuildContext& c,
                    NamedValues& out) {
    if (value.kind == Value::Kind::array) return read_attribute_list(value, points, path, c, out);
    Signal signal;
    if (!read_signal(value, "", scope, path, signal, c.errors)) return false;
    out.values.assign(points.end, 0.0);
    for (int i = 0; i < points.count(); ++i) {
        const std::array<double, 1> slot{double(i)};
        out.values[points.begin + i] = evaluate(signal, slot);
    }
    return true;
}

// "attributes": { "temperature": 300, "tint": "index/10", "color": [[1, 0, 0], ...] }; returns those of these particles
std::vector<VertexAttribute> add_attributes(const Value& attributes, Range points, BuildContext& c) {
    std::vector<VertexAttribute> own;
    if (attributes.kind == Value::Kind::null) return own;
    if (attributes.kind != Value::Kind::object) {
        add_error(c, "attributes", attributes, "must be an object of names");
        return own;
    }
    Scope scope = make_scope(c.scope, {});
    add_slot(scope.symbols, "index", 0);
    std::vector<NamedValues>& all = c.builder.state.attributes;
    for (const Member& m : attributes.members) {
        NamedValues a{m.key, 1, {}};
        const std::string path = join_path(c.path("attributes"), m.key);
        if (!read_attribute(m.value, points, scope, path, c, a)) continue;
        own.push_back({a.name, a.components, {a.values.begin() + std::ptrdiff_t(points.begin) * a.components, a.values.end()}});
        // one array per name for the whole scene; objects without it have zeros
        const auto known = std::find_if(all.begin(), all.end(), [&](const NamedValues& b) { return b.name == a.name; });
        if (known == all.end()) {
            all.push_back(std::move(a));
        } else if (known->components != a.components) {
            c.errors.push_back(make_error(m.value, path, "another object has this attribute with another number of values",
                                          fmt::format("{} per particle", known->components)));
        } else {
            known->values.resize(std::size_t(points.end) * a.components, 0.0);
            const std::ptrdiff_t first = std::ptrdiff_t(points.begin) * a.components;
            std::copy(a.values.begin() + first, a.values.end(), known->values.begin() + first);
        }
    }
    return own;
}

std::vector<Real> masses_of(const Particles::Params& p, int n, BuildContext& c) {
    if (p.masses.empty()) return std::vector<Real>(n, p.passive ? 0 : p.mass);
    if (int(p.masses.size()) != n)
        add_error(c, "masses", make_null(), fmt::format("has {} numbers for {} particles", p.masses.size(), n));
    std::vector<Real> mass = p.masses;
    mass.resize(n, p.mass);
    return mass;
}

} // namespace

void Particles::build(const Params& p, BuildContext& c) {
    const std::size_t before = c.errors.size();
    if (!p.positions.empty()) {
        refuse_keys(c, {"shape", "count", "size", "spacing", "mesh"}, "positions");
    } else {
        refuse_other_shapes(p.shape, c);
        if (p.shape == "mesh" || p.shape == "grid") refuse_keys(c, {"count"}, "shape " + p.shape);
    }
    PolygonMesh mesh = local_places(p, c);
    const int n = vertex_count(mesh);
    if (n == 0 && c.errors.size() == before) {
        add_error(c, "count", make_null(), "no particles: give positions, or a count for the shape");
    }
    if (!p.velocities.empty() && int(p.velocities.size()) != n)
        add_error(c, "velocities", make_null(), fmt::format("has {} entries for {} particles", p.velocities.size(), n));
    const std::vector<Real> mass = masses_of(p, n, c);
    mesh.segments = read_links(p.links, n, c);
    const Material material = object_material(c, p.common.material);
    const int field = p.passive ? find_velocity_field(c, p.field, "field") : -1;
    if (c.errors.size() != before) return;

    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    const int first = add_points(c.builder, place_points(c, mesh.positions), mass, p.passive ? kPassive : kFree, c.object.velocity);
    const Range points{first, first + n};
    const Quat q = quat(c.object.pose.rotation);
    for (int i = 0; i < int(p.velocities.size()); ++i)
        vec(c.builder.state.point.v[first + i]) += q * vec(p.velocities[i]);
    if (p.passive) std::fill(c.builder.model.point.field.begin() + first, c.builder.model.point.field.end(), field);
    add_spin(c, points);
    for (VertexAttribute& own : add_attributes(p.attributes, points, c)) { // before `fixed`, which may select by them
        std::erase_if(mesh.attributes, [&](const VertexAttribute& a) { return a.name == own.name; });
        mesh.attributes.push_back(std::move(own));
    }
    add_fixed(c, p.common.fixed, points, mesh);
    if (p.common.gravity) add_gravity(c, points);
    add_air(c, p.common.air, points, std::vector<Real>(n, 1.0));
    set_touch(c, p.common.touch, material.friction, p.common.self_contact);
    if (!p.passive) add_surface_points(c.builder, points, p.common.thickness >= 0 ? p.common.thickness : p.radius);
    const LinkModel link = mesh.segments.empty() ? LinkModel{} : read_link_model(material.rod, c.scope, c.path("material.rod"), c.errors);
    for (const auto& pair : mesh.segments) add_link(c, link, first + pair[0], first + pair[1]);
    add_anchors(p.anchors, points, c);
    const int look = add_deformable_snapshot(c, mesh, points, p.common.color, p.radius);
    c.builder.layout.objects[look].draw_points = true;
}

void EmitterKind::build(const Params& p, BuildContext& c) {
    const std::size_t before = c.errors.size();
    Emitter e;
    const Material material = object_material(c, p.common.material);
    const int field = p.passive ? find_velocity_field(c, p.field, "field") : -1;
    PolygonMesh sites;
    refuse_other_shapes(p.shape, c);
    if (p.until <= p.from) add_error(c, "until", make_number(p.until), "is not after from: nothing would be born", fmt::format("more than {:.6g} s", p.from));
    if (p.shape == "mesh") sites = read_mesh_source(c, "mesh", p.mesh);
    if (p.shape == "grid") sites.positions = grid_places(p.size, p.spacing, c);
    const Real duration = std::min(p.until, c.scene.time.seconds) - p.from;
    const Real life = p.lifetime > 0 ? std::min(p.lifetime, std::max(0.0, duration)) : std::max(0.0, duration);
    const Real wanted = p.capacity > 0 ? p.capacity : std::ceil(p.rate * life) + p.initial + 1;
    if (wanted > 5e7) add_error(c, "rate", make_number(p.rate), fmt::format("would need {:.3g} particles, more than 50 million", wanted));
    if (c.errors.size() != before) return;
    const int capacity = int(wanted);
    if (p.capacity == 0) c.notes.push_back(fmt::format("{}.capacity = {}: rate times the time particles live, plus initial", c.object.name, capacity));

    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    e.object = int(c.builder.model.objects.size()) - 1;
    const std::vector<Real3> parked(capacity, c.object.pose.position);
    const std::vector<Real> mass(capacity, p.passive ? 0 : p.mass);
    const int first = add_points(c.builder, parked, mass, kPooled | (p.passive ? kPassive : kFree));
    e.points = {first, first + capacity};
    if (p.passive) std::fill(c.builder.model.point.field.begin() + first, c.builder.model.point.field.end(), field);
    e.shape = p.shape == "sphere" ? Emitter::sphere : Emitter::box;
    e.sites = place_points(c, sites.positions);
    e.pose = c.object.pose;
    e.size = p.size;
    e.rate = p.rate;
    e.from = p.from;
    e.until = p.until;
    e.velocity = real3(vec(c.object.velocity) + quat(c.object.pose.rotation) * vec(p.speed));
    e.spread = p.spread;
    e.inherit = p.inherit_velocity;
    e.lifetime = p.lifetime > 0 ? p.lifetime : 1e300;
    e.seed = c.scene.seed * 1000003 + p.seed;
    e.initial_count = p.initial;
    c.builder.model.emitters.push_back(e);
    c.attributes[e.object] = add_attributes(p.attributes, e.points, c);
    if (p.common.gravity) add_gravity(c, e.points);
    add_air(c, p.common.air, e.points, std::vector<Real>(capacity, 1.0));
    set_touch(c, p.common.touch, material.friction, p.common.self_contact);
    if (!p.passive) add_surface_points(c.builder, e.points, p.common.thickness >= 0 ? p.common.thickness : p.radius);
    add_deformable_snapshot(c, PolygonMesh{}, e.points, p.common.color, p.radius);
}

void SinkKind::build(const Params& p, BuildContext& c) {
    begin_object(c.builder, c.object.name, c.object.kind);
    const bool sphere = p.shape == "sphere";
    const Real3 half{p.size.x / 2, p.size.y / 2, p.size.z / 2};
    Sink k{c.object.pose.position, sphere ? p.size : half, sphere, p.outside};
    k.rotation = c.object.pose.rotation;
    k.object = int(c.builder.model.objects.size()) - 1;
    c.builder.model.sinks.push_back(k);
}

} // namespace sinew
