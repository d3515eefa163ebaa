#include "solver/position_contact.h"
#include "model/surface.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kGrainOfContacts = 64;

// the places of one frame, or the shares of one point, become one side
void add_side(int body, Real weight, const Vec3& local, PositionContact& c, PositionContacts& out) {
    for (int k = 0; k < c.sides; ++k) {
        ContactSide& s = out.sides[c.side + k];
        if (s.body != body) continue;
        const Real sum = s.weight + weight;
        if (sum != 0) s.local = (s.weight * s.local + weight * local) / sum;
        s.weight = sum;
        return;
    }
    out.sides.push_back({body, weight, local});
    ++c.sides;
}

void add_sides(const Model& m, const ContactStencil& stencil, PositionContact& c, PositionContacts& out) {
    c.side = int(out.sides.size());
    c.sides = 0;
    for (int k = 0; k < stencil.count; ++k) {
        const SurfaceVertex& v = stencil.vertex[k];
        const Real w = stencil.weight[k];
        switch (v.kind) {
        case SurfaceVertex::point: add_side(v.index, w, Vec3::Zero(), c, out); break;
        case SurfaceVertex::frame: add_side(point_count(m) + v.index, w, vec(v.local), c, out); break;
        case SurfaceVertex::embedded: {
            const Embedding& e = m.surface.embeddings[v.index];
            for (int i = 0; i < 4; ++i)
                if (e.point[i] >= 0 && e.weight[i] != 0) add_side(e.point[i], w * e.weight[i], Vec3::Zero(), c, out);
            break;
        }
        case SurfaceVertex::animated: break;
        }
    }
}

Vec3 animated_part(const Model&, const ContactStencil& stencil, const std::vector<Real3>& of) {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < stencil.count; ++k)
        if (stencil.vertex[k].kind == SurfaceVertex::animated) sum += stencil.weight[k] * vec(of[stencil.vertex[k].index]);
    return sum;
}

} // namespace

void add_position_contact(const Model& m, const ContactStencil& stencil, const Touch& t, int touch, Real offset, Real approach,
                          PositionContacts& out) {
    PositionContact c;
    c.touch = touch;
    c.n = t.n;
    c.friction = t.rule.friction;
    c.restitution = t.rule.restitution;
    c.offset = offset;
    c.approach = approach;
    c.gap_start = t.gap;
    add_sides(m, stencil, c, out);
    for (int k = 0; k < c.sides; ++k) out.bodies.push_back(out.sides[c.side + k].body);
    out.body_begin.push_back(int(out.bodies.size()));
    out.contacts.push_back(c);
}

void colour_contacts(std::span<const unsigned char> held, PositionContacts& out) {
    colour_elements(out.body_begin, out.bodies, int(held.size()), held, out.colours);
}

void build_position_contacts(const Model& m, const State& at, const Contacts& contacts, const TouchList& list,
                             std::span<const unsigned char> held, PositionContacts& out) {
    out.contacts.clear();
    out.sides.clear();
    out.body_begin.assign(1, 0);
    out.bodies.clear();
    for (std::size_t i = 0; i < list.touches.size(); ++i) {
        const Touch& t = list.touches[i];
        const ContactStencil stencil = stencil_of(m, contacts, t);
        Vec3 u = Vec3::Zero();
        for (int k = 0; k < stencil.count; ++k) u += stencil.weight[k] * vertex_velocity(m, surface_state(at), stencil.vertex[k]);
        add_position_contact(m, stencil, t, int(i), t.gap - stencil_distance(m, surface_state(at), stencil, t.n), t.n.dot(u), out);
    }
    colour_contacts(held, out);
}

void place_contacts(const Model& m, const State& end, const Contacts& contacts, const TouchList& list, PositionContacts& out) {
    if (end.animated.x.empty()) return;
    for (PositionContact& c : out.contacts) place_contact(m, end, stencil_of(m, contacts, list.touches[c.touch]), c);
}

void place_contact(const Model& m, const State& end, const ContactStencil& stencil, PositionContact& c) {
    c.outside = animated_part(m, stencil, end.animated.x);
    c.drive = animated_part(m, stencil, end.animated.v);
}

void keep_depths(const PositionContactOptions& o, Real time, PositionContacts& all) {
    const Real part = time / (o.h + time);
    for (PositionContact& c : all.contacts) {
        c.kept = c.at_once ? 0 : part * std::min(0.0, c.gap_start + o.compliance * c.normal);
        if (!(c.normal > 0)) c.kept = std::max(c.kept, std::min(0.0, c.gap_start + kRecoverySpeed * o.h));
        c.offset -= c.kept;
    }
}

