#include "energy/spring_models.h"
#include "energy/gravity.h"
#include "energy/spring.h"
#include "energy/spring_strain.h"
#include <cmath>

namespace sinew {

void add_spring(ModelBuilder& b, int from, int to, Real stiffness, Real damping) {
    const Spring::Params params{stiffness, damping};
    add_energy(b, *find_energy("spring"), &params, std::array<int, 2>{from, to});
}
void add_strain_spring(ModelBuilder& b, int from, int to, Real stiffness, Real damping) {
    const SpringStrain::Params params{stiffness, damping};
    add_energy(b, *find_energy("spring_strain"), &params, std::array<int, 2>{from, to});
}
void add_gravity(ModelBuilder& b, int begin, int end) {
    const Gravity::Params params;
    for (int i = begin; i < end; ++i) add_energy(b, *find_energy("gravity"), &params, std::array<int, 1>{i});
}
void shake(const Model& m, State& s, Real size) {
    Rng rng{11, 0, 0};
    for (Real3& x : s.point.x) vec(x) += draw_vec(rng, -size, size);
    for (Real3& v : s.point.v) vec(v) += draw_vec(rng, -size, size);
    for (int i = 0; i < point_count(m); ++i)
        if (m.point.flags[i] & kFixed) s.point.v[i] = {};
}
ModelBuilder make_spring_cloth(int rows, int columns, Real damping, bool gravity, std::uint8_t corner_flags) {
    ModelBuilder b;
    begin_object(b, "cloth", "cloth_grid");
    std::vector<Real3> x;
    std::vector<Real> mass;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            x.push_back({0.1 * c, 0.01 * std::sin(r + 2.0 * c), 0.1 * r});
            mass.push_back(0.01 * (1 + 0.3 * std::sin(3.0 * r + c)));
        }
    add_points(b, x, mass);
    b.model.point.flags[0] = b.model.point.flags[columns - 1] = corner_flags;
    const auto link = [&](int r, int c, int down, int right, Real stiffness) {
        const int to_r = r + down, to_c = c + right;
        if (to_r >= rows || to_c < 0 || to_c >= columns) return;
        const int from = r * columns + c, to = to_r * columns + to_c;
        const Real k = stiffness * (1 + 0.2 * std::cos(from));
        // both tables, both directions
        if (r % 3)
            add_spring(b, from, to, k, damping);
        else
            add_strain_spring(b, to, from, 0.1 * k, 0.1 * damping);
    };
    for (auto [down, right, k] :
         {std::array<int, 3>{0, 1, 100}, {1, 0, 100}, {1, 1, 30}, {1, -1, 30}, {0, 2, 5}, {2, 0, 5}})
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c) link(r, c, down, right, k);
    if (gravity) add_gravity(b, 0, rows * columns);
    finish_model(b);
    shake(b.model, b.state, 0.02);
    return b;
}
ModelBuilder make_spring_tangle(int points, int springs, Real damping) {
    ModelBuilder b;
    begin_object(b, "tangle", "particles");
    Rng rng{5, 0, 0};
    std::vector<Real3> x(points);
    for (Real3& a : x) a = real3(draw_vec(rng, -1, 1));
    add_points(b, x, std::vector<Real>(points, 0.5));
    for (int i = 0; i < springs; ++i) {
        const int from = draw_int(rng, points), to = (from + 1 + draw_int(rng, points - 1)) % points;
        add_spring(b, from, to, 100 + i % 7, i % 3 ? damping : 0);
    }
    add_gravity(b, 0, points);
    finish_model(b);
    shake(b.model, b.state, 0.1);
    for (int i = 0; i + 1 < points; i += 17) b.state.point.x[i] = b.state.point.x[i + 1];
    return b;
}

} // namespace sinew
