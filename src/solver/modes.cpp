#include "solver/modes.h"
#include "energy/assemble_hessian.h"
#include "solver/measure.h"

namespace sinew {

ModeResult find_modes(const Parallel& parallel, const Model& m, const State& s, const ModeSettings& settings) {
    ModeResult out;
    for (std::uint8_t f : m.frame.flags)
        if (!(f & kFixed)) return out.message = "free rigid bodies have no modes of their own here", out;
    if (scalar_count(m) > 0) return out.message = "scalar unknowns have no modes here", out;

    const Dofs dofs = dofs_of(m);
    ElementSet elements;
    collect_elements(*m.elements, elements);
    BlockPattern pattern;
    HessianPlan plan;
    if (!build_hessian_pattern(elements, {}, dofs, pattern) || !build_hessian_plan(elements, dofs, pattern, plan))
        return out.message = "the matrix has more than 2^31 - 1 entries", out;
    BlockSparse K = make_block_sparse(pattern);
    HessianTerms terms;
    terms.projection = Projection::none;
    compute_hessian(parallel, elements, evaluation_of(m, s, 0), terms, plan, K);

    const int blocks = block_count(pattern.layout);
    std::vector<Real> mass(scalar_count(pattern.layout), 0);
    std::vector<unsigned char> fixed(blocks, 1);
    for (int i = 0; i < point_count(m); ++i) {
        const bool alive = s.point.alive.empty() || s.point.alive[i];
        if (!alive || (m.point.flags[i] & (kFixed | kPassive))) continue;
        fixed[i] = 0;
        for (int k = 0; k < 3; ++k) mass[3 * i + k] = m.point.mass[i];
    }
    auto solver = make_linear_solver("default", {});
    if (!solver) return out.message = solver.errors.front().message, out;
    return compute_modes(parallel, K, mass, fixed, **solver.value, settings);
}

} // namespace sinew
