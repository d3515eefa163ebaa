#include "solver/velocity_build.h"
#include "solver/free_rotation.h"
#include "model/surface.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kFrameGrain = 256;

void build_frame(const Model& m, const State& s, int f, RowProblem& q) {
    const int b = point_count(m) + f;
    q.x[b] = vec(s.frame.p[f]);
    q.v[b] = vec(s.frame.v[f]);
    q.w[b] = vec(s.frame.w[f]);
    q.inverse_mass[b] = 0;
    q.inverse_inertia[b] = Mat3::Zero();
    if ((m.frame.flags[f] & kFixed) || !(m.frame.mass[f] > 0)) return;
    q.inverse_mass[b] = 1 / m.frame.mass[f];
    const Mat3 I = mat(m.frame.inertia[f]);
    if (is_round(I)) {
        q.inverse_inertia[b].diagonal().setConstant(1 / I(0, 0));
        return;
    }
    const Mat3 r = quat(s.frame.q[f]).toRotationMatrix();
    q.inverse_inertia[b] = r * I.inverse() * r.transpose();
}

void begin_bodies(const Model& m, const State& s, RowProblem& q) {
    const int points = point_count(m), frames = frame_count(m);
    q.x.resize(points + frames);
    q.v.resize(points + frames);
    q.w.resize(points + frames);
    q.inverse_mass.resize(points + frames);
    q.inverse_inertia.resize(points + frames);
    for (int i = 0; i < points; ++i) {
        q.x[i] = vec(s.point.x[i]);
        q.v[i] = vec(s.point.v[i]);
        q.w[i] = Vec3::Zero();
        q.inverse_mass[i] = 0;
        q.inverse_inertia[i] = Mat3::Zero();
        const bool alive = s.point.alive.empty() || s.point.alive[i];
        if (alive && !(m.point.flags[i] & (kFixed | kPassive)) && m.point.mass[i] > 0) q.inverse_mass[i] = 1 / m.point.mass[i];
    }
}

} // namespace

void build_bodies(const Model& m, const State& s, RowProblem& q) {
    begin_bodies(m, s, q);
    for (int f = 0; f < frame_count(m); ++f) build_frame(m, s, f, q);
}

void build_bodies(const Parallel& parallel, const Model& m, const State& s, RowProblem& q) {
    begin_bodies(m, s, q);
    parallel_for(parallel, frame_count(m), kFrameGrain, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) build_frame(m, s, f, q);
    });
}

namespace {

// bodies behind a stencil: weight and arm each; what moves from outside adds to the drive
struct Sides {
    std::array<int, 16> body;
    std::array<Real, 16> weight;
    std::array<Vec3, 16> arm;
    int count = 0;
    Vec3 drive = Vec3::Zero();
    std::array<bool, 2> driven{}; // vertices of the side + or - that move from outside
};

void find_sides(const Model& m, const State& s, const ContactStencil& stencil, Sides& out) {
    out.count = 0;
    out.drive = Vec3::Zero();
    out.driven = {};
    const auto add = [&](int body, Real weight, const Vec3& arm) {
        out.body[out.count] = body;
        out.weight[out.count] = weight;
        out.arm[out.count++] = arm;
    };
    for (int k = 0; k < stencil.count; ++k) {
        const SurfaceVertex& v = stencil.vertex[k];
        const Real w = stencil.weight[k];
        switch (v.kind) {
        case SurfaceVertex::point: add(v.index, w, Vec3::Zero()); break;
        case SurfaceVertex::frame: add(point_count(m) + v.index, w, quat(s.frame.q[v.index]) * vec(v.local)); break;
        case SurfaceVertex::embedded: {
            const Embedding& e = m.surface.embeddings[v.index];
            for (int i = 0; i < 4; ++i)
                if (e.point[i] >= 0 && e.weight[i] != 0) add(e.point[i], w * e.weight[i], Vec3::Zero());
            break;
        }
        case SurfaceVertex::animated: out.drive += w * vec(s.animated.v[v.index]), out.driven[w > 0 ? 0 : 1] = true; break;
        }
    }
}

// Whether each side is one body, -1 = moved from outside: a point over a triangle of a rigid body too, whose corners all go with it.
bool find_pair(const Sides& sides, std::array<int, 2>& body) {
    body = {-1, -1};
    for (int k = 0; k < sides.count; ++k) {
        int& mine = body[sides.weight[k] > 0 ? 0 : 1];
        if (mine >= 0 && mine != sides.body[k]) return false;
        mine = sides.body[k];
    }
    for (int side = 0; side < 2; ++side)
        if (sides.driven[side] == (body[side] >= 0)) return false;
    return body[0] != body[1];
}

Vec3 relative_velocity(const RowProblem& q, const Sides& sides) {
    Vec3 u = sides.drive;
    for (int k = 0; k < sides.count; ++k)
        u += sides.weight[k] * (q.v[sides.body[k]] + q.w[sides.body[k]].cross(sides.arm[k]));
    return u;
}

// adds what is near enough, in the range of its kind
struct Lister {
    const Model& m;
    const State& s;
    const RowProblem& q;
    const ReachOptions& reach;
    TouchList& out;
    Sides sides;

