#include "solver/soft_contact_loops.h"

namespace sinew {

const SoftLoops<float, kSoftLanes> kSoftLoopsPlain = make_loops<float, kSoftLanes>();
const SoftLoops<float, 1> kSoftLoopsOne = make_loops<float, 1>();
const SoftLoops<double, 1> kSoftLoopsDouble = make_loops<double, 1>();

} // namespace sinew
