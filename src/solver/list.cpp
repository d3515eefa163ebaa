// All solvers and presets, one row each.
#include "core/fields.h"
#include "solver/articulated.h"
#include "solver/explicit.h"
#include "solver/modal.h"
#include "solver/newton.h"
#include "solver/nonlinear_cg.h"
#include "solver/position.h"
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
        {"nonlinear_cg", "the same schemes by nonlinear conjugate gradients, without factorisation", "", nonlinear_cg_needs(),
         defaults<NonlinearCgSettings>, describe<NonlinearCgSettings>, make_nonlinear_cg},
        {"position", "all kinds of bodies in one loop of constraints, by position projection with contact and friction", "",
         position_needs(), defaults<PositionSettings>, describe<PositionSettings>, make_position},
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
        {"pbd", "position projection without compliance, friction after it (Mueller et al. 2007)", "position", position_needs(),
         make_pbd_settings, describe<PositionSettings>, make_position},
        {"xpbd", "position projection with compliance in small steps of one iteration (Macklin et al. 2016, 2019)", "position",
         position_needs(), make_xpbd_settings, describe<PositionSettings>, make_position},
        {"sequential_positions", "position projection with damped contacts (Francu 2016)", "position", position_needs(),
         make_sequential_positions_settings, describe<PositionSettings>, make_position},
        {"linearly_implicit", "implicit Euler with one linear solve per step", "newton", newton_needs(),
         make_linearly_implicit_settings, describe<NewtonSettings>, make_newton},
        {"baraff_witkin", "implicit Euler linearised as by Baraff and Witkin (1998), conjugate gradients", "newton",
         baraff_witkin_needs(), make_baraff_witkin_settings, describe<NewtonSettings>, make_newton},
    };
    return entries;
}

const SolverEntry* find_solver(std::string_view name) {
    for (const SolverEntry& e : solver_entries())
        if (e.name == name) return &e;
    return nullptr;
}

} // namespace sinew
