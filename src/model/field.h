// Named velocity fields: wind and prescribed flows u(x, t), used by drag elements and by passive points.
//   u(x,t) = gate(t) * [ base(x,t) + turbulence(x,t) ]
//   base        three expressions over x, y, z, t
//   turbulence  divergence-free: curl of a smooth noise potential, root mean square `speed`, eddy size `size`
//   gate        0 outside [from, until], smooth ramps of length `ease` at both ends
#pragma once
#include "core/expression.h"
#include "core/math.h"
#include "core/signal.h"
#include "sinew/state.h"
#include <memory>

namespace sinew {

struct VelocityField {
    std::string name;
    std::array<Expression, 3> base;   // [m/s] of the slots t, frame, x, y, z
    double fps = 24, first_frame = 0; // for `frame`
    double turbulence_speed = 0;      // [m/s]
    double turbulence_size = 1;       // [m]
    double turbulence_rate = 0;       // [1/s] how fast the eddies change; 0 = frozen
    std::uint64_t seed = 1;
    double from = 0, until = 1e300;   // [s]
    double ease = 0;                  // [s]
    bool is_wind = false;             // blows on everything that has drag and names no field of its own
    Signal scale = make_signal(1);    // of the same slots; live: events may switch a field off (0) and on (1)
};
// A number over position and time: scripted rest lengths, strengths of force fields.
struct ScalarField {
    std::string name;
    Expression value;                 // of the slots t, frame, x, y, z
    double fps = 24, first_frame = 0; // for `frame`
};
struct NamedFields {
    std::vector<VelocityField> velocity;
    std::vector<ScalarField> scalars;
    std::vector<ScalarField> strengths; // one for each force field of the scene, in its order; without code: a constant of the elements
    bool reads_gauges = false;        // any of these
};
struct SpawnContext;                  // scene/spawn.h
struct FieldSet : NamedFields {
    std::shared_ptr<const SpawnContext> spawning; // what spawned objects take from the scene; null = they bring all of their own
};
using Gauges = std::span<const double>; // of the step, see scene/gauge.h
Real value_at(const ScalarField&, const Vec3& x, Real t, Gauges = {});

// u(x, t); if `gradient` is given also du_i/dx_j
Vec3 velocity_at(const VelocityField&, const Vec3& x, Real t, Mat3* gradient = nullptr, Gauges = {});

// The flow that an element meets: of the field of this index, the sum of all winds, or still air (any other index). One sum and not a
// force for each: what moves feels the air once.
inline constexpr int kAllWinds = -2;
Vec3 flow_at(const FieldSet*, std::int64_t field, const Vec3& x, Real t, Mat3* gradient = nullptr, Gauges = {});

// What a state remembers of its last step; empty where no field reads them.
inline constexpr std::string_view kGaugeMemory = "script.gauges";
Gauges find_gauges(const FieldSet*, const std::vector<NamedValues>& memory);

// 0..1: inside [from, until] with smoothstep ramps of length ease at both ends
Real gate(Real t, Real from, Real until, Real ease);

} // namespace sinew
