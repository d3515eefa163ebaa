// Rods: points, one angle per edge, stretching along the edges, bending and twisting at the inner
// points (spec T64). Cross-section: ellipse with half axes a along the first director, b along the second:
//   A = pi a b   EI1 = E pi a^3 b/4   EI2 = E pi a b^3/4   GJ = G pi a^3 b^3/(a^2 + b^2)
//   mass of a point: density A times half its edges; inertia of an edge's angle: density pi a b (a^2 + b^2)/4 |e|
// Viscosity by the Rayleigh analogy: 3 mu A, 3 mu I, mu J instead of EA, EI, GJ.
// Maps: an edge has the mean stiffness and radius of its ends, an inner point its own; the mass of half an edge goes by the density of
// its end. Both half axes scale with the radius, so that A goes with its square, I and J with the fourth power.
#include "scene/object_rod.h"
#include "energy/list.h"
#include "energy/rod_bend_twist.h"
#include "energy/rod_stretch.h"
#include "scene/point_maps.h"
#include <cmath>

namespace sinew {

namespace {

PolygonMesh rod_places(const Rod::Params& p, BuildContext& c) {
    PolygonMesh mesh;
    std::vector<Real3>& x = mesh.positions;
    if (p.curve == "points") {
        x = p.positions;
        if (x.size() < 3) add_error(c, "positions", make_null(), "a rod needs at least three points");
    } else if (p.curve == "line") {
        for (int i = 0; i <= p.count; ++i) x.push_back(real3(vec(p.from) + Real(i) / p.count * (vec(p.to) - vec(p.from))));
    } else if (p.curve == "helix") {
        for (int i = 0; i <= p.count; ++i) {
            const Real turn = p.turns * i / p.count, angle = 2 * kPi * turn;
            x.push_back({p.size * std::cos(angle), p.pitch * turn, -p.size * std::sin(angle)});
        }
    } else {
        if (p.count < 3) add_error(c, "count", make_number(p.count), "a circle needs at least three edges");
        for (int i = 0; i < p.count; ++i) {
            const Real angle = 2 * kPi * i / p.count;
            x.push_back({p.size * std::cos(angle), 0, -p.size * std::sin(angle)});
        }
    }
    const int n = int(x.size());
    for (int i = 0; i < (p.curve == "circle" ? n : n - 1); ++i) mesh.segments.push_back({i, (i + 1) % n});
    return mesh;
}

// every edge has a length and no two neighbours fold back: there curvature is infinite
bool check_shape(const std::vector<Real3>& x, const PolygonMesh& mesh, BuildContext& c) {
    Vec3 before = Vec3::Zero();
    for (const auto& s : mesh.segments) {
        const Vec3 e = vec(x[s[1]]) - vec(x[s[0]]);
        if (!(e.norm() > 0)) {
            add_error(c, "positions", make_null(), "points " + std::to_string(s[0]) + " and " + std::to_string(s[1]) + " are at the same place");
            return false;
        }
        if (before.dot(e.normalized()) < -0.999) {
            add_error(c, "positions", make_null(), "the rod folds back at point " + std::to_string(s[0]));
            return false;
        }
        before = e.normalized();
    }
    return true;
}

struct RodSection {
    Real area, bend1, bend2, polar, torsion; // A, I1, I2, I1 + I2, J
};
RodSection section_of(const Rod::Params& p, Real factor) {
    const Real a = factor * p.radius, b = factor * (p.radius2 > 0 ? p.radius2 : p.radius);
    const Real i1 = kPi * a * a * a * b / 4, i2 = kPi * a * b * b * b / 4;
    return {kPi * a * b, i1, i2, i1 + i2, kPi * a * a * a * b * b * b / (a * a + b * b)};
}

// first directors of the edges: the first one's carried along the rod without twist
std::vector<Vec3> carry_directors(const std::vector<Real3>& x, const PolygonMesh& mesh, const Vec3& first) {
    std::vector<Vec3> directors;
    Vec3 before = Vec3::Zero();
    for (const auto& s : mesh.segments) {
        const Vec3 t = (vec(x[s[1]]) - vec(x[s[0]])).normalized();
        Real frame[13];
        place_rod_frames(t, t, directors.empty() ? first : transport_director(before, directors.back(), t), Vec3::Zero(), frame);
        directors.push_back({frame[3], frame[4], frame[5]});
        before = t;
    }
    return directors;
}

void clamp_end(BuildContext& c, Range points, int first_point, int scalar, Real rate) {
    Handle handle;
    handle.object = int(c.builder.model.objects.size()) - 1;
    handle.released_by = c.object.name + ".clamp";
    const Quat turn = quat(c.object.pose.rotation).conjugate();
    for (int point = points.begin + first_point; point < points.begin + first_point + 2; ++point) {
        c.builder.model.point.flags[point] |= kFixed;
        c.builder.state.point.v[point] = {};
        handle.points.push_back(point);
        handle.local.push_back(real3(turn * (vec(c.builder.state.point.x[point]) - vec(c.object.pose.position))));
    }
    c.builder.model.scalar.flags[scalar] |= kFixed;
    handle.scalars = {scalar};
    handle.rate = rate;
    c.builder.state.scalar.ds[scalar] = rate;
    c.handles.push_back(std::move(handle));
}

void add_elements(const Rod::Params& p, BuildContext& c, const PolygonMesh& mesh, const std::vector<Real3>& x, const PointMaps& maps,
                  Range points, int first_scalar) {
    const ElementRow& stretch_row = *find_energy("rod_stretch");
    for (const auto& e : mesh.segments) {
        const Real area = section_of(p, mean_of(maps.size, e)).area;
        const RodStretch::Params stretch{mean_of(maps.stiffness, e) * p.young * area, 3 * p.viscosity * area};
        add_energy(c.builder, stretch_row, &stretch, std::array<int, 2>{points.begin + e[0], points.begin + e[1]});
    }
    const std::vector<Vec3> directors = carry_directors(x, mesh, vec(p.director));
    const Real shear = p.shear > 0 ? p.shear : p.young / 3;
    RodBendTwist::Params bend;
    bend.natural_shape = p.natural == "shape";
    if (p.natural == "curved") bend.curvature1 = p.curvature1, bend.curvature2 = p.curvature2, bend.natural_twist = p.natural_twist;
    const int edges = int(mesh.segments.size()), inner = p.curve == "circle" ? edges : edges - 1;
    const ElementRow& row = *find_energy("rod_bend_twist");
    for (int i = 0; i < inner; ++i) {
        const int next = (i + 1) % edges, at = mesh.segments[i][1];
        const RodSection s = section_of(p, maps.size[at]);
        const Real stiffness = maps.stiffness[at];
        bend.bend1 = stiffness * p.young * s.bend1, bend.bend2 = stiffness * p.young * s.bend2, bend.twist = stiffness * shear * s.torsion;
        bend.viscosity_bend1 = 3 * p.viscosity * s.bend1, bend.viscosity_bend2 = 3 * p.viscosity * s.bend2;
        bend.viscosity_twist = p.viscosity * s.torsion;
        bend.director0 = real3(directors[i]);
        bend.director1 = real3(directors[next]);
        const std::array<int, 5> stencil{points.begin + mesh.segments[i][0], points.begin + mesh.segments[i][1],
                                         points.begin + mesh.segments[next][1], first_scalar + i, first_scalar + next};
        add_energy(c.builder, row, &bend, stencil);
    }
}

} // namespace

void Rod::build(const Params& given, BuildContext& c) {
    Params p = given;
    if (!p.positions.empty() && p.curve != "points") {
        // places say enough; a curve that says otherwise contradicts them
        if (find(c.object.params, "curve")) {
            add_error(c, "positions", make_null(), "are for curve: points, and curve is " + p.curve, "curve: points, or no positions");
            return;
        }
        p.curve = "points";
    }
    const Material material = object_material(c, p.common.material);
    const PolygonMesh mesh = rod_places(p, c);
    const std::vector<Real3> x = place_points(c, mesh.positions);
    const bool closed = p.curve == "circle";
    if (closed && p.clamp != "none") add_error(c, "clamp", make_text(p.clamp), "a circle has no ends", "none");
    if (!c.errors.empty() || mesh.segments.size() < 2 || !check_shape(x, mesh, c)) return;
    const PointMaps maps = read_maps(c, p.maps, map_places(mesh), "radius");
    if (!c.errors.empty()) return;
    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    std::vector<Real> mass(x.size(), 0), area(x.size(), 0), polar; // area: the rod's shadow around a point
    for (const auto& e : mesh.segments) {
        const RodSection s = section_of(p, mean_of(maps.size, e));
        const Real length = (vec(x[e[1]]) - vec(x[e[0]])).norm();
        polar.push_back(mean_of(maps.density, e) * p.density * s.polar * length);
        for (int end : e) {
            mass[end] += 0.5 * maps.density[end] * p.density * s.area * length;
            area[end] += p.radius * mean_of(maps.size, e) * length;
        }
    }
    const int first = add_points(c.builder, x, mass, kFree, c.object.velocity);
    const Range points{first, first + int(x.size())};
    const int edges = int(mesh.segments.size());
    int first_scalar = -1;
    for (int i = 0; i < edges; ++i) {
        const int scalar = add_scalar(c.builder, edges > 1 ? p.twist * i / (edges - 1) : 0, polar[i]);
        if (i == 0) first_scalar = scalar;
    }
    add_spin(c, points);
    for (int i = 0; i < edges; ++i) { // an edge turns about itself too
        const auto& e = mesh.segments[i];
        c.builder.state.scalar.ds[first_scalar + i] = vec(c.object.angular_velocity).dot((vec(x[e[1]]) - vec(x[e[0]])).normalized());
    }
    add_fixed(c, p.common.fixed, points, mesh);
    if (p.clamp == "first" || p.clamp == "both") clamp_end(c, points, 0, first_scalar, 0);
    if (p.clamp == "last" || p.clamp == "both") clamp_end(c, points, points.count() - 2, first_scalar + edges - 1, p.twist_rate);
    if (p.common.gravity) add_gravity(c, points);
    add_air(c, p.common.air, points, area);
    const int vertices = add_surface_points(c.builder, points, p.common.thickness >= 0 ? p.common.thickness : p.radius);
    if (p.common.thickness < 0)
        for (int i = 0; i < points.count(); ++i) c.builder.model.surface.thickness[vertices + i] *= maps.size[i];
    add_surface_edges(c.builder, vertices, mesh.segments);
    set_touch(c, p.common.touch, material.friction, p.common.self_contact);
    add_deformable_snapshot(c, mesh, points, p.common.color, p.radius);
    add_elements(p, c, mesh, x, maps, points, first_scalar);
}

} // namespace sinew
