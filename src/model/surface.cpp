#include "model/surface.h"
#include <algorithm>

namespace sinew {

Vec3 vertex_position(const Model& m, const SurfaceState& s, const SurfaceVertex& v) {
    switch (v.kind) {
    case SurfaceVertex::point: return vec(s.point.x[v.index]);
    case SurfaceVertex::frame: return vec(s.frame.p[v.index]) + quat(s.frame.q[v.index]) * vec(v.local);
    case SurfaceVertex::animated: return vec(s.animated.x[v.index]);
    case SurfaceVertex::embedded: break;
    }
    const Embedding& e = m.surface.embeddings[v.index];
    Vec3 x = Vec3::Zero();
    for (int k = 0; k < 4; ++k)
        if (e.point[k] >= 0) x += e.weight[k] * vec(s.point.x[e.point[k]]);
    return x;
}

Vec3 vertex_velocity(const Model& m, const SurfaceState& s, const SurfaceVertex& v) {
    switch (v.kind) {
    case SurfaceVertex::point: return vec(s.point.v[v.index]);
    case SurfaceVertex::frame: {
        const Vec3 r = quat(s.frame.q[v.index]) * vec(v.local);
        return vec(s.frame.v[v.index]) + vec(s.frame.w[v.index]).cross(r);
    }
    case SurfaceVertex::animated: return vec(s.animated.v[v.index]);
    case SurfaceVertex::embedded: break;
    }
    const Embedding& e = m.surface.embeddings[v.index];
    Vec3 u = Vec3::Zero();
    for (int k = 0; k < 4; ++k)
        if (e.point[k] >= 0) u += e.weight[k] * vec(s.point.v[e.point[k]]);
    return u;
}

void surface_positions(const Parallel& parallel, const Model& m, const SurfaceState& s, std::span<Real3> out) {
    parallel_for(parallel, int(m.surface.vertices.size()), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) out[i] = real3(vertex_position(m, s, m.surface.vertices[i]));
    });
}

void surface_velocities(const Parallel& parallel, const Model& m, const SurfaceState& s, std::span<Real3> out) {
    parallel_for(parallel, int(m.surface.vertices.size()), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) out[i] = real3(vertex_velocity(m, s, m.surface.vertices[i]));
    });
}

bool is_movable(const Model& m, const SurfaceVertex& v) {
    const auto free_point = [&](int i) { return !(m.point.flags[i] & (kFixed | kPassive)); };
    switch (v.kind) {
    case SurfaceVertex::point: return free_point(v.index);
    case SurfaceVertex::frame: return !(m.frame.flags[v.index] & kFixed);
    case SurfaceVertex::animated: return false;
    case SurfaceVertex::embedded: break;
    }
    const Embedding& e = m.surface.embeddings[v.index];
    for (int k = 0; k < 4; ++k)
        if (e.point[k] >= 0 && free_point(e.point[k])) return true;
    return false;
}

bool is_alive(const Model& m, std::span<const std::uint8_t> alive, const SurfaceVertex& v) {
    if (alive.empty() || v.kind == SurfaceVertex::frame || v.kind == SurfaceVertex::animated) return true;
    if (v.kind == SurfaceVertex::point) return alive[v.index];
    for (int p : m.surface.embeddings[v.index].point)
        if (p >= 0 && !alive[p]) return false;
    return true;
}

void build_jacobian(const Model& m, const FrameState& frames, const Dofs& dofs, const SurfaceVertex& v, VertexJacobian& out) {
    out.count = 0;
    const auto add = [&](int block, const Mat3& J) {
        out.block[out.count] = block;
        out.J[out.count++] = J;
    };
    switch (v.kind) {
    case SurfaceVertex::point: add(dofs.point_block(v.index), Mat3::Identity()); return;
    case SurfaceVertex::frame:
        add(dofs.frame_block(v.index), Mat3::Identity());
        add(dofs.frame_block(v.index) + 1, -skew(quat(frames.q[v.index]) * vec(v.local))); // dx = theta x r
        return;
    case SurfaceVertex::animated: return;
    case SurfaceVertex::embedded: break;
    }
    // ascending, and a point that an element names twice once
    const Embedding& e = m.surface.embeddings[v.index];
    std::array<int, 4> order{0, 1, 2, 3};
    std::sort(order.begin(), order.end(), [&](int a, int b) { return e.point[a] < e.point[b]; });
    for (int k : order) {
        if (e.point[k] < 0) continue;
        const int block = dofs.point_block(e.point[k]);
        if (out.count && out.block[out.count - 1] == block) out.J[out.count - 1] += e.weight[k] * Mat3::Identity();
        else add(block, e.weight[k] * Mat3::Identity());
    }
}

