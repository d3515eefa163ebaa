// List-driven tests: every energy and every constraint of the lists gets these without a line of its own.
#include "constraint/list.h"
#include "core/fields.h"
#include "dense.h"
#include "energy/element_fixture.h"
#include "energy/list.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr int kSamples = 50;
// finite differences are good to about 1e-9 of the scale (see element_fixture.h); stiff samples lose three digits more
constexpr Real kTolerance = 1e-6;
// [m, rad] how far from the sample implicit steps begin: solids of the size 1 flow and rods bend by it, and no sample leaves its kind
constexpr Real kStart = 0.03;

bool has(const ElementRow& r, View v) { return r.views & v; }

// entries of both lists that have what a suite tests: the others do not get its tests
std::vector<const ElementRow*> rows_with(bool (*fits)(const ElementRow&)) {
    std::vector<const ElementRow*> rows;
    for (const auto list : {energy_rows(), constraint_rows()})
        for (const ElementRow& r : list)
            if (fits(r)) rows.push_back(&r);
    return rows;
}

// what all suites below share
struct RowTest : testing::TestWithParam<const ElementRow*> {
    const ElementRow& row = *GetParam();
    template <class F> void for_samples(F&& f) const {
        for (int i = 0; i < kSamples * row.sample_kinds; ++i) {
            if (HasFailure()) return; // one bad sample tells as much as fifty
            const ElementFixture e(row, i, i % row.sample_kinds);
            SCOPED_TRACE(testing::Message() << row.name << " sample " << i << " kind " << i % row.sample_kinds);
            f(e);
        }
    }
    // and, after each of them, the same element in an implicit step: viscous potentials and memory take part there
    template <class F> void for_samples_and_steps(F&& f) const {
        int i = 0;
        for_samples([&](const ElementFixture& e) {
            f(e);
            SCOPED_TRACE("in an implicit step");
            f(e.in_step(0.02, kStart, i++));
        });
    }
    // the largest number that `of` gives for any of these
    template <class F> Real largest(F&& of) const {
        Real most = 0;
        for_samples_and_steps([&](const ElementFixture& e) { most = std::max(most, MatX(of(e)).cwiseAbs().maxCoeff()); });
        return most;
    }
};
struct AnyListTest : RowTest {};           // every entry
struct ListTest : RowTest {};              // a potential
struct InvariantListTest : RowTest {};     // a potential that a shift or a turn does not change
struct StepListTest : RowTest {};          // a potential with viscosity or memory
struct ForceListTest : RowTest {};         // forces without potential
struct ExplicitForceListTest : RowTest {}; // those that implicit steps have as potentials
struct DamperListTest : RowTest {};        // of links and solids (viscous.h)
struct PointListTest : RowTest {};         // some of the unknowns are points
struct OnlyPointsListTest : RowTest {};    // all of them are, and a shift changes nothing
struct RestListTest : RowTest {};          // no force at rest
struct ConstraintListTest : RowTest {};    // rows
VecX velocities(const ElementFixture& e) {
    VecX v(3 * e.v.size());
    for (std::size_t i = 0; i < e.v.size(); ++i) v.segment<3>(3 * i) = vec(e.v[i]);
    return v;
}
Real scale(const MatX& m) { return std::max(1.0, m.cwiseAbs().maxCoeff()); }

// unknown i of an element: "point 1 x"
std::string unknown_name(const ElementRow& r, int i) {
    const auto name = [](const char* kind, int index, const char* axis) { return fmt::format("{} {} {}", kind, index, axis); };
    constexpr const char* axes[] = {"x", "y", "z", "turn x", "turn y", "turn z"};
    if (i < 3 * r.points) return name("point", i / 3, axes[i % 3]);
    i -= 3 * r.points;
    if (i < 6 * r.frames) return name("frame", i / 6, axes[i % 6]);
    return fmt::format("scalar {}", i - 6 * r.frames);
}

