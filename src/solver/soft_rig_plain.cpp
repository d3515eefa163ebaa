#include "solver/soft_rig_loops.h"

namespace sinew {

const SoftRigLoops kSoftRigLoopsPlain = make_soft_rig_loops();

} // namespace sinew
