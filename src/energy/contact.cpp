#include "energy/contact.h"
#include "energy/contact_friction.h"
#include "energy/contact_penalty_frame.h"
#include "energy/list.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

namespace {

struct PenaltyRows {
    const ElementRow& point = *find_energy(ContactPenalty::name);
    const ElementRow& frame = *find_energy(ContactPenaltyFrame::name);
    const ElementRow& friction = *find_energy(ContactFriction::name);
};
const PenaltyRows& rows() {
    static const PenaltyRows all;
    return all;
}

void clear_table(Table& t) {
    t.stencil.clear();
    t.data.clear();
    t.object.clear();
}

ContactPenalty::Params penalty_of(const Obstacle& o, const PointContact& c) {
    return {o.stiffness, o.damping, c.thickness, c.normal, c.at, c.velocity};
}

void add_vertex(const Model& m, const PointContact& c, Tables& out) {
    const SurfaceVertex& s = c.a;
    const bool one_unknown = s.kind == SurfaceVertex::point || s.kind == SurfaceVertex::frame;
    if (!one_unknown || !is_movable(m, s)) return;
    const ContactPenaltyFrame::Params params{penalty_of(m.obstacles[c.obstacle], c), s.local};
    const bool point = s.kind == SurfaceVertex::point;
    Table& t = table_of(out.energies, point ? rows().point : rows().frame);
    const void* p = point ? static_cast<const void*>(&params.contact) : static_cast<const void*>(&params);
    add_element(t, p, std::span<const int>(&s.index, 1), {}, m.surface.object[c.vertex]);
}

const Obstacle* obstacle_of(const Model& m, int object) {
    const auto o = std::find_if(m.obstacles.begin(), m.obstacles.end(), [&](const Obstacle& x) { return x.object == object; });
    return o == m.obstacles.end() ? nullptr : &*o;
}

// a free body against one that is an obstacle; points of contact lie on surfaces grown by their rounding
void add_shapes(const Model& m, const FrameState& frames, const PointContact& c, Tables& out) {
    const bool free_a = !(m.frame.flags[c.a.index] & kFixed), free_b = !(m.frame.flags[c.b.index] & kFixed);
    const Obstacle* o = free_a == free_b ? nullptr : obstacle_of(m, free_a ? c.object_b : c.object_a);
    if (!o) return;
    const SurfaceVertex &body = free_a ? c.a : c.b, &held = free_a ? c.b : c.a;
    const auto place = [&](const SurfaceVertex& v) { return Vec3(vec(frames.p[v.index]) + quat(frames.q[v.index]) * vec(v.local)); };
    const Vec3 x = place(body), at = place(held), n = (free_a ? 1 : -1) * vec(c.normal);
    const Vec3 v = vec(frames.v[held.index]) + vec(frames.w[held.index]).cross(at - vec(frames.p[held.index]));
    const ContactPenaltyFrame::Params params{
        {o->stiffness, o->damping, n.dot(x - at) - c.gap, real3(n), real3(at), real3(v)}, body.local};
    add_element(table_of(out.energies, rows().frame), &params, std::span<const int>(&body.index, 1), {},
                free_a ? c.object_a : c.object_b);
}

} // namespace

void build_contact_elements(const Model& m, const FrameState& frames, const Contacts& contacts, Tables& out) {
    for (const ElementRow* row : {&rows().point, &rows().frame})
        clear_table(table_of(out.energies, *row));
    for (const PointContact& c : contacts.point_point) {
        if (c.source == PointContact::vertex_obstacle) add_vertex(m, c, out);
        if (c.source == PointContact::shapes) add_shapes(m, frames, c, out);
    }
}

void build_friction_elements(const Model& m, const std::vector<Real3>& x_now, Real elapsed, Real still, const Contacts& contacts,
                             Tables& out) {
    Table& t = table_of(out.energies, rows().friction);
    clear_table(t);
    if (!(elapsed > 0) || !(still > 0)) return;
    for (const PointContact& c : contacts.point_point) {
        const Real limit = c.source == PointContact::vertex_obstacle ? c.friction * m.obstacles[c.obstacle].stiffness * -c.gap : 0;
        if (!(limit > 0) || c.a.kind != SurfaceVertex::point || !is_movable(m, c.a)) continue;
        const ContactFriction::Params params{limit, still * elapsed, c.normal,
                                             real3(vec(x_now[c.a.index]) + elapsed * vec(c.velocity)), c.velocity};
        add_element(t, &params, std::span<const int>(&c.a.index, 1), {}, m.surface.object[c.vertex]);
    }
}

} // namespace sinew