void push_back(const Model& m, const FrameState& frames, const Dofs& dofs, const SurfaceVertex& v, const Vec3& g_surface,
               std::span<Real> g) {
    VertexJacobian jacobian;
    build_jacobian(m, frames, dofs, v, jacobian);
    for (int k = 0; k < jacobian.count; ++k)
        Eigen::Map<Vec3>(g.data() + dofs.block_offset(jacobian.block[k])) += jacobian.J[k].transpose() * g_surface;
}

namespace {

using DenseMap = Eigen::Map<MatX>;

int place_of_block(const PushedBack& out, int block) {
    return int(std::lower_bound(out.block.begin(), out.block.begin() + out.count, block) - out.block.begin());
}

void collect_blocks(std::span<const VertexJacobian> jacobians, PushedBack& out) {
    out.count = 0;
    for (const VertexJacobian& j : jacobians)
        for (int k = 0; k < j.count; ++k) out.block[out.count++] = j.block[k];
    std::sort(out.block.begin(), out.block.begin() + out.count);
    out.count = int(std::unique(out.block.begin(), out.block.begin() + out.count) - out.block.begin());
}

// J^T H J, one pair of vertices after another
void add_hessian(std::span<const VertexJacobian> jacobians, std::span<const Real> h, DenseMap& to, const PushedBack& out) {
    const int n = int(jacobians.size());
    const Eigen::Map<const MatX> H(h.data(), 3 * n, 3 * n);
    for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) {
            const Mat3 block = H.block<3, 3>(3 * a, 3 * b);
            for (int i = 0; i < jacobians[a].count; ++i)
                for (int j = 0; j < jacobians[b].count; ++j)
                    to.block<3, 3>(3 * place_of_block(out, jacobians[a].block[i]),
                                   3 * place_of_block(out, jacobians[b].block[j])) +=
                        jacobians[a].J[i].transpose() * block * jacobians[b].J[j];
        }
}

// sum_i g_i . d2x_i/dtheta2
void add_rotation_term(const FrameState& frames, const Dofs& dofs, std::span<const SurfaceVertex> vertices,
                       std::span<const Real> g, DenseMap& to, const PushedBack& out) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        if (vertices[i].kind != SurfaceVertex::frame) continue;
        const Vec3 r = quat(frames.q[vertices[i].index]) * vec(vertices[i].local);
        const Vec3 f = Eigen::Map<const Vec3>(g.data() + 3 * i);
        const int at = 3 * place_of_block(out, dofs.frame_block(vertices[i].index) + 1);
        to.block<3, 3>(at, at) += 0.5 * (f * r.transpose() + r * f.transpose()) - f.dot(r) * Mat3::Identity();
    }
}

} // namespace

void push_back(const Model& m, const FrameState& frames, const Dofs& dofs, std::span<const SurfaceVertex> vertices,
               std::span<const Real> g_surface, std::span<const Real> h_surface, RotationTerm rotation, PushedBack& out) {
    std::array<VertexJacobian, 4> jacobians;
    const std::size_t n = std::min(vertices.size(), jacobians.size());
    for (std::size_t i = 0; i < n; ++i) build_jacobian(m, frames, dofs, vertices[i], jacobians[i]);
    const std::span<const VertexJacobian> used(jacobians.data(), n);
    collect_blocks(used, out);
    std::fill_n(out.gradient.begin(), out.size(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (int k = 0; k < used[i].count; ++k)
            Eigen::Map<Vec3>(out.gradient.data() + 3 * place_of_block(out, used[i].block[k])) +=
                used[i].J[k].transpose() * Eigen::Map<const Vec3>(g_surface.data() + 3 * i);
    if (h_surface.empty()) return;
    std::fill_n(out.hessian.begin(), out.size() * out.size(), 0.0);
    DenseMap to(out.hessian.data(), out.size(), out.size());
    add_hessian(used, h_surface, to, out);
    if (rotation == RotationTerm::keep) add_rotation_term(frames, dofs, vertices.first(n), g_surface, to, out);
}

void place_animated(const Model& m, const Input& input, const State& now, Real elapsed, Real dt, AnimatedState& out) {
    const std::size_t count = std::size_t(animated_count(m));
    out.x.resize(count);
    out.v.resize(count);
    const bool moves = input.animated.size() == count && dt > 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 v = moves ? Vec3((vec(input.animated[i]) - vec(now.animated.x[i])) / dt) : Vec3(Vec3::Zero());
        // the end is hit exactly
        out.x[i] = moves && elapsed == dt ? input.animated[i] : real3(vec(now.animated.x[i]) + elapsed * v);
        out.v[i] = real3(v);
    }
}

} // namespace sinew