    bool moves(int b) const { return b >= 0 && q.inverse_mass[b] > 0; }
    void add(Touch& t, const ContactStencil& stencil) {
        find_sides(m, s, stencil, sides);
        bool free = false;
        for (int k = 0; k < sides.count; ++k) free = free || moves(sides.body[k]);
        if (!free) return;
        const Real approach = t.n.dot(relative_velocity(q, sides));
        if (t.gap > reach.near && t.gap + reach.dt * approach > reach.near) return;
        t.drive = sides.drive;
        std::array<int, 2> body;
        t.pair = find_pair(sides, body);
        if (t.pair) t.body_a = body[0], t.body_b = body[1];
        out.touches.push_back(t);
    }
    // two bodies, or a point and a body: without the stencil
    void add_pair(Touch& t, const PointContact& c) {
        const auto body_of = [&](const SurfaceVertex& v) { return v.kind == SurfaceVertex::frame ? point_count(m) + v.index : v.index; };
        const auto plain = [](const SurfaceVertex& v) { return v.kind == SurfaceVertex::frame || v.kind == SurfaceVertex::point; };
        if (!plain(c.a) || !plain(c.b)) return add(t, sinew::stencil_of(m, c));
        t.body_a = body_of(c.a), t.body_b = body_of(c.b);
        if (!moves(t.body_a) && !moves(t.body_b)) return;
        const auto velocity = [&](int b) { return Vec3(q.v[b] + q.w[b].cross(t.at - q.x[b])); };
        if (t.gap > reach.near && t.gap + reach.dt * t.n.dot(velocity(t.body_a) - velocity(t.body_b)) > reach.near) return;
        out.touches.push_back(t);
    }
};

void list_surface(const std::vector<SurfaceContact>& range, int kind, Lister& l) {
    for (std::size_t i = 0; i < range.size(); ++i) {
        const SurfaceContact& c = range[i];
        Touch t;
        t.key = c.key, t.kind = kind, t.index = int(i);
        const ContactStencil stencil = stencil_of(l.m, c);
        // sides by the sign of their weights
        for (int k = 0; k < 4 && c.vertex[k] >= 0; ++k)
            (c.weight[k] > 0 ? t.object_a : t.object_b) = l.m.surface.object[c.vertex[k]];
        t.gap = c.gap;
        t.n = vec(c.normal);
        t.rule = find_pair_rule(l.m, l.out.rules, t.object_a, t.object_b);
        t.rule.friction = c.friction;
        for (int k = 0; k < stencil.count; ++k)
            if (stencil.weight[k] > 0) t.at += stencil.weight[k] * vertex_position(l.m, surface_state(l.s), stencil.vertex[k]);
        l.add(t, stencil);
    }
}

const std::vector<SurfaceContact>& range_of(const Contacts& c, int kind) {
    return kind == 2 ? c.vertex_triangle : kind == 3 ? c.edge_edge : kind == 4 ? c.vertex_edge : c.vertex_vertex;
}

} // namespace

