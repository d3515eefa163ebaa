// Models whose bodies are the links of a forest, and runs of the articulated solver on them.
#pragma once
#include "articulated_fixture.h"
#include "energy/list.h"
#include "model/builder.h"
#include "model/visit.h"
#include "solver/articulated.h"
#include <gtest/gtest.h>

namespace sinew {

struct ArticulatedRun {
    ModelBuilder b;
    Forest forest;
    State now, spare;
    std::unique_ptr<Solver> solver;
    Input input;
    Report report;
    bool drop = false;                 // caches before every step

    // poses of the links by the coordinates q, speeds qd
    ArticulatedRun(Forest f, const std::vector<Real>& q, const std::vector<Real>& qd, const ArticulatedSettings& settings,
                   bool gravity = true, int threads = 1);
    void step(Real dt);
    void steps(int count, Real dt);
    Real q(int i) const { return (*find_memory(now, "articulated.q"))[i]; }
    Real qd(int i) const { return (*find_memory(now, "articulated.qd"))[i]; }
    Vec3 p(int link) const { return vec(now.frame.p[forest.links[link].frame]); }
    Vec3 v(int link) const { return vec(now.frame.v[forest.links[link].frame]); }
    // kinetic energy plus m g y
    Real energy() const;
    Vec3 momentum() const;
    Vec3 angular_momentum() const; // about the origin
};

ArticulatedSettings scheme(const char* name);

// points of mass 1 on massless rods of length 1 hanging down, hinges about z (joint axis x = world z)
Forest hanging_chain(int count, JointType kind = JointType::revolute, Real inertia = 0);

} // namespace sinew
