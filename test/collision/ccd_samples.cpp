#include "collision/ccd_samples.h"
#include "core/random.h"
#include <cmath>

namespace sinew {

namespace {

using judge::FeaturePair;

Vec3 box_vector(Rng& g, double size) {
    return {draw_uniform(g, -size, size), draw_uniform(g, -size, size), draw_uniform(g, -size, size)};
}
double log_uniform(Rng& g, double a, double b) { return a * std::pow(b / a, draw_uniform(g)); }

// places the four points at the moment of contact: the point of the first side with weights u minus that of
// the second is `gap`
CcdPoints contact_points(Rng& g, FeaturePair pair, double outside, const Vec3& gap) {
    CcdPoints x;
    for (Vec3& p : x) p = box_vector(g, 1);
    if (pair == FeaturePair::vertex_triangle) {
        double u = draw_uniform(g), v = draw_uniform(g);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        if (outside > 0) u = -outside; // beyond the edge t0 t2
        x[0] = x[1] + u * (x[2] - x[1]) + v * (x[3] - x[1]) + gap;
    } else {
        const double r = outside > 0 ? 1 + outside : draw_uniform(g), s = draw_uniform(g);
        const Vec3 shift = x[0] + r * (x[1] - x[0]) - x[2] - s * (x[3] - x[2]) + gap;
        x[2] += shift, x[3] += shift;
    }
    return x;
}

// x0, x1 so that the points are at `at` at time t
void move_through(Rng& g, const CcdPoints& at, double t, double speed, CcdSample& s) {
    for (int i = 0; i < 4; ++i) {
        const Vec3 v = box_vector(g, speed);
        s.x0[i] = at[i] - t * v;
        s.x1[i] = at[i] + (1 - t) * v;
    }
}

} // namespace

CcdSample random_sample(std::uint64_t seed, std::uint64_t index) {
    Rng g{seed, index, 0};
    CcdSample s;
    s.pair = index & 1 ? FeaturePair::edge_edge : FeaturePair::vertex_triangle;
    s.what = "random";
    const double choice = draw_uniform(g), speed = log_uniform(g, 1e-2, 3), t = draw_uniform(g);
    if (choice < 0.45) {
        move_through(g, contact_points(g, s.pair, 0, Vec3::Zero()), t, speed, s);
    } else if (choice < 0.75) {
        s.near = true;
        const double gap = log_uniform(g, 1e-8, 1e-2);
        if (choice < 0.65) { // passes beside an edge
            move_through(g, contact_points(g, s.pair, gap, Vec3::Zero()), t, speed, s);
        } else { // stops short of contact
            move_through(g, contact_points(g, s.pair, 0, Vec3::Zero()), 1 + gap, speed, s);
        }
    } else {
        CcdPoints at;
        for (Vec3& p : at) p = box_vector(g, 1);
        move_through(g, at, t, speed, s);
    }
    return s;
}

namespace {

struct Maker {
    std::vector<CcdSample> out;
    Rng g{2026, 7, 0};

