#include "energy/rod_curvature.h"
#include <cmath>

namespace sinew {

namespace {
// A number with its derivatives by the eight variables.
struct Dual {
    Real value = 0;
    Eigen::Matrix<Real, 8, 1> d = Eigen::Matrix<Real, 8, 1>::Zero();
    Dual() = default;
    Dual(Real v) : value(v) {} // NOLINT: numbers are constants
};
Dual operator+(const Dual& a, const Dual& b) { Dual r; r.value = a.value + b.value; r.d = a.d + b.d; return r; }
Dual operator-(const Dual& a, const Dual& b) { Dual r; r.value = a.value - b.value; r.d = a.d - b.d; return r; }
Dual operator-(const Dual& a) { Dual r; r.value = -a.value; r.d = -a.d; return r; }
Dual operator*(const Dual& a, const Dual& b) { Dual r; r.value = a.value * b.value; r.d = a.value * b.d + b.value * a.d; return r; }
Dual operator/(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value / b.value;
    r.d = (a.d - r.value * b.d) / b.value;
    return r;
}
Dual root(const Dual& a) {
    Dual r;
    r.value = std::sqrt(a.value);
    r.d = a.d / (2 * r.value);
    return r;
}
Real root(Real a) { return std::sqrt(a); }
void sine_cosine(const Dual& a, Dual& s, Dual& c) {
    s.value = std::sin(a.value);
    c.value = std::cos(a.value);
    s.d = c.value * a.d;
    c.d = -s.value * a.d;
}
void sine_cosine(Real a, Real& s, Real& c) { s = std::sin(a), c = std::cos(a); }

// three numbers; Eigen's vectors of duals would make temporaries of temporaries
template <class T> struct Three {
    T x, y, z;
};
template <class T> Three<T> operator+(const Three<T>& a, const Three<T>& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
template <class T> Three<T> operator-(const Three<T>& a, const Three<T>& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
template <class T> Three<T> operator*(const T& s, const Three<T>& a) { return {s * a.x, s * a.y, s * a.z}; }
template <class T> T dot(const Three<T>& a, const Three<T>& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T> Three<T> cross(const Three<T>& a, const Three<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T> Three<T> constant(const Vec3& a) { return {T(a.x()), T(a.y()), T(a.z())}; }

Vec3 frame_vector(const Real* frame, int i) { return {frame[3 * i], frame[3 * i + 1], frame[3 * i + 2]}; }

template <class T> struct CurvatureRows {
    T row[3][8];
};
template <class T> struct Edge {
    T length;
    Three<T> t, d1, d2, m1, m2, dpsi; // direction, reference and material directors, d(psi)/d(edge)
};
template <class T> Edge<T> make_edge(const Vec3& t0, const Vec3& d0, const Three<T>& e, const T& angle) {
    Edge<T> r;
    r.length = root(dot(e, e));
    r.t = (T(1) / r.length) * e;
    const Three<T> from = constant<T>(t0), director = constant<T>(d0);
    const T c = T(1) + dot(from, r.t);
    r.d1 = director - (dot(director, r.t) / c) * (from + r.t);
    r.d2 = cross(r.t, r.d1);
    T sine, cosine;
    sine_cosine(angle, sine, cosine);
    r.m1 = cosine * r.d1 + sine * r.d2;
    r.m2 = cosine * r.d2 - sine * r.d1;
    r.dpsi = (T(-1) / (c * r.length)) * cross(from, r.t);
    return r;
}

Vec3 any_director(const Vec3& t) {
    const int axis = std::abs(t.x()) < std::abs(t.y()) ? (std::abs(t.x()) < std::abs(t.z()) ? 0 : 2) : (std::abs(t.y()) < std::abs(t.z()) ? 1 : 2);
    return t.cross(Vec3::Unit(axis)).normalized();
}
Vec3 made_perpendicular(const Vec3& d, const Vec3& t) {
    const Vec3 p = d - d.dot(t) * t;
    return p.norm() > 1e-6 * d.norm() && d.norm() > 0 ? Vec3(p.normalized()) : any_director(t);
}
// angle from the space-parallel d1e to d1f about tf, in (-pi, pi]
Real frame_angle(const Vec3& te, const Vec3& de, const Vec3& tf, const Vec3& df) {
    const Vec3 carried = transport_director(te, de, tf);
    return std::atan2(carried.cross(df).dot(tf), carried.dot(df));
}
void put(Real* frame, int i, const Vec3& a) {
    for (int k = 0; k < 3; ++k) frame[3 * i + k] = a[k];
}
} // namespace

Vec3 transport_director(const Vec3& t0, const Vec3& d0, const Vec3& t) {
    return d0 - d0.dot(t) / (1 + t0.dot(t)) * (t0 + t);
}

void place_rod_frames(const Vec3& te, const Vec3& tf, const Vec3& director_e, const Vec3& director_f, Real* frame) {
    const Vec3 de = made_perpendicular(director_e, te);
    const Vec3 df = made_perpendicular(director_f.norm() > 0 ? director_f : transport_director(te, de, tf), tf);
    put(frame, 0, te), put(frame, 1, de), put(frame, 2, tf), put(frame, 3, df);
    frame[12] = frame_angle(te, de, tf, df);
}

void move_rod_frames(const Real* frame, const Vec3& e, const Vec3& f, Real* moved) {
    const Vec3 te = e.normalized(), tf = f.normalized();
    const Vec3 de = made_perpendicular(transport_director(frame_vector(frame, 0), frame_vector(frame, 1), te), te);
    const Vec3 df = made_perpendicular(transport_director(frame_vector(frame, 2), frame_vector(frame, 3), tf), tf);
    const Real change = frame_angle(te, de, tf, df) - frame[12], turn = 2 * kPi;
    const Real twist = frame[12] + change - turn * std::round(change / turn);
    put(moved, 0, te), put(moved, 1, de), put(moved, 2, tf), put(moved, 3, df);
    moved[12] = twist;
}

RodStrain rod_strain(const Real* frame, const Vec3& e, const Vec3& f, Real angle_e, Real angle_f) {
    const Edge<Real> a = make_edge<Real>(frame_vector(frame, 0), frame_vector(frame, 1), constant<Real>(e), angle_e);
    const Edge<Real> b = make_edge<Real>(frame_vector(frame, 2), frame_vector(frame, 3), constant<Real>(f), angle_f);
    const Three<Real> kb = (2 / (1 + dot(a.t, b.t))) * cross(a.t, b.t);
    const auto vec3 = [](const Three<Real>& x) { return Vec3(x.x, x.y, x.z); };
    const Real change = frame_angle(vec3(a.t), vec3(a.d1), vec3(b.t), vec3(b.d1)) - frame[12], turn = 2 * kPi;
    const Real reference = frame[12] + change - turn * std::round(change / turn);
    return {{0.5 * dot(kb, a.m2 + b.m2), -0.5 * dot(kb, a.m1 + b.m1), angle_f - angle_e + reference}, reference};
}

// derivatives by edge and angle, those by the edge with the turning of its reference frame (psi)
template <class T>
static void fill_gradient(const Edge<T>& a, const Edge<T>& b, CurvatureRows<T>& j) {
    const T chi = T(1) + dot(a.t, b.t), inverse = T(1) / chi;
    const Three<T> kb = (T(2) * inverse) * cross(a.t, b.t);
    const Three<T> tangent = inverse * (a.t + b.t), m1 = inverse * (a.m1 + b.m1), m2 = inverse * (a.m2 + b.m2);
    const T k1 = T(0.5) * dot(kb, a.m2 + b.m2), k2 = T(-0.5) * dot(kb, a.m1 + b.m1);
    const T half(0.5), la = T(1) / a.length, lb = T(1) / b.length;
    Three<T> by_e[3], by_f[3];
    by_e[0] = la * (cross(b.t, m2) - k1 * tangent);
    by_f[0] = lb * (T(-1) * cross(a.t, m2) - k1 * tangent);
    by_e[1] = la * (T(-1) * cross(b.t, m1) - k2 * tangent);
    by_f[1] = lb * (cross(a.t, m1) - k2 * tangent);
    by_e[2] = (half * la) * kb;
    by_f[2] = (half * lb) * kb;
    const T angle_e[3] = {-(half * dot(kb, a.m1)), -(half * dot(kb, a.m2)), T(-1)};
    const T angle_f[3] = {-(half * dot(kb, b.m1)), -(half * dot(kb, b.m2)), T(1)};
    for (int k = 0; k < 3; ++k) {
        const Three<T> ge = by_e[k] + angle_e[k] * a.dpsi, gf = by_f[k] + angle_f[k] * b.dpsi;
        const T all[8] = {ge.x, ge.y, ge.z, gf.x, gf.y, gf.z, angle_e[k], angle_f[k]};
        for (int i = 0; i < 8; ++i) j.row[k][i] = all[i];
    }
}

void rod_gradient(const Real* frame, const Vec3& e, const Vec3& f, Real angle_e, Real angle_f, RodGradient& out) {
    CurvatureRows<Real> j;
    fill_gradient<Real>(make_edge<Real>(frame_vector(frame, 0), frame_vector(frame, 1), constant<Real>(e), angle_e),
                        make_edge<Real>(frame_vector(frame, 2), frame_vector(frame, 3), constant<Real>(f), angle_f), j);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 8; ++i) out.row[k][i] = j.row[k][i];
}

static void dual_gradient(const Real* frame, const Vec3& e, const Vec3& f, Real angle_e, Real angle_f, CurvatureRows<Dual>& j) {
    Dual x[8];
    for (int i = 0; i < 8; ++i) {
        x[i].value = i < 3 ? e[i] : i < 6 ? f[i - 3] : i == 6 ? angle_e : angle_f;
        x[i].d[i] = 1;
    }
    fill_gradient<Dual>(make_edge<Dual>(frame_vector(frame, 0), frame_vector(frame, 1), Three<Dual>{x[0], x[1], x[2]}, x[6]),
                        make_edge<Dual>(frame_vector(frame, 2), frame_vector(frame, 3), Three<Dual>{x[3], x[4], x[5]}, x[7]), j);
}

VecN<11> spread_rod(const Real (&g)[8]) {
    VecN<11> out;
    for (int i = 0; i < 3; ++i) {
        out[i] = -g[i];
        out[3 + i] = g[i] - g[3 + i];
        out[6 + i] = g[3 + i];
    }
    out[9] = g[6];
    out[10] = g[7];
    return out;
}

MatN<11> spread_rod(const MatN<8>& h) {
    // e = x1 - x0, f = x2 - x1
    MatN<8, 11> map = MatN<8, 11>::Zero();
    for (int i = 0; i < 3; ++i) {
        map(i, i) = -1, map(i, 3 + i) = 1;
        map(3 + i, 3 + i) = -1, map(3 + i, 6 + i) = 1;
    }
    map(6, 9) = map(7, 10) = 1;
    return map.transpose() * h * map;
}

void rod_hessian(const Real (&stiffness)[3], const Real (&natural)[3], const Real* frame, const Vec3& e, const Vec3& f, Real angle_e,
                 Real angle_f, const RodStrain& strain, VecN<11>& gradient, MatN<11>& hessian) {
    CurvatureRows<Dual> j;
    dual_gradient(frame, e, f, angle_e, angle_f, j);
    Real g[8] = {};
    MatN<8> h = MatN<8>::Zero();
    for (int k = 0; k < 3; ++k) {
        const Real force = stiffness[k] * (strain.value[k] - natural[k]);
        Eigen::Matrix<Real, 8, 1> row;
        for (int i = 0; i < 8; ++i) {
            row[i] = j.row[k][i].value;
            g[i] += force * row[i];
            h.row(i) += force * j.row[k][i].d.transpose();
        }
        h += stiffness[k] * row * row.transpose();
    }
    gradient = spread_rod(g);
    hessian = spread_rod(MatN<8>(0.5 * (h + h.transpose()))); // symmetric but for rounding
}

} // namespace sinew
