#include "solver/modes.h"
#include "energy/assemble_hessian.h"
#include "solver/measure.h"
#include <algorithm>

namespace sinew {

// what both matrices share
struct ModeMatrix {
    ElementSet elements;
    HessianPlan plan;
    BlockSparse K;
};
static bool build_mode_matrix(const Model& m, ModeMatrix& out) {
    const Dofs dofs = dofs_of(m);
    collect_elements(*m.elements, out.elements);
    BlockPattern pattern;
    if (!build_hessian_pattern(out.elements, {}, dofs, pattern) || !build_hessian_plan(out.elements, dofs, pattern, out.plan)) return false;
    out.K = make_block_sparse(std::move(pattern));
    return true;
}

std::vector<Real> find_mode_damping(const Parallel& parallel, const Model& m, const State& s, const ModeResult& modes) {
    std::vector<Real> out(modes.squares.size(), 0);
    ModeMatrix a;
    if (!build_mode_matrix(m, a)) return out;
    Evaluation ev = evaluation_of(m, s, 1);
    // over one second from x to x, a viscous potential has the Hessian D
    ev.x_now = s.point.x.data();
    HessianTerms terms;
    terms.projection = Projection::none;
    const auto form = [&](const std::vector<Real>& u) {
        std::vector<Real> Ku(u.size());
        multiply(parallel, a.K, u, Ku);
        Real sum = 0;
        for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * Ku[i];
        return sum;
    };
    ev.elapsed = 1;
    terms.force_v = 1;
    compute_hessian(parallel, a.elements, ev, terms, a.plan, a.K);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = form(modes.shapes[i]);
    ev.elapsed = 0;
    terms.force_v = 0;
    compute_hessian(parallel, a.elements, ev, terms, a.plan, a.K);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(0.0, out[i] - form(modes.shapes[i]));
    return out;
}

ModeResult find_modes(const Parallel& parallel, const Model& m, const State& s, const ModeSettings& settings) {
    ModeResult out;
    for (std::uint8_t f : m.frame.flags)
        if (!(f & kFixed)) return out.message = "free rigid bodies have no modes of their own here", out;
    if (scalar_count(m) > 0) return out.message = "scalar unknowns have no modes here", out;

    ModeMatrix a;
    if (!build_mode_matrix(m, a)) return out.message = "the matrix has more than 2^31 - 1 entries", out;
    HessianTerms terms;
    terms.projection = Projection::none;
    compute_hessian(parallel, a.elements, evaluation_of(m, s, 0), terms, a.plan, a.K);

    const BlockLayout& layout = a.K.pattern.layout;
    const int blocks = block_count(layout);
    std::vector<Real> mass(scalar_count(layout), 0);
    std::vector<unsigned char> fixed(blocks, 1);
    for (int i = 0; i < point_count(m); ++i) {
        const bool alive = s.point.alive.empty() || s.point.alive[i];
        if (!alive || (m.point.flags[i] & (kFixed | kPassive))) continue;
        fixed[i] = 0;
        for (int k = 0; k < 3; ++k) mass[3 * i + k] = m.point.mass[i];
    }
    auto solver = make_linear_solver("default", {});
    if (!solver) return out.message = solver.errors.front().message, out;
    return compute_modes(parallel, a.K, mass, fixed, **solver.value, settings);
}

} // namespace sinew
