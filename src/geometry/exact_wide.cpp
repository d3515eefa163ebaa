// Sign and magnitude, 32-bit digits, lowest first. A coordinate has at most 2098 bits, a difference one more,
// the sum of six products of three differences less than 6304: 197 digits.
#include "geometry/exact_wide.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace sinew {

namespace {

constexpr int kDigits = 200;

struct Wide {
    std::array<std::uint32_t, kDigits> digit; // the first `count`; the highest is not zero
    int count = 0, sign = 0;
};

void trim(Wide& a) {
    while (a.count > 0 && a.digit[a.count - 1] == 0) --a.count;
    if (a.count == 0) a.sign = 0;
}

// x 2^1074
Wide wide(double x) {
    Wide a;
    if (x == 0) return a;
    int e;
    const auto mantissa = std::uint64_t(std::ldexp(std::frexp(std::abs(x), &e), 53));
    // below the smallest normal number the last bits of the mantissa are zero and are shifted out
    const int shift = e - 53 + 1074, drop = std::max(0, -shift), up = std::max(0, shift);
    const std::uint64_t bits = mantissa >> drop;
    a.sign = x > 0 ? 1 : -1;
    a.count = up / 32 + 3;
    for (int i = 0; i < a.count; ++i) a.digit[i] = 0;
    const int rest = up % 32;
    a.digit[up / 32] = std::uint32_t(bits << rest);
    a.digit[up / 32 + 1] = std::uint32_t(rest ? bits >> (32 - rest) : bits >> 32);
    a.digit[up / 32 + 2] = std::uint32_t(rest ? bits >> 32 >> (32 - rest) : 0);
    trim(a);
    return a;
}

int compare_size(const Wide& a, const Wide& b) {
    if (a.count != b.count) return a.count < b.count ? -1 : 1;
    for (int i = a.count - 1; i >= 0; --i)
        if (a.digit[i] != b.digit[i]) return a.digit[i] < b.digit[i] ? -1 : 1;
    return 0;
}

Wide add_sizes(const Wide& a, const Wide& b) {
    Wide r;
    std::uint64_t carry = 0;
    const int n = std::max(a.count, b.count);
    for (int i = 0; i < n; ++i) {
        carry += std::uint64_t(i < a.count ? a.digit[i] : 0) + (i < b.count ? b.digit[i] : 0);
        r.digit[i] = std::uint32_t(carry);
        carry >>= 32;
    }
    r.count = n;
    if (carry) r.digit[r.count++] = std::uint32_t(carry);
    return r;
}
// a no smaller than b
Wide subtract_sizes(const Wide& a, const Wide& b) {
    Wide r;
    std::int64_t borrow = 0;
    for (int i = 0; i < a.count; ++i) {
        const std::int64_t d = std::int64_t(a.digit[i]) - (i < b.count ? b.digit[i] : 0) - borrow;
        borrow = d < 0;
        r.digit[i] = std::uint32_t(d + (borrow << 32));
    }
    r.count = a.count;
    return r;
}

Wide operator+(const Wide& a, const Wide& b) {
    if (a.sign == 0) return b;
    if (b.sign == 0) return a;
    const bool b_larger = compare_size(a, b) < 0;
    Wide r = a.sign == b.sign ? add_sizes(a, b) : b_larger ? subtract_sizes(b, a) : subtract_sizes(a, b);
    r.sign = b_larger ? b.sign : a.sign;
    trim(r);
    return r;
}
Wide operator-(const Wide& a, Wide b) {
    b.sign = -b.sign;
    return a + b;
}
Wide operator*(const Wide& a, const Wide& b) {
    Wide r;
    r.sign = a.sign * b.sign;
    if (r.sign == 0) return r;
    r.count = a.count + b.count;
    for (int i = 0; i < r.count; ++i) r.digit[i] = 0;
    for (int i = 0; i < a.count; ++i) {
        std::uint64_t carry = 0;
        for (int j = 0; j < b.count; ++j) {
            carry += std::uint64_t(a.digit[i]) * b.digit[j] + r.digit[i + j];
            r.digit[i + j] = std::uint32_t(carry);
            carry >>= 32;
        }
        r.digit[i + b.count] = std::uint32_t(carry);
    }
    trim(r);
    return r;
}

} // namespace

int wide_orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    if (!a.allFinite() || !b.allFinite() || !c.allFinite()) return 0;
    const Wide x = wide(c.x()), y = wide(c.y());
    return ((wide(a.x()) - x) * (wide(b.y()) - y) - (wide(a.y()) - y) * (wide(b.x()) - x)).sign;
}

int wide_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    if (!a.allFinite() || !b.allFinite() || !c.allFinite() || !d.allFinite()) return 0;
    Wide u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        const Wide origin = wide(a[k]);
        u[k] = wide(b[k]) - origin, v[k] = wide(c[k]) - origin, w[k] = wide(d[k]) - origin;
    }
    Wide det;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        det = det + u[k] * (v[i] * w[j] - v[j] * w[i]);
    }
    return det.sign;
}

} // namespace sinew
