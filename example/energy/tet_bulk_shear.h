// A solid from outside the tree, as its value only: Neo-Hookean by bulk and shear modulus in place of Young's.
//   E = V ( mu/2 (|F|^2 - 3 - 2 ln J) + (k - 2/3 mu)/2 (ln J)^2 ),  F = Ds Dm^-1, J = det F (src/energy/tet.h); infinite for J <= 0
#pragma once
#include "energy/elastic_points.h"
#include "energy/tet.h"
#include <limits>

namespace sinew {

struct TetBulkShear : ElasticPoints<TetBulkShear, 4> {
    static constexpr std::string_view name = "tet_bulk_shear", doc = "Neo-Hookean tetrahedron by bulk and shear modulus";
    struct Params { Real bulk = 1e5, shear = 5e4; };
    struct Data {
        TetShape shape;
        Real bulk, shear;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("bulk", p.bulk, Field{.min = 0, .unit = "Pa", .doc = "bulk modulus"});
        v("shear", p.shear, Field{.min = 0, .unit = "Pa", .doc = "shear modulus"});
    }
    static Data prepare(const Params& p, const RestView& r) {
        return {make_tet_shape(vec(r.x[0]), vec(r.x[1]), vec(r.x[2]), vec(r.x[3])), p.bulk, p.shear};
    }
    template <class S> static S value(const Data& d, const StepContext&, const std::array<VecOf<S>, 4>& x) {
        const Mat3 inverse = inverse_of(d.shape);
        std::array<VecOf<S>, 3> F; // columns
        for (int j = 0; j < 3; ++j) F[j] = (x[1] - x[0]) * S(inverse(0, j)) + (x[2] - x[0]) * S(inverse(1, j)) + (x[3] - x[0]) * S(inverse(2, j));
        const S J = F[0].dot(F[1].cross(F[2]));
        if (!(J > S(0))) return S(std::numeric_limits<Real>::infinity());
        using std::log;
        const S l = log(J), square = F[0].squaredNorm() + F[1].squaredNorm() + F[2].squaredNorm();
        return d.shape.volume * (0.5 * d.shear * (square - S(3) - 2.0 * l) + 0.5 * (d.bulk - 2.0 / 3 * d.shear) * (l * l));
    }
    static bool is_inverted(const Data& d, const Stencil<4>& s) { return deformation(inverse_of(d.shape), s.x).determinant() <= 0; }
};

} // namespace sinew
