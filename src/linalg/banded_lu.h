// Linear solver `banded_lu` (banded.cpp): like `banded`, but for regular matrices, indefinite or not.
#pragma once
#include "linalg/linear_solver.h"

namespace sinew {

std::unique_ptr<LinearSolver> make_banded_lu(const LinearSettings&);

} // namespace sinew
