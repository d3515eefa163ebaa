// Impacts of deformables: one sticking impulse per contact point (spec P152).
#include "solver/velocity_impact.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

void add_point(RowProblem& q, Real mass, const Vec3& x, const Vec3& v) {
    q.x.push_back(x), q.v.push_back(v), q.w.push_back(Vec3::Zero());
    q.inverse_mass.push_back(1 / mass), q.inverse_inertia.push_back(Mat3::Zero());
}

// point 0 over the triangle 1 2 3 at the weights given, normal z
void add_touch(RowProblem& q, TouchList& list, const std::array<Real, 3>& weight) {
    RowGroup& g = add_group(q, 3, std::array<int, 4>{0, 1, 2, 3});
    g.set = RowSet::contact;
    g.friction = 0.5;
    g.source = int(list.touches.size());
    const std::array<Vec3, 3> axis{Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};
    for (int k = 0; k < 3; ++k)
        for (int s = 0; s < 4; ++s) q.jacobian[g.lever + 4 * k + s].linear = (s == 0 ? 1 : -weight[s - 1]) * axis[k];
    build_response(q, g);
    Touch t;
    t.kind = 2, t.n = Vec3::UnitZ();
    list.touches.push_back(t);
}

Real kinetic(const RowProblem& q) {
    Real sum = 0;
    for (int b = 0; b < q.body_count(); ++b) sum += 0.5 * q.v[b].squaredNorm() / q.inverse_mass[b];
    return sum;
}
Vec3 momentum_of_rows(const RowProblem& q) {
    Vec3 sum = Vec3::Zero();
    for (int b = 0; b < q.body_count(); ++b) sum += q.v[b] / q.inverse_mass[b];
    return sum;
}

RowProblem make_impact(TouchList& list, const std::array<Real, 3>& weight) {
    RowProblem q;
    q.dt = 0.01;
    add_point(q, 0.5, Vec3(0.2, 0.2, 0), Vec3(1, 0.5, -3));
    for (int k = 0; k < 3; ++k) add_point(q, 0.1 * (k + 1), Vec3::Unit(k), Vec3(0, 0.1 * k, 0.2));
    add_touch(q, list, weight);
    return q;
}

} // namespace

// u' = 0 in all three directions, by j = -u/(1/m + sum w^2/m_i); momentum is kept, energy falls by 1/2 u^2/(1/m + sum w^2/m_i)
TEST(deformable_impact, sticks_at_the_contact_point_with_the_inverse_mass_of_its_weights) {
    const std::array<Real, 3> weight{0.2, 0.3, 0.5};
    TouchList list;
    std::vector<Meeting> meetings;
    RowProblem q = make_impact(list, weight);
    const RowGroup g = q.groups[0];
    const Vec3 before(row_rate(q, g, 0), row_rate(q, g, 1), row_rate(q, g, 2)), p = momentum_of_rows(q);
    const Real energy = kinetic(q), w = 1 / 0.5 + 0.04 / 0.1 + 0.09 / 0.2 + 0.25 / 0.3;
    const Vec3 v = q.v[0];
    EXPECT_EQ(resolve_impacts({ImpactLaw::sticking, 0.1, 0, 100}, list, meetings, q), 1);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(row_rate(q, g, k), 0, 1e-14); // round-off of numbers near one, here and below
    EXPECT_LT((q.v[0] - v - Vec3(-before[1], -before[2], -before[0]) / w / 0.5).norm(), 1e-13);
    EXPECT_LT((momentum_of_rows(q) - p).norm(), 1e-14);
    EXPECT_NEAR(energy - kinetic(q), 0.5 * before.squaredNorm() / w, 1e-13);
}

// nothing sticks that separates, that comes slowly, or under a law with restitution where the pair has none
TEST(deformable_impact, happens_only_on_a_fast_approach_and_by_the_law_of_sticking) {
    const std::array<Real, 3> weight{1.0 / 3, 1.0 / 3, 1.0 / 3};
    TouchList list;
    std::vector<Meeting> meetings;
    for (int which = 0; which < 3; ++which) {
        RowProblem q = make_impact(list, weight);
        if (which == 0) q.v[0].z() = 1;
        if (which == 1) q.v[0].z() = 0.15; // approach of 0.05 m/s
        const std::vector<Vec3> before = q.v;
        EXPECT_EQ(resolve_impacts({which == 2 ? ImpactLaw::chatterjee_ruina : ImpactLaw::sticking, 0.1, 0, 100}, list, meetings, q), 0);
        EXPECT_EQ(q.v, before);
    }
}