// Derivatives of an element, by eval (or force) and by differences, to a part of the largest of them. Where that is small, of the
// largest of all samples, `unit`, at most 1: an energy of soft samples is held to its own size, not to 1.
testing::AssertionResult agree(const ElementRow& r, const MatX& given, const MatX& differences, Real tolerance, Real unit) {
    int i = 0, j = 0;
    if (!(unit > 1e-9)) unit = 1; // zero but for rounding, everywhere: the Hessian of gravity
    const Real worst = (given - differences).cwiseAbs().maxCoeff(&i, &j), size = std::max(given.cwiseAbs().maxCoeff(), std::min(1.0, unit));
    if (worst < tolerance * size) return testing::AssertionSuccess();
    return testing::AssertionFailure() << fmt::format("{}{}: {:.8g} is given, differences say {:.8g} (ratio {:.6g})", unknown_name(r, i),
                                                      given.cols() > 1 ? ", " + unknown_name(r, j) : "", given(i, j), differences(i, j),
                                                      given(i, j) / differences(i, j));
}

} // namespace

TEST_P(ListTest, gradient_is_the_derivative_of_the_value) {
    const Real unit = largest([](const ElementFixture& e) { return e.gradient(); });
    // one point alone is its own shape: regions are in test/position/whole_test.cpp
    EXPECT_TRUE(unit > 1e-9 || row.name == "shape_match") << "no sample has a force";
    for_samples_and_steps([&](const ElementFixture& e) {
        const MatX fd = finite_difference(row.dofs, [&](const VecX& d) { return VecX::Constant(1, e.moved(d).value()); });
        EXPECT_TRUE(agree(row, e.gradient(), fd.transpose(), kTolerance, unit));
    });
}

TEST_P(ListTest, hessian_is_the_second_derivative_of_the_value) {
    const Real unit = largest([](const ElementFixture& e) { return e.hessian(Projection::none); });
    for_samples_and_steps([&](const ElementFixture& e) {
        // second derivative of E(retract(x, d)) at d = 0; for points and scalars simply the derivative of the gradient
        MatX fd;
        if (row.frames == 0) {
            fd = finite_difference(row.dofs, [&](const VecX& d) { return e.moved(d).gradient(); });
        } else {
            // mixed second differences; h = 1e-3: truncation h^2, rounding eps/h^2, both about 1e-6 of the scale
            const Real h = 1e-3;
            fd.resize(row.dofs, row.dofs);
            for (int i = 0; i < row.dofs; ++i)
                for (int j = 0; j < row.dofs; ++j) {
                    const auto at = [&](Real a, Real b) {
                        VecX d = VecX::Zero(row.dofs);
                        d[i] += a, d[j] += b;
                        return e.moved(d).value();
                    };
                    fd(i, j) = (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h);
                }
        }
        const MatX hessian = e.hessian(Projection::none);
        EXPECT_TRUE(agree(row, hessian, fd, row.frames ? 1e-4 : kTolerance, unit))
            << (row.frames ? "" : "differences are of the gradient: if its test fails too, mend that first");
        EXPECT_LT((hessian - hessian.transpose()).cwiseAbs().maxCoeff(), 1e-13 * scale(hessian));
    });
}

TEST_P(ListTest, projected_hessian_is_positive_semidefinite_and_unchanged_where_it_already_was) {
    for_samples_and_steps([&](const ElementFixture& e) {
        const MatX raw = e.hessian(Projection::none);
        for (Projection how : {Projection::clamp, Projection::absolute, Projection::gauss_newton}) {
            const MatX projected = e.hessian(how);
            EXPECT_GT(eigenvalues_of(projected)[0], -1e-12 * scale(raw));
            // without curvature it is another matrix
            if (how != Projection::gauss_newton && eigenvalues_of(raw)[0] > -1e-13 * scale(raw)) {
                // equal up to the rounding of the eigen-decomposition
                EXPECT_LT((projected - raw).cwiseAbs().maxCoeff(), 1e-10 * scale(raw));
            }
        }
    });
}

// The pass above is worth its name only if steps differ from no steps where an entry has viscosity or memory.
TEST_P(StepListTest, viscosity_and_memory_are_seen_in_implicit_steps) {
    int i = 0, differ = 0;
    for_samples([&](const ElementFixture& e) {
        const Real still = e.value(), step = e.in_step(0.02, kStart, i++).value();
        differ += std::abs(step - still) > 1e-6 * std::max(1.0, std::abs(still));
    });
    EXPECT_GT(differ, kSamples / 2);
}

