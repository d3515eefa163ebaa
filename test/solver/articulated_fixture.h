// Random trees and their motion for the tests of the articulated solver.
#pragma once
#include "core/random.h"
#include "solver/articulated_dynamics.h"
#include "solver/articulated_joint.h"

namespace sinew {

Vec3 random_vec(Rng& rng, Real size);
Mat3 random_inertia(Rng& rng);

// links with joints of all kinds; each hangs on a random earlier one, so chains and bushes both come up
Forest random_tree(Rng& rng, int count, JointType root, int tree = 0);

// coordinates, speeds and forces at random, and everything that follows from them
struct TreeSample {
    Forest forest;
    std::vector<BaseMotion> bases;
    std::vector<Real> q, qd, tau;
    std::vector<Vec6> force;
    std::vector<LinkMotion> motion;
    std::vector<LinkFactor> factor;
    Range links() const { return {0, int(forest.links.size())}; }

    explicit TreeSample(Forest f, std::uint64_t seed);
    void refresh();
    // q moved by h times the tangent d
    std::vector<Real> moved(const std::vector<Real>& d, Real h) const;
};

TreeSample make_sample(std::uint64_t seed, int count, JointType root, bool moving_base = false);

} // namespace sinew
