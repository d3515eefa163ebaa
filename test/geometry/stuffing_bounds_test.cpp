// Dihedral angles of isosurface stuffing, against an enumeration of its stencils that knows nothing of the library's
// tables, and on lattices of random signs whose cuts lie at the ends of their ranges.
#include "core/random.h"
#include "geometry/repair.h"
#include "geometry/stuffing.h"
#include "geometry/tet_measure.h"
#include "geometry/topology.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

namespace {
constexpr Real kDegree = kPi / 180;

// One lattice tetrahedron: long edges 01 and 23. Each stencil over its cuts at both ends and the middle of their range,
// and its surface points warped along each of their 14 edges by 0, 1/2 and 1 of the allowed way.
struct Stencils {
    Real along, ashort;
    AngleRange range;
    Vec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}};

    void tet(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
        for (Real angle : dihedral_angles(a, b, c, d)) {
            range.min = std::min(range.min, angle);
            range.max = std::max(range.max, angle);
        }
    }
    std::vector<Vec3> cuts(int i, int j) const {
        const Real a = (i < 2) == (j < 2) ? along : ashort;
        std::vector<Vec3> out;
        for (Real t : {a, 0.5, 1 - a}) out.push_back(v[i] + t * (v[j] - v[i]));
        return out;
    }
    std::vector<Vec3> warps(int i) const {
        std::vector<Vec3> out{v[i]};
        for (Real way : {0.5, 1.0}) {
            for (int k = 0; k < 6; ++k) out.push_back(v[i] + way * (k % 2 ? along : -along) * Vec3::Unit(k / 2));
            for (int k = 0; k < 8; ++k) out.push_back(v[i] + 0.5 * way * ashort * Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
        }
        return out;
    }
    void prism(const Vec3& p, const Vec3& q, const Vec3& p1, const Vec3& p2, const Vec3& q1, const Vec3& q2) {
        tet(p, q, p1, q2); // diagonals q p1, p q2, p1 q2
        tet(p, p1, p2, q2);
        tet(q, q1, q2, p1);
    }
    void run() {
        // three inside, one outside: diagonals at the cut of the long edge, the third quadrilateral both ways
        for (const Vec3& a : cuts(0, 1))
            for (const Vec3& b : cuts(2, 1))
                for (const Vec3& c : cuts(3, 1)) {
                    tet(a, v[0], v[2], v[3]);
                    tet(a, v[2], v[3], c), tet(a, v[2], c, b);
                    tet(a, v[2], v[3], b), tet(a, v[3], c, b);
                }
        // two inside on a short edge and on a long one, two outside
        for (int q : {2, 1})
            for (const Vec3& p1 : cuts(0, q == 2 ? 1 : 2))
                for (const Vec3& p2 : cuts(0, 3))
                    for (const Vec3& q1 : cuts(q, q == 2 ? 1 : 2))
                        for (const Vec3& q2 : cuts(q, 3)) prism(v[0], v[q], p1, p2, q1, q2);
        // two inside, one on the surface, one outside
        for (int q : {2, 1})
            for (const Vec3& z : warps(q == 2 ? 3 : 2))
                for (const Vec3& a : cuts(0, q == 2 ? 1 : 3))
                    for (const Vec3& b : cuts(q, q == 2 ? 1 : 3)) tet(v[0], v[q], z, a), tet(a, v[q], z, b);
        // one inside: each other corner on the surface or cut
        for (int mask = 0; mask < 8; ++mask) {
            const auto at = [&](int i) { return mask >> (i - 1) & 1 ? warps(i) : cuts(0, i); };
            for (const Vec3& a : at(1))
                for (const Vec3& b : at(2))
                    for (const Vec3& c : at(3)) tet(v[0], a, b, c);
        }
        // none outside
        for (const Vec3& a : warps(3)) {
            tet(v[0], v[1], v[2], a);
            for (const Vec3& b : warps(2)) tet(v[0], v[1], b, a);
            for (const Vec3& b : warps(1)) tet(v[0], b, v[2], a);
        }
    }
};

AngleRange stencil_range(Real along, Real ashort) {
    Stencils s{along, ashort, {}};
    s.run();
    return s.range;
}

std::uint64_t mix(std::uint64_t h) {
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ull;
    return h ^ h >> 33;
}
std::uint64_t hash_point(std::uint64_t seed, const std::array<std::int64_t, 3>& u) {
    for (std::int64_t c : u) seed = mix(seed ^ std::uint64_t(c + 1000));
    return seed;
}

// A function of lattice points with random signs, whose zero on each edge lies at an end of the allowed range, on
// either side of it, or in the middle. `u`: the point in half cells from the lattice's origin.
struct Adversary {
    std::uint64_t seed;
    StuffingSettings settings;
    Vec3 origin;