// What assembly skips in implicit steps is zero there and not zero outside of them.
TEST_P(ExplicitForceListTest, forces_that_are_said_to_be_explicit_only_vanish_in_implicit_steps) {
    Real most = 0;
    for_samples([&](const ElementFixture& e) {
        most = std::max(most, e.force().cwiseAbs().maxCoeff());
        Evaluation ev = e.evaluation();
        ev.elapsed = 0.01;
        EXPECT_FALSE(has_force(e.table, ev));
        std::vector<Real> out(row.dofs, 1.0), dfdx(row.matrix_size, 1.0), dfdv(row.matrix_size, 1.0);
        row.force(e.table, ev, 0, 1, out.data());
        row.force_derivatives(e.table, ev, 0, 1, dfdx.data(), dfdv.data());
        for (const auto* part : {&out, &dfdx, &dfdv})
            for (Real number : *part) EXPECT_EQ(number, 0);
        EXPECT_TRUE(has_force(e.table, e.evaluation()));
    });
    EXPECT_GT(most, 0) << "no sample has viscosity";
}

// Dampers of links and solids (viscous.h): in a step of implicit Euler the potential has what the force is elsewhere, up to the
// change of directions within the step; in steps of other schemes, which give no dt, nothing changes.
TEST_P(DamperListTest, dampers_are_potentials_in_steps_of_implicit_euler_and_forces_elsewhere) {
    for_samples([&](const ElementFixture& e) {
        constexpr Real h = 1e-6; // directions and rates change by h |v| over lengths from 0.1 on within the step
        ElementFixture step = e;
        step.elapsed = h;
        for (int i = 0; i < row.points; ++i) step.x_now.push_back(real3(vec(e.x[i]) - h * vec(e.v[i])));
        const VecX force = e.force(), drag = step.gradient() - e.gradient(), v = velocities(e);
        std::vector<Real> unused(row.matrix_size), dfdv(row.matrix_size);
        row.force_derivatives(e.table, e.evaluation(), 0, 1, unused.data(), dfdv.data());
        const Real size = e.expand(dfdv).norm() * v.norm(); // of the force, whatever direction v has
        EXPECT_LT((force + drag).norm(), 1e-4 * size + 1e-8 * e.gradient().norm()); // rounding of 1e-16/h
        EXPECT_EQ(step.force().norm(), 0);
        // it takes energy: V is half of the work of the force over the step
        EXPECT_NEAR(step.value() - e.value(), -0.5 * h * force.dot(v), 1e-4 * h * size * v.norm() + 1e-14 * e.value());
        Evaluation ev = step.evaluation();
        ev.dt = 0;
        VecX g(row.dofs), f(row.dofs);
        row.gradient(e.table, ev, 0, 1, g.data());
        row.force(e.table, ev, 0, 1, f.data());
        EXPECT_EQ(g, e.gradient());
        EXPECT_EQ(f, force);
    });
}

TEST_P(ForceListTest, force_derivatives_match_finite_differences) {
    const Real unit = largest([](const ElementFixture& e) { return e.force(); });
    for_samples_and_steps([&](const ElementFixture& e) {
        std::vector<Real> stored_x(row.matrix_size), stored_v(row.matrix_size);
        row.force_derivatives(e.table, e.evaluation(), 0, 1, stored_x.data(), stored_v.data());
        const MatX dfdx = e.expand(stored_x), dfdv = e.expand(stored_v);
        const MatX fdx = finite_difference(row.dofs, [&](const VecX& d) { return e.moved(d).force(); });
        const MatX fdv = finite_difference(row.dofs, [&](const VecX& d) { return e.with_velocity(d).force(); });
        EXPECT_TRUE(agree(row, dfdx, fdx, kTolerance, unit)) << "by position";
        EXPECT_TRUE(agree(row, dfdv, fdv, kTolerance, unit)) << "by velocity";
    });
}