ContactStencil stencil_of(const Model& m, const Contacts& c, const Touch& t) {
    return t.kind < 2 || t.kind > 5 ? stencil_of(m, c.point_point[t.index]) : stencil_of(m, range_of(c, t.kind)[t.index]);
}

namespace {

constexpr int kContactGrain = 512;

// contacts of bodies by their shapes, the last range of point_point: each piece counts, then writes to its place
struct ShapeLister {
    const Model& m;
    const std::vector<PointContact>& all;
    const RowProblem& q;
    const ReachOptions& reach;
    TouchList& out;
    int first; // of the contacts by shapes

    bool moves(int b) const { return q.inverse_mass[b] > 0; }
    // Where a body goes further than its own size within the step and turns meanwhile, the point found at the start is somewhere else
    // when it arrives, and another one would be through a thin wall: it counts as a ball about its centre that holds the point, until it
    // is near, where it is met as it is.
    void take_as_ball(int body, Real side, const Vec3& n, const Vec3& point, Real speed, Vec3& at, Real& gap) const {
        constexpr Real kTurn = 0.3; // [rad] below it a point stays within 5 % of its distance from where its velocity takes it
        if (!(reach.dt * q.w[body].norm() > kTurn)) return;
        const Vec3 arm = point - q.x[body];
        const Real radius = arm.norm();
        if (!(reach.dt * speed > radius)) return;
        gap = std::max(0.0, gap - (radius + side * n.dot(arm)));
        at = q.x[body] - side * n * radius;
    }
    void look(const PointContact& c, int a, int b, Vec3& at, Real& gap) const {
        at = vec(c.at), gap = c.gap;
        const Vec3 n = vec(c.normal), on_b = at, on_a = at + (gap + c.thickness) * n;
        const Real speed = n.dot(q.v[b] - q.v[a]);
        if (!(gap > reach.as_is) || !(reach.dt * speed > gap)) return;
        Vec3 end_a = on_a, end_b = on_b;
        if (moves(a)) take_as_ball(a, 1, n, on_a, speed, end_a, gap);
        if (moves(b)) take_as_ball(b, -1, n, on_b, speed, end_b, gap);
        if (gap == c.gap) return;
        at = end_b != on_b ? end_b : Vec3(end_a - (gap + c.thickness) * n);
    }
    // Of a pair that meets, all points that were found: an impulse at one corner turns the body and brings another one down.
    bool takes_part(int i) const {
        constexpr int kSiblings = 4; // of one manifold
        if (meets(all[i])) return true;
        const auto is_pair = [&](int k) { return k >= first && k < int(all.size()) && all[k].key == all[i].key; };
        for (const int way : {-1, 1})
            for (int k = i + way, n = 0; n < kSiblings && is_pair(k); k += way, ++n)
                if (meets(all[k])) return true;
        return false;
    }
    bool meets(const PointContact& c) const {
        const int a = point_count(m) + c.a.index, b = point_count(m) + c.b.index;
        if (!moves(a) && !moves(b)) return false;
        if (!(c.gap > reach.near)) return true;
        const Vec3 n = vec(c.normal);
        Vec3 at;
        Real gap;
        look(c, a, b, at, gap);
        const auto velocity = [&](int k) { return Vec3(q.v[k] + q.w[k].cross(at - q.x[k])); };
        return !(gap + reach.dt * n.dot(velocity(a) - velocity(b)) > reach.near);
    }
    void write(int begin, int end, Touch* to) const {
        std::uint64_t last = ~std::uint64_t(0); // pairs come together: one look at the rules for all their points
        PairRule rule;
        for (int i = begin; i < end; ++i) {
            const PointContact& c = all[i];
            if (!takes_part(i)) continue;
            if (c.key != last) rule = find_pair_rule(m, out.rules, c.object_a, c.object_b), last = c.key;
            Touch& t = *to++;
            t = {};
            t.key = c.key, t.feature = c.feature;
            t.index = i;
            t.object_a = c.object_a, t.object_b = c.object_b;
            t.body_a = point_count(m) + c.a.index, t.body_b = point_count(m) + c.b.index;
            t.n = vec(c.normal);
            look(c, t.body_a, t.body_b, t.at, t.gap);
            t.rule = rule;
            t.rule.friction = c.friction;
        }
    }
};

void list_shapes(const Parallel& parallel, const ShapeLister& l) {
    const int first = l.first, count = int(l.all.size()) - first, pieces = chunk_count(count, kContactGrain);
    l.out.begin.assign(pieces + 1, 0);
    parallel_for(parallel, count, kContactGrain, [&](int begin, int end) {
        int& here = l.out.begin[begin / kContactGrain + 1];
        for (int i = begin; i < end; ++i) here += l.takes_part(first + i);
    });
    for (int p = 0; p < pieces; ++p) l.out.begin[p + 1] += l.out.begin[p];
    auto& touches = l.out.touches;
    const auto total = std::size_t(l.out.begin[pieces]);
    if (touches.capacity() < total) touches.reserve(2 * total); // growing contacts must not allocate every time
    touches.resize(total);
    parallel_for(parallel, count, kContactGrain, [&](int begin, int end) {
        l.write(first + begin, first + end, touches.data() + l.out.begin[begin / kContactGrain]);
    });
}

} // namespace

