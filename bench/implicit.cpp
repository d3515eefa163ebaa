// One iteration of an implicit step: evaluation of gradient and projected element Hessians and assembly of the matrix, against
// CHOLMOD's numeric factorisation of that matrix, on one thread. Claim: at most 0.3 of it. Copying the values into CHOLMOD's
// format is counted with the assembly. On two threads evaluation and assembly are at least 0.85 times as fast as the machine's
// ceiling of computing allows, measured in turns with them.
//   implicit 100x100         mass-spring cloth; `damped`: with a damper on every spring
//   implicit shell 100x100   membrane tri_stvk and hinges hinge_tan, bent into waves
//   implicit block           50400 tetrahedra of stable Neo-Hookean, twisted
// SINEW_BENCH_SCENE (springs, shell, block) runs one of them.
// Accuracy: gradient and Hessian against central differences along a direction, residual of the linear solve.
#include "bench.h"
#include "cloth.h"
#include "energy/assemble_hessian.h"
#include "linalg/linear_solver.h"
#include "linalg/scalar_matrix.h"
#include "sinew/sinew.h"
#include "solver/measure.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace sinew::bench {

namespace {

constexpr int kSize = 100;
constexpr Real kStep = 1e-2; // [s]

struct Problem {
    Model model;
    State state;
    ParallelPtr parallel = make_parallel({.threads = 1});
    Dofs dofs;
    ElementSet elements;
    Gather potentials, forces;
    HessianPlan plan;
    BlockSparse matrix;
    std::vector<Real> inertia;  // [kg/s^2] m/h^2
    std::vector<Real> gradient; // [N]
    std::vector<unsigned char> fixed;
};

// what one topology needs, as the solver keeps it
void prepare(Problem& p) {
    for (Real3& v : p.state.point.v) v = {0.1 * v.y, 1, -0.2};
    p.dofs = dofs_of(p.model);
    collect_elements(*p.model.elements, p.elements);
    build_gather(p.elements, p.dofs, kValue, p.potentials);
    build_gather(p.elements, p.dofs, kForce, p.forces);
    BlockPattern pattern;
    build_hessian_pattern(p.elements, {}, p.dofs, pattern);
    build_hessian_plan(p.elements, p.dofs, pattern, p.plan);
    p.matrix = make_block_sparse(std::move(pattern));
    p.gradient.resize(p.dofs.size());
    for (int i = 0; i < p.dofs.points; ++i) {
        p.inertia.insert(p.inertia.end(), 3, p.model.point.mass[i] / (kStep * kStep));
        p.fixed.push_back((p.model.point.flags[i] & kFixed) != 0);
    }
}
void build_springs(int size, Real damping, Problem& p) {
    ModelBuilder b = make_cloth(size, {.damping = damping});
    p.model = std::move(b.model), p.state = std::move(b.state);
    prepare(p);
}
// false: the scene has an error, which is printed
bool build_scene(const std::string& text, Problem& p) {
    auto scene = parse({}, text);
    if (!scene) return fmt::print("{}\n", scene.errors[0].message), false;
    auto built = build({}, *scene.value);
    if (!built) return fmt::print("{}\n", built.errors[0].message), false;
    p.model = std::move(built.value->model), p.state = std::move(built.value->state);
    return true;
}
bool build_shell(int size, Problem& p) {
    if (!build_scene(fmt::format(R"({{ "objects": {{ "sheet": {{ "kind": "cloth_grid", "size": [1, 1], "edge": "1/{}", "model": "shell",
        "fixed": {{ "group": "corners" }}, "material": {{ "density": 0.2, "membrane": {{ "model": "tri_stvk", "young": 1e6, "thickness": 0.0005 }},
        "bend": {{ "model": "hinge_tan", "stiffness": 1e-5 }} }} }} }}, "solver": "newton" }})", size), p))
        return false;
    for (Real3& x : p.state.point.x) {
        const Real x0 = x.x, z0 = x.z;
        x.y += 0.02 * std::sin(12 * x0) * std::cos(9 * z0);
        x.x *= 1.01;
    }
    prepare(p);
    return true;
}
bool build_block(int cells, Problem& p) {
    if (!build_scene(fmt::format(R"({{ "objects": {{ "block": {{ "kind": "solid", "size": [1, 1, 1], "cells": [{0}, {0}, {1}], "split": "six",
        "fixed": {{ "group": "x_min" }}, "material": {{ "solid_density": 1000, "solid": {{ "model": "stable_neohookean", "young": 1e5,
        "poisson": 0.4 }} }} }} }}, "solver": "newton" }})", cells, cells + 1), p))
        return false;
    for (Real3& x : p.state.point.x) {
        const Real a = 0.6 * x.x, y = x.y, z = x.z;
        x = {1.05 * x.x, std::cos(a) * y - std::sin(a) * z, std::sin(a) * y + std::cos(a) * z};
    }
    prepare(p);
    return true;
}

