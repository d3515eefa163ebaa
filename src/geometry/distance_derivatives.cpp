#include "geometry/distance_derivatives.h"

namespace sinew {

namespace {

// difference vectors of a formula as sums of points with coefficients -1, 0, 1
struct Differences {
    int count; // 2: u v, 3: w e f
    int sign[3][4];
};
constexpr Differences kPointLine{2, {{-1, 1, 0, 0}, {-1, 0, 1, 0}, {}}};
constexpr Differences kPointPlane{3, {{1, -1, 0, 0}, {0, -1, 1, 0}, {0, -1, 0, 1}}};
constexpr Differences kLineLine{3, {{-1, 0, 1, 0}, {-1, 1, 0, 0}, {0, 0, -1, 1}}};

Vec3 difference(const Differences& d, int k, const Feature& f, const DistancePoints& x) {
    Vec3 v = Vec3::Zero();
    for (int i = 0; i < 4; ++i)
        if (d.sign[k][i]) v += d.sign[k][i] * x[f.point[i]];
    return v;
}

// S = |a x b|^2 = |a|^2 |b|^2 - (a . b)^2 with derivatives in (a, b)
struct CrossSquared {
    Real value;
    Vec6 gradient;
    Mat6 hessian;
};
CrossSquared cross_squared(const Vec3& a, const Vec3& b, bool second) {
    const Vec3 c = a.cross(b);
    CrossSquared s;
    s.value = c.squaredNorm();
    s.gradient << 2 * b.cross(c), 2 * c.cross(a);
    if (!second) return s;
    const Mat3 one = Mat3::Identity();
    s.hessian.topLeftCorner<3, 3>() = 2 * (b.squaredNorm() * one - b * b.transpose());
    s.hessian.bottomRightCorner<3, 3>() = 2 * (a.squaredNorm() * one - a * a.transpose());
    s.hessian.topRightCorner<3, 3>() = 4 * a * b.transpose() - 2 * b * a.transpose() - 2 * a.dot(b) * one;
    s.hessian.bottomLeftCorner<3, 3>() = s.hessian.topRightCorner<3, 3>().transpose();
    return s;
}

// derivatives in the difference vectors, up to three of them
struct Local {
    Real value = 0;
    VecN<9> gradient = VecN<9>::Zero();
    MatN<9> hessian = MatN<9>::Zero();
};

// D = S / L
Local point_line(const Vec3& u, const Vec3& v, bool second) {
    const CrossSquared s = cross_squared(u, v, second);
    const Vec3 e = v - u;
    const Real length = e.squaredNorm();
    Local r;
    r.value = s.value / length;
    Vec6 dl;
    dl << -2 * e, 2 * e;
    const Vec6 g = (s.gradient - r.value * dl) / length;
    r.gradient.head<6>() = g;
    if (!second) return r;
    Mat6 hl;
    const Mat3 two = 2 * Mat3::Identity();
    hl << two, -two, -two, two;
    r.hessian.topLeftCorner<6, 6>() =
        (s.hessian - r.value * hl - g * dl.transpose() - dl * g.transpose()) / length;
    return r;
}

// D = T^2 / S, T = det(w, e, f), S = |e x f|^2
Local plane(const Vec3& w, const Vec3& e, const Vec3& f, bool second) {
    const CrossSquared s = cross_squared(e, f, second);
    const Vec3 n = e.cross(f);
    const Real t = w.dot(n);
    Local r;
    r.value = t * t / s.value;
    VecN<9> dt, ds = VecN<9>::Zero();
    dt << n, f.cross(w), w.cross(e);
    ds.tail<6>() = s.gradient;
    r.gradient = (2 * t * dt - r.value * ds) / s.value;
    if (!second) return r;
    MatN<9> ht = MatN<9>::Zero();
    ht.block<3, 3>(0, 3) = -skew(f);
    ht.block<3, 3>(0, 6) = skew(e);
    ht.block<3, 3>(3, 6) = -skew(w);
    ht.block<3, 3>(3, 0) = skew(f);
    ht.block<3, 3>(6, 0) = -skew(e);
    ht.block<3, 3>(6, 3) = skew(w);
    r.hessian =
        2 * dt * dt.transpose() + 2 * t * ht - r.gradient * ds.transpose() - ds * r.gradient.transpose();
    r.hessian.bottomRightCorner<6, 6>() -= r.value * s.hessian;
    r.hessian /= s.value;
    return r;
}

// chain rule from difference vectors to points
void push_gradient(const Differences& d, const Feature& f, const VecN<9>& local, Gradient12& out) {
    out.setZero();
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < d.count; ++k)
            if (d.sign[k][i]) out.segment<3>(3 * f.point[i]) += d.sign[k][i] * local.segment<3>(3 * k);
}
void push_hessian(const Differences& d, const Feature& f, const MatN<9>& local, Hessian12& out) {
    out.setZero();
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < d.count; ++k)
            for (int j = 0; j < 4; ++j)
                for (int l = 0; l < d.count; ++l)
                    if (const int sign = d.sign[k][i] * d.sign[l][j])
                        out.block<3, 3>(3 * f.point[i], 3 * f.point[j]) +=
                            sign * local.block<3, 3>(3 * k, 3 * l);
}

