#include "solver/baraff_witkin.h"
#include <algorithm>

namespace sinew {

// d_0, and d - d_0 of the fixed points, whose velocity at the stage is given as well
static void find_start(const StepProblem& p, const Objective& o, std::span<const Real> d,
                       BaraffWitkinScratch& s) {
    for (int i = 0; i < point_count(p.model); ++i) {
        const Eigen::Map<const Vec3> move(d.data() + 3 * i);
        const bool unknown = is_unknown(p.model, p.now, i);
        const Vec3 drift =
            unknown ? Vec3(vec(o.stage.drift[i])) : Vec3(vec(o.points.v[i]) - o.stage.rate * move);
        if (o.stage.rate > 0) vec_at(s.start, i) = (vec(p.now.point.v[i]) - drift) / o.stage.rate;
        if (!unknown) vec_at(s.change, i) = move - vec_at(s.start, i);
    }
}

bool solve_baraff_witkin(const StepProblem& p, const HessianTerms& terms, Objective& o, LinearStep& linear,
                         BaraffWitkinScratch& s, std::span<Real> d, Report& report) {
    const std::size_t n = o.mass.size();
    for (auto* a : {&s.start, &s.product, &s.rhs, &s.change}) a->assign(n, 0.0);
    find_start(p, o, d, s);

    // forces and df/dx at the start of the step, everything where it is
    o.points.x = p.now.point.x;
    o.points.v = p.now.point.v;
    compute_residual_here(p, s.product, o);
    const HessianTerms by_position{terms.projection, true, 1, 0, terms.eigen}, by_velocity{terms.projection, false, 0, o.stage.rate};
    if (!compute_matrix(p, by_position, o)) {
        report.status = Status::failed;
        report.message = "the matrix has more than 2^31 - 1 entries";
        return false;
    }
    multiply(p.parallel, o.matrix, s.start, s.product);
    for (int i = 0; i < point_count(p.model); ++i) {
        if (!is_unknown(p.model, p.now, i)) continue;
        // o.mass is inertia and grabs; the residual has -M scale travel and all forces
        vec_at(s.rhs, i) = -vec_at(o.residual, i) - vec_at(s.product, i) - vec_at(o.mass, i).cwiseProduct(vec_at(s.start, i));
    }

    // df/dv, then the known part to the right-hand side
    const Evaluation ev = evaluation_at(p, o);
    add_hessian(p.parallel, o.elements, ev, by_velocity, o.plan, o.matrix);
    if (has_contact_elements(o.contact_tables))
        add_hessian(p.parallel, o.touching, ev, by_velocity, o.contact_plan, o.matrix);
    move_fixed_to_rhs(o.matrix, o.fixed, s.change, s.rhs);
    const bool solved = solve_linear(p, o, s.rhs, true, linear, s.change, report) == LinearOutcome::solved;
    if (solved)
        for (int i = 0; i < point_count(p.model); ++i)
            if (is_unknown(p.model, p.now, i))
                Eigen::Map<Vec3>(d.data() + 3 * i) = vec_at(s.start, i) + vec_at(s.change, i);
    place_given(p, o);
    return solved;
}

} // namespace sinew
