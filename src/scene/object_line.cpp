// Chains and ropes: points in a row, joined by links of the material's rod role (spec P17, V8).
#include "energy/list.h"
#include "energy/spring_strain.h"
#include "geometry/generate.h"
#include "scene/kinds.h"
#include "scene/strain_limit.h"

namespace sinew {

// `mass` is split over all points but the first, so that a chain of n links hung by its first point has n masses that pull
// (spec P V8). The first has a part of the same size, without effect while it is fixed: n + 1 parts in all, which is what
// sums over all points say (1.25 kg for 1 kg in 4 links).
static Range add_line(const LineParams& p, BuildContext& c, LinkModel& link) {
    const Material material = object_material(c, p.common.material);
    link = read_link_model(material.rod, c.scope, c.path("material.rod"), c.errors);
    const Real length = (vec(p.to) - vec(p.from)).norm();
    if (!(length > 0)) {
        add_error(c, "to", make_null(), "the line has no length: from and to are the same point");
        return {};
    }
    if (!link.row) return {};
    const PolygonMesh mesh = make_chain(p.from, p.to, p.count);
    begin_object(c.builder, c.object.name, c.object.kind, material.name);
    const Real total = p.mass > 0 ? p.mass : material.line_density * length;
    std::vector<Real> mass(p.count + 1, total / p.count);
    mass.back() += p.end_mass;
    const int first = add_points(c.builder, place_points(c, mesh.positions), mass, kFree, c.object.velocity);
    const Range points{first, first + p.count + 1};
    add_spin(c, points);
    add_fixed(c, p.common.fixed, points, mesh);
    if (p.common.gravity) add_gravity(c, points);
    const std::vector<Real> area(points.count(), 2 * p.radius * length / p.count);
    add_air(c, p.common.air, points, area);
    const int vertices = add_surface_points(c.builder, points, p.common.thickness >= 0 ? p.common.thickness : p.radius);
    add_surface_edges(c.builder, vertices, mesh.segments);
    set_touch(c, p.common.touch, material.friction, p.common.self_contact);
    add_deformable_snapshot(c, mesh, points, p.common.color, p.radius);
    for (int i = 0; i < p.count; ++i) add_link(c, link, first + i, first + i + 1);
    if (StrainLimit::Params limit; read_strain_limit(c, p.strain_limit, limit))
        for (int i = 0; i < p.count; ++i) add_link_limit(c, limit, first + i, first + i + 1);
    return points;
}

void Chain::build(const Params& p, BuildContext& c) {
    LinkModel link;
    add_line(p, c, link);
}

void Rope::build(const Params& p, BuildContext& c) {
    LinkModel link;
    const Range points = add_line(p, c, link);
    LinkModel bend;
    bend.row = find_energy("spring_strain");
    bend.params = std::make_shared<SpringStrain::Params>(SpringStrain::Params{p.bend > 0 ? p.bend : 10, 0});
    for (int i = points.begin; i + 2 < points.end; ++i) add_link(c, bend, i, i + 2);
}

} // namespace sinew
