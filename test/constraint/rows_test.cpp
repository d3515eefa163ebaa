// Rows from constraint tables: numbers, products with the Jacobian, projection onto the admissible sets.
#include "constraint/assemble.h"
#include "constraint/distance.h"
#include "constraint/list.h"
#include "core/random.h"
#include "model/stencil.h"
#include "model/builder.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Net {
    ModelBuilder b;
    Evaluation at;
    Rows rows;
    Dofs dofs;
};

// random points, joined in a ring by distances, some of them ropes
void make_net(Net& net) {
    constexpr int n = 9;
    Rng rng{7, 1, 0};
    std::vector<Real3> x(n);
    for (Real3& p : x) p = real3(draw_vec(rng, -1, 1));
    begin_object(net.b, "net", "particles");
    add_points(net.b, x, std::vector<Real>(n, 1.0));
    for (int i = 0; i < n; ++i) {
        const Distance::Params params{1e-3 * (i + 1), i % 3 == 0};
        add_constraint(net.b, *find_constraint("distance"), &params, std::array<int, 2>{i, (i + 1) % n});
    }
    finish_model(net.b);
    for (Real3& p : net.b.state.point.x) p = real3(vec(p) + draw_vec(rng, -0.3, 0.3));
    net.at.x = net.b.state.point.x.data();
    net.at.v = net.b.state.point.v.data();
    net.at.x_now = net.at.x;
    net.dofs = dofs_of(net.b.model);
    build_rows(net.b.model.elements->constraints, net.dofs, net.rows);
    refresh_rows(net.b.model.elements->constraints, net.at, net.rows);
}

} // namespace

TEST(rows, values_bounds_and_compliance_are_those_of_the_elements) {
    Net net;
    make_net(net);
    ASSERT_EQ(net.rows.group_count(), 9);
    ASSERT_EQ(net.rows.row_count(), 9);
    for (int i = 0; i < 9; ++i) {
        const auto length = [&](const std::vector<Real3>& x) { return (vec(x[(i + 1) % 9]) - vec(x[i])).norm(); };
        const Real c = length(net.b.state.point.x) - length(net.b.model.point.rest);
        EXPECT_NEAR(net.rows.c[i], i % 3 == 0 ? -c : c, 1e-14);
        EXPECT_EQ(net.rows.bound[i], i % 3 == 0 ? Bound::lower : Bound::equality);
        EXPECT_DOUBLE_EQ(net.rows.compliance[i], 1e-3 * (i + 1));
        for (int k = 0; k < i; ++k) EXPECT_NE(net.rows.key[i], net.rows.key[k]);
    }
}

TEST(rows, the_jacobian_predicts_the_change_of_the_values) {
    Net net;
    make_net(net);
    Rng rng{8, 1, 0};
    std::vector<Real> u(net.dofs.size()), ju(net.rows.row_count());
    for (Real& a : u) a = draw_uniform(rng, -1, 1);
    apply_jacobian(net.rows, net.dofs, u, ju);
    const std::vector<Real3> x = net.b.state.point.x;
    constexpr Real h = 1e-6; // central difference: error h^2 times third derivatives, rounding 1e-16/h
    std::array<std::vector<Real>, 2> c;
    for (int side = 0; side < 2; ++side) {
        for (std::size_t i = 0; i < x.size(); ++i)
            net.b.state.point.x[i] = real3(vec(x[i]) + (side ? h : -h) * Vec3(u[3 * i], u[3 * i + 1], u[3 * i + 2]));
        refresh_rows(net.b.model.elements->constraints, net.at, net.rows);
        c[side] = net.rows.c;
    }
    for (std::size_t k = 0; k < ju.size(); ++k) EXPECT_NEAR((c[1][k] - c[0][k]) / (2 * h), ju[k], 1e-8);
}

TEST(rows, the_transposed_product_is_the_adjoint) {
    Net net;
    make_net(net);
    Rng rng{9, 1, 0};
    std::vector<Real> u(net.dofs.size()), lambda(net.rows.row_count()), ju(lambda.size()), jl(u.size(), 0.0);
    for (Real& a : u) a = draw_uniform(rng, -1, 1);
    for (Real& a : lambda) a = draw_uniform(rng, -1, 1);
    apply_jacobian(net.rows, net.dofs, u, ju);
    add_jacobian_transposed(net.rows, net.dofs, lambda, jl);
    Real a = 0, b = 0;
    for (std::size_t k = 0; k < ju.size(); ++k) a += ju[k] * lambda[k];
    for (std::size_t k = 0; k < u.size(); ++k) b += u[k] * jl[k];
    EXPECT_GT(std::abs(a), 1e-3);
    EXPECT_NEAR(a, b, 1e-13); // sums of some fifty products of order 1
}

TEST(rows, projection_gives_the_nearest_admissible_point) {
    Rows r;
    r.row_begin = {0, 1, 2, 3, 6};
    r.bound = {Bound::equality, Bound::lower, Bound::box, Bound::cone};
    r.friction = {0, 0, 0.6, 0.4};
    r.block_begin.assign(5, 0);
    r.value_begin.assign(5, 0);
    const Real mu = 0.4;
    Rng rng{10, 1, 0};
    for (int trial = 0; trial < 30; ++trial) {
        std::vector<Real> given(6), found;
        for (Real& a : given) a = draw_uniform(rng, -1, 1);
        found = given;
        project_set(r, found);
        EXPECT_EQ(found[0], given[0]);
        EXPECT_EQ(found[1], std::max(0.0, given[1]));
        EXPECT_EQ(found[2], std::clamp(given[2], -0.6, 0.6));
        // cone: admissible, and no admissible point of a fine search is nearer
        const Vec3 l(given[3], given[4], given[5]), p(found[3], found[4], found[5]);
        EXPECT_LE(std::hypot(p.y(), p.z()), mu * p.x() + 1e-15);
        for (int k = 0; k < 2000; ++k) {
            const Real n = draw_uniform(rng, 0, 1.5), t = mu * n * draw_uniform(rng), a = draw_uniform(rng, 0, 2 * kPi);
            EXPECT_GE((Vec3(n, t * std::cos(a), t * std::sin(a)) - l).norm(), (p - l).norm() - 1e-12);
        }
    }
}
