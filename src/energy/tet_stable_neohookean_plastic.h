// tet_stable_neohookean.h with the plastic flow of tet_plastic.h.
#pragma once
#include "energy/tet_stable_neohookean.h"
#include "energy/tet_plastic.h"

namespace sinew {

struct TetStableNeohookeanPlastic : TetPlastic<TetStableNeohookeanPlastic, TetStableNeohookean> {
    static constexpr std::string_view name = "tet_stable_neohookean_plastic";
    static constexpr std::string_view doc = "stable Neo-Hookean tetrahedron that flows beyond its yield stress";
};

} // namespace sinew
