// Numbers that carry their first and second derivatives with respect to N variables: forward mode, static sizes, no heap.
//   Jet<N> = value, gradient (N), Hessian (lower triangle packed by rows, N (N + 1)/2)
//   f(a):  f' da,  f' d2a + f'' da da^T          a b:  a d2b + b d2a + da db^T + db da^T
// For energies written as a value only (energy/energy.h), and as the yardstick of hand-written derivatives.
#pragma once
#include "core/math.h"
#include <cmath>

namespace sinew {

// values are asked for over Real too: `log` is then this one, whatever else of that name is in sight (series of materials have theirs)
using std::abs, std::atan, std::atan2, std::cos, std::exp, std::log, std::pow, std::sin, std::sqrt, std::tan;

template <int N> struct Jet {
    static constexpr int kPacked = N * (N + 1) / 2;
    Real value = 0;
    std::array<Real, N> d{};
    std::array<Real, kPacked> dd{};

    Jet() = default;
    Jet(Real v) : value(v) {} // NOLINT: numbers are constants
    Jet(Real v, int variable) : value(v) { d[variable] = 1; }

    Jet& operator+=(const Jet& b) {
        value += b.value;
        for (int i = 0; i < N; ++i) d[i] += b.d[i];
        for (int i = 0; i < kPacked; ++i) dd[i] += b.dd[i];
        return *this;
    }
    Jet& operator-=(const Jet& b) {
        value -= b.value;
        for (int i = 0; i < N; ++i) d[i] -= b.d[i];
        for (int i = 0; i < kPacked; ++i) dd[i] -= b.dd[i];
        return *this;
    }
    Jet& operator*=(const Jet& b) { return *this = *this * b; }
    Jet& operator/=(const Jet& b) { return *this = *this / b; }
    friend Jet operator+(Jet a, const Jet& b) { return a += b; }
    friend Jet operator-(Jet a, const Jet& b) { return a -= b; }
    friend Jet operator-(Jet a) {
        a.value = -a.value;
        for (Real& x : a.d) x = -x;
        for (Real& x : a.dd) x = -x;
        return a;
    }
    friend Jet operator*(const Jet& a, const Jet& b) {
        Jet r;
        r.value = a.value * b.value;
        for (int i = 0; i < N; ++i) r.d[i] = a.value * b.d[i] + b.value * a.d[i];
        for (int i = 0, k = 0; i < N; ++i)
            for (int j = 0; j <= i; ++j, ++k)
                r.dd[k] = a.value * b.dd[k] + b.value * a.dd[k] + a.d[i] * b.d[j] + b.d[i] * a.d[j];
        return r;
    }
    friend Jet operator/(const Jet& a, const Jet& b) { return a * chain(b, 1 / b.value, -1 / (b.value * b.value), 2 / (b.value * b.value * b.value)); }
    friend Jet operator*(Jet a, Real b) {
        a.value *= b;
        for (Real& x : a.d) x *= b;
        for (Real& x : a.dd) x *= b;
        return a;
    }
    friend Jet operator*(Real b, const Jet& a) { return a * b; }
    friend Jet operator/(const Jet& a, Real b) { return a * (1 / b); }
    friend bool operator<(const Jet& a, const Jet& b) { return a.value < b.value; }
    friend bool operator>(const Jet& a, const Jet& b) { return a.value > b.value; }
    friend bool operator<=(const Jet& a, const Jet& b) { return a.value <= b.value; }
    friend bool operator>=(const Jet& a, const Jet& b) { return a.value >= b.value; }
    friend bool operator==(const Jet& a, const Jet& b) { return a.value == b.value; }

    // f(a) from f, f', f'' at a
    friend Jet chain(const Jet& a, Real f, Real f1, Real f2) {
        Jet r;
        r.value = f;
        for (int i = 0; i < N; ++i) r.d[i] = f1 * a.d[i];
        for (int i = 0, k = 0; i < N; ++i) {
            const Real c = f2 * a.d[i];
            for (int j = 0; j <= i; ++j, ++k) r.dd[k] = f1 * a.dd[k] + c * a.d[j];
        }
        return r;
    }
    friend Jet sqrt(const Jet& a) {
        const Real s = std::sqrt(a.value);
        return chain(a, s, 0.5 / s, -0.25 / (s * a.value));
    }
    friend Jet exp(const Jet& a) {
        const Real e = std::exp(a.value);
        return chain(a, e, e, e);
    }
    friend Jet log(const Jet& a) { return chain(a, std::log(a.value), 1 / a.value, -1 / (a.value * a.value)); }
    friend Jet sin(const Jet& a) { return chain(a, std::sin(a.value), std::cos(a.value), -std::sin(a.value)); }
    friend Jet cos(const Jet& a) { return chain(a, std::cos(a.value), -std::sin(a.value), -std::cos(a.value)); }
    friend Jet tan(const Jet& a) {
        const Real t = std::tan(a.value), d = 1 + t * t;
        return chain(a, t, d, 2 * t * d);
    }
    friend Jet atan(const Jet& a) {
        const Real d = 1 / (1 + a.value * a.value);
        return chain(a, std::atan(a.value), d, -2 * a.value * d * d);
    }
    friend Jet atan2(const Jet& y, const Jet& x) {
        // derivatives of atan(y/x), or of -atan(x/y) where that is the smaller quotient
        Jet r = std::abs(x.value) >= std::abs(y.value) ? atan(y / x) : -atan(x / y);
        r.value = std::atan2(y.value, x.value);
        return r;
    }
    friend Jet pow(const Jet& a, Real n) {
        const Real p = std::pow(a.value, n - 2);
        return chain(a, p * a.value * a.value, n * p * a.value, n * (n - 1) * p);
    }
    friend Jet abs(const Jet& a) { return a.value < 0 ? -a : a; }
    friend Jet abs2(const Jet& a) { return a * a; }
};

template <class S> using VecOf = Eigen::Matrix<S, 3, 1>;

// points as variables 0 ... 3 P - 1
template <int P> std::array<VecOf<Jet<3 * P>>, P> make_variables(const std::array<Vec3, P>& x) {
    std::array<VecOf<Jet<3 * P>>, P> out;
    for (int i = 0; i < P; ++i)
        for (int c = 0; c < 3; ++c) out[i][c] = Jet<3 * P>(x[i][c], 3 * i + c);
    return out;
}
template <int N> VecN<N> gradient_of(const Jet<N>& a) { return Eigen::Map<const VecN<N>>(a.d.data()); }
template <int N> MatN<N> hessian_of(const Jet<N>& a) {
    MatN<N> h;
    for (int i = 0, k = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j, ++k) h(i, j) = h(j, i) = a.dd[k];
    return h;
}

} // namespace sinew

template <int N> struct Eigen::NumTraits<sinew::Jet<N>> : Eigen::NumTraits<double> {
    using Real = sinew::Jet<N>;
    using NonInteger = sinew::Jet<N>;
    using Nested = sinew::Jet<N>;
    using Literal = sinew::Jet<N>;
    enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1, ReadCost = N, AddCost = N * N, MulCost = 3 * N * N };
};
