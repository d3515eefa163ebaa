// The loops over batches of position_batch.h, for one instruction set (position_lanes.h).
// The local solve is that of project_element (model/dual.h):
//   [ (reach + rho kick) J W J^T + alpha ] dlambda = -omega (C + rho J u + alpha lambda),  x += reach W J^T dlambda
#pragma once
#include "solver/position_contact_loops.h"
#include "solver/position_link_loops.h"
#include "solver/position_triangle_loops.h"

namespace sinew {
namespace {

// -- elements of four points with R rows
template <int R> struct Rows {
    V c[R];
    Three j[R][4];
};

template <int R, bool Velocities>
SINEW_INLINE void solve_batch(const Rows<R>& e, const Three* x, const int (*id)[kLanes], const Lane4* mass, V alpha, V rho,
                              const BatchNumbers& o, Lane4* lambda) {
    const V zero{}, reach = all_of(o.reach), kick = all_of(o.kick), feedback = all_of(o.feedback);
    V w[4], scale = reach, r[R], A[R][R], change[R];
    Three v[4];
    for (int i = 0; i < 4; ++i) w[i] = load(mass[i]);
    for (int a = 0; a < R; ++a) r[a] = -e.c[a] - feedback * alpha * (o.first ? zero : load(lambda[a]));
    if constexpr (Velocities) {
        for (int i = 0; i < 4; ++i) v[i] = gather(o.v, id[i]);
        for (int a = 0; a < R; ++a) {
            V u = dot(e.j[a][0], v[0]);
            for (int i = 1; i < 4; ++i) u += dot(e.j[a][i], v[i]);
            r[a] -= rho * u;
        }
        scale += rho * kick;
    }
    for (int a = 0; a < R; ++a)
        for (int b = 0; b <= a; ++b) {
            V sum = w[0] * dot(e.j[a][0], e.j[b][0]);
            for (int i = 1; i < 4; ++i) sum += w[i] * dot(e.j[a][i], e.j[b][i]);
            A[a][b] = A[b][a] = scale * sum + (a == b ? alpha : zero);
        }
    solve_rows<R>(A, r, change);
    for (int a = 0; a < R; ++a) {
        change[a] *= all_of(o.omega);
        store(lambda[a], (o.first ? zero : load(lambda[a])) + change[a]);
    }
    for (int i = 0; i < 4; ++i) {
        Three d = e.j[0][i] * change[0];
        for (int a = 1; a < R; ++a) d = d + e.j[a][i] * change[a];
        scatter(id[i], w[i], x[i] + d * (reach * w[i]), o.x);
        if constexpr (Velocities) scatter(id[i], w[i], v[i] + d * (kick * w[i]), o.v);
    }
}
template <int R> SINEW_INLINE V error_of(const Rows<R>& e, V alpha, const Lane4* lambda, const BatchNumbers& o) {
    V worst{};
    for (int a = 0; a < R; ++a) worst = larger(worst, size_of(e.c[a] + all_of(o.feedback) * alpha * load(lambda[a])));
    return worst;
}

// -- hinges
// atan of |u| <= tan(pi/8): Moshier's rational approximation (Cephes), good to the last bits
SINEW_INLINE V arc_tangent(V u) {
    const V z = u * u;
    const V p = (((z * all_of(-8.750608600031904122785e-1) - all_of(1.615753718733365076637e1)) * z - all_of(7.500855792314704667340e1)) * z -
                 all_of(1.228866684490136173410e2)) * z - all_of(6.485021904942025371773e1);
    const V q = ((((z + all_of(2.485846490142306297962e1)) * z + all_of(1.650270098316988542046e2)) * z + all_of(4.328810604912902668951e2)) * z +
                 all_of(4.853903996359136964868e2)) * z + all_of(1.945506571482613964425e2);
    return u + u * (z * p / q);
}
// phi and its derivative from sine and cosine of the half angle (energy/hinge_*.h)
template <HingeAngle L> SINEW_INLINE void hinge_law(V sine, V cosine, V& phi, V& d) {
    const V one = all_of(1);
    if constexpr (L == HingeAngle::sine) {
        phi = sine + sine, d = cosine;
    } else if constexpr (L == HingeAngle::tangent) {
        const V t = sine / cosine;
        phi = t + t, d = one + t * t;
    } else { // a quarter of the angle has the tangent t, an eighth t/(1 + sqrt(1 + t^2))
        const V t = sine / (one + cosine), u = t / (one + root(one + t * t));
        phi = all_of(8) * arc_tangent(u), d = one;
    }
}

// normal, 1/(2 A), and where the triangle has an area
struct Side {
    Three n;
    V inverse_area;
    Mask valid;
};
SINEW_INLINE Side make_side(const Three& e0, const Three& e1, const Three& e2) {
    const V zero{}, one = all_of(1);
    const Three normal = cross(e0, e1);
    const V area = root(dot(normal, normal)), longest = larger(larger(dot(e0, e0), dot(e1, e1)), dot(e2, e2));
    const Mask valid = area > all_of(1e-12) * longest;
    const V inverse = valid ? one / (valid ? area : one) : zero;
    return {normal * inverse, inverse, valid};
}
template <HingeAngle L> SINEW_INLINE void hinge_rows(const HingeBatch& b, const Three* x, Rows<1>& out) {
    const V one = all_of(1), half = all_of(0.5), zero{};
    const Three e = x[2] - x[1], up = x[0] - x[2], down = x[3] - x[1];
    const Side u = make_side(e, up, x[1] - x[0]);
    const Side l = make_side(x[1] - x[2], down, x[2] - x[3]);
    const Mask valid = u.valid & l.valid;
    const V e2 = dot(e, e), length = root(e2), inverse = one / (valid ? length : one);
    const Three minus = u.n - l.n, plus = u.n + l.n;
    const V s = half * root(dot(minus, minus)), cosine = half * root(dot(plus, plus));
    const V sine = dot(cross(u.n, l.n), e) < zero ? -s : s;
    V phi, d;
    hinge_law<L>(sine, cosine, phi, d);
    const V scale = load(b.scale), g = valid ? scale * d : zero;
    out.c[0] = valid ? scale * (phi - load(b.rest)) : zero;
    // cos a_2/h_1 = e . (x2 - x0)/(|e| 2A), cos a_1/h_2 = e . (x0 - x1)/(|e| 2A), and so below
    const V at_u = u.inverse_area * inverse * g, at_l = l.inverse_area * inverse * g;
    const V u2 = -dot(e, up) * at_u, l2 = dot(e, x[2] - x[3]) * at_l, u1 = dot(e, x[0] - x[1]) * at_u, l1 = dot(e, down) * at_l;
    out.j[0][0] = choose(valid, u.n * (-(e2 * at_u)));
    out.j[0][1] = choose(valid, u.n * u2 + l.n * l2);
    out.j[0][2] = choose(valid, u.n * u1 + l.n * l1);
    out.j[0][3] = choose(valid, l.n * (-(e2 * at_l)));
}

// -- tetrahedra
struct Columns { // of a 3 x 3 matrix
    Three c[3];
};
SINEW_INLINE Columns deformation(const Lane4* inverse, const Three* x) {
    const Three e0 = x[1] - x[0], e1 = x[2] - x[0], e2 = x[3] - x[0];
    Columns f;
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) f.c[a] = e0 * load(inverse[3 * a]) + e1 * load(inverse[3 * a + 1]) + e2 * load(inverse[3 * a + 2]);
    return f;
}
SINEW_INLINE void strain_rows(const StrainBatch& b, const Three* x, Rows<6>& out) {
    constexpr int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const Columns f = deformation(b.inverse, x);
    const V half = all_of(0.5), one = all_of(1), zero{};
    V strain[6], y[4][3], factor[6];
    for (int k = 0; k < 6; ++k) factor[k] = load(b.factor[k]);
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) y[i + 1][a] = load(b.inverse[3 * a + i]);
        y[0][a] = zero - ((y[1][a] + y[2][a]) + y[3][a]);
    }
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
        const V both = dot(f.c[pair[k][0]], f.c[pair[k][1]]);
        strain[k] = k < 3 ? half * (both - one) : both;
    }
    out.c[0] = factor[0] * strain[0] + factor[1] * (strain[1] + strain[2]);
    out.c[1] = factor[2] * strain[1] + factor[3] * strain[2];
    out.c[2] = factor[4] * strain[2];
    for (int k = 3; k < 6; ++k) out.c[k] = factor[5] * strain[k];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const Three r0 = f.c[0] * y[i][0], r1 = f.c[1] * y[i][1], r2 = f.c[2] * y[i][2];
        out.j[0][i] = r0 * factor[0] + (r1 + r2) * factor[1];
        out.j[1][i] = r1 * factor[2] + r2 * factor[3];
        out.j[2][i] = r2 * factor[4];
        for (int k = 3; k < 6; ++k) {
            const int a = pair[k][0], c = pair[k][1];
            out.j[k][i] = (f.c[c] * y[i][a] + f.c[a] * y[i][c]) * factor[5];
        }
    }
}
SINEW_INLINE void neohookean_rows(const NeohookeanBatch& b, const Three* x, Rows<2>& out) {
    const V zero{}, one = all_of(1);
    const Columns f = deformation(b.inverse, x);
    const V size = root(dot(f.c[0], f.c[0]) + dot(f.c[1], f.c[1]) + dot(f.c[2], f.c[2]));
    const Columns cofactor{{cross(f.c[1], f.c[2]), cross(f.c[2], f.c[0]), cross(f.c[0], f.c[1])}};
    const V shear = load(b.shear), bulk = load(b.bulk);
    out.c[0] = shear * size;
    out.c[1] = bulk * (dot(f.c[0], cofactor.c[0]) - load(b.rest));
    const V by = size > zero ? shear / (size > zero ? size : one) : zero;
    out.j[0][0] = out.j[1][0] = {zero, zero, zero};
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) { // P Dm^-T
        const V y0 = load(b.inverse[i]), y1 = load(b.inverse[3 + i]), y2 = load(b.inverse[6 + i]);
        out.j[0][i + 1] = (f.c[0] * y0 + f.c[1] * y1 + f.c[2] * y2) * by;
        out.j[1][i + 1] = (cofactor.c[0] * y0 + cofactor.c[1] * y1 + cofactor.c[2] * y2) * bulk;
        for (int r = 0; r < 2; ++r) out.j[r][0] = out.j[r][0] - out.j[r][i + 1];
    }
}