int tet_count(const Model& m) {
    int count = 0;
    for (const Table& t : m.elements->energies)
        if (t.row->inverted) count += t.count();
    return count;
}

// as within an implicit step that has just begun
Evaluation make_evaluation(const Problem& p) {
    Evaluation ev = evaluation_of(p.model, p.state, kStep);
    ev.elapsed = kStep;
    return ev;
}
void evaluate_gradient(Problem& p) {
    const Evaluation ev = make_evaluation(p);
    std::fill(p.gradient.begin(), p.gradient.end(), 0.0);
    add_gradient(*p.parallel, p.elements, p.dofs, ev, p.potentials, p.gradient);
    add_force(*p.parallel, p.elements, p.dofs, ev, p.forces, p.gradient);
}
void assemble(Problem& p, Projection projection) {
    const Evaluation ev = make_evaluation(p);
    compute_hessian(*p.parallel, p.elements, ev, {projection, true, 1, 1 / kStep}, p.plan, p.matrix);
    add_diagonal(*p.parallel, p.inertia, p.matrix);
}

// central differences along a smooth direction p: of the energy against g.p, of the gradient against H p
struct Errors {
    Real gradient, hessian;
};
Errors check_derivatives(Problem& p) {
    std::vector<Real> direction(p.dofs.size()), product(p.dofs.size()), partial;
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = std::sin(0.1 * Real(i));
    const State start = p.state;
    evaluate_gradient(p);
    const Real slope = std::inner_product(direction.begin(), direction.end(), p.gradient.begin(), 0.0);
    Real size = 0; // of what the slope is the sum of
    for (std::size_t i = 0; i < direction.size(); ++i) size += std::abs(direction[i] * p.gradient[i]);
    assemble(p, Projection::none);
    multiply(*p.parallel, p.matrix, direction, product);
    // the step balances the error of the difference, h^2, against rounding, 1e-16/h
    const Real h = 1e-6;
    Real energy[2];
    std::vector<Real> gradient[2];
    for (int side : {0, 1}) {
        for (std::size_t i = 0; i < start.point.x.size(); ++i)
            for (int k = 0; k < 3; ++k)
                p.state.point.x[i][k] = start.point.x[i][k] + (side ? h : -h) * direction[3 * i + k];
        const Evaluation ev = make_evaluation(p);
        energy[side] = total_energy(*p.parallel, p.elements, ev, partial);
        evaluate_gradient(p);
        gradient[side] = p.gradient;
    }
    p.state = start;
    Real error = 0, largest = 0;
    for (std::size_t i = 0; i < product.size(); ++i) {
        const Real wanted = (gradient[1][i] - gradient[0][i]) / (2 * h);
        error = std::max(error, std::abs(product[i] - p.inertia[i] * direction[i] - wanted));
        largest = std::max(largest, std::abs(wanted));
    }
    return {std::abs((energy[1] - energy[0]) / (2 * h) - slope) / size, error / largest};
}

struct Times {
    Spread gradient, matrix, copy, factor; // [s]
    Spread ratio;                          // (gradient + matrix + copy) / factor
};
Times measure_times(int pairs, LinearSolver& solver, Problem& p) {
    // the copy into CHOLMOD's format, which factor() makes inside, measured beside it in an order of its own
    std::vector<int> order(p.dofs.blocks());
    std::iota(order.begin(), order.end(), 0);
    ScalarMatrix matrix;
    build_scalar_matrix(p.matrix.pattern, order, Triangle::lower, matrix);
    std::vector<double> gradient, assembly, copy, factor, ratio;
    for (int i = -1; i < pairs; ++i) { // the first is the warm-up
        const double t0 = cpu_seconds();
        evaluate_gradient(p);
        const double t1 = cpu_seconds();
        assemble(p, Projection::clamp);
        const double t2 = cpu_seconds();
        solver.factor(*p.parallel, p.matrix, {});
        const double t3 = cpu_seconds();
        copy_values(*p.parallel, p.matrix, matrix);
        const double copied = cpu_seconds() - t3;
        if (i < 0) continue;
        gradient.push_back(t1 - t0);
        assembly.push_back(t2 - t1);
        copy.push_back(copied);
        factor.push_back(t3 - t2 - copied);
        ratio.push_back((t2 - t0 + copied) / factor.back());
    }
    return {spread_of(gradient), spread_of(assembly), spread_of(copy), spread_of(factor), spread_of(ratio)};
}