    Real operator()(const Vec3& p) const {
        const Vec3 u = (p - origin) * (2 / settings.cell);
        std::array<std::int64_t, 3> a, b; // ends of the edge; a has even coordinates or is the lower one
        int whole = 0;
        for (int k = 0; k < 3; ++k) whole += std::abs(u[k] - std::round(u[k])) < 1e-6;
        Real t = 0;
        if (whole == 0) {
            for (int k = 0; k < 3; ++k) {
                const std::int64_t low = std::int64_t(std::floor(u[k]));
                a[k] = low % 2 == 0 ? low : low + 1;
                b[k] = low % 2 == 0 ? low + 1 : low;
            }
            t = std::abs(u[0] - Real(a[0]));
        } else {
            int axis = 0;
            for (int k = 0; k < 3; ++k)
                if (whole == 2 && std::abs(u[k] - std::round(u[k])) >= 1e-6) axis = k;
            const std::int64_t parity = std::abs(std::llround(u[(axis + 1) % 3])) % 2;
            for (int k = 0; k < 3; ++k) a[k] = b[k] = std::llround(u[k]);
            if (whole == 2 || std::abs(a[axis]) % 2 != parity) {
                a[axis] = 2 * std::int64_t(std::floor((u[axis] - Real(parity)) / 2)) + parity;
                b[axis] = a[axis] + 2;
                t = (u[axis] - Real(a[axis])) / 2;
            }
        }
        const Real da = hash_point(seed, a) % 2 ? 1 : -1, db = hash_point(seed, b) % 2 ? 1 : -1;
        if (da == db || a == b) return da;
        const Real alpha = whole == 0 ? settings.alpha_short : settings.alpha_long;
        const Real at[] = {alpha - 1e-4, alpha + 1e-4, 0.5, 1 - alpha - 1e-4, 1 - alpha + 1e-4};
        const Real zero = at[mix(hash_point(seed, a) ^ 3 * hash_point(seed, b)) % 5];
        return t < zero ? da : db;
    }
};

AngleRange adversarial_range(const StuffingSettings& base, int lattices, std::size_t& inverted) {
    const ParallelPtr parallel = make_parallel(Context{});
    AngleRange range;
    for (int n = 0; n < lattices; ++n) {
        StuffingSettings s = base;
        s.cell = 1;
        s.lipschitz = std::numeric_limits<Real>::infinity();
        s.manifold = false;
        const Adversary f{mix(std::uint64_t(n) + 17), s, Vec3::Constant(-2)};
        const Result<TetMesh> m = stuff_distance(*parallel, {Vec3::Zero(), Vec3::Constant(24)}, f, s);
        const AngleRange r = dihedral_range(*m.value);
        range.min = std::min(range.min, r.min);
        range.max = std::max(range.max, r.max);
        inverted += find_inverted_tetrahedra(m.value->points, m.value->tets).size();
    }
    return range;
}
} // namespace

TEST(stuffing_bounds, every_stencil_keeps_the_published_dihedral_angles) {
    const StuffingSettings s;
    const AngleRange r = stencil_range(s.alpha_long, s.alpha_short);
    EXPECT_GT(r.min, kStuffingMinAngle * kDegree);
    EXPECT_LT(r.max, kStuffingMaxAngle * kDegree);
    // and they are sharp: a tenth of a degree further they fail
    EXPECT_LT(r.min, (kStuffingMinAngle + 0.1) * kDegree);
    EXPECT_GT(r.max, (kStuffingMaxAngle - 0.1) * kDegree);
    // the default alphas cannot be improved much: no neighbour has a smallest angle larger by a tenth of a degree
    for (Real da : {-0.003, 0.0, 0.003})
        for (Real db : {-0.003, 0.0, 0.003}) EXPECT_LT(stencil_range(s.alpha_long + da, s.alpha_short + db).min, r.min + 1e-3 * kDegree);
}

TEST(stuffing_bounds, random_lattices_with_extreme_cuts_stay_within_the_bounds) {
    std::size_t inverted = 0;
    const AngleRange r = adversarial_range({}, 6, inverted);
    EXPECT_GT(r.min, kStuffingMinAngle * kDegree);
    EXPECT_LT(r.max, kStuffingMaxAngle * kDegree);
    EXPECT_LT(r.min, 13 * kDegree); // the lattices do reach the bad cases
    EXPECT_GT(r.max, 158 * kDegree);
    EXPECT_EQ(inverted, 0u);
}

TEST(stuffing_bounds, other_alphas_break_them) {
    std::size_t inverted = 0;
    StuffingSettings s;
    s.alpha_long = s.alpha_short = 0.1;
    EXPECT_LT(adversarial_range(s, 2, inverted).min, 8 * kDegree);
    const AngleRange quoted = stencil_range(0.24999, 0.41189);
    EXPECT_NEAR(quoted.min / kDegree, 9.22, 0.01);
    EXPECT_NEAR(quoted.max / kDegree, 161.64, 0.01);
}