void restore_depths(const DualState& s, int points, PositionContacts& all) {
    for (PositionContact& c : all.contacts) {
        c.offset += c.kept;
        c.kept = 0;
        c.gap_start = contact_state(all, c, s, points).gap;
    }
}

ContactState contact_state(const PositionContacts& all, const PositionContact& c, const DualState& s, int points) {
    Vec3 g = c.outside, u = c.drive;
    for (int k = 0; k < c.sides; ++k) {
        const ContactSide& side = all.sides[c.side + k];
        if (side.body < points) {
            g += side.weight * vec(s.x[side.body]);
            u += side.weight * vec(s.v[side.body]);
        } else {
            const int f = side.body - points;
            const Vec3 arm = quat(s.q[f]) * side.local;
            g += side.weight * (vec(s.p[f]) + arm);
            u += side.weight * (vec(s.frame_v[f]) + vec(s.frame_w[f]).cross(arm));
        }
    }
    return {c.offset + c.n.dot(g), u};
}

Real contact_response(const PositionContacts& all, const PositionContact& c, const DualState& s, int points, const Vec3& direction) {
    Real sum = 0;
    for (int k = 0; k < c.sides; ++k) {
        const ContactSide& side = all.sides[c.side + k];
        const Real w2 = side.weight * side.weight;
        if (side.body < points) {
            sum += w2 * s.point_inverse[side.body] * direction.squaredNorm();
        } else {
            const int f = side.body - points;
            const Vec3 turn = (quat(s.q[f]) * side.local).cross(direction);
            sum += w2 * (s.frame_inverse[f] * direction.squaredNorm() + turn.dot(s.frame_inverse_inertia[f] * turn));
        }
    }
    return sum;
}

void move_contact(const PositionContacts& all, const PositionContact& c, const DualState& s, int points, const Vec3& force, Real reach,
                  Real kick) {
    for (int k = 0; k < c.sides; ++k) {
        const ContactSide& side = all.sides[c.side + k];
        if (side.body < points) {
            const Real w = side.weight * s.point_inverse[side.body];
            if (w == 0) continue;
            vec(s.x[side.body]) += reach * w * force;
            vec(s.v[side.body]) += kick * w * force;
        } else {
            const int f = side.body - points;
            if (!(s.frame_inverse[f] > 0)) continue;
            const Real w = side.weight * s.frame_inverse[f];
            const Vec3 arm = quat(s.q[f]) * side.local, turn = side.weight * (s.frame_inverse_inertia[f] * arm.cross(force));
            vec(s.p[f]) += reach * w * force;
            vec(s.frame_v[f]) += kick * w * force;
            vec(s.frame_w[f]) += kick * turn;
            if (reach != 0) s.q[f] = real4((exp_rotation(reach * turn) * quat(s.q[f])).normalized());
        }
    }
}

Real keep_in_friction_set(FrictionSet kind, Real mu, Real tangential, Real& normal) {
    if (kind == FrictionSet::cone) {
        if (tangential <= mu * normal) return 1;
        if (mu * tangential <= -normal) {
            normal = 0;
            return 0;
        }
        normal = (normal + mu * tangential) / (1 + mu * mu);
        return mu * normal / tangential;
    }
    normal = std::max(0.0, normal);
    if (kind == FrictionSet::post || kind == FrictionSet::none) return 0;
    return tangential > mu * normal ? mu * normal / tangential : 1;
}

void project_friction(FrictionSet kind, Real mu, Real& normal, Vec3& tangential, const Vec3& n) {
    if (kind != FrictionSet::box) {
        tangential *= keep_in_friction_set(kind, mu, tangential.norm(), normal);
        return;
    }
    normal = std::max(0.0, normal);
    const ContactFrame frame = contact_frame(real3(n));
    const Real limit = mu * normal;
    const Real a = std::clamp(tangential.dot(vec(frame.t0)), -limit, limit), b = std::clamp(tangential.dot(vec(frame.t1)), -limit, limit);
    tangential = a * vec(frame.t0) + b * vec(frame.t1);
}

