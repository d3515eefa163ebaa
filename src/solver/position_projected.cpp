// Gradient methods on the sets of the multipliers, for comparison (spec U082):
//   apgd       accelerated projected gradients (accelerated_gradient.h; Mazhar et al. 2015), the rows renewed at y in every iteration
//   gpminres   gradient projection and minimal residuals (Heyn et al. 2013, after More and Toraldo 1991): projected steps of length
//              1/rho(A) until the face of the sets, which multipliers are at a bound, stays; then conjugate residuals on that face,
//              each of them a step of MINRES, up to where a bound is met, the rows at bounds want to move more than the free ones,
//              or the residual grows because directions have turned
// Both work with rows over their reach, which makes A symmetric, in the scale m of the group, 1/its largest diagonal, so that cones
// stay cones:
//   a = m r/reach        the ascent of -r, in the units of lambda
//   B = m A/reach        symmetric in <x, y> = sum x y/m
// Faces: rows at a bound do not move; a contact that sticks moves freely; one that slides moves along its ray of the cone, of other
// sets along its normal with friction in proportion.
#include "solver/position_solve.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr Real kAtBound = 1 - 1e-9; // of the friction that a contact can have

// what of a contact is free on its face
enum ContactFace : unsigned char { open_contact, sliding, sticking };

} // namespace

void DualSolve::build_metric() const {
    const DualRows& r = rows();
    s.metric.resize(r.row_count()), s.push.resize(r.row_count());
    for (int g = 0; g < r.group_count(); ++g) {
        const int n = r.rows_of(g), row = r.row_begin[g];
        Real top = 0;
        for (int k = 0; k < n; ++k) top = std::max(top, r.diagonal[r.diagonal_begin[g] + k * (n + 1)] / reach().of(r, row + k));
        for (int k = 0; k < n; ++k) {
            s.metric[row + k] = top > 0 ? 1 / top : 0;
            s.push[row + k] = s.metric[row + k] / reach().of(r, row + k);
        }
    }
}

void DualSolve::build_ascent() const {
    const int n = rows().row_count();
    s.ascent.resize(n);
    for (int i = 0; i < n; ++i) s.ascent[i] = s.push[i] * s.r[i];
}

Real DualSolve::scaled_dot(const std::vector<Real>& a, const std::vector<Real>& b) const {
    return ordered_sum(parallel, int(a.size()), kSumRows, s.partial, [&](int begin, int end) {
        Real sum = 0;
        for (int i = begin; i < end; ++i)
            if (s.metric[i] > 0) sum += a[i] * b[i] / s.metric[i];
        return sum;
    });
}

void DualSolve::apply_scaled(const std::vector<Real>& d, std::vector<Real>& out) const {
    apply_operator(d, out);
    for (int i = 0; i < rows().row_count(); ++i) out[i] *= s.push[i];
}

void DualSolve::begin_accelerated() const {
    build_metric();
    s.z = rows().lambda;
    s.wanted = rows().lambda;
    s.trial.resize(rows().row_count());
}

void DualSolve::advance_accelerated(AcceleratedGradient& method) const {
    struct Sets {
        const DualSolve& d;
        void project(std::vector<Real>& l) const { d.keep_all_in_sets(l); }
        Real curvature(const std::vector<Real>& to, const std::vector<Real>& from, Real& square) const {
            d.s.power.resize(to.size());
            for (std::size_t i = 0; i < to.size(); ++i) d.s.power[i] = to[i] - from[i];
            d.apply_scaled(d.s.power, d.s.Ad);
            square = d.scaled_dot(d.s.power, d.s.power);
            return d.scaled_dot(d.s.power, d.s.Ad);
        }
        Real slope(const std::vector<Real>& gradient, const std::vector<Real>& to, const std::vector<Real>& from) const {
            for (std::size_t i = 0; i < to.size(); ++i) d.s.power[i] = to[i] - from[i];
            return d.scaled_dot(gradient, d.s.power);
        }
    };
    build_ascent();
    for (Real& a : s.ascent) a = -a; // gradient
    // s.wanted is y, where the unknowns are; it need not be in the sets
    method.advance(Sets{*this}, s.ascent, s.z, s.wanted, s.trial);
    take(false);
}