void list_touches(const Parallel& parallel, const Model& m, const State& s, const Contacts& contacts, const RowProblem& q,
                  const ReachOptions& reach, TouchList& out) {
    build_rule_table(m, out.rules);
    const auto& points = contacts.point_point;
    const auto shapes = std::partition_point(points.begin(), points.end(), [](const PointContact& c) { return c.source < PointContact::shapes; });
    list_shapes(parallel, {m, points, q, reach, out, int(shapes - points.begin())});
    Lister l{m, s, q, reach, out, {}};
    const auto make_touch = [&](const PointContact& c, int kind) {
        Touch t;
        t.key = c.key, t.feature = c.feature, t.kind = kind;
        t.index = int(&c - points.data());
        t.object_a = c.object_a, t.object_b = c.object_b;
        t.gap = c.gap;
        t.n = vec(c.normal);
        t.at = vec(c.at);
        t.rule = find_pair_rule(m, out.rules, c.object_a, c.object_b);
        t.rule.friction = c.friction;
        return t;
    };
    auto c = points.begin();
    for (; c != shapes && c->source == PointContact::vertex_obstacle; ++c) {
        // vertices of bodies meet obstacles by their shapes
        if (c->a.kind == SurfaceVertex::frame) continue;
        Touch t = make_touch(*c, 1);
        l.add_pair(t, *c);
    }
    for (int kind = 2; kind < 6; ++kind) list_surface(range_of(contacts, kind), kind, l);
    // peaks of a field between the vertices of a sheet; inside edges and triangles smooth shapes are met by vertices alone
    for (; c != shapes; ++c) {
        if (m.obstacles[c->obstacle].shape != Obstacle::height_field || m.surface.vertices[c->stencil[0]].kind == SurfaceVertex::frame) continue;
        Touch t = make_touch(*c, c->source == PointContact::edge_obstacle ? 6 : 7);
        l.add(t, stencil_of(m, *c));
    }
}

