// From the bodies and joints of a model to link trees. Free bodies are links; joints that can be coordinates (weld, hinge,
// slider, cylindrical, universal, planar, ball; rigid) make a spanning tree in the order of the scene, with everything held
// as one ground; the rest closes loops and stays a row. A component that is not held floats on a free joint of its first
// body. So the same scene runs in maximal and in reduced coordinates.
#pragma once
#include "solver/articulated_tree.h"

namespace sinew {

struct BuiltForest {
    Forest forest;
    std::vector<std::uint8_t> held;  // per element of the constraint tables, in their order: kept by the coordinates
    // the joint of each link: table and element, -1 = none; and whether the link is the joint's first body
    struct LinkJoint {
        int table = -1, element = -1;
        bool reversed = false;
    };
    std::vector<LinkJoint> joints;
};
void build_forest(const Model&, BuiltForest&);

} // namespace sinew
