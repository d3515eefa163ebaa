// tet_corotated.h with the plastic flow of tet_plastic.h.
#pragma once
#include "energy/tet_corotated.h"
#include "energy/tet_plastic.h"

namespace sinew {

struct TetCorotatedPlastic : TetPlastic<TetCorotatedPlastic, TetCorotated> {
    static constexpr std::string_view name = "tet_corotated_plastic";
    static constexpr std::string_view doc = "co-rotated tetrahedron that flows beyond its yield stress";
};

} // namespace sinew