// -- loops
SINEW_INLINE void gather_four(const double* at, const int (*id)[kLanes], Three* x) {
    for (int i = 0; i < 4; ++i) x[i] = gather(at, id[i]);
}
template <int R, class B, class F> SINEW_INLINE void project_all(B* batches, Lane4* (*lambda)(B&), int begin, int end, const BatchNumbers& o, F&& rows) {
    for (int k = begin; k < end; ++k) {
        B& b = batches[k];
        Three x[4];
        gather_four(o.x, b.id, x);
        Rows<R> e;
        rows(b, x, e);
        const V alpha = load(b.alpha) * all_of(o.soft);
        if (o.velocities) solve_batch<R, true>(e, x, b.id, b.w, alpha, rho_of(o, k), o, lambda(b));
        else solve_batch<R, false>(e, x, b.id, b.w, alpha, V{}, o, lambda(b));
    }
}
template <int R, class B, class F>
SINEW_INLINE double worst_of(const B* batches, const Lane4* (*lambda)(const B&), int begin, int end, const BatchNumbers& o, F&& rows) {
    V worst{};
    for (int k = begin; k < end; ++k) {
        const B& b = batches[k];
        Three x[4];
        gather_four(o.x, b.id, x);
        Rows<R> e;
        rows(b, x, e);
        bool lane_used[kLanes];
        for (int l = 0; l < kLanes; ++l) lane_used[l] = b.w[0].v[l] + b.w[1].v[l] + b.w[2].v[l] + b.w[3].v[l] > 0;
        const V error = error_of<R>(e, load(b.alpha) * all_of(o.soft), lambda(b), o);
        for (int l = 0; l < kLanes; ++l)
            if (lane_used[l] && error[l] > worst[l]) worst[l] = error[l];
    }
    double out = 0;
    for (int l = 0; l < kLanes; ++l) out = worst[l] > out ? worst[l] : out;
    return out;
}

