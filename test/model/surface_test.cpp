// The surface map against finite differences: every kind of vertex alone and in mixed stencils, where several vertices
// share a frame or a point. Test function of the stencil's positions X (12 reals): E = sum_k sin(a_k . X + b_k).
#include "model/surface.h"
#include "core/random.h"
#include "model/builder.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

constexpr int kWaves = 5;
struct Waves {
    std::array<VecN<12>, kWaves> a;
    std::array<Real, kWaves> b;
};

Waves make_waves(Rng& rng) {
    Waves w;
    for (int k = 0; k < kWaves; ++k) {
        for (int i = 0; i < 12; ++i) w.a[k][i] = draw_uniform(rng, -1, 1);
        w.b[k] = draw_uniform(rng, -3, 3);
    }
    return w;
}

Real3 draw3(Rng& rng, Real size) {
    const Real x = draw_uniform(rng, -size, size), y = draw_uniform(rng, -size, size), z = draw_uniform(rng, -size, size);
    return {x, y, z};
}

struct World {
    ModelBuilder b;
    Dofs dofs;
};

// 6 points, 3 frames, 2 embeddings, 3 animated vertices; the surface has one vertex of each kind and more
World make_world(Rng& rng) {
    World w;
    begin_object(w.b, "thing", "test");
    std::vector<Real3> x;
    for (int i = 0; i < 6; ++i) x.push_back(draw3(rng, 1));
    add_points(w.b, x, std::vector<Real>(6, 1.0));
    for (int i = 0; i < 3; ++i) {
        const Vec3 turn = vec(draw3(rng, 2));
        add_frame(w.b, {draw3(rng, 1), real4(exp_rotation(turn))}, 1, {});
        w.b.state.frame.v[i] = draw3(rng, 1);
        w.b.state.frame.w[i] = draw3(rng, 1);
    }
    for (Real3& v : w.b.state.point.v) v = draw3(rng, 1);
    add_surface_points(w.b, {0, 6}, 0);                                          // 0 ... 5
    for (int i = 0; i < 3; ++i) add_surface_vertex_in_frame(w.b, i, draw3(rng, 1), 0); // 6 7 8
    add_surface_vertex_in_frame(w.b, 0, draw3(rng, 1), 0);                       // 9: the frame of 6
    add_embedded_vertex(w.b, {{1, 3, 0, 5}, {0.1, 0.2, 0.3, 0.4}}, 0);           // 10
    add_embedded_vertex(w.b, {{2, 4, -1, -1}, {0.25, 0.75, 0, 0}}, 0);           // 11
    const std::array<Real3, 3> moved{draw3(rng, 1), draw3(rng, 1), draw3(rng, 1)};
    add_animated_vertices(w.b, moved, 0);                                        // 12 13 14
    w.b.state.animated.v = {draw3(rng, 1), draw3(rng, 1), draw3(rng, 1)};
    finish_model(w.b);
    w.dofs = dofs_of(w.b.model);
    return w;
}

// the state after an increment d in the tangent layout
State retract(const World& w, const VecX& d) {
    State s = w.b.state;
    for (int i = 0; i < w.dofs.points; ++i) vec(s.point.x[i]) += d.segment<3>(w.dofs.point_offset(i));
    for (int i = 0; i < w.dofs.frames; ++i) {
        vec(s.frame.p[i]) += d.segment<3>(w.dofs.frame_offset(i));
        s.frame.q[i] = real4(exp_rotation(Vec3(d.segment<3>(w.dofs.frame_offset(i) + 3))) * quat(s.frame.q[i]));
    }
    return s;
}

VecN<12> stencil_positions(const World& w, const State& s, std::span<const int> ids) {
    VecN<12> x = VecN<12>::Zero();
    for (std::size_t i = 0; i < ids.size(); ++i)
        x.segment<3>(3 * i) = vertex_position(w.b.model, surface_state(s), w.b.model.surface.vertices[ids[i]]);
    return x;
}

Real energy(const Waves& f, const VecN<12>& x) {
    Real sum = 0;
    for (int k = 0; k < kWaves; ++k) sum += std::sin(f.a[k].dot(x) + f.b[k]);
    return sum;
}

struct Full {
    VecX gradient;
    MatX hessian;
};

