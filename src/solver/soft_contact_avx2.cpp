// Compiled with -mavx2 where the compiler has it (CMakeLists.txt), run where the machine has it
// (core/simd.h).
#include "solver/soft_contact_loops.h"

namespace sinew {

const SoftLoops<float, kSoftLanes> kSoftLoopsAvx2 = make_loops<float, kSoftLanes>();

} // namespace sinew
