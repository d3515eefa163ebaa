// Time stepping at the level of velocities for rigid bodies and particles with contact, friction and joints: settings
// and entry. The stages of a step are in velocity.cpp.
#pragma once
#include "core/fields.h"
#include "solver/solver.h"

namespace sinew {

struct VelocitySettings {
    std::string method = "auto";
    std::string friction = "cone";
    std::string stabilisation = "auto";
    std::string equalities = "schur";
    std::string impact = "chatterjee_ruina";
    std::string gyroscopic = "momentum";
    std::string precision = "single";
    int iterations = 0;
    int substeps = 0;
    int facets = 8;
    int rounds = 1;
    Real tolerance = 1e-8;
    Real erp = 0.2, cfm = 0;
    Real baumgarte_alpha = 0, baumgarte_beta = 0;
    Real slop = 1e-4;
    Real push_speed = 3;
    Real contact_hertz = 0, contact_damping = 10;
    Real restitution_threshold = 0.1;
    Real margin = 0.02;
    bool warm_start = true;
    bool de_saxce = true;
    bool sleep = true;
    Real sleep_after = 0.5;
    Real relaxation = 1;
    Real momentum_factor = 0, momentum_power = 0.6;
    bool split_masses = true;
    int direct_bodies = 64;
    Real direct_mass_ratio = 8;

    template <class V> static void fields(VelocitySettings& s, V&& v) {
        v("method", s.method,
          Field{.allowed = {"auto", "soft_step", "direct", "sequential_impulses", "block", "jacobi", "apgd", "bb", "mlcp"},
                .doc = "how impulses are found; auto: direct for small ill-conditioned islands and for chains of joints, "
                       "soft_step for all others"});
        v("friction", s.friction,
          Field{.allowed = {"cone", "cylinder", "single_tangent", "box", "polyhedral"},
                .doc = "set of admissible friction impulses; single_tangent: the disc of cylinder, in sweeps by one row along the slip; "
                       "soft_step knows discs alone, auto then goes without it"});
        v("stabilisation", s.stabilisation,
          Field{.allowed = {"auto", "none", "baumgarte", "soft", "split_impulse", "post", "acceleration"},
                .doc = "how penetration and drift are taken back; auto: post for direct and block, otherwise baumgarte; soft_step "
                       "has its own; acceleration: joints at the level of accelerations, with baumgarte_alpha and _beta"});
        v("equalities", s.equalities,
          Field{.allowed = {"schur", "kkt"},
                .doc = "direct and auto, islands of joints without limits, motors and contacts: the impulses alone by J M^-1 J^T, or velocities "
                       "and impulses together by their sparse saddle-point matrix"});
        v("impact", s.impact,
          Field{.allowed = {"newton", "sticking", "frictionless", "stick_slide", "poisson", "chatterjee_ruina"},
                .doc = "law of impacts where the pair has restitution; newton: the velocity after the solve, all at once; poisson: the impulse "
                       "of compression times 1 + e"});
        v("gyroscopic", s.gyroscopic,
          Field{.allowed = {"momentum", "implicit", "none"},
                .doc = "how free rotation goes on: angular momentum kept and midpoint rotation, implicit Euler of the torque, none"});
        v("precision", s.precision, Field{.allowed = {"single", "double"}, .doc = "of soft_step: wide and single, or scalar and double"});
        v("iterations", s.iterations, Field{.min = 0, .doc = "most iterations per step; 0 = 50 (mlcp, direct: as needed)"});
        v("substeps", s.substeps, Field{.min = 0, .max = 1000, .doc = "parts of a step; 0 = 6 for soft_step, more for piles that are high or of small bodies (over 25 layers of 1 m) and where masses of over 25 to 1 touch, 32 at most; otherwise 1"});
        v("rounds", s.rounds,
          Field{.min = 1, .max = 1000, .doc = "more than 1: fully implicit, constraints and contacts hold where the step ends, by at "
                                              "most so many linearisations (soft_step and auto then solve directly; nothing sleeps)"});
        v("facets", s.facets, Field{.min = 3, .max = 64, .doc = "sides of the polyhedral cone"});
        v("tolerance", s.tolerance, Field{.min = 0, .unit = "m/s", .doc = "iterations end below this error of a row's velocity"});
        v("erp", s.erp, Field{.min = 0, .max = 2, .doc = "part of an error taken back per step"});
        v("cfm", s.cfm, Field{.min = 0, .unit = "1/kg", .doc = "softness added to each row (stabilisation soft)"});
        v("baumgarte_alpha", s.baumgarte_alpha, Field{.min = 0, .unit = "1/s", .doc = "of stabilisation acceleration: gain of dC/dt"});
        v("baumgarte_beta", s.baumgarte_beta, Field{.min = 0, .unit = "1/s^2", .doc = "of stabilisation acceleration: gain of C"});
        v("slop", s.slop, Field{.min = 0, .unit = "m", .doc = "penetration that is left alone"});
        v("push_speed", s.push_speed, Field{.min = 0, .unit = "m/s", .doc = "largest speed at which penetration is taken back"});
        v("contact_hertz", s.contact_hertz,
          Field{.min = 0, .unit = "1/s", .doc = "soft_step: frequency of the spring of contacts, at most a quarter of the sub-step "
                                                "rate; 0 = 0.13 of it"});
        v("contact_damping", s.contact_damping, Field{.min = 0, .doc = "soft_step: damping ratio of that spring"});
        v("restitution_threshold", s.restitution_threshold,
          Field{.min = 0, .unit = "m/s", .doc = "approach below it does not bounce"});
        v("margin", s.margin, Field{.min = 0, .unit = "m", .doc = "contacts are found at least this far ahead"});
        v("warm_start", s.warm_start, Field{.doc = "start from the impulses of the step before"});
        v("de_saxce", s.de_saxce, Field{.doc = "cone: no lift while sliding"});
        v("sleep", s.sleep, Field{.doc = "leave islands alone that have come to rest"});
        v("sleep_after", s.sleep_after, Field{.min = 0, .unit = "s", .doc = "time at rest before an island sleeps"});
        v("relaxation", s.relaxation, Field{.min = 0, .max = 2, .min_exclusive = true, .doc = "of sequential impulses and jacobi"});
        v("momentum_factor", s.momentum_factor,
          Field{.min = 0, .doc = "of jacobi: a of the power law a (k/n)^b for the part of the last change that is repeated; 0 = none"});
        v("momentum_power", s.momentum_power, Field{.min = 0, .doc = "b of it"});
        v("split_masses", s.split_masses,
          Field{.doc = "jacobi: a body is shared among its contacts, which cannot diverge; without it relaxation has to see to that"});
        v("direct_bodies", s.direct_bodies, Field{.min = 0, .doc = "auto: largest island with contacts solved directly, and most bodies of all chains of contacts "
                              "that are"});
        v("direct_mass_ratio", s.direct_mass_ratio,
          Field{.min = 1, .doc = "auto: mass ratio of touching bodies from which an island is solved directly"});
    }
};

Needs velocity_needs();
std::unique_ptr<Solver> make_velocity(const Context&, const Model&, State&, const void* settings);
// presets of the list
std::shared_ptr<void> make_soft_step_settings();
std::shared_ptr<void> make_sequential_impulse_settings();
std::shared_ptr<void> make_apgd_settings();
std::shared_ptr<void> make_mlcp_settings();

} // namespace sinew
