#include "energy/pressure_volume.h"
#include "energy/list.h"
#include "geometry/generate.h"
#include "geometry/triangulate.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Ball {
    const ElementRow& row = *find_energy("pressure_volume");
    std::vector<Real3> x;
    Table table;
    Real volume = 0;

    explicit Ball(PressureVolume::Params p, Vec3 at = Vec3::Zero()) {
        const PolygonMesh mesh = make_icosphere(1, 2);
        const auto triangles = triangulate(mesh).triangles;
        for (const Real3& a : mesh.positions) x.push_back(real3(vec(a) + at));
        Real area = 0;
        const auto area_of = [&](const std::array<int, 3>& t) {
            return (vec(x[t[1]]) - vec(x[t[0]])).cross(vec(x[t[2]]) - vec(x[t[0]])).norm() / 2;
        };
        for (const auto& t : triangles) {
            volume += PressureVolume::triangle_volume(vec(x[t[0]]), vec(x[t[1]]), vec(x[t[2]]));
            area += area_of(t);
        }
        p.volume = volume;
        table.row = &row;
        for (const auto& t : triangles) {
            p.weight = area_of(t) / area;
            const std::array<Real3, 3> rest{x[t[0]], x[t[1]], x[t[2]]};
            const std::array<Real, 3> mass{1, 1, 1};
            add_element(table, &p, t, RestView{rest, mass, {}, {}}, 0);
        }
    }
    Evaluation evaluation(const std::vector<Real3>& at) const {
        Evaluation ev;
        ev.x = ev.x_now = at.data();
        return ev;
    }
    std::vector<Real3> scaled(Real s) const {
        std::vector<Real3> out = x;
        for (Real3& a : out) vec(a) *= s;
        return out;
    }
    Real energy(const std::vector<Real3>& at) const { return row.value(table, evaluation(at), 0, table.count()); }
    VecX gradient(const std::vector<Real3>& at) const {
        std::vector<Real> local(9 * table.count());
        row.gradient(table, evaluation(at), 0, table.count(), local.data());
        VecX g = VecX::Zero(3 * x.size());
        for (int e = 0; e < table.count(); ++e)
            for (int k = 0; k < 3; ++k) g.segment<3>(3 * table.stencil[3 * e + k]) += Vec3::Map(local.data() + 9 * e + 3 * k);
        return g;
    }
    MatX hessian(const std::vector<Real3>& at, Projection how) const {
        std::vector<Real> local(81 * table.count());
        row.hessian(table, evaluation(at), 0, table.count(), how, local.data());
        MatX H = MatX::Zero(3 * x.size(), 3 * x.size());
        for (int e = 0; e < table.count(); ++e)
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b)
                    H.block<3, 3>(3 * table.stencil[3 * e + a], 3 * table.stencil[3 * e + b]) +=
                        MatN<9>::Map(local.data() + 81 * e).block<3, 3>(3 * a, 3 * b);
        return H;
    }
};

} // namespace

TEST(pressure_volume, constant_pressure_works_by_volume_and_pushes_nothing_away) {
    for (const Vec3& at : {Vec3(0, 0, 0), Vec3(5, -3, 2)}) {
        PressureVolume::Params p;
        p.pressure = 200;
        p.origin = 0;
        const Ball ball(p, at);
        EXPECT_NEAR(ball.energy(ball.x), -200 * ball.volume, 1e-10);
        const VecX g = ball.gradient(ball.x);
        Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
        for (std::size_t i = 0; i < ball.x.size(); ++i) {
            sum += g.segment<3>(3 * i);
            torque += vec(ball.x[i]).cross(Vec3(g.segment<3>(3 * i)));
        }
        EXPECT_LT(sum.norm(), 1e-11);
        EXPECT_LT(torque.norm(), 1e-10);
    }
}

TEST(pressure_volume, gas_obeys_boyle_and_is_in_balance_with_the_outside) {
    PressureVolume::Params p;
    p.gas = true, p.pressure = 0, p.outside = 1e5;
    const Ball ball(p);
    EXPECT_LT(ball.gradient(ball.x).norm(), 1e-9); // 1e5 Pa times rounding
    // radius 1.1: pressure (p0 V0)/V - p_out; force = pressure times dV/dx, tested along a uniform stretch
    const Real s = 1.1, expected = 1e5 * (1 / (s * s * s) - 1);
    const auto x = ball.scaled(s);
    Real along = 0;
    const VecX g = ball.gradient(x);
    for (std::size_t i = 0; i < x.size(); ++i) along += g.segment<3>(3 * i).dot(vec(ball.x[i]));
    EXPECT_NEAR(along, -expected * 3 * s * s * ball.volume, 1e-6); // dV/ds = 3 s^2 V0
    // energy is the integral of that: -p0 V0 ln s^3 + p_out V0 (s^3 - 1)
    EXPECT_NEAR(ball.energy(x), 1e5 * ball.volume * (-3 * std::log(s) + s * s * s - 1), 1e-6);
}

TEST(pressure_volume, forces_of_a_gas_are_the_derivative_of_its_energy) {
    PressureVolume::Params p;
    p.gas = true, p.pressure = 500, p.outside = 1000;
    const Ball ball(p);
    Rng rng{4, 1, 0};
    std::vector<Real3> x = ball.x;
    for (Real3& a : x) vec(a) += draw_vec(rng, -0.05, 0.05);
    const VecX g = ball.gradient(x);
    for (int i = 0; i < 30; ++i) {
        const int k = int(draw_uniform(rng, 0, Real(g.size()) - 1));
        const Real h = 1e-4;
        auto up = x, down = x;
        vec(up[k / 3])[k % 3] += h;
        vec(down[k / 3])[k % 3] -= h;
        EXPECT_NEAR((ball.energy(up) - ball.energy(down)) / (2 * h), g[k], 1e-6); // h^2
    }
}

TEST(pressure_volume, local_matrix_of_a_gas_is_never_less_than_the_dense_one) {
    PressureVolume::Params p;
    p.gas = true, p.pressure = 500, p.outside = 1000;
    const Ball ball(p);
    const MatX H = ball.hessian(ball.x, Projection::none);
    // dense: constant part of the same, plus E'' n n^T
    PressureVolume::Params constant = p;
    constant.gas = false;
    const Ball still(constant);
    const VecX n = -still.gradient(ball.x) / 500;
    const MatX dense = still.hessian(ball.x, Projection::none) + 1500 / ball.volume * n * n.transpose();
    Rng rng{8, 1, 0};
    for (int i = 0; i < 200; ++i) {
        const VecX d = VecX::NullaryExpr(H.rows(), [&] { return draw_uniform(rng, -1, 1); });
        EXPECT_GE(d.dot(H * d), d.dot(dense * d) - 1e-9);
    }
    // equal for a uniform inflation
    VecX out(H.rows());
    for (std::size_t i = 0; i < ball.x.size(); ++i) out.segment<3>(3 * i) = vec(ball.x[i]);
    EXPECT_NEAR(out.dot(H * out), out.dot(dense * out), 1e-3 * out.dot(dense * out)); // triangles of unequal height
}