Lane4* hinge_lambda(HingeBatch& b) { return &b.lambda; }
Lane4* strain_lambda(StrainBatch& b) { return b.lambda; }
Lane4* neohookean_lambda(NeohookeanBatch& b) { return b.lambda; }
const Lane4* kept_hinge(const HingeBatch& b) { return &b.lambda; }
const Lane4* kept_strain(const StrainBatch& b) { return b.lambda; }
const Lane4* kept_neohookean(const NeohookeanBatch& b) { return b.lambda; }

template <HingeAngle L> void hinges_by(HingeBatch* batches, int begin, int end, const BatchNumbers& o) {
    project_all<1, HingeBatch>(batches, hinge_lambda, begin, end, o, [](const HingeBatch& b, const Three* x, Rows<1>& e) { hinge_rows<L>(b, x, e); });
}
void hinges(HingeAngle law, HingeBatch* b, int begin, int end, const BatchNumbers& o) {
    if (law == HingeAngle::theta) hinges_by<HingeAngle::theta>(b, begin, end, o);
    else if (law == HingeAngle::tangent) hinges_by<HingeAngle::tangent>(b, begin, end, o);
    else hinges_by<HingeAngle::sine>(b, begin, end, o);
}
void strains(StrainBatch* batches, int begin, int end, const BatchNumbers& o) {
    project_all<6, StrainBatch>(batches, strain_lambda, begin, end, o, [](const StrainBatch& b, const Three* x, Rows<6>& e) { strain_rows(b, x, e); });
}
void neohookeans(NeohookeanBatch* batches, int begin, int end, const BatchNumbers& o) {
    project_all<2, NeohookeanBatch>(batches, neohookean_lambda, begin, end, o, [](const NeohookeanBatch& b, const Three* x, Rows<2>& e) { neohookean_rows(b, x, e); });
}

