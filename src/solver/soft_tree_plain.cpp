#include "solver/soft_tree_loops.h"

namespace sinew {

const SoftTreeLoops kSoftTreeLoopsPlain = make_soft_tree_loops();

} // namespace sinew
