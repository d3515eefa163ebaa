// The example of docs/add_an_energy.md is a correct energy: its row is made as for every line of
// energy/list.h, and its derivatives are checked as those are.
#include "../example/energy/spring_auto.h"
#include "../example/energy/spring_green.h"
#include "../example/energy/tet_bulk_shear.h"
#include "energy/element_fixture.h"
#include "energy/tet_ogden.h" // brings a log, exp and pow of its own into sight
#include "energy/row_of.h"
#include <gtest/gtest.h>

using namespace sinew;

// what a value may be made of, as the page says it, where another energy has functions of the same names (it did not compile for Real)
namespace sinew {
template <class S> static S of_functions(const S& x) { return x * log(x) + exp(x) + pow(x, 2) + sqrt(x); }
} // namespace sinew

TEST(add_an_energy, functions_of_values_are_found_for_numbers_and_for_jets) {
    const Real x = 1.7, value = x * std::log(x) + std::exp(x) + x * x + std::sqrt(x);
    const Jet<1> y = of_functions(Jet<1>(x, 0));
    EXPECT_NEAR(of_functions(x), value, 1e-14 * value);
    EXPECT_NEAR(y.value, value, 1e-14 * value);
    EXPECT_NEAR(y.d[0], std::log(x) + 1 + std::exp(x) + 2 * x + 0.5 / std::sqrt(x), 1e-14 * value);
}

TEST(add_an_energy, derivatives_of_the_example_match_finite_differences) {
    static_assert(Energy<SpringGreen>);
    const ElementRow row = make_energy_row<SpringGreen>();
    for (int i = 0; i < 50; ++i) {
        const ElementFixture e(row, i, 0);
        const MatX g =
            finite_difference(6, [&](const VecX& d) { return VecX::Constant(1, e.moved(d).value()); });
        const MatX h = finite_difference(6, [&](const VecX& d) { return e.moved(d).gradient(); });
        // the tolerance of energy/list_test.cpp
        EXPECT_LT((g.transpose() - e.gradient()).cwiseAbs().maxCoeff(),
                  1e-6 * std::max(1.0, e.gradient().norm()));
        const MatX hessian = e.hessian(Projection::none);
        EXPECT_LT((h - hessian).cwiseAbs().maxCoeff(), 1e-6 * std::max(1.0, hessian.norm()));
    }
}

TEST(add_an_energy, the_example_has_its_stiffness_for_small_strains) {
    const ElementRow row = make_energy_row<SpringGreen>();
    ElementFixture e(row, 1, 0);
    const SpringGreen::Data data{500, 2};
    std::memcpy(e.table.data.data(), &data, sizeof data);
    e.x = {{0, 0, 0}, {2.0 + 1e-5, 0, 0}};
    // f = k u (1 + 3u/(2L) + ...): the relative error is 1e-5
    EXPECT_NEAR(e.gradient()[3], 500 * 1e-5, 500 * 1e-5 * 2e-5);
}

TEST(add_an_energy, the_example_without_derivatives_equals_the_one_with_them) {
    static_assert(Energy<SpringAuto> && HasValueOnly<SpringAuto>);
    const ElementRow by_hand = make_energy_row<SpringGreen>(), automatic = make_energy_row<SpringAuto>();
    for (int i = 0; i < 50; ++i) {
        const ElementFixture e(by_hand, i, 0);
        ElementFixture a(automatic, i, 0);
        a.x = e.x;
        a.table.data = e.table.data;
        // the same polynomial in another order of operations
        EXPECT_NEAR(a.value(), e.value(), 1e-13 * std::max(1.0, e.value()));
        EXPECT_LT((a.gradient() - e.gradient()).norm(), 1e-13 * std::max(1.0, e.gradient().norm()));
        const MatX h = e.hessian(Projection::none);
        EXPECT_LT((a.hessian(Projection::none) - h).norm(), 1e-13 * std::max(1.0, h.norm()));
    }
}

TEST(add_an_energy, derivatives_and_moduli_of_the_solid_from_outside) {
    static_assert(Energy<TetBulkShear> && HasValueOnly<TetBulkShear>);
    const ElementRow row = make_energy_row<TetBulkShear>();
    for (int i = 0; i < 20; ++i) {
        const ElementFixture e(row, i, 0);
        if (!std::isfinite(e.value())) continue; // drawn inside out
        const MatX h = finite_difference(12, [&](const VecX& d) { return e.moved(d).gradient(); });
        const MatX hessian = e.hessian(Projection::none);
        EXPECT_LT((h - hessian).cwiseAbs().maxCoeff(), 1e-6 * std::max(1.0, hessian.norm()));
    }
    // stretched alike by s on all sides: E = V k/2 (3 ln s)^2 + 3 mu V (s^2 - 1 - 2 ln s)/2 - mu V (3 ln s)^2/3
    const std::array<Real3, 4> rest{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const TetBulkShear::Data d = TetBulkShear::prepare({3e5, 2e5}, RestView{rest, {}, {}, {}});
    std::array<Vec3, 4> x;
    const Real s = 1.2, l = 3 * std::log(s);
    for (int i = 0; i < 4; ++i) x[i] = s * vec(rest[i]);
    EXPECT_NEAR(TetBulkShear::value<Real>(d, {}, x), (3e5 * l * l / 2 + 2e5 * (1.5 * (s * s - 1) - l) - 2e5 * l * l / 3) / 6, 1e-9);
}