void project_contact(const PositionContactOptions& o, const DualState& s, int points, const PositionContacts& all, PositionContact& c) {
    const ContactState at = contact_state(all, c, s, points);
    const Real dn = contact_response(all, c, s, points, c.n);
    if (!(dn > 0)) return;
    const Real un = c.n.dot(at.velocity);
    const Vec3 ut = at.velocity - un * c.n;
    const bool rubs = c.friction > 0 && o.friction != FrictionSet::post && o.friction != FrictionSet::none;
    const Real slip = ut.norm();
    Real dt = rubs && slip > 0 ? o.h * o.h * contact_response(all, c, s, points, ut / slip) : 0;
    // normal part
    Real normal;
    if (o.sequential) {
        normal = c.normal - o.relaxation * (o.position_gain * at.gap + o.velocity_gain * o.h * un) / (o.h * o.h * dn);
    } else {
        Real r = at.gap + o.damping_time * un + o.compliance * c.normal, d = o.h * (o.h + o.damping_time) * dn + o.compliance;
        if (rubs && o.friction == FrictionSet::cone) {
            d = dt = std::max(d, dt); // its projection is along its normals: steps in one scale, or what slides lifts or sinks
            if (o.de_saxce) r += o.h * c.friction * slip;
        }
        normal = c.normal - o.relaxation * r / d;
    }
    // tangential part
    Vec3 tangential = c.tangential;
    if (dt > 0) tangential -= o.relaxation * o.h * ut / dt;
    // one tangent: the direction of this iteration alone, its multiplier along it
    if (o.friction == FrictionSet::single && rubs && slip > 0) {
        const Vec3 t = ut / slip;
        tangential = t.dot(tangential) * t;
    }
    if (o.friction != FrictionSet::cone || !rubs) normal = std::max(0.0, normal);
    project_friction(rubs ? o.friction : FrictionSet::none, c.friction, normal, tangential, c.n);
    const Vec3 change = (normal - c.normal) * c.n + (tangential - c.tangential);
    c.normal = normal;
    c.tangential = tangential;
    if (change != Vec3::Zero()) move_contact(all, c, s, points, change, o.h * o.h, o.h);
}

void project_contacts(const Parallel& parallel, const PositionContactOptions& o, const DualState& s, int points, PositionContacts& all) {
    for (int k = 0; k < all.colours.count(); ++k) {
        const int begin = all.colours.begin[k], count = all.colours.begin[k + 1] - begin;
        const auto run = [&](int from, int to) {
            for (int i = from; i < to; ++i) project_contact(o, s, points, all, all.contacts[all.colours.order[begin + i]]);
        };
        if (all.colours.last_is_serial && k + 1 == all.colours.count()) run(0, count);
        else parallel_for(parallel, count, kGrainOfContacts, [&](int from, int to) { run(from, to); });
    }
}

void add_post_friction(const PositionContactOptions& o, const DualState& s, int points, PositionContacts& all) {
    for (int i : all.colours.order) {
        PositionContact& c = all.contacts[i];
        if (!(c.normal > 0) || !(c.friction > 0)) continue;
        const Vec3 u = contact_state(all, c, s, points).velocity, ut = u - c.n.dot(u) * c.n;
        const Real slip = ut.norm();
        if (!(slip > 0)) continue;
        const Real stop = slip / (o.h * contact_response(all, c, s, points, ut / slip));
        c.tangential = -std::min(stop, c.friction * c.normal) / slip * ut;
        move_contact(all, c, s, points, c.tangential, 0, o.h);
    }
}

void limit_separation(const PositionContactOptions& o, Real threshold, const DualState& s, int points, PositionContacts& all) {
    for (int i : all.colours.order) {
        PositionContact& c = all.contacts[i];
        if (!(c.normal > 0)) continue;
        const Real wanted = c.approach < -threshold ? -c.restitution * c.approach : 0;
        const Real un = c.n.dot(contact_state(all, c, s, points).velocity);
        const Real dn = contact_response(all, c, s, points, c.n);
        // what is there already of a separation that other things cause stays
        const Real change = std::max((wanted - un) / (o.h * dn), -c.normal);
        if (un < wanted && wanted == 0) continue;
        c.normal += change;
        move_contact(all, c, s, points, change * c.n, 0, o.h);
        // what is remembered of friction has its limit again
        const Real limit = c.friction * c.normal, t = c.tangential.norm();
        if (t > limit) c.tangential *= limit / t;
    }
}

void renew_approaches(const DualState& s, int points, PositionContacts& all) {
    for (PositionContact& c : all.contacts) c.approach = c.n.dot(contact_state(all, c, s, points).velocity);
}

} // namespace sinew
