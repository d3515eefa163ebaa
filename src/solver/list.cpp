// All solvers and presets, one row each.
#include "core/fields.h"
#include "solver/articulated.h"
#include "solver/explicit.h"
#include "solver/modal.h"
#include "solver/newton.h"
#include "solver/nonlinear_cg.h"
#include "solver/solver.h"
#include "solver/velocity.h"

namespace sinew {

template <class Settings> static std::shared_ptr<void> defaults() { return std::make_shared<Settings>(); }
template <class Settings> static void describe(void* settings, FieldList& list) {
    Settings::fields(*static_cast<Settings*>(settings), FieldCollector{list});
}

std::span<const SolverEntry> solver_entries() {
    static const std::vector<SolverEntry> entries{
        {"articulated", "rigid bodies in generalised coordinates: trees of joints by the articulated-body algorithm", "",
         articulated_needs(), defaults<ArticulatedSettings>, describe<ArticulatedSettings>, make_articulated},
        {"explicit", "forward, symplectic and improved Euler, RK2, RK4, Verlet, leapfrog", "", explicit_needs(),
         defaults<ExplicitSettings>, describe<ExplicitSettings>, make_explicit},
        {"modal", "vibration modes about the rest shape, stepped exactly: small motion of elastic bodies", "", modal_needs(),
         defaults<ModalSettings>, describe<ModalSettings>, make_modal},
        {"newton", "implicit Euler, implicit midpoint, BDF2, Newmark and statics by Newton's method", "", newton_needs(),
         defaults<NewtonSettings>, describe<NewtonSettings>, make_newton},
        {"nonlinear_cg", "the same schemes by nonlinear conjugate gradients, without a matrix", "", nonlinear_cg_needs(),
         defaults<NonlinearCgSettings>, describe<NonlinearCgSettings>, make_nonlinear_cg},
        {"velocity", "rigid bodies and particles with contact, friction and joints by impulses", "", velocity_needs(),
         defaults<VelocitySettings>, describe<VelocitySettings>, make_velocity},
        {"soft_step", "sub-stepped soft contacts and joints for all islands", "velocity", velocity_needs(),
         make_soft_step_settings, describe<VelocitySettings>, make_velocity},
        {"sequential_impulse", "Gauss-Seidel over the rows", "velocity", velocity_needs(), make_sequential_impulse_settings,
         describe<VelocitySettings>, make_velocity},
        {"apgd", "accelerated projected gradient descent on the dual", "velocity", velocity_needs(), make_apgd_settings,
         describe<VelocitySettings>, make_velocity},
        {"mlcp", "polyhedral friction by pivoting: the reference for small scenes", "velocity", velocity_needs(),
         make_mlcp_settings, describe<VelocitySettings>, make_velocity},
        {"linearly_implicit", "implicit Euler with one linear solve per step", "newton", newton_needs(),
         make_linearly_implicit_settings, describe<NewtonSettings>, make_newton},
        {"baraff_witkin", "implicit Euler linearised as by Baraff and Witkin (1998), conjugate gradients", "newton",
         newton_needs(), make_baraff_witkin_settings, describe<NewtonSettings>, make_newton},
    };
    return entries;
}

const SolverEntry* find_solver(std::string_view name) {
    for (const SolverEntry& e : solver_entries())
        if (e.name == name) return &e;
    return nullptr;
}

} // namespace sinew
