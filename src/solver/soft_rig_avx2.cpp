// Compiled with -mavx2 where the compiler has it (CMakeLists.txt), run where the machine has it (core/simd.h).
#include "solver/soft_rig_loops.h"

namespace sinew {

const SoftRigLoops kSoftRigLoopsAvx2 = make_soft_rig_loops();

} // namespace sinew
