// Compiled with -mavx2 where the compiler has it (CMakeLists.txt), run where the machine has it (core/simd.h).
#include "solver/soft_tree_loops.h"

namespace sinew {

const SoftTreeLoops kSoftTreeLoopsAvx2 = make_soft_tree_loops();

} // namespace sinew
