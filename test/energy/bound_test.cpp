// List-driven: no energy is ever below the lower bound that it says, 0 unless it says one. `position` has the force of what is above it,
// so that a negative energy without a bound would be without force there.
#include "energy/element_fixture.h"
#include "energy/list.h"
#include "model/dual.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr int kBoundSamples = 100;

// energies that `position` has as the root of what is above their bound: others have rows of their own, or rates
std::vector<const ElementRow*> bounded_rows() {
    std::vector<const ElementRow*> rows;
    for (const ElementRow& r : energy_rows()) {
        const DualView* dual = find_energy_dual(r.name);
        if (dual && (r.views & kValue) && dual->rows == 1 && dual->level(ElementFixture(r, 0, 0).table, 0) != Level::velocity) rows.push_back(&r);
    }
    return rows;
}

Real bound_of(const ElementFixture& sample) { return find_energy_dual(sample.row.name)->lower_bound(sample.table, 0); }

// samples are near rest: swollen, shrunk and shaken too
template <class F> void for_deformed(const ElementFixture& sample, int i, F&& f) {
    for (const Real scale : {0.2, 0.5, 0.8, 1.0, 1.3, 1.6, 2.0, 4.0}) {
        ElementFixture at = sample;
        for (Real3& x : at.x) vec(x) *= scale;
        for (const Real shake : {0.0, 0.1, 1.0}) {
            VecX d(sample.row.dofs);
            for (int k = 0; k < sample.row.dofs; ++k) d[k] = shake * std::sin(7.0 * k + i);
            if (const Real value = at.moved(d).value(); std::isfinite(value)) f(value);
        }
    }
}

struct BoundListTest : testing::TestWithParam<const ElementRow*> {};

} // namespace

TEST_P(BoundListTest, value_is_never_below_its_lower_bound) {
    const ElementRow& row = *GetParam();
    for (int i = 0; i < kBoundSamples && !HasFailure(); ++i) {
        const ElementFixture sample(row, 400 + i, i % row.sample_kinds);
        const Real bound = bound_of(sample);
        if (std::isinf(bound)) continue; // `position` refuses it
        for_deformed(sample, i, [&](Real value) {
            EXPECT_GE(value, bound - 1e-12 * (1 + std::abs(bound))) // rounding
                << row.name << " sample " << i << ": an energy that can be negative needs lower_bound (energy/row_of.h)";
        });
    }
}

// the test above sees negative energies, and energies without a bound
TEST(bounds, some_energies_are_negative_and_some_have_no_bound) {
    int negative = 0, unbounded = 0;
    for (const ElementRow* row : bounded_rows())
        for (int i = 0; i < kBoundSamples; ++i) {
            const ElementFixture sample(*row, 400 + i, i % row->sample_kinds);
            unbounded += std::isinf(bound_of(sample));
            if (!std::isinf(bound_of(sample))) for_deformed(sample, i, [&](Real value) { negative += value < -1e-6; });
        }
    EXPECT_GT(negative, 10);  // tet_ogden with two rests
    EXPECT_GT(unbounded, 10); // tri_neohookean with negative Poisson's ratios
}

INSTANTIATE_TEST_SUITE_P(energies, BoundListTest, testing::ValuesIn(bounded_rows()),
                         [](const testing::TestParamInfo<const ElementRow*>& info) { return std::string(info.param->name); });
