// A mesh of tetrahedra of one material, evaluated through its row: sums over elements for the tests of solids.
#pragma once
#include "core/fields.h"
#include "energy/list.h"
#include "geometry/tet_grid.h"
#include <string>
#include <vector>

namespace sinew {

// one tetrahedron: rest positions with Dm = I, and masses
inline const std::array<Real3, 4> kUnitCorner{Real3{0, 0, 0}, Real3{1, 0, 0}, Real3{0, 1, 0}, Real3{0, 0, 1}};
inline const std::array<Real, 4> kUnitMasses{1, 1, 1, 1};

struct TetMeshFixture {
    const ElementRow& row;
    TetMesh mesh;
    Table table;

    // numbers: parameters by name
    TetMeshFixture(std::string_view name, TetMesh m, std::vector<std::pair<std::string_view, Real>> numbers = {})
        : row(*find_energy(name)), mesh(std::move(m)) {
        const auto params = row.make_params();
        FieldList list;
        row.describe(params.get(), list);
        for (const auto& [key, value] : numbers) *static_cast<Real*>(find_field(list, key)->member) = value;
        table.row = &row;
        for (const auto& t : mesh.tets) {
            const std::array<Real3, 4> x{mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]], mesh.points[t[3]]};
            const std::array<Real, 4> mass{1, 1, 1, 1};
            add_element(table, params.get(), t, RestView{x, mass, {}, {}}, 0);
        }
    }
    static Evaluation evaluation(const std::vector<Real3>& x) {
        Evaluation ev;
        ev.x = ev.x_now = x.data();
        return ev;
    }
    Real energy(const std::vector<Real3>& x) const { return row.value(table, evaluation(x), 0, table.count()); }
    std::vector<Vec3> gradient(const std::vector<Real3>& x) const {
        std::vector<Real> local(std::size_t(row.dofs) * table.count());
        row.gradient(table, evaluation(x), 0, table.count(), local.data());
        std::vector<Vec3> out(x.size(), Vec3::Zero());
        for (int e = 0; e < table.count(); ++e)
            for (int k = 0; k < row.points; ++k)
                out[table.stencil[row.points * e + k]] += Vec3::Map(local.data() + row.dofs * e + 3 * k);
        return out;
    }
};

inline std::vector<Real3> map_points(const TetMesh& m, const Mat3& F, const Vec3& shift = Vec3::Zero()) {
    std::vector<Real3> out;
    for (const Real3& x : m.points) out.push_back(real3(F * vec(x) + shift));
    return out;
}

inline std::vector<std::string> solid_rows() {
    std::vector<std::string> out;
    for (const ElementRow& r : energy_rows())
        if (r.inverted) out.emplace_back(r.name);
    return out;
}

} // namespace sinew
