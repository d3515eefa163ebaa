// Pairs of convex shapes for sinew-bench narrow, and what a peer has to offer.
#pragma once
#include "sinew/shape.h"
#include <memory>
#include <vector>

namespace sinew::bench {

struct NarrowPair {
    Shape a, b;
    Pose pose_a, pose_b;
};
// A peer with the pairs in its own form; nothing is made within the measured calls.
struct NarrowPeer {
    virtual ~NarrowPeer() = default;
    virtual const char* name() const = 0;
    virtual double distance(int pair) = 0; // [m] signed
    virtual int contact(int pair,
                        double& deepest) = 0; // points of a manifold of overlapping shapes; least gap [m]
};
std::unique_ptr<NarrowPeer> make_narrow_bullet(const ShapeStore&, const std::vector<NarrowPair>&);
std::unique_ptr<NarrowPeer> make_narrow_fcl(const ShapeStore&, const std::vector<NarrowPair>&);

} // namespace sinew::bench