namespace {

// levers of one direction; a body that is there twice has one side
int merge_sides(const Sides& sides, std::array<int, 16>& body, std::array<int, 16>& side_of) {
    int count = 0;
    for (int k = 0; k < sides.count; ++k) {
        int at = 0;
        while (at < count && body[at] != sides.body[k]) ++at;
        if (at == count) body[count++] = sides.body[k];
        side_of[k] = at;
    }
    return count;
}

// The place where a contact acts on both of its sides, so that what they exchange has no moment: a side of points, which have
// no arm, decides; between bodies it is the contact's own.
Vec3 place_of(const RowProblem& q, const Sides& sides, int points, const Vec3& at) {
    for (const Real sign : {1.0, -1.0}) {
        Vec3 sum = Vec3::Zero();
        bool all = false;
        for (int k = 0; k < sides.count; ++k) {
            if (!(sign * sides.weight[k] > 0)) continue;
            all = sides.body[k] < points;
            if (!all) break;
            sum += sign * sides.weight[k] * q.x[sides.body[k]];
        }
        if (all) return sum;
    }
    return at;
}

// bias and softness of the normal row
void set_contact_bias(const BiasOptions& o, Real gap, Real h, RowProblem& q, const RowGroup& g) {
    Real& bias = q.bias[g.row];
    if (gap > 0) bias = contact_rate(gap, h);
    else if (o.kind == BiasOptions::none) bias = 0;
    else bias = std::max(-o.push_speed, o.erp / h * std::min(0.0, gap + o.slop));
    if (o.kind == BiasOptions::soft) q.softness[g.row] = o.cfm;
}

} // namespace

void add_contact_group(const Model& m, const State& s, const Contacts& contacts, const TouchList& list, int touch,
                       const BiasOptions& o, RowProblem& q) {
    Sides sides;
    std::array<int, 16> body, side_of;
    const Touch& t = list.touches[touch];
    const ContactStencil stencil = stencil_of(m, contacts, t);
    find_sides(m, s, stencil, sides);
    const Vec3 place = place_of(q, sides, point_count(m), t.at);
    for (int k = 0; k < sides.count; ++k)
        if (sides.body[k] >= point_count(m)) sides.arm[k] = place - q.x[sides.body[k]];
    const int count = merge_sides(sides, body, side_of);
    const bool spins = t.rule.rolling_friction > 0 || t.rule.torsional_friction > 0;
    RowGroup& g = add_group(q, spins ? 6 : 3, std::span(body).first(count));
    g.set = RowSet::contact;
    g.friction = t.rule.friction;
    g.rolling = t.rule.rolling_friction, g.torsion = t.rule.torsional_friction;
    g.restitution = t.rule.restitution;
    g.gap = t.gap;
    g.distance = stencil_distance(m, surface_state(s), stencil, t.n);
    g.source = touch;
    const ContactFrame frame = contact_frame(real3(t.n));
    const std::array<Vec3, 3> direction{t.n, vec(frame.t0), vec(frame.t1)};
    for (int k = 0; k < 3; ++k) {
        q.drive[g.row + k] = direction[k].dot(sides.drive);
        q.impulse[g.row + k] = direction[k].dot(t.impulse);
        for (int a = 0; a < sides.count; ++a) {
            Lever& j = q.jacobian[g.lever + k * g.sides + side_of[a]];
            j.linear += sides.weight[a] * direction[k];
            j.angular += sides.weight[a] * sides.arm[a].cross(direction[k]);
            if (!spins) continue;
            q.jacobian[g.lever + (3 + k) * g.sides + side_of[a]].angular += (sides.weight[a] > 0 ? 1 : -1) * direction[k];
        }
    }
    q.impulse[g.row] = std::max(0.0, q.impulse[g.row]);
    q.c[g.row] = t.gap;
    set_contact_bias(o, t.gap, q.dt, q, g);
    build_response(q, g);
}

