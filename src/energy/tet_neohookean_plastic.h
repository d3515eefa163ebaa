// tet_neohookean.h with the plastic flow of tet_plastic.h.
#pragma once
#include "energy/tet_neohookean.h"
#include "energy/tet_plastic.h"

namespace sinew {

struct TetNeohookeanPlastic : TetPlastic<TetNeohookeanPlastic, TetNeohookean> {
    static constexpr std::string_view name = "tet_neohookean_plastic";
    static constexpr std::string_view doc = "Neo-Hookean tetrahedron that flows beyond its yield stress, never inverts";
};

} // namespace sinew
