// Small models and runs for the tests of the implicit solver.
#pragma once
#include "energy/spring_models.h"
#include "model/visit.h"
#include "solver/explicit.h"
#include "solver/newton.h"
#include <gtest/gtest.h>

namespace sinew {

// converged to rounding, so that only the error of the scheme is left
NewtonSettings exact_settings(const char* scheme);

struct NewtonRun {
    const ModelBuilder& b;
    State now, spare;
    std::unique_ptr<Solver> solver;
    Report report;
    Input input;
    bool drop = false; // caches before every step

    NewtonRun(const ModelBuilder& model, const NewtonSettings& s, int threads = 1);
    void step(Real dt, Trace* trace = nullptr);
    void steps(int count, Real dt);
    Vec3 x(int i) const { return vec(now.point.x[i]); }
    Vec3 v(int i) const { return vec(now.point.v[i]); }
};

ModelBuilder one_point(Real mass, Vec3 x, Vec3 v);

// mass on a zero-length spring to the origin: x'' = -omega^2 x - c/m x'
ModelBuilder make_oscillator(Real mass, Real omega, Vec3 x, Vec3 v, Real damping = 0);

// three masses on elastic links under a fixed point, swinging widely: stiff enough to be nonlinear in every
// way
ModelBuilder make_pendulum(Real damping = 0);

// zero-length springs and linear dampers only: all forces are linear
ModelBuilder make_linear_net();

// a point above a fixed plane or ball
ModelBuilder falling_on_floor(Real damping, Obstacle::Shape shape = Obstacle::plane);

// the state at `time` by rk4 with steps so small that their error does not count
State reference_state(const ModelBuilder& b, Real time, int steps);

Real distance_between(const State& a, const State& b);
Real velocity_distance(const State& a, const State& b);

} // namespace sinew
