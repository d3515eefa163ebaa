// What bending energies over pairs of triangles share: psi(theta) and the chain rule (spec T 3.3).
//   E = k a (phi(theta) - phi_rest)^2,   k = D/2,   a = c |e|^2/(A1 + A2)        e, A at rest
//   D flexural rigidity [N m] = Y t^3/(12 (1 - nu^2)) of a plate;  phi of the law: theta, 2 tan(theta/2), 2 sin(theta/2)
//   c hinge coefficient: 1 gives a plate that rolls up the energy D/2 kappa^2 per area (equilateral meshes in every
//     direction, right triangles along the grid); 3 is Tamstorf's, three times as stiff (erratum E14)
//   grad = psi' grad theta,   Hessian = psi' Hess theta + psi'' grad theta grad theta^T   (geometry/dihedral.h)
// Orthotropy (after Garg 2007): an edge bends the sheet across itself, so with d the angle between that direction and the
// warp its rigidity is D1 cos^4 d + 2 H cos^2 d sin^2 d + D2 sin^4 d, H = sqrt(D1 D2) (Huber) unless given.
// Viscosity with the time eta [s]: implicit steps add  eta k a/h (phi - phi_now)^2 to psi, so that elasticity and viscosity
// are one evaluation; phi_now is that of the step's start, which the state holds. Elsewhere the same is a force.
// Projection: psi' Hess theta has no trace and is indefinite; clamp keeps max(psi'', 0) grad theta grad theta^T (docs/theory/hinge.md).
//
// Barrier: a law that is infinite at +-pi is finite again on the other side, and a step is a jump. Where `barrier` is set psi is
// infinite, and psi' not a number, if the half angle has passed +-pi/2 since the start of the step by the shorter way,
//   cos((theta - theta_now)/2) = cos cos_now + sin sin_now < 0,
// so that a line search turns back. A turn of more than pi within one step cannot be told from one the other way round.
//
// Collapse (spec T28): as a triangle loses its area, by a vanishing shared edge as well as by an apex that comes down on it, theta and
// its derivative by the apex across the edge keep limits, but the derivatives by the ends of the edge grow like 1/(2A), against
// the source, because a shorter edge turns faster. So that value, force and Hessian all have limits, which are zero, psi is faded:
//   E = s(u) s(u~) psi,   s(u) = 1 - (1 - u)^3 for u < 1,   u = (A/(f A_rest))^2,   f = kFadePart
// s is 3 u near 0, against the 1/u of Hess theta, and joins 1 with two derivatives. u is a polynomial of the positions: nothing is
// divided by the area that goes. s varies in collapsed triangles alone and is differentiated automatically there. Position
// projection needs none of it: it divides by the square of the gradient.
//
// A law is a struct L that derives from HingeLaw<L> and has name, doc and `static Phi phi(const HalfAngle&)`.
#pragma once
#include "energy/energy.h"
#include "geometry/dihedral.h"
#include <limits>