TEST_P(InvariantListTest, value_does_not_change_under_declared_invariances) {
    for_samples([&](const ElementFixture& e) {
        const Vec3 shift(0.3, -1.2, 2.1);
        const Quat turn = exp_rotation(Vec3(0.5, -1.1, 0.7));
        ElementFixture moved = e;
        if (row.rotation_invariant) {
            for (Real3& a : moved.x) a = real3(turn * vec(a));
            for (Real3& a : moved.p) a = real3(turn * vec(a));
            for (Real4& a : moved.q) a = real4(turn * quat(a));
        }
        if (row.translation_invariant) {
            for (Real3& a : moved.x) vec(a) += shift;
            for (Real3& a : moved.p) vec(a) += shift;
        }
        // rounding of the moved coordinates times the largest stiffness of the samples
        EXPECT_NEAR(moved.value(), e.value(), 1e-10 * std::max(1.0, std::abs(e.value())));
    });
}

TEST_P(OnlyPointsListTest, internal_forces_have_no_resultant_and_no_torque) {
    for_samples([&](const ElementFixture& e) {
        std::vector<VecX> forces;
        if (has(row, kValue)) forces.push_back(e.gradient());
        if (has(row, kForce)) forces.push_back(e.force());
        for (const VecX& f : forces) {
            Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
            for (int i = 0; i < row.points; ++i) {
                sum += f.segment<3>(3 * i);
                torque += vec(e.x[i]).cross(f.segment<3>(3 * i));
            }
            EXPECT_LT(sum.norm(), 1e-12 * scale(f));
            // forces without potential of rotation invariant entries are not axial in general (spring_zero's damper)
            if (row.rotation_invariant && &f == &forces[0] && has(row, kValue)) {
                EXPECT_LT(torque.norm(), 1e-11 * scale(f));
            }
        }
    });
}

TEST_P(RestListTest, force_vanishes_at_rest_where_declared) {
    const auto params = row.make_params();
    for_samples([&](const ElementFixture& e) {
        ElementFixture rest = e;
        std::vector<Real> mass(row.points, 1.0);
        const RestView view{rest.x, mass, {}, {0, -9.81, 0}};
        row.prepare(params.get(), view, rest.table.data.data());
        // rounding of the rest shape times the stiffness of the default parameters
        EXPECT_LT(rest.gradient().norm(), std::max(1e-9, 1e-12 * scale(rest.hessian(Projection::none))));
    });
}

TEST_P(ConstraintListTest, constraint_jacobian_is_the_derivative_of_the_rows) {
    for_samples([&](const ElementFixture& e) {
        const auto rows = [&](const ElementFixture& at) {
            VecX c(row.rows);
            row.constraint(at.table, at.evaluation(), 0, 1, c.data(), nullptr);
            return c;
        };
        VecX c(row.rows);
        Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> j(row.rows, row.dofs);
        row.constraint(e.table, e.evaluation(), 0, 1, c.data(), j.data());
        EXPECT_EQ(c, rows(e));
        const MatX fd = finite_difference(row.dofs, [&](const VecX& d) { return rows(e.moved(d)); });
        EXPECT_LT((fd - j).cwiseAbs().maxCoeff(), kTolerance);
    });
}

TEST_P(PointListTest, dead_points_feel_nothing) {
    ElementFixture e(row, 3, 0);
    const std::vector<std::uint8_t> alive(row.points, 0);
    Evaluation ev = e.evaluation();
    ev.alive = alive.data();
    VecX out = VecX::Ones(row.dofs);
    if (has(row, kValue)) {
        EXPECT_EQ(row.value(e.table, ev, 0, 1), 0);
        row.gradient(e.table, ev, 0, 1, out.data());
        EXPECT_EQ(out.norm(), 0);
    }
    if (has(row, kForce)) {
        row.force(e.table, ev, 0, 1, out.data());
        EXPECT_EQ(out.norm(), 0);
    }
}

TEST_P(AnyListTest, has_a_name_a_doc_and_described_parameters) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_GT(row.doc.size(), 10u);
    const auto params = row.make_params();
    FieldList list;
    row.describe(params.get(), list);
    for (const FieldRef& f : list.fields) {
        EXPECT_FALSE(f.info.doc.empty()) << row.name << "." << f.name;
    }
}