Real point_point(const Feature& f, const DistancePoints& x, Gradient12* g, Hessian12* h) {
    const int i = 3 * f.point[0], j = 3 * f.point[1];
    const Vec3 d = x[f.point[0]] - x[f.point[1]];
    if (g) {
        g->setZero();
        g->segment<3>(i) = 2 * d, g->segment<3>(j) = -2 * d;
    }
    if (h) {
        h->setZero();
        for (int k = 0; k < 3; ++k) {
            (*h)(i + k, i + k) = (*h)(j + k, j + k) = 2;
            (*h)(i + k, j + k) = (*h)(j + k, i + k) = -2;
        }
    }
    return d.squaredNorm();
}

Real evaluate(const Feature& f, const DistancePoints& x, Gradient12* g, Hessian12* h) {
    if (f.kind == Feature::point_point) return point_point(f, x, g, h);
    const Differences& d = f.kind == Feature::point_line    ? kPointLine
                           : f.kind == Feature::point_plane ? kPointPlane
                                                            : kLineLine;
    const Vec3 a = difference(d, 0, f, x), b = difference(d, 1, f, x);
    const Local r = d.count == 2 ? point_line(a, b, h) : plane(a, b, difference(d, 2, f, x), h);
    if (g) push_gradient(d, f, r.gradient, *g);
    if (h) push_hessian(d, f, r.hessian, *h);
    return r.value;
}

} // namespace

Real squared_distance(const Feature& f, const DistancePoints& x) { return evaluate(f, x, nullptr, nullptr); }
Real squared_distance_gradient(const Feature& f, const DistancePoints& x, Gradient12& g) {
    return evaluate(f, x, &g, nullptr);
}
Real squared_distance_hessian(const Feature& f, const DistancePoints& x, Gradient12& g, Hessian12& h) {
    return evaluate(f, x, &g, &h);
}

// d = sqrt(D): grad d = grad D / (2 d), hess d = (hess D - 2 grad d grad d^T) / (2 d)
Real distance_gradient(const Feature& f, const DistancePoints& x, Gradient12& g) {
    const Real d = std::sqrt(evaluate(f, x, &g, nullptr));
    if (d > 0)
        g /= 2 * d;
    else
        g.setZero();
    return d;
}
Real distance_hessian(const Feature& f, const DistancePoints& x, Gradient12& g, Hessian12& h) {
    const Real d = std::sqrt(evaluate(f, x, &g, &h));
    if (!(d > 0)) {
        g.setZero(), h.setZero();
        return d;
    }
    g /= 2 * d;
    h = (h - 2 * g * g.transpose()) / (2 * d);
    return d;
}

Real edge_edge_mollifier(const DistancePoints& x, Real threshold) {
    const Real c = (x[1] - x[0]).cross(x[3] - x[2]).squaredNorm();
    return c < threshold ? (2 - c / threshold) * (c / threshold) : 1;
}

Real edge_edge_mollifier_hessian(const DistancePoints& x, Real threshold, Gradient12& g, Hessian12& h) {
    const CrossSquared s = cross_squared(x[1] - x[0], x[3] - x[2], true);
    if (!(s.value < threshold)) {
        g.setZero(), h.setZero();
        return 1;
    }
    const Real c = s.value / threshold, first = 2 * (1 - c) / threshold,
               second = -2 / (threshold * threshold);
    VecN<9> lg = VecN<9>::Zero();
    MatN<9> lh = MatN<9>::Zero();
    lg.tail<6>() = first * s.gradient;
    lh.bottomRightCorner<6, 6>() = first * s.hessian + second * s.gradient * s.gradient.transpose();
    push_gradient(kLineLine, {}, lg, g);
    push_hessian(kLineLine, {}, lh, h);
    return (2 - c) * c;
}

} // namespace sinew