namespace {

// tangent blocks of a group as bodies; false if nothing of it can move
bool bodies_of(const Dofs& dofs, const Rows& rows, int group, const RowProblem& q, std::array<int, 6>& body,
               std::array<int, 6>& width, int& count) {
    count = 0;
    bool free = false;
    for (int b = rows.block_begin[group]; b < rows.block_begin[group + 1]; ++b) {
        const int block = rows.block[b];
        if (count == 6) return false;
        width[count] = 3;
        if (block < 0) {
            body[count++] = -1;
        } else if (block < dofs.points) {
            body[count++] = block;
        } else if (block < dofs.points + 2 * dofs.frames) {
            body[count] = dofs.points + (block - dofs.points) / 2;
            width[count++] = 6;
            ++b; // its rotation
        } else {
            return false; // scalars are not bodies
        }
        free = free || (body[count - 1] >= 0 && q.inverse_mass[body[count - 1]] > 0);
    }
    return free;
}

// impulse units: r = J u + bias + softness p
void set_row_bias(const BiasOptions& o, const Rows& rows, int group, int row, int at, RowProblem& q) {
    const Real h = q.dt, c = rows.c[row];
    const bool position = rows.level[group] == Level::position;
    const RowSpring spring = find_row_spring(rows, row, position, h);
    q.c[at] = c;
    if (position && rows.bound[group] == Bound::lower && c > 0) { // no more than closes the gap
        q.bias[at] = c / h - rows.rate[row];
        return;
    }
    q.bias[at] = spring.gain * c - spring.rate;
    q.softness[at] = spring.softness;
    if (!position || rows.compliance[row] > 0) return;
    if (o.kind != BiasOptions::none) q.bias[at] += o.joint_erp * c / h;
    if (o.kind == BiasOptions::soft) q.softness[at] = o.cfm;
}

RowSet set_of(Bound b) {
    return b == Bound::lower ? RowSet::lower : b == Bound::box ? RowSet::box : RowSet::free;
}

} // namespace

void list_constraint_groups(const Dofs& dofs, const Rows& rows, RowProblem& q) {
    std::array<int, 6> body, width;
    std::size_t levers = q.jacobian.size(), blocks = q.block.size();
    int row = q.row_count();
    for (int i = 0; i < rows.group_count(); ++i) {
        int count;
        if (!bodies_of(dofs, rows, i, q, body, width, count)) continue;
        RowGroup g;
        g.row = row, g.rows = rows.row_begin[i + 1] - rows.row_begin[i];
        g.side = int(q.body.size());
        for (int k = 0; k < count; ++k)
            if (body[k] >= 0) q.body.push_back(body[k]);
        g.sides = int(q.body.size()) - g.side;
        g.lever = int(levers), g.block = int(blocks);
        g.set = set_of(rows.bound[i]);
        g.limit = rows.friction[i] * q.dt;
        g.source = i;
        q.groups.push_back(g);
        row += g.rows, levers += std::size_t(g.rows) * g.sides, blocks += std::size_t(g.rows) * g.rows;
    }
    const Lever none{Vec3::Zero(), Vec3::Zero()};
    q.jacobian.resize(levers, none);
    q.response.resize(levers, none);
    for (auto* a : {&q.c, &q.drive, &q.bias, &q.softness, &q.impulse, &q.correction}) a->resize(row, 0.0);
    q.block.resize(blocks, 0.0);
}

void fill_constraint_group(const Dofs& dofs, const Rows& rows, const BiasOptions& o, const RowGroup& g, RowProblem& q, bool response) {
    std::array<int, 6> body, width;
    int count;
    bodies_of(dofs, rows, g.source, q, body, width, count);
    const Real* j = rows.jacobian.data() + rows.value_begin[g.source];
    for (int k = 0; k < g.rows; ++k) {
        int side = 0;
        for (int b = 0; b < count; ++b) {
            if (body[b] >= 0) {
                Lever& lever = q.jacobian[g.lever + k * g.sides + side++];
                lever.linear = Eigen::Map<const Vec3>(j);
                if (width[b] == 6) lever.angular = Eigen::Map<const Vec3>(j + 3);
            }
            j += width[b];
        }
        set_row_bias(o, rows, g.source, rows.row_begin[g.source] + k, g.row + k, q);
    }
    if (response) build_response(q, g);
}