namespace sinew {

inline constexpr Real kMostRestAngle = 3.1; // [rad]
inline constexpr Real kFadePart = 0.01;     // of a triangle's rest area: no membrane in use is pressed so far and lives

struct HingeParams {
    Real stiffness = 1e-6;    // [N m]
    Real stiffness_weft = -1; // [N m], -1 = stiffness
    Real twist = -1;          // [N m] H, -1 = sqrt(stiffness stiffness_weft)
    Real coefficient = 1;
    Real damping = 0;         // [s]
    Real rest = 1;            // part of the rest shape's angle that is kept
    Real rest_angle = 0;      // [rad] added to it
    Real3 warp{1, 0, 0};
};
template <class V> void hinge_fields(HingeParams& p, V&& v) {
    v("stiffness", p.stiffness, Field{.min = 0, .unit = "N m", .doc = "flexural rigidity, of bending along the warp"});
    v("stiffness_weft", p.stiffness_weft, Field{.min = 0, .unit = "N m", .doc = "of bending along the weft; default: stiffness"});
    v("twist", p.twist, Field{.min = 0, .unit = "N m", .doc = "mixed rigidity H; default: sqrt(stiffness stiffness_weft)"});
    v("coefficient", p.coefficient, Field{.min = 0, .doc = "1: plate theory, 3: as published by Tamstorf"});
    v("damping", p.damping, Field{.min = 0, .unit = "s", .doc = "viscosity as a time: moment per rate over stiffness"});
    v("rest", p.rest, Field{.doc = "part of the rest shape's angles that is kept: 1 = all, 0 = flat"});
    v("rest_angle", p.rest_angle, Field{.unit = "rad", .doc = "added to every rest angle"});
    v("warp", p.warp, Field{.doc = "direction of the warp at rest"});
}

// phi(theta) and its derivatives
struct Phi {
    Real value, d, dd;
};
// psi(theta) and its derivatives
struct Psi {
    Real value = 0, d = 0, dd = 0;
};

// the fade of the triangle a, b, c: 1 where twice its area is at least `area2`
template <class S> S side_fade(const VecOf<S>& a, const VecOf<S>& b, const VecOf<S>& c, Real area2) {
    const VecOf<S> normal = (b - a).cross(c - a);
    const S u = S(normal.dot(normal)) * (1 / (area2 * area2));
    return u < S(1) ? u * (S(3) - S(3) * u + u * u) : S(1);
}
// of both triangles of a hinge, with its derivatives
inline Jet<12> hinge_fade(const std::array<Vec3, 4>& at, Real upper2, Real lower2) {
    const auto x = make_variables<4>(at);
    return side_fade<Jet<12>>(x[0], x[1], x[2], upper2) * side_fade<Jet<12>>(x[3], x[2], x[1], lower2);
}

// [N m] rigidity of bending across an edge
inline Real edge_rigidity(const HingeParams& p, const Vec3& edge, const Vec3& normal) {
    const Real d1 = p.stiffness, d2 = p.stiffness_weft >= 0 ? p.stiffness_weft : d1;
    const Real h = p.twist >= 0 ? p.twist : std::sqrt(d1 * d2);
    Vec3 warp = vec(p.warp);
    warp -= normal.dot(warp) * normal;
    const Real length = warp.norm() * edge.norm();
    if (!(length > 0)) return d1;
    // across the edge: the sine of the angle between edge and warp is the cosine of d
    const Real sin_d = warp.dot(edge) / length, s2 = sin_d * sin_d, c2 = 1 - s2;
    return d1 * c2 * c2 + 2 * h * c2 * s2 + d2 * s2 * s2;
}

// A random element for the tests: general, nearly flat, folded, thin.
struct HingeSample {
    HingeParams params;
    std::array<Real3, 4> rest;
    Stencil<4> at;
};
inline HingeSample sample_hinge(Rng& rng, int which) {
    HingeSample out;
    HingeParams& p = out.params;
    p.stiffness = draw_uniform(rng, 1, 10);
    p.stiffness_weft = draw_uniform(rng, 1, 10);
    p.damping = draw_uniform(rng, 0, 0.1);
    p.rest_angle = draw_uniform(rng, -1, 1);
    const Real apex = which == 3 ? draw_uniform(rng, -0.8, 0.2) : draw_uniform(rng, 0.1, 0.9);
    const Real height = draw_uniform(rng, 0.6, 1.4), fold = which == 1   ? draw_uniform(rng, -1e-3, 1e-3)
                                                            : which == 2 ? draw_uniform(rng, 1.2, 2.2)
                                                                         : draw_uniform(rng, -1.2, 1.2);
    const auto shape = [&](Real angle) {
        return std::array<Vec3, 4>{Vec3(apex, height, 0), Vec3(0, 0, 0), Vec3(1, 0, 0),
                                   Vec3(0.4, -std::cos(angle), -std::sin(angle))};
    };
    const std::array<Vec3, 4> rest = shape(0), now = shape(fold);
    const Quat turn = exp_rotation(draw_uniform(rng, 0, 3) * draw_direction(rng));
    for (int i = 0; i < 4; ++i) {
        out.rest[i] = real3(rest[i]);
        out.at.x[i] = turn * (now[i] + (which == 1 ? 1e-4 : 0.05) * draw_vec(rng, -1, 1));
    }
    return out;
}

template <class L> struct HingeLaw {
    static constexpr Share share = Share::elastic;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr bool is_square = true; // of phi - rest
    static constexpr bool barrier = false;  // closed folds stop it, see above
    static constexpr int sample_kinds = 4; // general, nearly flat, folded, thin
    using Params = HingeParams;
    struct Data {
        Real stiffness;  // [N m] k a
        Real damping;    // [N m s] k a eta
        Real rest;       // phi at rest
        Real rest_angle; // [rad]
        Real fade_upper; // [m^2] twice the areas below which the energy fades
        Real fade_lower;
    };
    using Law = L;
    // what an animated hinge (hinge_animated.h) is at this moment
    static const Data& resolve(const Data& d, const StepContext&) { return d; }

    template <class V> static void fields(Params& p, V&& v) { hinge_fields(p, v); }
    static Data prepare(const Params& p, const RestView& rest) {
        const std::array<Vec3, 4> x{vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(rest.x[3])};
        const Hinge h = make_hinge(x);
        if (!h.valid) return {};
        // twice the areas from the altitudes of the shared edge
        const Vec3 edge = x[2] - x[1];
        const Real length = edge.norm(), upper2 = length / h.upper.inverse_height[0], lower2 = length / h.lower.inverse_height[0];
        const Real k = 0.5 * edge_rigidity(p, edge, (h.upper.n + h.lower.n).normalized());
        // inside of (-pi, pi), where every law is finite; scenes that ask for more are refused or told (scene/shell.cpp)
        return make(k * p.coefficient, p.damping, length, upper2, lower2, p.rest * full_angle(h.half) + p.rest_angle);
    }
    // k c [N m], time [s], length of the edge [m], twice the areas [m^2] and angle at rest
    static Data make(Real kc, Real damping, Real length, Real upper2, Real lower2, Real angle) {
        const Real ka = kc * length * length / (0.5 * (upper2 + lower2));
        angle = std::clamp(angle, -kMostRestAngle, kMostRestAngle);
        return {ka, ka * damping, L::phi({std::sin(angle / 2), std::cos(angle / 2)}).value, angle, kFadePart * upper2,
                kFadePart * lower2};
    }
    static bool fades(const Data& d, const Hinge& h) {
        const Real upper = h.upper.inverse_height[0] * d.fade_upper, lower = h.lower.inverse_height[0] * d.fade_lower;
        return std::max(upper * upper, lower * lower) * h.inverse_length2 > 1; // 2A = l h
    }
    // overridden by laws that are not squares of a difference
    static Psi elastic(const Data& d, const HalfAngle&, const Phi& phi) {
        const Real u = phi.value - d.rest;
        return {d.stiffness * u * u, 2 * d.stiffness * u * phi.d, 2 * d.stiffness * (phi.d * phi.d + u * phi.dd)};
    }
    static bool passes_barrier(const StepContext& c, const HalfAngle& half) {
        // nearly flat: either way from a closed fold is a turn of about pi
        if (std::abs(half.sin) < 0.1 || !c.x_now || !c.stencil) return false;
        const Hinge now = make_hinge({c.x_start(0), c.x_start(1), c.x_start(2), c.x_start(3)});
        return now.valid && half.cos * now.half.cos + half.sin * now.half.sin < 0;
    }
    static Psi psi(const Data& d, const StepContext& c, const HalfAngle& half) {
        if constexpr (L::barrier)
            if (passes_barrier(c, half))
                return {std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN(), 0};
        const Phi phi = L::phi(half);
        Psi out = L::elastic(d, half, phi);
        if (d.damping > 0 && c.elapsed > 0) {
            const Hinge now = make_hinge({c.x_start(0), c.x_start(1), c.x_start(2), c.x_start(3)});
            if (!now.valid) return out;
            const Real k = d.damping / c.elapsed, u = phi.value - L::phi(now.half).value;
            out.value += k * u * u;
            out.d += 2 * k * u * phi.d;
            out.dd += 2 * k * (phi.d * phi.d + u * phi.dd);
        }
        return out;
    }
    template <int Order> static Local<12, Order> eval(const Data& d, const StepContext& c, const Stencil<4>& s) {
        Local<12, Order> out;
        const Hinge h = make_hinge(s.x);
        if (!h.valid) return out;
        const Psi p = psi(d, c, h.half);
        out.value = p.value;
        if constexpr (Order >= 1) {
            const VecN<12> g = hinge_gradient(h);
            out.gradient = p.d * g;
            if constexpr (Order >= 2) out.hessian = p.d * hinge_hessian(h) + p.dd * g * g.transpose();
        }
        if (fades(d, h)) fade<Order>(hinge_fade(s.x, d.fade_upper, d.fade_lower), p, h, out);
        return out;
    }
    // psi -> s psi
    template <int Order> static void fade(const Jet<12>& s, const Psi& p, const Hinge& h, Local<12, Order>& out) {
        out.value *= s.value;
        if constexpr (Order >= 1) {
            const VecN<12> ds = gradient_of(s);
            if constexpr (Order >= 2) {
                const VecN<12> g = hinge_gradient(h);
                out.hessian = s.value * out.hessian + p.d * (g * ds.transpose() + ds * g.transpose()) + p.value * hessian_of(s);
            }
            out.gradient = s.value * out.gradient + p.value * ds;
        }
    }
    static MatN<12> hessian_psd(const Data& d, const StepContext& c, const Stencil<4>& s) {
        const Hinge h = make_hinge(s.x);
        if (!h.valid) return MatN<12>::Zero();
        const VecN<12> g = hinge_gradient(h);
        const Real part = fades(d, h) ? hinge_fade(s.x, d.fade_upper, d.fade_lower).value : 1;
        return part * std::max(0.0, psi(d, c, h.half).dd) * g * g.transpose();
    }
    // C = sqrt(2 k a) (phi - rest), of laws that are squares; the viscous part by its time eta
    static constexpr int root_rows = 1;
    template <int Order, class Law = L> static LocalRows<1, 12, Order> root(const Data& d, const StepContext&, const Stencil<4>& s)
        requires Law::is_square
    {
        LocalRows<1, 12, Order> out;
        const Hinge h = make_hinge(s.x);
        if (!h.valid) return out;
        const Phi phi = L::phi(h.half);
        const Real root = std::sqrt(2 * d.stiffness);
        out.c[0] = root * (phi.value - d.rest);
        if constexpr (Order >= 1) out.jacobian = root * phi.d * hinge_gradient(h).transpose();
        return out;
    }
    template <class Law = L> static Real root_damping(const Data& d)
        requires Law::is_square
    {
        return d.stiffness > 0 ? d.damping / d.stiffness : 0;
    }
    static constexpr bool explicit_force = true;
    // f = -2 k a eta phi'^2 (dtheta/dt) grad theta
    template <int Order> static LocalForce<12, Order> force(const Data& d, const StepContext& c, const Stencil<4>& s) {
        LocalForce<12, Order> out;
        if (d.damping == 0 || c.elapsed > 0) return out;
        const Hinge h = make_hinge(s.x);
        if (!h.valid) return out;
        const Phi phi = L::phi(h.half);
        const VecN<12> g = hinge_gradient(h);
        VecN<12> v;
        v << s.v[0], s.v[1], s.v[2], s.v[3];
        const Real rate = g.dot(v), k = 2 * d.damping * phi.d * phi.d;
        out.force = -k * rate * g;
        if constexpr (Order >= 1) {
            const MatN<12> hessian = hinge_hessian(h);
            out.dfdv = -k * g * g.transpose();
            out.dfdx = -k * (g * (v.transpose() * hessian) + rate * hessian) -
                       4 * d.damping * phi.d * phi.dd * rate * g * g.transpose();
        }
        if (!fades(d, h)) return out;
        const Jet<12> part = hinge_fade(s.x, d.fade_upper, d.fade_lower);
        if constexpr (Order >= 1) {
            out.dfdv *= part.value;
            out.dfdx = part.value * out.dfdx + out.force * gradient_of(part).transpose();
        }
        out.force *= part.value;
        return out;
    }
    static Sample<L> sample(Rng& rng, int which) {
        const HingeSample made = sample_hinge(rng, which);
        return {prepare(made.params, {made.rest, {}, {}, {}}), made.at};
    }
};

} // namespace sinew
