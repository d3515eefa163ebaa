// Solver `velocity` at its one default as an engine of the comparison (rigid_scenes.h).
#pragma once
#include "model/builder.h"
#include "rigid_scenes.h"
#include "solver/velocity.h"

namespace sinew::bench {

inline constexpr double kRigidStep = 1.0 / 60;
inline constexpr int kRigidSteps = 600, kRigidTurn = 40; // of a run; of a turn, after which another engine steps

struct OwnEngine final : RigidEngine {
    ModelBuilder b;
    State now, next;
    std::unique_ptr<Solver> solver;
    Report report;
    StageTimes stages;

    OwnEngine(const RigidScene&, int threads, const std::string& precision = VelocitySettings{}.precision);
    void step(double dt) override;
    Pose pose(int i) const override { return {now.frame.p[i], now.frame.q[i]}; }
    std::string note() const override;
};

} // namespace sinew::bench