void add_constraint_groups(const Dofs& dofs, const Rows& rows, const BiasOptions& o, RowProblem& q) {
    const std::size_t first = q.groups.size();
    list_constraint_groups(dofs, rows, q);
    for (std::size_t i = first; i < q.groups.size(); ++i) fill_constraint_group(dofs, rows, o, q.groups[i], q);
}

Real contact_gap(const Model& m, const State& at, const Contacts& contacts, const TouchList& list, const RowGroup& g) {
    const Touch& t = list.touches[g.source];
    return t.gap + stencil_distance(m, surface_state(at), stencil_of(m, contacts, t), t.n) - g.distance;
}

Real position_bias(const BiasOptions& o, Real gap) { return gap > 0 ? gap : o.erp * std::min(0.0, gap + o.slop); }

// rows that hold a velocity, and soft ones, have no position to keep
static void keep_position(const Rows& rows, const RowGroup& g, RowProblem& q) {
    bool keep = rows.level[g.source] == Level::position;
    for (int k = 0; k < g.rows; ++k) keep = keep && rows.compliance[rows.row_begin[g.source] + k] == 0;
    for (int k = 0; k < g.rows; ++k) {
        if (keep) q.bias[g.row + k] += rows.rate[rows.row_begin[g.source] + k];
        else q.bias[g.row + k] = 0, q.softness[g.row + k] = 1e30;
    }
}

// a spring resists displacements as it did velocities
static void add_link(const RowProblem& velocity, const RowGroup& from, RowProblem& q) {
    RowGroup& g = add_group(q, from.rows, std::span(velocity.body).subspan(from.side, from.sides));
    g.link = true;
    std::copy_n(velocity.jacobian.begin() + from.lever, from.rows * from.sides, q.jacobian.begin() + g.lever);
    std::copy_n(velocity.softness.begin() + from.row, from.rows, q.softness.begin() + g.row);
    build_response(q, g);
}

void build_position_problem(const Model& m, const State& at, const Contacts& contacts, const TouchList& list,
                            const Rows* constraints, const BiasOptions& o, const RowProblem& velocity,
                            std::span<const std::uint8_t> wanted, RowProblem& q) {
    clear_rows(q);
    q.dt = 1; // displacements
    q.inverse_mass = velocity.inverse_mass;
    q.inverse_inertia = velocity.inverse_inertia;
    q.v.assign(velocity.v.size(), Vec3::Zero());
    q.w.assign(velocity.v.size(), Vec3::Zero());
    BiasOptions rigid = o;
    rigid.kind = BiasOptions::baumgarte;
    if (constraints) list_constraint_groups(dofs_of(m), *constraints, q);
    for (std::size_t i = 0; i < q.groups.size(); ++i) {
        if (!wanted[i]) continue;
        fill_constraint_group(dofs_of(m), *constraints, rigid, q.groups[i], q);
        keep_position(*constraints, q.groups[i], q);
    }
    Sides sides;
    std::array<int, 16> body, side_of;
    for (std::size_t i = q.groups.size(); i < velocity.groups.size(); ++i) {
        const RowGroup& before = velocity.groups[i];
        if (before.link) {
            add_link(velocity, before, q);
            continue;
        }
        const Touch& t = list.touches[before.source];
        if (!wanted[i]) {
            add_group(q, 1, {});
            continue;
        }
        find_sides(m, at, stencil_of(m, contacts, t), sides);
        const int count = merge_sides(sides, body, side_of);
        RowGroup& g = add_group(q, 1, std::span(body).first(count));
        g.set = RowSet::lower;
        g.source = before.source;
        for (int a = 0; a < sides.count; ++a) {
            Lever& j = q.jacobian[g.lever + side_of[a]];
            j.linear += sides.weight[a] * t.n;
            j.angular += sides.weight[a] * sides.arm[a].cross(t.n);
        }
        q.c[g.row] = contact_gap(m, at, contacts, list, before);
        q.bias[g.row] = position_bias(o, q.c[g.row]);
        build_response(q, g);
    }
}

} // namespace sinew
