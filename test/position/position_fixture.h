// Runs of the position solver on small models.
#pragma once
#include "constraint/list.h"
#include "energy/spring_models.h"
#include "solver/position.h"
#include <gtest/gtest.h>

namespace sinew {

// one sub-step, many iterations: what the closed forms are about
PositionSettings plain_settings();

struct PositionRun {
    const ModelBuilder& b;
    State now, spare;
    std::unique_ptr<Solver> solver;
    Report report;
    Input input;

    PositionRun(const ModelBuilder& model, const PositionSettings& s, int threads = 1);
    void step(Real dt, Trace* trace = nullptr);
    void steps(int count, Real dt);
    Vec3 x(int i) const { return vec(now.point.x[i]); }
    Vec3 v(int i) const { return vec(now.point.v[i]); }
};

void add_link(ModelBuilder& b, int from, int to, Real compliance);

// points in a row along a direction, the first one held, joined by links or springs (compliance < 0: springs of 1/|c|)
ModelBuilder make_chain(const Vec3& along, int links, Real length, Real mass, Real compliance, Real gravity);

// every method that the setting allows
extern const std::vector<std::string> kDualMethods;

} // namespace sinew
