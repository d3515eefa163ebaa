// Pairs of convex shapes for sinew-bench narrow, and what a peer has to offer.
#pragma once
#include "bench.h"
#include "core/math.h"
#include "sinew/shape.h"
#include <memory>
#include <vector>

namespace sinew::bench {

struct NarrowPair {
    Shape a, b;
    Pose pose_a, pose_b;
};

// Signed distance with its witnesses; normal unit, from a to b; distance = normal . (on_b - on_a).
struct NarrowAnswer {
    bool found = false; // false: gave up, or says what cannot be
    double distance = 0;
    Vec3 normal = Vec3::UnitY(), on_a = Vec3::Zero(), on_b = Vec3::Zero(); // [m] world
};
struct NarrowPoint {
    Vec3 x;     // [m] world, somewhere between the two surfaces
    double gap; // [m]
};
struct NarrowManifold {
    Vec3 normal = Vec3::UnitY(); // unit, from a to b
    std::vector<NarrowPoint> points;
};

// A peer with the pairs in its own form; nothing is made within the measured calls `distance` and `contact`.
struct NarrowPeer {
    virtual ~NarrowPeer() = default;
    virtual const char* name() const = 0;
    // [m] what its rule for stopping promises for its distances; a difference within it is none
    virtual double tolerance() const = 0;
    virtual double distance(int pair) = 0; // [m] signed
    virtual int contact(int pair,
                        double& deepest) = 0; // points of a manifold of overlapping shapes; least gap [m]
    virtual NarrowAnswer answer(int pair) = 0;
    virtual NarrowManifold manifold(int pair) = 0; // no points: gave up or apart
};
std::unique_ptr<NarrowPeer> make_narrow_bullet(const ShapeStore&, const std::vector<NarrowPair>&);
std::unique_ptr<NarrowPeer> make_narrow_fcl(const ShapeStore&, const std::vector<NarrowPair>&);

// Ours and the peers' answers against the judge, see narrow_agree.cpp.
void compare_answers(const std::string& test, const ShapeStore&, const std::vector<NarrowPair>&,
                     const std::vector<std::unique_ptr<NarrowPeer>>&, Results&);

} // namespace sinew::bench
