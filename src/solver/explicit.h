// Explicit time stepping of points, rigid bodies and the angles of rods: settings and entry. The schemes are in explicit.cpp.
#pragma once
#include "core/fields.h"
#include "solver/solver.h"

namespace sinew {

struct ExplicitSettings {
    std::string scheme = "symplectic_euler";
    std::string rotation = "exponential_midpoint";

    template <class V> static void fields(ExplicitSettings& s, V&& v) {
        v("scheme", s.scheme,
          Field{.allowed = {"forward_euler", "symplectic_euler", "improved_euler", "rk2_trapezoid", "rk2_midpoint", "rk4",
                            "verlet", "leapfrog"},
                .doc = "how points, bodies and angles of rods advance"});
        v("rotation", s.rotation,
          Field{.allowed = {"exponential", "additive", "exponential_midpoint"}, .doc = "how rigid rotations advance"});
    }
};

Needs explicit_needs();
std::unique_ptr<Solver> make_explicit(const Context&, const Model&, State&, const void* settings);

} // namespace sinew
