#include "model/field.h"
#include "core/hash.h"
#include "core/random.h"

namespace sinew {

Real gate(Real t, Real from, Real until, Real ease) {
    if (t < from || t > until) return 0;
    if (ease <= 0) return 1;
    const auto ramp = [](Real u) { return u >= 1 ? 1.0 : u <= 0 ? 0.0 : u * u * (3 - 2 * u); };
    return ramp((t - from) / ease) * ramp((until - t) / ease);
}

namespace {

// Turbulence as a sum of transverse waves:  u(x,t) = sum_k a_k (d_k x e_k) cos(w_k . x + r_k t + phase),
// each divergence-free because its direction is orthogonal to its wave vector w_k. Wavelengths spread over one octave
// around `size`. Smooth, with exact derivatives, cheap, and random access by seed.
constexpr int kWaves = 12;

Vec3 turbulence(const VelocityField& f, const Vec3& x, Real t, Mat3* gradient) {
    Vec3 u = Vec3::Zero();
    // rms of one wave with amplitude a is a/sqrt(2); kWaves independent ones add in squares
    const Real amplitude = f.turbulence_speed * std::sqrt(2.0 / kWaves);
    for (int k = 0; k < kWaves; ++k) {
        Rng rng{f.seed, 0x7475726275ull, std::uint64_t(64 * k)};
        const Vec3 direction = vec(draw_unit_vector(rng));
        rng.index = 64 * k + 32;
        const Vec3 across = vec(draw_unit_vector(rng)).cross(direction).normalized();
        rng.index = 64 * k + 60;
        const Real length = f.turbulence_size * std::exp2(draw_uniform(rng, -0.5, 0.5));
        const Real phase = draw_uniform(rng, 0, 2 * kPi), rate = f.turbulence_rate * draw_uniform(rng, -1, 1);
        const Vec3 wave = 2 * kPi / length * direction;
        const Real angle = wave.dot(x) + 2 * kPi * rate * t + phase;
        u += amplitude * std::cos(angle) * across;
        if (gradient) *gradient -= amplitude * std::sin(angle) * across * wave.transpose();
    }
    return u;
}

} // namespace

Real value_at(const ScalarField& f, const Vec3& x, Real t, Gauges gauges) {
    return evaluate(f.value, std::array<Real, 5>{t, t * f.fps + f.first_frame, x.x(), x.y(), x.z()}, gauges); // kSpaceSlots
}

Vec3 velocity_at(const VelocityField& f, const Vec3& x, Real t, Mat3* gradient, Gauges gauges) {
    if (gradient) gradient->setZero();
    const std::array<Real, 5> slots{t, t * f.fps + f.first_frame, x.x(), x.y(), x.z()}; // kSpaceSlots
    static constexpr std::array<int, 3> xyz{2, 3, 4};
    const Real gated = gate(t, f.from, f.until, f.ease), open = gated * evaluate(f.scale, slots, gauges);
    const bool slopes = gradient && !is_constant(f.scale);
    if (open == 0 && !slopes) return Vec3::Zero();
    Vec3 u = Vec3::Zero();
    for (int i = 0; i < 3; ++i) {
        if (!gradient) {
            u[i] = evaluate(f.base[i], slots, gauges);
            continue;
        }
        const ValueGradient g = evaluate_gradient(f.base[i], slots, xyz, gauges);
        u[i] = g.value;
        for (int j = 0; j < 3; ++j) (*gradient)(i, j) = g.gradient[j];
    }
    if (f.turbulence_speed > 0) u += turbulence(f, x, t, gradient);
    if (gradient) *gradient *= open;
    if (slopes) {
        const ValueGradient g = evaluate_gradient(f.scale.expression, slots, xyz, gauges);
        *gradient += gated * u * Eigen::Map<const Vec3>(g.gradient).transpose();
    }
    return open * u;
}

Gauges find_gauges(const FieldSet* fields, const std::vector<NamedValues>& memory) {
    if (!fields || !fields->reads_gauges) return {};
    for (const NamedValues& a : memory)
        if (a.name == kGaugeMemory) return a.values;
    return {};
}

Vec3 flow_at(const FieldSet* fields, std::int64_t field, const Vec3& x, Real t, Mat3* gradient, Gauges gauges) {
    if (gradient) gradient->setZero();
    if (!fields) return Vec3::Zero();
    if (field >= 0) return velocity_at(fields->velocity[std::size_t(field)], x, t, gradient, gauges);
    Vec3 u = Vec3::Zero();
    if (field != kAllWinds) return u;
    for (const VelocityField& f : fields->velocity) {
        if (!f.is_wind) continue;
        Mat3 part;
        u += velocity_at(f, x, t, gradient ? &part : nullptr, gauges);
        if (gradient) *gradient += part;
    }
    return u;
}

} // namespace sinew
