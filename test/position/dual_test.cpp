// The dual view of every entry of the lists: rows agree with energies, and their Jacobians with finite differences.
#include "constraint/list.h"
#include "energy/element_fixture.h"
#include "energy/list.h"
#include "model/dual.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

const DualView* dual_of(const ElementRow& row) { return row.rows ? find_constraint_dual(row.name) : find_energy_dual(row.name); }

// rows that hold rates and not values
bool is_damper(const ElementRow& row) { return row.rows == 0 && dual_of(row)->level(ElementFixture(row, 0, 0).table, 0) == Level::velocity; }

VecX rows_at(const ElementFixture& f, MatX* jacobian = nullptr) {
    const DualView& v = *dual_of(f.row);
    VecX c(v.rows);
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> j(v.rows, f.row.dofs);
    v.evaluate(f.table, f.evaluation(), 0, 1, c.data(), jacobian ? j.data() : nullptr);
    if (jacobian) *jacobian = j;
    return c;
}

} // namespace

TEST(dual, rows_of_an_energy_have_its_value_and_gradient) {
    int seen = 0;
    for (const ElementRow& row : energy_rows()) {
        if (!dual_of(row) || !(row.views & kValue) || is_damper(row)) continue;
        ++seen;
        for (int i = 0; i < 50; ++i) {
            const ElementFixture f(row, i, i % row.sample_kinds);
            const Real value = f.value();
            if (!std::isfinite(value) || std::isinf(dual_of(row)->lower_bound(f.table, 0))) continue;
            MatX j;
            const VecX c = rows_at(f, &j), g = f.gradient();
            // but for a constant: differences between two places
            VecX d(row.dofs);
            for (int k = 0; k < row.dofs; ++k) d[k] = 1e-3 * std::sin(1.0 + k + i);
            const ElementFixture there = f.moved(d);
            const Real change = there.value() - value, size = 0.5 * c.squaredNorm() + std::abs(value);
            if (c.norm() > 0 && std::isfinite(change)) {
                EXPECT_NEAR(0.5 * (rows_at(there).squaredNorm() - c.squaredNorm()), change, 1e-10 * (1 + size)) << row.name << ' ' << i;
            }
            // J^T C = grad E: rounding of sums over at most 6 rows
            EXPECT_LT((j.transpose() * c - g).norm(), 1e-9 * (1 + g.norm())) << row.name << ' ' << i;
        }
    }
    EXPECT_GT(seen, 20);
}

TEST(dual, jacobians_agree_with_finite_differences) {
    const auto check = [](const ElementRow& row) {
        if (!dual_of(row) || is_damper(row)) return;
        for (int i = 0; i < 20; ++i) {
            const ElementFixture f(row, 100 + i, i % row.sample_kinds);
            MatX j;
            const VecX c = rows_at(f, &j);
            if (!c.allFinite()) continue;
            // sqrt(2 E) is not smooth where E vanishes: near it the step would cross
            if (row.rows == 0 && dual_of(row)->rows == 1 && c.norm() < 1e-2) continue;
            const Real step = 1e-6;
            for (int k = 0; k < row.dofs; ++k) {
                VecX d = VecX::Zero(row.dofs);
                d[k] = step;
                const VecX difference = (rows_at(f.moved(d)) - rows_at(f.moved(-d))) / (2 * step);
                // central differences: step^2 times third derivatives, and 1e-16/step of the values
                EXPECT_LT((difference - j.col(k)).norm(), 1e-5 * (1 + j.norm() + c.norm())) << row.name << ' ' << i << ' ' << k;
            }
        }
    };
    for (const ElementRow& row : energy_rows()) check(row);
    for (const ElementRow& row : constraint_rows()) check(row);
}

TEST(dual, rows_between_bodies_push_without_net_force_and_torque) {
    // V8: whatever the multipliers, momentum is kept in every iteration
    const auto check = [](const ElementRow& row) {
        if (!dual_of(row) || !row.translation_invariant || row.scalars) return; // twist of rods carries a part of the torque
        for (int i = 0; i < 20; ++i) {
            const ElementFixture f(row, 200 + i, i % row.sample_kinds);
            MatX j;
            const VecX c = rows_at(f, &j);
            // each row by itself; torque by C^T J, the force of a soft element: rows along the axes of the world have none alone
            for (int r = 0; r <= c.size(); ++r) {
                const VecX g_all = r < c.size() ? VecX(j.row(r).transpose()) : VecX(j.transpose() * c);
                Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
                int at = 0;
                for (const Real3& x : f.x) {
                    const Vec3 g = g_all.segment<3>(at);
                    force += g, torque += vec(x).cross(g), at += 3;
                }
                for (const Real3& p : f.p) {
                    const Vec3 g = g_all.segment<3>(at);
                    force += g, torque += vec(p).cross(g) + Vec3(g_all.segment<3>(at + 3)), at += 6;
                }
                EXPECT_LT(force.norm(), 1e-12 * (1 + g_all.norm())) << row.name << ' ' << r; // round-off
                if (row.rotation_invariant && r == c.size()) {
                    EXPECT_LT(torque.norm(), 1e-11 * (1 + g_all.norm())) << row.name << ' ' << r;
                }
            }
        }
    };
    for (const ElementRow& row : energy_rows()) check(row);
    for (const ElementRow& row : constraint_rows()) check(row);
}

TEST(dual, rows_of_a_damper_give_its_force) {
    int seen = 0;
    for (const ElementRow& row : energy_rows()) {
        if (!dual_of(row) || !is_damper(row)) continue;
        ++seen;
        for (int i = 0; i < 20; ++i) {
            const ElementFixture f(row, 300 + i, i % row.sample_kinds);
            MatX j;
            rows_at(f, &j);
            VecX v(row.dofs), force(row.dofs);
            for (int k = 0; k < row.points; ++k) v.segment<3>(3 * k) = vec(f.v[k]);
            row.force(f.table, f.evaluation(), 0, 1, force.data());
            EXPECT_LT((j.transpose() * (j * v) + force).norm(), 1e-11 * (1 + force.norm())) << row.name; // round-off
        }
    }
    EXPECT_GE(seen, 1);
}
