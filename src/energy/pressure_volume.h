// Pressure inside a closed surface: one element per triangle, counter-clockwise from outside.
//   volume  V = sum_e V_e,  V_e = (x0 - o) . ((x1 - o) x (x2 - o))/6,  o any point: it cancels over a closed surface
//   constant   E = -p V                                              p [Pa] inside less outside
//   gas        E = -p0 V0 ln(V/V0) + p_out (V - V0),  that is p V = const;  p0 = p + p_out at the rest volume V0
//   liquid     E = K/(2 V0) (V - f V0)^2                             K bulk modulus [Pa], f part of the rest volume that fills it
// Gas and liquid couple all triangles. Value and forces are exact: each element knows the sum V (StepContext::total). The Hessian
// E' d2V + E'' n n^T, n = sum_e dV_e, is dense; instead of n n^T each element takes dV_e dV_e^T/w_e with shares w_e of the
// surface, sum 1. By Cauchy and Schwarz this is never less, and equal for a uniform inflation: Newton's method keeps descending,
// at linear speed where the gas is stiff. Position projection has one row per surface (solver/position_whole.h). Where the matrix needs no projection the dense term itself is solved with (gas.h).
// An element of one triangle alone is not invariant to translations; the closed surface is.
#pragma once
#include "energy/energy.h"
#include <limits>

namespace sinew {

struct PressureVolume {
    static constexpr std::string_view name = "pressure_volume";
    static constexpr std::string_view doc = "pressure inside a closed surface: constant, that of a sealed gas, or that of a liquid which keeps its volume";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 3;
    static constexpr int sample_kinds = 3; // constant, gas, liquid
    struct Params {
        Real pressure = 1000, outside = 101325;
        bool gas = false;
        Real bulk = 0, fill = 1;
        Real volume = 1, weight = 1; // [m^3] at rest, share of the surface: set by the scene compiler
        int origin = -1;             // point whose place at the step's start is o, -1 = the world's origin
    };
    struct Data {
        Real pressure, outside, volume, weight; // liquid: bulk modulus and fill in place of the first two
        std::int64_t law, origin;               // 0 constant, 1 gas, 2 liquid
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("pressure", p.pressure, Field{.unit = "Pa", .doc = "inside less outside; of a gas at the rest volume"});
        v("gas", p.gas, Field{.doc = "pressure times volume stays constant"});
        v("outside", p.outside, Field{.min = 0, .unit = "Pa", .doc = "around the body, acts on a gas"});
        v("bulk", p.bulk, Field{.min = 0, .unit = "Pa", .doc = "bulk modulus of a liquid inside, in place of a pressure: water has 2.2 GPa; 0 = no liquid"});
        v("fill", p.fill, Field{.min = 0, .min_exclusive = true, .doc = "volume of the liquid over that of the body at rest"});
    }
    static Data prepare(const Params& p, const RestView&) {
        if (p.bulk > 0) return {p.bulk, p.fill, p.volume, p.weight, 2, p.origin};
        return {p.pressure, p.outside, p.volume, p.weight, p.gas, p.origin};
    }
    struct Law { // of the whole surface: E, -(pressure inside less outside), and its rate with V
        Real value, first, second;
    };
    static Law law(const Data& d, Real V) {
        if (d.law == 0) return {-d.pressure * V, -d.pressure, 0};
        if (d.law == 2) {
            const Real more = V - d.outside * d.volume, k = d.pressure / d.volume;
            return {0.5 * k * more * more, k * more, k};
        }
        const Real full = (d.pressure + d.outside) * d.volume;
        return {-full * std::log(V / d.volume) + d.outside * (V - d.volume), -full / V + d.outside, full / (V * V)};
    }

    static Real triangle_volume(const Vec3& a, const Vec3& b, const Vec3& c) { return a.dot(b.cross(c)) / 6; }
    // volume of the surface to which element e belongs: elements of one object stand together
    static Real total(const Table& t, const Evaluation& ev, int e) {
        const Data* data = reinterpret_cast<const Data*>(t.data.data());
        if (data[e].law == 0) return 0;
        const Vec3 o = data[e].origin >= 0 && ev.x_now ? vec(ev.x_now[data[e].origin]) : Vec3(Vec3::Zero());
        int begin = e, end = e + 1;
        while (begin > 0 && t.object[begin - 1] == t.object[e]) --begin;
        while (end < t.count() && t.object[end] == t.object[e]) ++end;
        Real sum = 0;
        for (int i = begin; i < end; ++i) {
            const int* id = t.stencil.data() + 3 * i;
            sum += triangle_volume(vec(ev.x[id[0]]) - o, vec(ev.x[id[1]]) - o, vec(ev.x[id[2]]) - o);
        }
        return sum;
    }

    template <int Order> static Local<9, Order> eval(const Data& d, const StepContext& c, const Stencil<3>& s) {
        Local<9, Order> out;
        const Vec3 o = d.origin >= 0 && c.x_now ? vec(c.x_now[d.origin]) : Vec3(Vec3::Zero());
        const Vec3 x0 = s.x[0] - o, x1 = s.x[1] - o, x2 = s.x[2] - o;
        // E' = -(pressure difference), E''
        Real first = -d.pressure, second = 0;
        if (d.law) {
            const Real V = c.total;
            if (d.law == 1 && !(V > 0)) {
                out.value = std::numeric_limits<Real>::infinity();
                if constexpr (Order >= 1) out.gradient.setConstant(std::numeric_limits<Real>::quiet_NaN());
                return out;
            }
            const Law now = law(d, V);
            out.value = d.weight * now.value;
            first = now.first, second = now.second;
        } else {
            out.value = -d.pressure * triangle_volume(x0, x1, x2);
        }
        if constexpr (Order >= 1) {
            VecN<9> n;
            n << x1.cross(x2) / 6, x2.cross(x0) / 6, x0.cross(x1) / 6;
            out.gradient = first * n;
            if constexpr (Order >= 2) {
                const auto cross = [&](const Vec3& a) {
                    Mat3 m;
                    m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
                    return Mat3(first / 6 * m);
                };
                out.hessian.template block<3, 3>(0, 3) = -cross(x2);
                out.hessian.template block<3, 3>(0, 6) = cross(x1);
                out.hessian.template block<3, 3>(3, 6) = -cross(x0);
                out.hessian.template block<3, 3>(3, 0) = cross(x2);
                out.hessian.template block<3, 3>(6, 0) = -cross(x1);
                out.hessian.template block<3, 3>(6, 3) = cross(x0);
                out.hessian += second / d.weight * n * n.transpose();
            }
        }
        return out;
    }
    static Sample<PressureVolume> sample(Rng& rng, int which) {
        Sample<PressureVolume> out{
            {draw_uniform(rng, 1, 5), draw_uniform(rng, 1, 5), draw_uniform(rng, 0.1, 0.3), 1, which, -1}, {}};
        out.at.x = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
        for (Vec3& x : out.at.x) x += draw_vec(rng, -0.2, 0.2);
        return out;
    }
};

} // namespace sinew
