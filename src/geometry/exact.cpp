// Filters: Shewchuk 1997, stage A. For orient3d the determinant of rounded differences has an error of at
// most (7 + 56 u) u times the same sum with absolute values; for orient2d (3 + 16 u) u. The exact stage takes
// the differences as two-term expansions and multiplies them out; it is rare, so it is short instead of fast.
// Underflow adds at most 2^-1074 per product to the error of a filter, kFloor is far above; overflow makes
// its comparison fail. Expansions are exact as long as no product leaves the range of normal numbers:
// coordinates that are zero or between 2^-220 and 2^300 have low terms that are multiples of 2^-272, and
// three of those one of 2^-816. The rest is decided by integers (exact_wide.h).
#include "geometry/exact.h"
#include "geometry/exact_wide.h"

namespace sinew {

namespace {

constexpr double kUnit = 0x1p-53, kFloor = 1e-290;

template <class V> bool in_range(const V& x) {
    for (int k = 0; k < int(x.size()); ++k) {
        const double v = std::abs(x[k]);
        if (!(v == 0 || (v >= 0x1p-220 && v <= 0x1p300))) return false;
    }
    return true;
}

// x + y exactly as a sum of terms that do not overlap, smallest first
struct TwoTerms {
    double low, high;
};
TwoTerms two_sum(double a, double b) {
    const double x = a + b, bv = x - a, av = x - bv;
    return {(a - av) + (b - bv), x};
}
TwoTerms two_product(double a, double b) {
    constexpr double kSplit = 0x1p27 + 1;
    const double x = a * b;
    const double ca = kSplit * a, ah = ca - (ca - a), al = a - ah;
    const double cb = kSplit * b, bh = cb - (cb - b), bl = b - bh;
    return {al * bl - (((x - ah * bh) - al * bh) - ah * bl), x};
}

template <int N> struct Expansion {
    double term[N];
    int count = 0;
};

// e + f by adding one term of f after the other, zeros left out
template <int N, int M> Expansion<N + M> operator+(const Expansion<N>& e, const Expansion<M>& f) {
    Expansion<N + M> h;
    for (int i = 0; i < e.count; ++i) h.term[i] = e.term[i];
    h.count = e.count;
    for (int j = 0; j < f.count; ++j) {
        double q = f.term[j];
        int kept = 0;
        for (int i = 0; i < h.count; ++i) {
            const TwoTerms s = two_sum(q, h.term[i]);
            q = s.high;
            if (s.low != 0) h.term[kept++] = s.low;
        }
        if (q != 0) h.term[kept++] = q;
        h.count = kept;
    }
    return h;
}
template <int N> Expansion<N> operator-(const Expansion<N>& e) {
    Expansion<N> h = e;
    for (int i = 0; i < h.count; ++i) h.term[i] = -h.term[i];
    return h;
}
template <int N, int M> Expansion<N + M> operator-(const Expansion<N>& e, const Expansion<M>& f) {
    return e + -f;
}

Expansion<2> expansion(const TwoTerms& t) {
    Expansion<2> h;
    if (t.low != 0) h.term[h.count++] = t.low;
    if (t.high != 0) h.term[h.count++] = t.high;
    return h;
}
Expansion<2> exact_difference(double a, double b) { return expansion(two_sum(a, -b)); }

template <int N> Expansion<4 * N> operator*(const Expansion<N>& e, const Expansion<2>& f) {
    Expansion<4 * N> h;
    // sums of products, each exact: h keeps its invariant whatever their order
    for (int i = 0; i < e.count; ++i)
        for (int j = 0; j < f.count; ++j) {
            const Expansion<2> p = expansion(two_product(e.term[i], f.term[j]));
            for (int k = 0; k < p.count; ++k) {
                double q = p.term[k];
                int kept = 0;
                for (int l = 0; l < h.count; ++l) {
                    const TwoTerms s = two_sum(q, h.term[l]);
                    q = s.high;
                    if (s.low != 0) h.term[kept++] = s.low;
                }
                if (q != 0) h.term[kept++] = q;
                h.count = kept;
            }
        }
    return h;
}
template <int N> int sign(const Expansion<N>& e) {
    return e.count == 0 ? 0 : e.term[e.count - 1] > 0 ? 1 : -1;
}
int sign(double v) { return (v > 0) - (v < 0); }

int exact_orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    if (!in_range(a) || !in_range(b) || !in_range(c)) return wide_orient2d(a, b, c);
    const auto acx = exact_difference(a.x(), c.x()), bcx = exact_difference(b.x(), c.x());
    const auto acy = exact_difference(a.y(), c.y()), bcy = exact_difference(b.y(), c.y());
    return sign(acx * bcy - acy * bcx);
}

int exact_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    if (!in_range(a) || !in_range(b) || !in_range(c) || !in_range(d)) return wide_orient3d(a, b, c, d);
    Expansion<2> u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = exact_difference(b[k], a[k]);
        v[k] = exact_difference(c[k], a[k]);
        w[k] = exact_difference(d[k], a[k]);
    }
    const auto x = (v[1] * w[2] - v[2] * w[1]) * u[0];
    const auto y = (v[2] * w[0] - v[0] * w[2]) * u[1];
    const auto z = (v[0] * w[1] - v[1] * w[0]) * u[2];
    return sign(x + y + z);
}

} // namespace

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    const double left = (a.x() - c.x()) * (b.y() - c.y()), right = (a.y() - c.y()) * (b.x() - c.x());
    const double det = left - right,
                 bound = (3 + 16 * kUnit) * kUnit * (std::abs(left) + std::abs(right)) + kFloor;
    return std::abs(det) > bound ? sign(det) : exact_orient2d(a, b, c);
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 u = b - a, v = c - a, w = d - a;
    double det = 0, sum = 0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double p = v[i] * w[j], q = v[j] * w[i];
        det += u[k] * (p - q), sum += std::abs(u[k]) * (std::abs(p) + std::abs(q));
    }
    const double bound = (8 + 64 * kUnit) * kUnit * sum + kFloor * (1 + u.lpNorm<1>());
    return std::abs(det) > bound ? sign(det) : exact_orient3d(a, b, c, d);
}

} // namespace sinew
