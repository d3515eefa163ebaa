// Position projection: rigid bodies, cloth, solids, rods and particles in one loop of constraints, with contact and friction
// (spec U). Settings and entry; the stages of a step are in position.cpp.
#pragma once
#include "core/fields.h"
#include "solver/solver.h"

namespace sinew {

struct PositionSettings {
    std::string method = "gauss_seidel";
    std::string scheme = "symplectic";
    std::string softness = "feedback";
    std::string directions = "current";
    std::string friction = "cylinder";
    std::string damping = "rows";
    std::string step = "own";
    std::string mix = "none";
    int iterations = 2;
    int substeps = 10;
    Real tolerance = 0;
    Real relaxation = 0;
    Real stiffness = 1;
    Real damping_time = 0;
    Real damping_part = 0;
    Real momentum_factor = 1, momentum_power = 0.6;
    bool incidence = false;
    Real largest_step = 0;
    Real newmark_beta = 0.5, newmark_gamma = 0.5;
    bool de_saxce = true;
    bool sequential = false;
    Real position_gain = 1, velocity_gain = 0.1;
    Real contact_compliance = 0;
    Real contact_damping_time = 0;
    bool limit_restitution = true;
    Real restitution_threshold = 0.1;
    Real margin = 0.01;
    bool continuous = false;
    int rounds = 4;
    bool warm_start = true;
    Real recovery_time = 0.1;
    bool chains = true;