// from y, which is ahead, to z, which is in the sets
void DualSolve::end_accelerated() const {
    s.wanted = s.z;
    take();
}

// s.face per row, of contacts at their first row
void DualSolve::find_faces() const {
    const DualRows& r = rows();
    s.face.assign(r.row_count(), 1);
    for (int g = 0; g < r.group_count(); ++g) {
        const int n = r.rows_of(g), row = r.row_begin[g];
        const Real* l = r.lambda.data() + row;
        const Real limit = r.limit[g];
        if (g < r.contact_group) {
            for (int k = 0; k < n; ++k) {
                if (r.bound[g] == Bound::lower) s.face[row + k] = l[k] > 0;
                if (r.bound[g] == Bound::box) s.face[row + k] = std::abs(l[k]) < limit;
            }
            continue;
        }
        if (o.contact.friction == FrictionSet::box) { // tangents by themselves
            s.face[row] = l[0] > 0 ? sticking : open_contact;
            for (int k = 1; k < 3; ++k) s.face[row + k] = l[0] > 0 && std::abs(l[k]) < kAtBound * limit * l[0];
            continue;
        }
        s.face[row] = !(l[0] > 0) ? open_contact : std::hypot(l[1], l[2]) < kAtBound * limit * l[0] ? sticking : sliding;
    }
}

// the part of a change that stays on the face, by the nearest such change
void DualSolve::to_face(std::vector<Real>& a) const {
    const DualRows& r = rows();
    for (int i = 0; i < r.row_begin[r.contact_group]; ++i)
        if (!s.face[i]) a[i] = 0;
    for (int g = r.contact_group; g < r.group_count(); ++g) {
        Real* d = a.data() + r.row_begin[g];
        const Real* l = r.lambda.data() + r.row_begin[g];
        const unsigned char* face = s.face.data() + r.row_begin[g];
        if (face[0] == open_contact) {
            d[0] = d[1] = d[2] = 0;
        } else if (o.contact.friction == FrictionSet::box) {
            for (int k = 1; k < 3; ++k)
                if (!face[k]) d[k] = 0;
        } else if (face[0] == sliding && o.contact.friction == FrictionSet::cone) {
            const Vec3 ray = Vec3(l[0], l[1], l[2]).normalized();
            Eigen::Map<Vec3>{d} = ray.dot(Eigen::Map<const Vec3>(d)) * ray;
        } else if (face[0] == sliding) {
            d[1] = d[2] = 0;
        }
    }
}

namespace {

// the smallest a >= 0 at which |t + a dt| = mu (n + a dn), from inside; `way` if there is none before
Real way_to_friction(Real n, Real dn, const Vec2& t, const Vec2& dt, Real mu, Real way) {
    const Real a = dt.squaredNorm() - mu * mu * dn * dn, b = t.dot(dt) - mu * mu * n * dn, c = t.squaredNorm() - mu * mu * n * n;
    if (c >= 0) return 0;
    const Real root = b * b - a * c;
    if (root < 0) return way;
    // of the two forms of the root the one without cancellation; c < 0, so a positive one is where it leaves
    const Real q = b > 0 ? -(b + std::sqrt(root)) : -b + std::sqrt(root);
    for (const Real x : {a != 0 ? q / a : -1, q != 0 ? c / q : -1})
        if (x > 0) way = std::min(way, x);
    return way;
}

} // namespace

// how often d can be added before a free multiplier meets a bound
Real DualSolve::free_way(const std::vector<Real>& all) const {
    const DualRows& r = rows();
    Real way = 1e300;
    for (int g = 0; g < r.group_count(); ++g) {
        const int row = r.row_begin[g];
        const Real *l = r.lambda.data() + row, *d = all.data() + row;
        const Real limit = r.limit[g];
        if (g < r.contact_group) {
            for (int k = 0; k < r.rows_of(g); ++k) {
                if (!s.face[row + k] || d[k] == 0) continue;
                if (r.bound[g] == Bound::lower && d[k] < 0) way = std::min(way, l[k] / -d[k]);
                if (r.bound[g] == Bound::box) way = std::min(way, ((d[k] > 0 ? limit : -limit) - l[k]) / d[k]);
            }
            continue;
        }
        if (s.face[row] == open_contact) continue;
        if (d[0] < 0) way = std::min(way, l[0] / -d[0]);
        if (o.contact.friction == FrictionSet::box) {
            for (int k = 1; k < 3; ++k)
                if (s.face[row + k]) way = way_to_friction(l[0], d[0], Vec2(l[k], 0), Vec2(d[k], 0), limit, way);
        } else if (s.face[row] == sticking) {
            way = way_to_friction(l[0], d[0], Vec2(l[1], l[2]), Vec2(d[1], d[2]), limit, way);
        }
    }
    return way;
}

