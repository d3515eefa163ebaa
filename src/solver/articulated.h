// Rigid bodies in generalised coordinates: settings and entry. The stages of a step are in articulated.cpp.
#pragma once
#include "core/fields.h"
#include "solver/articulated_tree.h"
#include "solver/solver.h"

namespace sinew {

struct ArticulatedSettings {
    std::string scheme = "symplectic_euler";
    int iterations = 100;
    Real tolerance = 1e-8;
    Real margin = 0.02;
    Real slop = 5e-4;
    Real erp = 0.2;
    Real push_speed = 3;
    Real restitution_threshold = 0.1;
    bool warm_start = true;
    bool sleep = true;
    Real sleep_after = 0.5;

    template <class V> static void fields(ArticulatedSettings& s, V&& v) {
        v("scheme", s.scheme,
          Field{.allowed = {"symplectic_euler", "rk4"},
                .doc = "how coordinates advance; joint springs and dampers are implicit in symplectic_euler"});
        v("iterations", s.iterations, Field{.min = 1, .doc = "most sweeps over contacts, limits and motors per step"});
        v("tolerance", s.tolerance, Field{.min = 0, .unit = "m/s", .doc = "sweeps end below this error of a row's velocity"});
        v("margin", s.margin, Field{.min = 0, .unit = "m", .doc = "contacts are found at least this far ahead"});
        v("slop", s.slop, Field{.min = 0, .unit = "m", .doc = "penetration that is left alone"});
        v("erp", s.erp, Field{.min = 0, .max = 1, .doc = "part of a penetration taken back per step"});
        v("push_speed", s.push_speed, Field{.min = 0, .unit = "m/s", .doc = "largest speed at which penetration is taken back"});
        v("restitution_threshold", s.restitution_threshold,
          Field{.min = 0, .unit = "m/s", .doc = "approach below it does not bounce"});
        v("warm_start", s.warm_start, Field{.doc = "start from the impulses of the step before"});
        v("sleep", s.sleep, Field{.doc = "leave islands alone that have come to rest"});
        v("sleep_after", s.sleep_after, Field{.min = 0, .unit = "s", .doc = "time at rest before an island sleeps"});
    }
};

Needs articulated_needs();
std::unique_ptr<Solver> make_articulated(const Context&, const Model&, State&, const void* settings);
// with trees given by the caller instead of the model's joints; link.frame names the frames
std::unique_ptr<Solver> make_articulated_forest(const Context&, const Model&, State&, const ArticulatedSettings&, Forest);

} // namespace sinew