    template <class V> static void fields(PositionSettings& s, V&& v) {
        v("method", s.method,
          Field{.allowed = {"gauss_seidel", "jacobi", "improved_jacobi", "accelerated_jacobi", "minres", "conjugate_residuals",
                            "power_residuals", "steepest_descent", "conjugate_gradients", "apgd", "gpminres", "fast_projection", "newton"},
                .doc = "how multipliers are found: sweeps by colours, or all rows at once; apgd, gpminres: gradients on the sets of "
                       "multipliers; fast_projection: a direct solve per iteration; newton: with the curvature of the constraints"});
        v("scheme", s.scheme,
          Field{.allowed = {"symplectic", "verlet", "rattle", "newmark"},
                .doc = "how points and bodies get to where they are projected from; under verlet bodies go the symplectic way, newmark is for points alone"});
        v("softness", s.softness,
          Field{.allowed = {"feedback", "printed", "factor"},
                .doc = "compliance with its multiplier fed back (implicit Euler at the end), without (stiffer with every "
                       "iteration), or ignored in favour of `stiffness`"});
        v("directions", s.directions,
          Field{.allowed = {"current", "start"}, .doc = "where rows push: as they are now, or as at the start of the step (SHAKE)"});
        v("friction", s.friction,
          Field{.allowed = {"cone", "cylinder", "box", "single", "post", "none"},
                .doc = "set of admissible friction, within the loop; single: one tangent, where contacts are swept (gauss_seidel, fast_projection, "
                       "newton); post: on velocities, after it"});
        v("damping", s.damping,
          Field{.allowed = {"rows", "velocity", "rigid"},
                .doc = "rows: damping_time within the rows; velocity: damping_part of each row's rate is taken out after the step; "
                       "rigid: damping_part of what is not the motion of the whole object"});
        v("step", s.step,
          Field{.allowed = {"own", "radius"},
                .doc = "length of steps of Jacobi and its relatives and of methods that follow residuals: their own, or relaxation/rho(A) in "
                       "all iterations, rho(A) by power iteration"});
        v("mix", s.mix,
          Field{.allowed = {"none", "contacts_after", "velocity_first", "post_stabilize"},
                .doc = "with velocity time stepping, for comparison (gauss_seidel): contacts after the loop of all other rows, a step of "
                       "velocities before it, or velocities by such a step and positions alone by projection"});
        v("iterations", s.iterations, Field{.min = 1, .doc = "per sub-step"});
        v("substeps", s.substeps, Field{.min = 1, .max = 1000, .doc = "parts of a step"});
        v("tolerance", s.tolerance, Field{.min = 0, .unit = "m",
          .doc = "iterations end when no row would move anything by more; 0 = all iterations are made"});
        v("relaxation", s.relaxation, Field{.min = 0, .max = 2, .doc = "of a correction; 0 = 1 for sweeps, 0.5 for Jacobi and its relatives, 1 with incidence and with step radius"});
        v("incidence", s.incidence, Field{.doc = "Jacobi and its relatives: the mass of each point counts in equal parts for the rows that meet there, so "
                                                  "that corrections together never go too far"});
        v("stiffness", s.stiffness, Field{.min = 0, .max = 1, .doc = "of softness factor: part of an error corrected per sub-step"});
        v("damping_time", s.damping_time, Field{.min = 0, .unit = "s", .doc = "Rayleigh damping of rows that have less of their own (links of cloth have that of their material)"});
        v("damping_part", s.damping_part, Field{.min = 0, .max = 1, .doc = "of damping velocity and rigid"});
        v("momentum_factor", s.momentum_factor, Field{.min = 0, .doc = "a of the power law a (k/n)^b of improved_jacobi and power_residuals"});
        v("momentum_power", s.momentum_power, Field{.min = 0, .doc = "b of it"});
        v("largest_step", s.largest_step, Field{.min = 0, .doc = "of conjugate residuals, in units of 1/rho(A); 0 = no limit"});
        v("newmark_beta", s.newmark_beta, Field{.min = 0.25, .max = 1, .doc = "of scheme newmark; from more than 1/4 on it is stable"});
        v("newmark_gamma", s.newmark_gamma, Field{.min = 0.5, .max = 1, .doc = "of scheme newmark; more than 1/2 damps"});
        v("de_saxce", s.de_saxce, Field{.doc = "cone: no lift while sliding"});
        v("sequential", s.sequential, Field{.doc = "contacts by Sequential Positions, with the two gains"});
        v("position_gain", s.position_gain, Field{.min = 0, .doc = "of the gap"});
        v("velocity_gain", s.velocity_gain, Field{.min = 0, .doc = "of the approach"});
        v("contact_compliance", s.contact_compliance, Field{.min = 0, .unit = "m/N", .doc = "of contacts"});
        v("contact_damping_time", s.contact_damping_time, Field{.min = 0, .unit = "s", .doc = "of contacts"});
        v("limit_restitution", s.limit_restitution, Field{.doc = "what was pushed out of a contact leaves no faster than restitution says"});
        v("restitution_threshold", s.restitution_threshold, Field{.min = 0, .unit = "m/s", .doc = "approach below it does not bounce"});
        v("warm_start", s.warm_start, Field{.doc = "contacts begin with their forces of the sub-step before (gauss_seidel)"});
        v("recovery_time", s.recovery_time, Field{.min = 0, .unit = "s", .doc = "in which contacts that begin with a force come out of a depth; others at triangles and edges of points come out at 1 m/s or faster (warm_start); 0 = at once, which shakes what is not converged"});
        v("chains", s.chains, Field{.doc = "links that go straight on through the points are solved together, as chains (gauss_seidel): the same result in fewer iterations"});
        v("margin", s.margin, Field{.min = 0, .unit = "m", .doc = "contacts are found at least this far ahead"});
        v("continuous", s.continuous,
          Field{.doc = "contacts are found anew in every sub-step, by the way of the surface: none passes another or itself"});
        v("rounds", s.rounds, Field{.min = 0, .max = 1000,
          .doc = "of continuous: times that pairs about to pass each other are projected on before their way is cut"});
    }
};

Needs position_needs();
std::unique_ptr<Solver> make_position(const Context&, const Model&, State&, const void* settings);
// Settings that contradict each other or the model; asked when a scene is compiled (position_trouble.cpp).
struct SettingTrouble {
    std::string key, message, allowed;
};
std::vector<SettingTrouble> find_position_trouble(const Model&, const PositionSettings&);
// presets of the list
std::shared_ptr<void> make_pbd_settings();
std::shared_ptr<void> make_xpbd_settings();
std::shared_ptr<void> make_sequential_positions_settings();

} // namespace sinew