    void add(const char* what, FeaturePair pair, const CcdPoints& x0, const CcdPoints& x1) {
        out.push_back({pair, x0, x1, false, what});
    }
    void both(const char* what, const CcdPoints& x0, const CcdPoints& x1) {
        add(what, FeaturePair::vertex_triangle, x0, x1), add(what, FeaturePair::edge_edge, x0, x1);
    }
    CcdPoints random_points(double size) {
        CcdPoints x;
        for (Vec3& p : x) p = box_vector(g, size);
        return x;
    }
    Vec3 lattice(int n) {
        return Vec3(draw_int(g, 2 * n + 1) - n, draw_int(g, 2 * n + 1) - n, draw_int(g, 2 * n + 1) - n);
    }
};

void add_lattice(Maker& m) {
    for (int k = 0; k < 1200; ++k) {
        CcdPoints a, b;
        for (int i = 0; i < 4; ++i) a[i] = m.lattice(1 + k % 3), b[i] = m.lattice(1 + k % 3);
        m.both("lattice", a, b);
        for (int i = 0; i < 4; ++i) a[i].z() = b[i].z() = 0; // all in one plane
        m.both("lattice in a plane", a, b);
        for (int i = 0; i < 4; ++i) a[i].y() = b[i].y() = 0; // all on one line
        m.both("lattice on a line", a, b);
    }
}

void add_parallel(Maker& m) {
    for (int k = 0; k < 400; ++k) {
        const Vec3 d = box_vector(m.g, 1), offset = box_vector(m.g, 1), v = box_vector(m.g, 2);
        CcdPoints a{box_vector(m.g, 1), {}, {}, {}}, b;
        a[1] = a[0] + d;
        a[2] = a[0] + offset + draw_uniform(m.g, -1, 1) * d, a[3] = a[2] + draw_uniform(m.g, 0.2, 2) * d;
        b = a;
        const bool meet = k % 2;
        for (int i = 2; i < 4; ++i)
            b[i] = a[i] + (meet ? Vec3(-1.5 * offset + 0.3 * draw_uniform(m.g) * d) : v);
        m.both("parallel edges", a, b);
        for (int i = 0; i < 4; ++i) b[i] += 1e-9 * box_vector(m.g, 1);
        m.both("nearly parallel edges", a, b);
        const double angle = std::pow(10.0, -(k % 17));
        for (int i = 2; i < 4; ++i) a[i] += angle * box_vector(m.g, 1);
        m.both("nearly parallel edges", a, b);
    }
}

void add_coplanar(Maker& m) {
    for (int k = 0; k < 500; ++k) {
        CcdPoints a = m.random_points(1), b = m.random_points(1);
        for (int i = 0; i < 4; ++i) a[i].y() = b[i].y() = 0.25;
        m.both("coplanar motion", a, b);
        const Quat q = quat(draw_rotation(m.g)); // a plane at an angle: coplanar up to rounding
        for (int i = 0; i < 4; ++i) a[i] = q * a[i], b[i] = q * b[i];
        m.both("coplanar motion, rotated", a, b);
        for (int i = 0; i < 4; ++i) b[i] = a[i] + Vec3(0, 0.3, 0);
        m.both("coplanar, moving together", a, b);
    }
}

void add_shared(Maker& m) {
    for (int k = 0; k < 200; ++k) {
        CcdPoints a = m.random_points(1), b = m.random_points(1);
        const int i = k % 2, j = 2 + k / 2 % 2;
        a[i] = a[j], b[i] = b[j];
        m.both("shared vertex", a, b);
        b = m.random_points(1);
        m.both("shared vertex at the start", a, b);
        a = m.random_points(1), b[i] = b[j];
        m.both("shared vertex at the end", a, b);
    }
}

void add_zero_length(Maker& m) {
    for (int k = 0; k < 300; ++k) {
        CcdPoints a = m.random_points(1), b = m.random_points(1);
        a[3] = a[2], b[3] = b[2];
        m.both("zero length", a, b);
        a[1] = a[0], b[1] = b[0];
        m.both("two zero lengths", a, b);
        // the point that the edge has shrunk to runs into the other edge exactly
        a = {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0.25, 1, 0), Vec3(0.25, 1, 0)}, b = a;
        b[2].y() = b[3].y() = -1 + 0.01 * k;
        m.both("zero length meets an edge", a, b);
        a = m.random_points(1), b = m.random_points(1);
        a[3] = 0.5 * (a[1] + a[2]), b[3] = 0.5 * (b[1] + b[2]);
        m.both("zero area", a, b);
    }
}

void add_scales(Maker& m) {
    for (double scale : {1e-280, 1e-150, 1e-70, 1e-20, 1e-8, 1e8, 1e20, 1e70, 1e120, 1e300})
        for (int k = 0; k < 60; ++k) {
            CcdSample s = random_sample(11, k);
            for (int i = 0; i < 4; ++i) s.x0[i] *= scale, s.x1[i] *= scale;
            m.add("scaled", s.pair, s.x0, s.x1);
        }
    for (double offset : {1e3, 1e6, 1e9, 1e12, 1e15})
        for (int k = 0; k < 200; ++k) {
            CcdSample s = random_sample(12, k);
            const Vec3 far = offset * Vec3(1, -0.7, 0.3);
            for (int i = 0; i < 4; ++i) s.x0[i] += far, s.x1[i] += far;
            m.add("far from the origin", s.pair, s.x0, s.x1);
        }
    for (double speed : {1e4, 1e8, 1e14})
        for (int k = 0; k < 200; ++k) {
            CcdSample s = random_sample(13, k);
            const Vec3 v = speed * box_vector(m.g, 1);
            for (int i = 0; i < 4; ++i) s.x1[i] += v;
            m.add("fast common motion", s.pair, s.x0, s.x1);
            s = random_sample(13, k);
            s.x1[0] += v;
            m.add("one fast point", s.pair, s.x0, s.x1);
        }
}

// first contact at very small times, and just before, at and after the end
void add_times(Maker& m) {
    for (int k = 0; k < 400; ++k) {
        const double t = std::pow(10.0, -1 - k % 18), speed = k % 3 ? 1.0 : 1e3;
        for (FeaturePair pair : {FeaturePair::vertex_triangle, FeaturePair::edge_edge}) {
            CcdSample s;
            move_through(m.g, contact_points(m.g, pair, 0, Vec3::Zero()), t, speed, s);
            m.add("tiny time", pair, s.x0, s.x1);
            move_through(m.g, contact_points(m.g, pair, 0, Vec3::Zero()), 1 - t, speed, s);
            m.add("just before the end", pair, s.x0, s.x1);
            move_through(m.g, contact_points(m.g, pair, 0, Vec3::Zero()), 1 + t, speed, s);
            m.add("just after the end", pair, s.x0, s.x1);
            move_through(m.g, contact_points(m.g, pair, 0, Vec3::Zero()), 0, speed, s);
            m.add("touching at the start", pair, s.x0, s.x1);
        }
    }
    for (int k = 0; k < 200; ++k) {
        CcdPoints a = m.random_points(1);
        m.both("no motion", a, a);
        for (Vec3& p : a) p = m.lattice(1);
        m.both("no motion", a, a);
    }
}

// exact meetings with corners and edges, touching from one side and turning back
void add_grazing(Maker& m) {
    const Vec3 t0(0, 0, 0), t1(1, 0, 0), t2(0, 0, 1);
    for (const Vec3& at :
         {t0, t1, t2, Vec3(0.5, 0, 0), Vec3(0, 0, 0.5), Vec3(0.5, 0, 0.5), Vec3(0.25, 0, 0.25)})
        for (double end : {-1.0, -0.5, 0.0, 0x1p-52, -0x1p-52, 1e-10}) {
            const Vec3 from = at + Vec3(0, 1, 0), to = at + Vec3(0, end, 0);
            m.add("meets a corner or an edge", FeaturePair::vertex_triangle, {from, t0, t1, t2}, {to, t0, t1, t2});
            // the triangle turns while the point comes down
            m.add("meets a corner or an edge", FeaturePair::vertex_triangle, {from, t0, t1, t2},
                  {to, t0, t1, t2 + Vec3(0, 1, 0)});
            m.add("meets a corner or an edge", FeaturePair::edge_edge, {from, from + Vec3(0, 1, 0), t0, t1},
                  {to, to + Vec3(0, 1, 0), t0, t1});
            m.add("meets a corner or an edge", FeaturePair::edge_edge, {from, from + Vec3(1, 0, 1), t1, t2},
                  {to, to + Vec3(1, 0, 1), t1, t2});
        }
    // slides in the plane of the triangle towards it
    for (int k = 0; k < 50; ++k) {
        const Vec3 from(2, 0, 0.02 * k), to(-1, 0, 0.5 - 0.02 * k);
        m.add("slides in the plane", FeaturePair::vertex_triangle, {from, t0, t1, t2}, {to, t0, t1, t2});
        m.add("slides in the plane", FeaturePair::edge_edge, {from, from + Vec3(1, 0, 1), t1, t2},
              {to, to + Vec3(0, 0, 1), t1, t2});
    }
}

} // namespace

std::vector<CcdSample> degenerate_samples() {
    Maker m;
    add_lattice(m), add_parallel(m), add_coplanar(m), add_shared(m), add_zero_length(m), add_scales(m),
        add_times(m), add_grazing(m);
    return std::move(m.out);
}

} // namespace sinew
