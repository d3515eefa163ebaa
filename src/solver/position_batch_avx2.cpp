// Compiled with -mavx2 where the compiler has it (CMakeLists.txt), run where the machine has it (core/simd.h).
#include "solver/position_batch_loops.h"

namespace sinew {

const BatchLoops kBatchLoopsAvx2 = make_batch_loops();

} // namespace sinew
