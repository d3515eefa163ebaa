// The surface map: where surface vertices are, and how what acts on them reaches the unknowns. The only functions that
// know the kinds of surface vertices.
//   point      x = x_k                    J = I
//   frame      x = p + r, r = q local     J = [ I, -r* ]     d2(g.x)/dtheta2 = (g r^T + r g^T)/2 - (g.r) I
//   embedded   x = sum_k w_k x_k          J = [ w_k I ]
//   animated   x given                    no unknowns
// theta is the world rotation vector of the tangent layout (model/dofs.h), q <- exp(theta) q. The second derivative of
// E(x(d)) at d = 0 is J^T H J + sum_i g_i . d2x_i/dd2: the second sum is there for frames only, and lies in the
// 3 x 3 block of the rotation.
#pragma once
#include "core/math.h"
#include "core/parallel.h"
#include "model/dofs.h"
#include "sinew/state.h"

namespace sinew {

// The part of a state that the surface depends on; what it refers to must outlive it.
struct SurfaceState {
    const PointState& point;
    const FrameState& frame;
    const AnimatedState& animated;
};
inline SurfaceState surface_state(const State& s) { return {s.point, s.frame, s.animated}; }

Vec3 vertex_position(const Model&, const SurfaceState&, const SurfaceVertex&);
Vec3 vertex_velocity(const Model&, const SurfaceState&, const SurfaceVertex&);
void surface_positions(const Parallel&, const Model&, const SurfaceState&, std::span<Real3> out);
void surface_velocities(const Parallel&, const Model&, const SurfaceState&, std::span<Real3> out);

// true if a solver may move it: some of its unknowns are not held
bool is_movable(const Model&, const SurfaceVertex&);
// false if it belongs to dead points (`alive` may be empty: all are alive)
bool is_alive(const Model&, std::span<const std::uint8_t> alive, const SurfaceVertex&);

// Blocks of unknowns (3 reals each, Dofs::block_offset) that a vertex depends on, ascending, and dx/d(block).
struct VertexJacobian {
    int count = 0;
    std::array<int, 4> block;
    std::array<Mat3, 4> J;
};
void build_jacobian(const Model&, const FrameState&, const Dofs&, const SurfaceVertex&, VertexJacobian&);

// g (tangent layout) += J^T g_surface for one vertex
void push_back(const Model&, const FrameState&, const Dofs&, const SurfaceVertex&, const Vec3& g_surface, std::span<Real> g);

// Derivatives of a function of up to four surface vertices with respect to the unknowns behind them.
inline constexpr int kMaxPushedBlocks = 16; // four embedded vertices
struct PushedBack {
    int count = 0;                              // blocks
    std::array<int, kMaxPushedBlocks> block;    // ascending, each once
    std::array<Real, 3 * kMaxPushedBlocks> gradient;                          // 3 count
    std::array<Real, 9 * kMaxPushedBlocks * kMaxPushedBlocks> hessian;        // 3 count x 3 count, column-major
    int size() const { return 3 * count; }
};
enum class RotationTerm { keep, drop }; // drop: J^T H J alone, which is positive semi-definite where H is
// g_surface: 3 per vertex; h_surface: (3 n) x (3 n) column-major, symmetric; empty = no Hessian
void push_back(const Model&, const FrameState&, const Dofs&, std::span<const SurfaceVertex> vertices,
               std::span<const Real> g_surface, std::span<const Real> h_surface, RotationTerm, PushedBack& out);

// Animated vertices at now.time + elapsed of a step of length dt: straight from where they are to Input.animated.
void place_animated(const Model&, const Input&, const State& now, Real elapsed, Real dt, AnimatedState&);

} // namespace sinew
