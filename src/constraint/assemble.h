// From constraint tables to Rows.
#pragma once
#include "core/parallel.h"
#include "model/element.h"
#include "model/rows.h"

namespace sinew {

// One group per element, in table order: blocks, bounds, compliance and keys. Numbers are filled by refresh_rows.
void build_rows(const std::vector<Table>& constraints, const Dofs&, Rows&);
// C, J and the wanted rates at the given unknowns, into the slots of build_rows.
void refresh_rows(const std::vector<Table>& constraints, const Evaluation&, Rows&);
void refresh_rows(const Parallel&, const std::vector<Table>& constraints, const Evaluation&, Rows&);
// largest |C| (one-sided rows count where violated)
Real constraint_error(const std::vector<Table>& constraints, const Evaluation&, Rows& scratch);

} // namespace sinew
