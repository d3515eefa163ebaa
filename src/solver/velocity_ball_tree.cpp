// Trees whose links are all rigid ball joints, which chains and dolls are: the steps of velocity_tree.cpp with two arms for every
// link instead of levers of 3 x 6. With J = -/+ (1, -S(r)) on body a and b, S(r) u = r x u,
//   C = x_b + r_b - x_a - r_a,   J u = v_b + w_b x r_b - v_a - w_a x r_a
//   K_kl = +-(1/m + M_k S(r_l)^T),  M = S(r) W         links k, l at one body; + on the same side
//   W J^T p = +-(p/m, -M^T p)
// Arms come from the joints' own data, not through the Rows. The oracle is the general way (TreeOptions.special = false).
#include "constraint/joint_ball.h"
#include "core/small_turn.h"
#include "solver/velocity_tree_body.h"

namespace sinew {

namespace {

// q v; written out, because this is called for every arm
Vec3 rotate(const Real4& q, const Real3& v) {
    const Real tx = 2 * (q.y * v.z - q.z * v.y), ty = 2 * (q.z * v.x - q.x * v.z), tz = 2 * (q.x * v.y - q.y * v.x);
    return {v.x + q.w * tx + q.y * tz - q.z * ty, v.y + q.w * ty + q.z * tx - q.x * tz, v.z + q.w * tz + q.x * ty - q.y * tx};
}

// S(r) W
void weigh(const Vec3& r, const Mat3& W, Real* m) {
    for (int j = 0; j < 3; ++j) {
        m[j] = r[1] * W(2, j) - r[2] * W(1, j);
        m[3 + j] = r[2] * W(0, j) - r[0] * W(2, j);
        m[6 + j] = r[0] * W(1, j) - r[1] * W(0, j);
    }
}
// M S(r)^T
void turn_block(const Real* m, const Vec3& r, Real* out) {
    for (int i = 0; i < 3; ++i) {
        const Real* at = m + 3 * i;
        out[3 * i] = at[2] * r[1] - at[1] * r[2];
        out[3 * i + 1] = at[0] * r[2] - at[2] * r[0];
        out[3 * i + 2] = at[1] * r[0] - at[0] * r[1];
    }
}

// arms and C where the bodies are
void place(TreeWalker& d) {
    for (BallLink& l : d.t.balls) {
        const TreeBody &a = d.t.bodies[l.body[0]], &b = d.t.bodies[l.body[1]];
        l.arm[0] = rotate(d.s.frame.q[a.frame], l.local[0]);
        l.arm[1] = rotate(d.s.frame.q[b.frame], l.local[1]);
        l.c = (vec(d.s.frame.p[b.frame]) + l.arm[1]) - (vec(d.s.frame.p[a.frame]) + l.arm[0]);
    }
}

void add_stiffness(TreeWalker& d) {
    for (TreeBody& b : d.t.bodies) b.K.setZero();
    for (std::size_t k = 0; k < d.t.balls.size(); ++k) {
        const BallLink& l = d.t.balls[k];
        const Vec3 f = Eigen::Map<const Vec3>(d.t.impulse.data() + 3 * k) / d.h;
        if (TreeBody& b = d.t.bodies[l.body[0]]; b.moves) add_turn_stiffness(l.arm[0], -f, b.K);
        if (TreeBody& b = d.t.bodies[l.body[1]]; b.moves) add_turn_stiffness(l.arm[1], f, b.K);
    }
}

void build_responses(TreeWalker& d) {
    for (BallLink& l : d.t.balls)
        for (int side = 0; side < 2; ++side)
            if (const TreeBody& b = d.t.bodies[l.body[side]]; b.moves) weigh(l.arm[side], b.W, l.weighed[side]);
}

bool factor(TreeWalker& d, Real trace) {
    JointTree& t = d.t;
    std::fill(t.matrix.value.begin(), t.matrix.value.end(), 0.0);
    Real part[9];
    for (std::size_t k = 0; k < t.balls.size(); ++k) {
        const BallLink& l = t.balls[k];
        Real* to = t.matrix.block(int(k));
        for (int side = 0; side < 2; ++side) {
            const TreeBody& b = t.bodies[l.body[side]];
            if (!b.moves) continue;
            turn_block(l.weighed[side], l.arm[side], part);
            for (int i = 0; i < 9; ++i) to[i] += part[i];
            for (int i = 0; i < 9; i += 4) to[i] += b.inverse_mass;
        }
        for (int i = 0; i < 9; i += 4) to[i] += trace * to[i];
    }
    for (const TreeCoupling& c : t.couplings) {
        const BallLink &k = t.balls[c.k], &l = t.balls[c.l];
        Real* to = t.matrix.block(c.block);
        turn_block(k.weighed[c.side_k], l.arm[c.side_l], part);
        for (int i = 0; i < 9; i += 4) part[i] += t.bodies[k.body[c.side_k]].inverse_mass;
        const Real sign = c.side_k == c.side_l ? 1 : -1;
        for (int i = 0; i < 9; ++i) to[i] += sign * part[i];
    }
    return factor_block_chain(t.matrix);
}

// bodies without mass are none: what is left are arms in line, which round to an indefinite matrix
bool factor(TreeWalker& d) {
    for (Real trace = kTreeTrace; trace < 1; trace *= 1e3)
        if (factor(d, trace)) return true;
    return false;
}

Vec3 speed_at(const TreeBody& b, const Vec3& r) { return b.u.head<3>() + b.u.tail<3>().cross(r); }
Vec3 rate(const TreeWalker& d, const BallLink& l) {
    return speed_at(d.t.bodies[l.body[1]], l.arm[1]) - speed_at(d.t.bodies[l.body[0]], l.arm[0]);
}

// h/2 k, the chord of the way
void set_bias(TreeWalker& d) {
    for (std::size_t k = 0; k < d.t.balls.size(); ++k) {
        const BallLink& l = d.t.balls[k];
        const auto bend = [&](int side) {
            const Vec3 w = d.t.bodies[l.body[side]].u.tail<3>();
            return Vec3(w.cross(w.cross(l.arm[side])));
        };
        Eigen::Map<Vec3>(d.t.bias.data() + 3 * k) = 0.5 * d.h * (bend(1) - bend(0));
    }
}

// u += W J^T p
void push(TreeWalker& d, const Real* p) {
    for (const BallLink& l : d.t.balls) {
        for (int side = 0; side < 2; ++side) {
            TreeBody& b = d.t.bodies[l.body[side]];
            if (!b.moves) continue;
            const Real sign = side == 0 ? -1 : 1, x = sign * p[0], y = sign * p[1], z = sign * p[2];
            const Real* m = l.weighed[side];
            b.u[0] += b.inverse_mass * x, b.u[1] += b.inverse_mass * y, b.u[2] += b.inverse_mass * z;
            for (int i = 0; i < 3; ++i) b.u[3 + i] -= m[i] * x + m[3 + i] * y + m[6 + i] * z;
        }
        p += 3;
    }
}

void solve_velocities(TreeWalker& d) {
    JointTree& t = d.t;
    for (std::size_t k = 0; k < t.balls.size(); ++k)
        Eigen::Map<Vec3>(t.right.data() + 3 * k) = -rate(d, t.balls[k]) - Eigen::Map<const Vec3>(t.bias.data() + 3 * k);
    solve_block_chain(t.matrix, t.right);
    push(d, t.right.data());
    t.impulse.swap(t.right);
}

Real residual(const TreeWalker& d) {
    Real worst = 0;
    for (std::size_t k = 0; k < d.t.balls.size(); ++k)
        worst = std::max(worst, (rate(d, d.t.balls[k]) + Eigen::Map<const Vec3>(d.t.bias.data() + 3 * k)).lpNorm<Eigen::Infinity>());
    return worst;
}

// the factor's own arms go on: C is measured with the new ones, and read into the right-hand side
Real read_errors(TreeWalker& d) {
    Real worst = 0;
    for (std::size_t k = 0; k < d.t.balls.size(); ++k) {
        const Vec3& c = d.t.balls[k].c;
        Eigen::Map<Vec3>(d.t.right.data() + 3 * k) = -c;
        worst = std::max(worst, c.lpNorm<Eigen::Infinity>());
    }
    return worst;
}

// Newton's method for C = 0, a factor for as long as it brings the error down well. Returns the rounds; adds the work of the forces.
int take_back(TreeWalker& d, Real& work) {
    JointTree& t = d.t;
    Real last = 0;
    for (int round = 0; round < kTreeRounds; ++round) {
        place(d);
        const Real worst = read_errors(d);
        if (!(worst > kTreeNoError)) return round;
        if (!(worst < kTreeGain * last)) {
            build_responses(d);
            if (!factor(d)) return round;
        }
        last = worst;
        const auto shift = [&] {
            solve_block_chain(t.matrix, t.right);
            for (TreeBody& b : t.bodies) b.u.setZero();
            push(d, t.right.data());
        };
        shift();
        for (int k = 0; k < kTreeSlower && t.workless && slow_turns(d, 1); ++k) {
            read_errors(d);
            build_responses(d);
            if (!factor(d)) return round;
            shift();
        }
        for (TreeBody& b : t.bodies) {
            if (!b.moves) continue;
            work += force_work(d, b, b.u);
            vec(d.s.frame.p[b.frame]) += b.u.head<3>();
            d.s.frame.q[b.frame] = real4(turned(exp_turn(b.u.tail<3>()), quat(d.s.frame.q[b.frame])));
        }
        if (worst < kTreeSmallError) return round + 1;
    }
    return kTreeRounds;
}

bool moves_together(TreeWalker& d) {
    set_bias(d);
    Real worst = 0, chord = 0;
    for (std::size_t k = 0; k < d.t.balls.size(); ++k) {
        worst = std::max(worst, rate(d, d.t.balls[k]).norm());
        chord = std::max(chord, Eigen::Map<const Vec3>(d.t.bias.data() + 3 * k).norm());
    }
    return moves_together(d, worst, chord);
}

void begin(TreeWalker& d) {
    JointTree& t = d.t;
    load_bodies(d);
    for (std::size_t k = 0; k < t.balls.size(); ++k) {
        const int source = t.links[k].source;
        const Table& table = d.from.constraints[d.from.rows.key[source] >> 40];
        const auto e = std::size_t(d.from.rows.key[source] & ((std::uint64_t(1) << 40) - 1));
        t.balls[k].local = reinterpret_cast<const JointBall::Data*>(table.data.data())[e].anchor.local;
        std::copy_n(d.q.impulse.data() + d.q.groups[t.links[k].group].row, 3, t.impulse.data() + 3 * k);
    }
    place(d);
    d.h = d.o.dt; // impulses are forces times it
    add_stiffness(d);
    t.workless = t.held && !is_driven_tree(d);
    t.together = t.workless && moves_together(d);
    t.substeps = find_substeps(d);
    d.h = d.o.dt / t.substeps;
}

} // namespace

void step_ball_tree(TreeWalker& d) {
    begin(d);
    JointTree& t = d.t;
    const auto look = [&] {
        place(d);
        add_stiffness(d);
    };
    const auto solve = [&] {
        build_responses(d);
        if (factor(d)) solve_velocities(d);
        t.result.residual = residual(d);
    };
    const int solves = walk_tree(d, look, [&] { set_bias(d); }, solve);
    store_bodies(d);
    for (std::size_t k = 0; k < t.balls.size(); ++k)
        for (int i = 0; i < 3; ++i) d.q.impulse[d.q.groups[t.links[k].group].row + i] = t.impulse[3 * k + i] * t.substeps;
    Real work = 0;
    t.result.iterations = solves + take_back(d, work);
    pay_for_places(d, work);
}

} // namespace sinew
