#include "solver/position_batch_loops.h"

namespace sinew {

const BatchLoops kBatchLoopsPlain = make_batch_loops();

} // namespace sinew