// what push_back gives, spread over all unknowns
Full pushed(const World& w, const Waves& f, const VecX& d, std::span<const int> ids, RotationTerm rotation) {
    const State s = retract(w, d);
    const VecN<12> x = stencil_positions(w, s, ids);
    const int n = 3 * int(ids.size());
    VecN<12> g = VecN<12>::Zero();
    MatN<12> H = MatN<12>::Zero();
    for (int k = 0; k < kWaves; ++k) {
        const Real phase = f.a[k].dot(x) + f.b[k];
        g += std::cos(phase) * f.a[k];
        H -= std::sin(phase) * f.a[k] * f.a[k].transpose();
    }
    const MatX h = H.topLeftCorner(n, n);
    std::vector<SurfaceVertex> vertices;
    for (int i : ids) vertices.push_back(w.b.model.surface.vertices[i]);
    PushedBack out;
    push_back(w.b.model, s.frame, w.dofs, vertices, std::span(g.data(), n), std::span(h.data(), n * n), rotation, out);
    Full full{VecX::Zero(w.dofs.size()), MatX::Zero(w.dofs.size(), w.dofs.size())};
    for (int i = 0; i < out.count; ++i) {
        if (i) { EXPECT_LT(out.block[i - 1], out.block[i]); }
        full.gradient.segment<3>(w.dofs.block_offset(out.block[i])) = Eigen::Map<Vec3>(out.gradient.data() + 3 * i);
        for (int j = 0; j < out.count; ++j)
            full.hessian.block<3, 3>(w.dofs.block_offset(out.block[i]), w.dofs.block_offset(out.block[j])) =
                Eigen::Map<MatX>(out.hessian.data(), out.size(), out.size()).block<3, 3>(3 * i, 3 * j);
    }
    return full;
}

// central differences of the value: first derivatives have error h^2 f'''/6 + eps/h, second ones h^2 f''''/12 + eps/h^2
VecX numeric_gradient(const World& w, const Waves& f, std::span<const int> ids) {
    const Real h = 1e-5;
    VecX g(w.dofs.size());
    for (int i = 0; i < g.size(); ++i) {
        VecX d = VecX::Zero(g.size());
        d[i] = h;
        const Real up = energy(f, stencil_positions(w, retract(w, d), ids));
        const Real down = energy(f, stencil_positions(w, retract(w, -d), ids));
        g[i] = (up - down) / (2 * h);
    }
    return g;
}
MatX numeric_hessian(const World& w, const Waves& f, std::span<const int> ids) {
    const Real h = 1e-4;
    const int n = w.dofs.size();
    MatX H(n, n);
    const auto at = [&](int i, Real a, int j, Real b) {
        VecX d = VecX::Zero(n);
        d[i] += a, d[j] += b;
        return energy(f, stencil_positions(w, retract(w, d), ids));
    };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            H(i, j) = H(j, i) = (at(i, h, j, h) - at(i, h, j, -h) - at(i, -h, j, h) + at(i, -h, j, -h)) / (4 * h * h);
    return H;
}

constexpr Real kGradientError = 1e-8; // h^2 = 1e-10 times third derivatives of about 10, eps/h = 1e-11
constexpr Real kHessianError = 3e-6;  // h^2 = 1e-8 times fourth derivatives of about 100, eps/h^2 = 2e-8

const std::vector<std::vector<int>>& stencils() {
    static const std::vector<std::vector<int>> all{
        {0},                                                            // point
        {6},                                                            // frame
        {10},                                                           // embedded
        {12},                                                           // animated
        {0, 1, 2, 3},  {6, 7, 8, 9},  {6, 9},       {10, 11, 0, 2},     // shared frame, shared points
        {0, 6, 10, 12}, {12, 13, 6, 9}, {10, 10, 6, 6}, {7, 3, 11, 8},  // mixed, a vertex named twice
    };
    return all;
}

TEST(surface_map, gradients_and_hessians_pushed_back_equal_finite_differences_for_every_kind_and_mixture) {
    Rng rng{7, 0, 0};
    for (const std::vector<int>& ids : stencils()) {
        const World w = make_world(rng);
        const Waves f = make_waves(rng);
        const Full got = pushed(w, f, VecX::Zero(w.dofs.size()), ids, RotationTerm::keep);
        EXPECT_LT((got.gradient - numeric_gradient(w, f, ids)).cwiseAbs().maxCoeff(), kGradientError) << ids[0];
        EXPECT_LT((got.hessian - numeric_hessian(w, f, ids)).cwiseAbs().maxCoeff(), kHessianError) << ids[0];
        EXPECT_LT((got.hessian - got.hessian.transpose()).cwiseAbs().maxCoeff(), 1e-14);
    }
}

TEST(surface_map, without_the_rotation_term_the_hessian_of_frames_is_wrong_and_that_of_the_linear_kinds_is_not) {
    Rng rng{8, 0, 0};
    for (const std::vector<int>& ids : stencils()) {
        const World w = make_world(rng);
        const Waves f = make_waves(rng);
        bool frame = false;
        for (int i : ids) frame = frame || w.b.model.surface.vertices[i].kind == SurfaceVertex::frame;
        const Full got = pushed(w, f, VecX::Zero(w.dofs.size()), ids, RotationTerm::drop);
        const Real error = (got.hessian - numeric_hessian(w, f, ids)).cwiseAbs().maxCoeff();
        if (frame) { EXPECT_GT(error, 1e-2); }
        else { EXPECT_LT(error, kHessianError); }
    }
}