template <HingeAngle L> double hinge_error_by(const HingeBatch* batches, int begin, int end, const BatchNumbers& o) {
    return worst_of<1, HingeBatch>(batches, kept_hinge, begin, end, o, [](const HingeBatch& b, const Three* x, Rows<1>& e) { hinge_rows<L>(b, x, e); });
}
double hinge_error(HingeAngle law, const HingeBatch* b, int begin, int end, const BatchNumbers& o) {
    if (law == HingeAngle::theta) return hinge_error_by<HingeAngle::theta>(b, begin, end, o);
    if (law == HingeAngle::tangent) return hinge_error_by<HingeAngle::tangent>(b, begin, end, o);
    return hinge_error_by<HingeAngle::sine>(b, begin, end, o);
}
double strain_error(const StrainBatch* batches, int begin, int end, const BatchNumbers& o) {
    return worst_of<6, StrainBatch>(batches, kept_strain, begin, end, o, [](const StrainBatch& b, const Three* x, Rows<6>& e) { strain_rows(b, x, e); });
}
double neohookean_error(const NeohookeanBatch* batches, int begin, int end, const BatchNumbers& o) {
    return worst_of<2, NeohookeanBatch>(batches, kept_neohookean, begin, end, o, [](const NeohookeanBatch& b, const Three* x, Rows<2>& e) { neohookean_rows(b, x, e); });
}

constexpr BatchLoops make_batch_loops() {
    return {links, chain, hinges, triangles, strains, neohookeans, contacts, relax_links, link_directions, link_slope,
            link_residuals, link_products, link_finish, link_error, hinge_error, triangle_error, strain_error, neohookean_error};
}

#undef SINEW_INLINE

} // namespace
} // namespace sinew