// Parameters written and read again are the same, for values that are not the defaults.
TEST_P(AnyListTest, parameters_survive_writing_and_reading) {
    const auto params = row.make_params(), again = row.make_params();
    FieldList list, copy;
    row.describe(params.get(), list);
    row.describe(again.get(), copy);
    const auto change = [](double v, const Field& info, int k) {
        const double least = info.min ? std::max(v, *info.min) : v; // -1 below the least value stands for a default
        const double up = least + 0.125 * (1 + k);
        return info.max && up >= *info.max ? 0.5 * (v + *info.max) : up;
    };
    for (FieldRef& f : list.fields) {
        if (f.type == FieldType::real) *static_cast<double*>(f.member) = change(*static_cast<double*>(f.member), f.info, 0);
        if (f.type == FieldType::boolean) *static_cast<bool*>(f.member) = !*static_cast<bool*>(f.member);
        if (f.type == FieldType::real3)
            for (int k = 0; k < 3; ++k) (*static_cast<Real3*>(f.member))[k] = change((*static_cast<Real3*>(f.member))[k], f.info, k);
    }
    std::vector<Error> errors;
    EXPECT_TRUE(read_fields(copy, write_fields(list), make_scope(Vars{}), row.name, errors));
    EXPECT_TRUE(errors.empty());
    EXPECT_EQ(write_fields(copy), write_fields(list));
    for (std::size_t k = 0; k < list.fields.size(); ++k)
        if (list.fields[k].type == FieldType::real) {
            EXPECT_EQ(*static_cast<double*>(copy.fields[k].member), *static_cast<double*>(list.fields[k].member)) << list.fields[k].name;
        }
}

namespace {
std::string name_of(const testing::TestParamInfo<const ElementRow*>& info) { return std::string(info.param->name); }
bool is_damper(const ElementRow& r) {
    const std::string_view names[] = {"spring", "spring_strain", "spring_zero", "tet_viscous"};
    return std::find(std::begin(names), std::end(names), r.name) != std::end(names);
}
bool is_potential(const ElementRow& r) { return has(r, kValue); }
bool is_invariant(const ElementRow& r) { return r.translation_invariant || r.rotation_invariant; }
bool has_points_alone(const ElementRow& r) { return r.frames == 0 && r.scalars == 0; }
bool has_forces(const ElementRow& r) { return has(r, kValue) || has(r, kForce); }
template <auto... Conditions> auto rows_where() {
    return testing::ValuesIn(rows_with([](const ElementRow& r) { return (Conditions(r) && ...); }));
}
} // namespace

INSTANTIATE_TEST_SUITE_P(energies, AnyListTest, rows_where<>(), name_of);
INSTANTIATE_TEST_SUITE_P(energies, ListTest, rows_where<is_potential>(), name_of);
INSTANTIATE_TEST_SUITE_P(energies, InvariantListTest, (rows_where<is_potential, is_invariant>()), name_of);
INSTANTIATE_TEST_SUITE_P(energies, StepListTest, (rows_where<is_potential, [](const ElementRow& r) { return r.memory_size != 0 || r.explicit_force; }>()), name_of);
INSTANTIATE_TEST_SUITE_P(energies, ForceListTest, rows_where<[](const ElementRow& r) { return has(r, kForce); }>(), name_of);
INSTANTIATE_TEST_SUITE_P(energies, ExplicitForceListTest, rows_where<[](const ElementRow& r) { return r.explicit_force; }>(), name_of);
INSTANTIATE_TEST_SUITE_P(energies, DamperListTest, rows_where<is_damper>(), name_of);
INSTANTIATE_TEST_SUITE_P(energies, PointListTest, (rows_where<has_forces, [](const ElementRow& r) { return r.points != 0; }>()), name_of);
INSTANTIATE_TEST_SUITE_P(energies, OnlyPointsListTest,
                         (rows_where<has_forces, has_points_alone, [](const ElementRow& r) { return r.translation_invariant; }>()), name_of);
INSTANTIATE_TEST_SUITE_P(energies, RestListTest, (rows_where<is_potential, has_points_alone, [](const ElementRow& r) { return r.zero_at_rest; }>()), name_of);
INSTANTIATE_TEST_SUITE_P(energies, ConstraintListTest, rows_where<[](const ElementRow& r) { return has(r, kConstraint); }>(), name_of);