TEST(surface_map, one_vertex_pushed_back_adds_the_same_gradient) {
    Rng rng{9, 0, 0};
    const World w = make_world(rng);
    for (int v = 0; v < int(w.b.model.surface.vertices.size()); ++v) {
        const Vec3 g(0.3, -1.1, 0.7);
        const SurfaceVertex& vertex = w.b.model.surface.vertices[v];
        VecX one = VecX::Ones(w.dofs.size()), stencil = VecX::Ones(w.dofs.size());
        push_back(w.b.model, w.b.state.frame, w.dofs, vertex, g, std::span(one.data(), one.size()));
        PushedBack out;
        push_back(w.b.model, w.b.state.frame, w.dofs, std::span(&vertex, 1), std::span(g.data(), 3), {}, RotationTerm::keep, out);
        for (int i = 0; i < out.count; ++i)
            stencil.segment<3>(w.dofs.block_offset(out.block[i])) += Eigen::Map<Vec3>(out.gradient.data() + 3 * i);
        EXPECT_TRUE(one.isApprox(stencil, 1e-15)) << v;
        EXPECT_EQ(out.count == 0, vertex.kind == SurfaceVertex::animated);
    }
}

TEST(surface_map, velocities_are_the_rate_of_positions_along_the_motion_of_the_unknowns) {
    Rng rng{10, 0, 0};
    const World w = make_world(rng);
    const State& s = w.b.state;
    const Real h = 1e-6; // central difference: h^2 times second derivatives, eps/h = 1e-10
    const auto moved = [&](Real t) {
        VecX d = VecX::Zero(w.dofs.size());
        for (int i = 0; i < w.dofs.points; ++i) d.segment<3>(w.dofs.point_offset(i)) = t * vec(s.point.v[i]);
        for (int i = 0; i < w.dofs.frames; ++i) {
            d.segment<3>(w.dofs.frame_offset(i)) = t * vec(s.frame.v[i]);
            d.segment<3>(w.dofs.frame_offset(i) + 3) = t * vec(s.frame.w[i]);
        }
        State out = retract(w, d);
        for (int i = 0; i < 3; ++i) vec(out.animated.x[i]) += t * vec(s.animated.v[i]);
        return out;
    };
    const auto parallel = make_parallel(Context{.threads = 1});
    const std::size_t n = w.b.model.surface.vertices.size();
    std::vector<Real3> up(n), down(n), v(n);
    surface_positions(*parallel, w.b.model, surface_state(moved(h)), up);
    surface_positions(*parallel, w.b.model, surface_state(moved(-h)), down);
    surface_velocities(*parallel, w.b.model, surface_state(s), v);
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_LT((vec(v[i]) - (vec(up[i]) - vec(down[i])) / (2 * h)).norm(), 1e-9) << i;
}

TEST(surface_map, knows_which_vertices_can_move_and_which_are_dead) {
    Rng rng{11, 0, 0};
    World w = make_world(rng);
    Model& m = w.b.model;
    for (int i : {1, 3, 0}) m.point.flags[i] |= kFixed;
    m.frame.flags[1] |= kFixed;
    EXPECT_FALSE(is_movable(m, m.surface.vertices[1]));
    EXPECT_TRUE(is_movable(m, m.surface.vertices[2]));
    EXPECT_FALSE(is_movable(m, m.surface.vertices[7]));
    EXPECT_TRUE(is_movable(m, m.surface.vertices[10])); // point 5 of it is free
    m.point.flags[5] |= kFixed;
    EXPECT_FALSE(is_movable(m, m.surface.vertices[10]));
    EXPECT_FALSE(is_movable(m, m.surface.vertices[12]));
    const std::vector<std::uint8_t> alive{1, 1, 0, 1, 1, 1};
    EXPECT_FALSE(is_alive(m, alive, m.surface.vertices[2]));
    EXPECT_FALSE(is_alive(m, alive, m.surface.vertices[11]));
    EXPECT_TRUE(is_alive(m, alive, m.surface.vertices[10]));
    EXPECT_TRUE(is_alive(m, alive, m.surface.vertices[6]));
}

TEST(surface_map, animated_vertices_go_straight_to_their_targets_within_the_step) {
    Rng rng{12, 0, 0};
    const World w = make_world(rng);
    Input input;
    for (int i = 0; i < 3; ++i) input.animated.push_back(draw3(rng, 1));
    const Real dt = 0.04;
    AnimatedState at;
    for (Real part : {0.0, 0.25, 1.0}) {
        place_animated(w.b.model, input, w.b.state, part * dt, dt, at);
        for (int i = 0; i < 3; ++i) {
            const Vec3 a = vec(w.b.state.animated.x[i]), b = vec(input.animated[i]);
            EXPECT_LT((vec(at.x[i]) - (a + part * (b - a))).norm(), 1e-15); // rounding
            EXPECT_LT((vec(at.v[i]) - (b - a) / dt).norm(), 1e-13);
            if (part == 1) { EXPECT_TRUE(at.x[i] == input.animated[i]); }
        }
    }
    // without targets they stay
    place_animated(w.b.model, {}, w.b.state, dt, dt, at);
    EXPECT_TRUE(at.x == w.b.state.animated.x);
    EXPECT_TRUE(at.v[0] == Real3{});
}

} // namespace
} // namespace sinew
