#include "scene/special_solid.h"
#include "constraint/list.h"
#include "core/error.h"
#include "energy/list.h"
#include "energy/shape_match.h"
#include "scene/point_maps.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace sinew {

bool is_special_solid(const SolidRole& role) { return role.model == "hooke" || role.model == "shape_match"; }

bool read_special_solid(const SolidRole& role, const Scope& scope, std::string_view path, SpecialSolid& out, std::vector<Error>& errors) {
    const std::size_t before = errors.size();
    if (role.plasticity.kind != Value::Kind::null)
        errors.push_back(make_error(role.plasticity, join_path(path, "plasticity"), "the model " + role.model + " has no plasticity"));
    if (role.damping.kind != Value::Kind::null)
        errors.push_back(make_error(role.damping, join_path(path, "damping"), "the model " + role.model + " has no damping of its own",
                                    "damping_time of the position solver"));
    if (role.model == "shape_match") {
        FieldList list = collect_fields([&](auto v) { ShapeRegionParams::fields(out.shape, v); });
        read_fields(list, role.params, scope, path, errors);
        return errors.size() == before;
    }
    out.rows = find_constraint("tet_hooke");
    out.params = out.rows->make_params();
    FieldList list;
    out.rows->describe(out.params.get(), list);
    read_fields(list, role.params, scope, path, errors);
    return errors.size() == before;
}

std::vector<std::vector<int>> find_shape_regions(std::span<const Real3> x, Real side) {
    std::vector<int> all(x.size());
    std::iota(all.begin(), all.end(), 0);
    if (!(side > 0)) return {all};
    // a point in cell k of the half lattice belongs to the regions that begin at k - 1 and k along each axis
    std::map<std::array<long, 3>, std::vector<int>> cubes;
    Vec3 low = Vec3::Constant(1e300);
    for (const Real3& p : x) low = low.cwiseMin(vec(p));
    for (int i : all) {
        const Vec3 at = (vec(x[i]) - low) / (0.5 * side);
        std::array<long, 3> cell{};
        for (int k = 0; k < 3; ++k) cell[k] = std::lround(std::floor(std::min(at[k], 1e9)));
        for (int corner = 0; corner < 8; ++corner)
            cubes[{cell[0] - (corner & 1), cell[1] - (corner >> 1 & 1), cell[2] - (corner >> 2 & 1)}].push_back(i);
    }
    // small ones go where every point of theirs has another region
    std::vector<int> count(x.size(), 0);
    for (const auto& [at, points] : cubes)
        for (int i : points) ++count[i];
    std::vector<std::vector<int>> out;
    for (auto& [at, points] : cubes) {
        const bool spare = std::all_of(points.begin(), points.end(), [&](int i) { return count[i] > 1; });
        if (points.size() < 8 && spare) {
            for (int i : points) --count[i];
        } else {
            out.push_back(std::move(points));
        }
    }
    return out;
}

static void add_shape_match(BuildContext& c, const ShapeRegionParams& params, Range points) {
    const std::span<const Real3> x(c.builder.model.point.rest.data() + points.begin, std::size_t(points.count()));
    const std::span<const Real> mass(c.builder.model.point.mass.data() + points.begin, std::size_t(points.count()));
    const auto regions = find_shape_regions(x, params.region);
    std::vector<int> count(x.size(), 0);
    for (const auto& region : regions)
        for (int i : region) ++count[i];
    const ElementRow& row = *find_energy("shape_match");
    ShapeMatch::Params p;
    p.frequency = params.frequency;
    for (const auto& region : regions) {
        Vec3 center = Vec3::Zero();
        Real total = 0;
        for (int i : region) {
            center += mass[i] / count[i] * vec(x[i]);
            total += mass[i] / count[i];
        }
        p.center = real3(center / total);
        p.region_mass = total;
        for (int i : region) {
            p.weight = 1.0 / count[i];
            add_energy(c.builder, row, &p, std::array<int, 1>{points.begin + i});
        }
        ++p.region;
    }
}

void add_special_solid(BuildContext& c, const SpecialSolid& s, Range points, std::span<const std::array<int, 4>> tets,
                       std::span<const Real> stiffness) {
    if (!s.rows) return add_shape_match(c, s.shape, points);
    const Moduli moduli = find_moduli(*s.rows, s.params.get());
    for (const auto& t : tets) {
        scale_moduli(moduli, mean_of(stiffness, t));
        add_constraint(c.builder, *s.rows, s.params.get(),
                       std::array<int, 4>{points.begin + t[0], points.begin + t[1], points.begin + t[2], points.begin + t[3]});
    }
}

} // namespace sinew