// speed-up of evaluation and assembly by a second thread over that of a loop in registers, each in turn
Spread measure_second_thread(int pairs, Problem& p) {
    ParallelPtr other = make_parallel({.threads = 2});
    const auto run = [&](int threads) {
        if (threads == 2) std::swap(p.parallel, other);
        evaluate_gradient(p);
        assemble(p, Projection::clamp);
        if (threads == 2) std::swap(p.parallel, other);
    };
    run(2), run(1);
    std::vector<double> share;
    for (int i = 0; i < pairs; ++i) {
        const Pairs work = measure_pairs(3, 2, [&] { run(1); }, [&] { run(2); });
        share.push_back(work.ratio.median / measure_compute_ceiling(3).median);
    }
    return spread_of(share);
}

void run_case(const Options& options, const std::string& test, bool is_claim, Problem& bare, Problem& p, Results& out) {
    const auto made = make_linear_solver("cholesky", {});
    if (!made) {
        fmt::print("{}: no CHOLMOD in this build\n", test);
        return;
    }
    LinearSolver& solver = **made.value;
    const Errors errors = check_derivatives(bare); // of the energy, in which dampers have no part
    assemble(p, Projection::clamp);
    solver.analyse(p.matrix.pattern, p.fixed);
    const Times times = measure_times(options.pairs, solver, p);
    std::vector<Real> x(p.dofs.size());
    const LinearInfo solved = solver.solve(*p.parallel, p.gradient, x);

    const auto ms = [](const Spread& s) { return Spread{1e3 * s.median, 1e3 * s.low, 1e3 * s.high}; };
    add(out, test, 1, "gradient", "ms", ms(times.gradient));
    add(out, test, 1, "Hessians and matrix", "ms", ms(times.matrix));
    add(out, test, 1, "copy to CHOLMOD", "ms", ms(times.copy));
    add(out, test, 1, "factorisation", "ms", ms(times.factor));
    if (is_claim) {
        add_at_most(out, test, 1, "assembly / factorisation", times.ratio, 0.3, true);
        add_at_least(out, test, 2, "speed-up / ceiling", measure_second_thread(options.pairs, p), 0.85, !out.busy);
    } else {
        add(out, test, 1, "assembly / factorisation", "", times.ratio);
    }
    // rounding of the energies by h
    add_at_most(out, test, 1, "gradient error", exactly(errors.gradient), 1e-5, true);
    add_at_most(out, test, 1, "Hessian error", exactly(errors.hessian), 1e-6, true);
    add_at_most(out, test, 1, "residual of the solve", exactly(solved.ok ? solved.residual : 1), 1e-10, true);
}

} // namespace

void run_implicit(const Options& options, Results& out) {
    const int size = options.size ? options.size : kSize;
    const char* only = std::getenv("SINEW_BENCH_SCENE");
    const auto wanted = [&](std::string_view name) { return !only || name == only; };
    if (!wanted("springs") && !wanted("shell") && !wanted("block")) {
        fmt::print("SINEW_BENCH_SCENE={}: not one of springs, shell, block\n", only);
        return;
    }
    add_ceilings(out, "before", measure_ceilings(options.pairs));
    for (Real damping : {0.0, 0.01}) {
        if (!wanted("springs")) break;
        Problem bare, p;
        build_springs(size, 0, bare);
        build_springs(size, damping, p);
        run_case(options, fmt::format("implicit {}x{}{}", size, size, damping > 0 ? " damped" : ""), damping == 0, bare, p, out);
    }
    Problem shell, block;
    if (wanted("shell") && build_shell(size, shell)) run_case(options, fmt::format("implicit shell {}x{}", size, size), true, shell, shell, out);
    if (wanted("block") && build_block(size / 5, block)) run_case(options, fmt::format("implicit block {} tets", tet_count(block.model)), true, block, block, out);
    add_ceilings(out, "after", measure_ceilings(options.pairs));
}

} // namespace sinew::bench
