// The largest part of a motion of the whole scene that is proven free of contact: safe_step.h for what moves on straight
// lines, and a bound of the arc for what turns. The motion is a direction in the tangent layout (model/dofs.h):
//   points    x(t) = x + t d
//   frames    p(t) = p + t d_p,  q(t) = exp(t d_theta) q        a screw motion
//   animated  straight to their targets
// A vertex fixed in a frame leaves the chord of its arc between times t0 and t1 by at most
//   e = |d_theta|^2 |r| (t1 - t0)^2 / 8,   r its arm
// (linear interpolation of a function with second derivative |d_theta|^2 |r|). The chords are searched with the separation
// grown by both sides' e; a find is followed into ever smaller intervals until e is small against the distance there.
// Who meets whom is as in detect.h: groups, rules, exclusions. Analytic obstacles count by their true shape
// (obstacle_step.h); bodies with shapes count by their surfaces, round ones grown by what they stand out of them
// (inscribed.h): what is nearer to their triangles than that at the start cannot be proven free, and the step is 0.
#pragma once
#include "collision/detect.h"
#include "collision/inscribed.h"
#include "collision/obstacle_boxes.h"
#include "collision/safe_step.h"
#include "model/surface.h"

namespace sinew {

inline constexpr Real kUnitRoundoff = 0x1p-53;

struct SceneMotion {
    const State& now;
    std::span<const Real> direction;   // tangent layout
    std::span<const Real3> animated;   // targets [m]; empty = they stay
};

struct SceneStepScratch {
    SurfaceScratch surface;
    Candidates linear, turning;        // pairs without and with a vertex that turns
    SafeStepScratch step;
    std::vector<Real3> x_t0, x_t1;
    std::vector<Real> bend;            // [m] e of each vertex over the whole motion
    std::vector<Real> rounding;        // [m] bound of the error of moved_vertex
    InscribedScratch inscribed;
    std::vector<Real> grow;            // [m] all three: of the vertex's box
    std::vector<SafeStep> chunk;
    ObstacleBoxes obstacles;           // over the whole motion
    std::vector<std::vector<int>> near; // per chunk: obstacles
};

// Surface vertices of the scene at part t of the motion.
Vec3 moved_vertex(const Model&, const SceneMotion&, const SurfaceVertex&, Real t);

// `everything`: bodies and obstacles by their surfaces too (SurfaceOptions). False if the surface is malformed or a
// position is not a number; the step is 0 then.
bool find_scene_step(const Parallel&, const Model&, const SceneMotion&, const SafeStepOptions&, bool everything,
                     SceneStepScratch&, SafeStep& out);

} // namespace sinew
