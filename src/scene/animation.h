// The animation of an object whose vertices are moved from outside, and its value between the samples:
//   x(t) = x_k + (t - t_k) / (t_k+1 - t_k) (x_k+1 - x_k),   v(t) = (x_k+1 - x_k) / (t_k+1 - t_k)
// before the first and after the last sample it holds still, or starts again.
//   "animation": "walk.pc2" | { "file", "object", "fps", "first_frame", "unit", "up", "from", "repeat" }
#pragma once
#include "output/animation.h"
#include "scene/object.h"

namespace sinew {

struct AnimationTrack {
    int object = -1;                    // of the model
    Pose rest;                          // of the object, where no motion moves it
    Real3 scale{1, 1, 1};               // of the object, times the file's unit [m]
    std::string up = "y";               // axis of the file that points up
    double from = 0;                    // [s] scene time of the animation's time 0
    bool repeat = false;
    std::unique_ptr<Animation> source;
    // the two samples around the time asked for last
    std::array<int, 2> sample{-1, -1};
    std::array<std::vector<Real3>, 2> x;
    std::vector<Real3> local;           // scratch of the script
};

// The track of the value of `animation`; null after an error.
std::shared_ptr<AnimationTrack> read_animation(BuildContext&, std::string_view key, const Value&);
// Positions [m] in the object's axes, velocities [m/s] if asked for; errors of files that changed while running.
Errors sample_animation(AnimationTrack&, double t, std::vector<Real3>& x, std::vector<Real3>* v = nullptr);

} // namespace sinew