// one conjugate residual among the free multipliers; s.trial is the free part of the ascent
void DualSolve::step_on_face(FaceWalk& walk) const {
    const DualRows& r = rows();
    const int n = r.row_count();
    const Real size = scaled_dot(s.trial, s.trial);
    if (s.d.size() != std::size_t(n) || size > walk.size) { // it begins here, or directions have turned
        s.d.assign(n, 0), s.Bd.assign(n, 0);
        walk.before = 0;
    }
    walk.size = size;
    apply_scaled(s.trial, s.Ad);
    to_face(s.Ad);
    const Real now = scaled_dot(s.trial, s.Ad);
    walk.beta = walk.before > 0 ? now / walk.before : 0;
    walk.before = now;
    for (int i = 0; i < n; ++i) {
        s.d[i] = s.trial[i] + walk.beta * s.d[i];
        s.Bd[i] = s.Ad[i] + walk.beta * s.Bd[i];
    }
    const Real below = scaled_dot(s.Bd, s.Bd);
    const Real wish = below > 0 ? scaled_dot(s.trial, s.Bd) / below : 0, way = free_way(s.d), step = std::min(wish, way);
    walk.met_bound = !(wish > 0) || way <= wish;
    s.wanted.resize(n);
    for (int i = 0; i < n; ++i) s.wanted[i] = r.lambda[i] + std::max(0.0, step) * s.d[i];
    // friction that is at its limit stays there
    for (int g = r.contact_group; g < r.group_count(); ++g) {
        const int row = r.row_begin[g];
        const Real before = r.lambda[row], grown = before > 0 ? s.wanted[row] / before : 1;
        if (o.contact.friction == FrictionSet::box) {
            for (int k = 1; k < 3; ++k)
                if (!s.face[row + k]) s.wanted[row + k] *= grown;
        } else if (s.face[row] == sliding && o.contact.friction != FrictionSet::cone) {
            s.wanted[row + 1] *= grown, s.wanted[row + 2] *= grown;
        }
    }
    take();
}

void DualSolve::advance_on_faces(int k, FaceWalk& walk) const {
    const DualRows& r = rows();
    const int n = r.row_count();
    if (k == 0) {
        build_metric();
        walk.lipschitz = spectral_radius(Precondition::metric);
        s.face.clear();
    }
    build_ascent();
    s.face_before.swap(s.face);
    find_faces();
    // projected steps until the face stays, and one after each bound that was met
    const bool stays = s.face == s.face_before && !walk.met_bound;
    if (stays && !walk.on_face) s.d.clear();
    walk.on_face = stays;
    // a projected step of its own length; what of it leaves the face against what does not
    const Real step = walk.lipschitz > 0 ? 1 / walk.lipschitz : 0;
    s.wanted.resize(n), s.trial.resize(n);
    for (int i = 0; i < n; ++i) s.wanted[i] = r.lambda[i] + step * s.ascent[i];
    keep_all_in_sets(s.wanted);
    for (int i = 0; i < n; ++i) s.trial[i] = s.wanted[i] - r.lambda[i];
    const Real whole = scaled_dot(s.trial, s.trial);
    to_face(s.trial);
    const Real free = scaled_dot(s.trial, s.trial);
    if (walk.on_face && whole <= 2 * free) {
        s.trial = s.ascent;
        to_face(s.trial);
        return step_on_face(walk);
    }
    walk.on_face = walk.met_bound = false;
    walk.beta = 0;
    take();
}

} // namespace sinew
