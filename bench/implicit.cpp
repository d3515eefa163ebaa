// One iteration of an implicit step of a 100 x 100 mass-spring cloth on one thread: evaluation of gradient
// and projected element Hessians and assembly of the matrix, against CHOLMOD's numeric factorisation of that
// matrix. Claim: at most 0.3 of it. Copying the values into CHOLMOD's format is counted with the assembly.
// Accuracy: gradient and Hessian against central differences along a direction, residual of the linear solve.
#include "bench.h"
#include "cloth.h"
#include "energy/assemble_hessian.h"
#include "linalg/linear_solver.h"
#include "linalg/scalar_matrix.h"
#include "solver/measure.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace sinew::bench {

namespace {

constexpr int kSize = 100;
constexpr Real kStep = 1e-2; // [s]

struct Problem {
    ModelBuilder cloth;
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

void build(int size, Real damping, Problem& p) {
    p.cloth = make_cloth(size, {.damping = damping});
    const Model& m = p.cloth.model;
    for (Real3& v : p.cloth.state.point.v) v = {0.1 * v.y, 1, -0.2};
    p.dofs = dofs_of(m);
    collect_elements(*m.elements, p.elements);
    build_gather(p.elements, p.dofs, kValue, p.potentials);
    build_gather(p.elements, p.dofs, kForce, p.forces);
    BlockPattern pattern;
    build_hessian_pattern(p.elements, {}, p.dofs, pattern);
    build_hessian_plan(p.elements, p.dofs, pattern, p.plan);
    p.matrix = make_block_sparse(std::move(pattern));
    p.gradient.resize(p.dofs.size());
    for (int i = 0; i < p.dofs.points; ++i) {
        p.inertia.insert(p.inertia.end(), 3, m.point.mass[i] / (kStep * kStep));
        p.fixed.push_back((m.point.flags[i] & kFixed) != 0);
    }
}

void evaluate_gradient(Problem& p) {
    const Evaluation ev = evaluation_of(p.cloth.model, p.cloth.state, kStep);
    std::fill(p.gradient.begin(), p.gradient.end(), 0.0);
    add_gradient(*p.parallel, p.elements, p.dofs, ev, p.potentials, p.gradient);
    add_force(*p.parallel, p.elements, p.dofs, ev, p.forces, p.gradient);
}
void assemble(Problem& p, Projection projection) {
    const Evaluation ev = evaluation_of(p.cloth.model, p.cloth.state, kStep);
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
    const State start = p.cloth.state;
    evaluate_gradient(p);
    const Real slope = std::inner_product(direction.begin(), direction.end(), p.gradient.begin(), 0.0);
    assemble(p, Projection::none);
    multiply(*p.parallel, p.matrix, direction, product);
    // the step balances the error of the difference, h^2, against rounding, 1e-16/h
    const Real h = 1e-6;
    Real energy[2];
    std::vector<Real> gradient[2];
    for (int side : {0, 1}) {
        for (std::size_t i = 0; i < start.point.x.size(); ++i)
            for (int k = 0; k < 3; ++k)
                p.cloth.state.point.x[i][k] = start.point.x[i][k] + (side ? h : -h) * direction[3 * i + k];
        const Evaluation ev = evaluation_of(p.cloth.model, p.cloth.state, kStep);
        energy[side] = total_energy(*p.parallel, p.elements, ev, partial);
        evaluate_gradient(p);
        gradient[side] = p.gradient;
    }
    p.cloth.state = start;
    Real error = 0, largest = 0;
    for (std::size_t i = 0; i < product.size(); ++i) {
        const Real wanted = (gradient[1][i] - gradient[0][i]) / (2 * h);
        error = std::max(error, std::abs(product[i] - p.inertia[i] * direction[i] - wanted));
        largest = std::max(largest, std::abs(wanted));
    }
    return {std::abs((energy[1] - energy[0]) / (2 * h) - slope) / std::abs(slope), error / largest};
}

struct Times {
    Spread evaluate, copy, factor; // [s]
    Spread ratio;                  // (evaluate + copy) / factor
};
Times measure_times(int pairs, LinearSolver& solver, Problem& p) {
    // the copy into CHOLMOD's format, which factor() makes inside, measured beside it in an order of its own
    std::vector<int> order(p.dofs.blocks());
    std::iota(order.begin(), order.end(), 0);
    ScalarMatrix matrix;
    build_scalar_matrix(p.matrix.pattern, order, Triangle::lower, matrix);
    std::vector<double> evaluate, copy, factor, ratio;
    for (int i = -1; i < pairs; ++i) { // the first is the warm-up
        const double t0 = cpu_seconds();
        evaluate_gradient(p);
        assemble(p, Projection::clamp);
        const double t1 = cpu_seconds();
        solver.factor(*p.parallel, p.matrix, {});
        const double t2 = cpu_seconds();
        copy_values(*p.parallel, p.matrix, matrix);
        const double copied = cpu_seconds() - t2;
        if (i < 0) continue;
        evaluate.push_back(t1 - t0);
        copy.push_back(copied);
        factor.push_back(t2 - t1 - copied);
        ratio.push_back((t1 - t0 + copied) / (t2 - t1 - copied));
    }
    return {spread_of(evaluate), spread_of(copy), spread_of(factor), spread_of(ratio)};
}

void run_case(const Options& options, Real damping, bool is_claim, Results& out) {
    const int size = options.size ? options.size : kSize;
    const std::string test = fmt::format("implicit {}x{}{}", size, size, damping > 0 ? " damped" : "");
    const auto made = make_linear_solver("cholesky", {});
    if (!made) {
        fmt::print("{}: no CHOLMOD in this build\n", test);
        return;
    }
    LinearSolver& solver = **made.value;
    Problem bare, p;
    build(size, 0, bare);
    const Errors errors = check_derivatives(bare); // of the energy, in which dampers have no part
    build(size, damping, p);
    assemble(p, Projection::clamp);
    solver.analyse(p.matrix.pattern, p.fixed);
    const Times times = measure_times(options.pairs, solver, p);
    std::vector<Real> x(p.dofs.size());
    const LinearInfo solved = solver.solve(*p.parallel, p.gradient, x);

    const auto ms = [](const Spread& s) { return Spread{1e3 * s.median, 1e3 * s.low, 1e3 * s.high}; };
    add(out, test, 1, "evaluate and assemble", "ms", ms(times.evaluate));
    add(out, test, 1, "copy to CHOLMOD", "ms", ms(times.copy));
    add(out, test, 1, "factorisation", "ms", ms(times.factor));
    if (is_claim)
        add_at_most(out, test, 1, "assembly / factorisation", times.ratio, 0.3, true);
    else
        add(out, test, 1, "assembly / factorisation", "", times.ratio);
    // rounding of the energies by h and by the slope, which is small in a cloth near its rest shape
    add_at_most(out, test, 1, "gradient error", exactly(errors.gradient), 1e-5, true);
    add_at_most(out, test, 1, "Hessian error", exactly(errors.hessian), 1e-6, true);
    add_at_most(out, test, 1, "residual of the solve", exactly(solved.ok ? solved.residual : 1), 1e-10, true);
}

} // namespace

void run_implicit(const Options& options, Results& out) {
    add_ceilings(out, "before", measure_ceilings(options.pairs));
    run_case(options, 0, true, out);
    run_case(options, 0.01, false, out);
    add_ceilings(out, "after", measure_ceilings(options.pairs));
}

} // namespace sinew::bench
