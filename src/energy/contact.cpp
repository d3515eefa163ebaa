#include "energy/contact.h"
#include "energy/contact_edge_edge.h"
#include "energy/contact_friction.h"
#include "energy/contact_penalty_frame.h"
#include "energy/contact_vertex_edge.h"
#include "energy/list.h"
#include "energy/rod_stretch.h"
#include "model/surface.h"
#include <algorithm>
#include <tuple>

namespace sinew {

namespace {

struct PenaltyRows {
    const ElementRow& point = *find_energy(ContactPenalty::name);
    const ElementRow& frame = *find_energy(ContactPenaltyFrame::name);
    const ElementRow& friction = *find_energy(ContactFriction::name);
    const ElementRow& edge_edge = *find_energy(ContactEdgeEdge::name);
    const ElementRow& vertex_edge = *find_energy(ContactVertexEdge::name);
    const ElementRow& stretch = *find_energy(RodStretch::name);
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

bool is_vertex(const PointContact& c) { return c.source == PointContact::vertex_obstacle || c.source == PointContact::vertex_held; }

ContactPenalty::Params penalty_of(const Obstacle& o, const PointContact& c) {
    return {o.stiffness, o.damping, c.thickness, c.normal, c.at, c.velocity};
}

void add_vertex(const Model& m, const PointContact& c, const ElementRow& row, Tables& out) {
    const SurfaceVertex& s = c.a;
    const ContactPenaltyFrame::Params params{penalty_of(m.obstacles[c.obstacle], c), s.local};
    const void* p = &row == &rows().point ? static_cast<const void*>(&params.contact) : static_cast<const void*>(&params);
    add_element(table_of(out.energies, row), p, std::span<const int>(&s.index, 1), {}, m.surface.object[c.vertex]);
}

const Obstacle* obstacle_of(const Model& m, int object) {
    const auto o = std::find_if(m.obstacles.begin(), m.obstacles.end(), [&](const Obstacle& x) { return x.object == object; });
    return o == m.obstacles.end() ? nullptr : &*o;
}

// the held one of two bodies, null = both are free, or both held
const Obstacle* held_of(const Model& m, const PointContact& c) {
    const bool free_a = !(m.frame.flags[c.a.index] & kFixed), free_b = !(m.frame.flags[c.b.index] & kFixed);
    return free_a == free_b ? nullptr : obstacle_of(m, free_a ? c.object_b : c.object_a);
}

// a free body against one that is held; points of contact lie on surfaces grown by their rounding
void add_shapes(const Model& m, const FrameState& frames, const PointContact& c, Tables& out) {
    const bool free_a = !(m.frame.flags[c.a.index] & kFixed);
    const Obstacle* o = held_of(m, c);
    const SurfaceVertex &body = free_a ? c.a : c.b, &held = free_a ? c.b : c.a;
    const auto place = [&](const SurfaceVertex& v) { return Vec3(vec(frames.p[v.index]) + quat(frames.q[v.index]) * vec(v.local)); };
    const Vec3 x = place(body), at = place(held), n = (free_a ? 1 : -1) * vec(c.normal);
    const Vec3 v = vec(frames.v[held.index]) + vec(frames.w[held.index]).cross(at - vec(frames.p[held.index]));
    const ContactPenaltyFrame::Params params{
        {o->stiffness, o->damping, n.dot(x - at) - c.gap, real3(n), real3(at), real3(v)}, body.local};
    add_element(table_of(out.energies, rows().frame), &params, std::span<const int>(&body.index, 1), {},
                free_a ? c.object_a : c.object_b);
}

// EA of the rod's edge between two points [N], 0 = there is none; rods list their edges by their first points
Real stretch_stiffness(const Table* t, int from, int to) {
    if (!t) return 0;
    const auto stiffness = [&](int e) {
        const RodStretch::Data& d = ElementsOf<RodStretch>::data_of(*t, e);
        return d.stiffness * d.rest_length;
    };
    const auto is_edge = [&](int e) { return t->stencil[2 * e] == from && t->stencil[2 * e + 1] == to; };
    int low = 0, high = t->count();
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (t->stencil[2 * middle] < from) low = middle + 1;
        else high = middle;
    }
    if (low < t->count() && is_edge(low)) return stiffness(low);
    for (int e = 0; e < t->count(); ++e) // edited models may have another order
        if (is_edge(e)) return stiffness(e);
    return 0;
}

struct RodVertex { // a point of one edge against the other edge
    std::array<int, 3> stencil;
    ContactVertexEdge::Params params;
    int object;
};

void add_rod_pair(const Model& m, const Table* stretch, const RodPair& p, Table& edges, std::vector<RodVertex>& vertices) {
    std::array<int, 4> id{};
    bool moves = false;
    for (int k = 0; k < 4; ++k) {
        const SurfaceVertex& v = m.surface.vertices[p.vertex[k]];
        id[k] = v.index;
        moves = moves || is_movable(m, v);
    }
    const Real a = stretch_stiffness(stretch, id[0], id[1]), b = stretch_stiffness(stretch, id[2], id[3]);
    if (!moves || !(a + b > 0)) return;
    const Real k = 2 * a * b / (a + b) / p.thickness;
    const int object = m.surface.object[p.vertex[0]];
    const ContactEdgeEdge::Params params{k, p.thickness, edge_mollifier_threshold(p.rest[0], p.rest[1])};
    add_element(edges, &params, id, {}, object);
    for (int side = 0; side < 2; ++side)
        for (int end = 0; end < 2; ++end) {
            const int other = 2 - 2 * side;
            vertices.push_back({{id[2 * side + end], id[other], id[other + 1]},
                                {k * std::min(Real(1), p.rest[1 - side] / p.thickness), p.thickness}, object});
        }
}

void build_rod_elements(const Model& m, const Contacts& contacts, Tables& out) {
    Table& edges = table_of(out.energies, rows().edge_edge);
    clear_table(edges);
    static thread_local std::vector<RodVertex> vertices; // keeps its memory
    vertices.clear();
    const Table* stretch = nullptr;
    for (const Table& t : m.elements->energies)
        if (t.row == &rows().stretch) stretch = &t;
    for (const RodPair& p : contacts.rod_pairs) add_rod_pair(m, stretch, p, edges, vertices);
    // two edges of a rod share a point: it counts once
    std::sort(vertices.begin(), vertices.end(), [](const RodVertex& a, const RodVertex& b) { return a.stencil < b.stencil; });
    Table& points = table_of(out.energies, rows().vertex_edge);
    clear_table(points);
    for (std::size_t i = 0; i < vertices.size(); ++i)
        if (i == 0 || vertices[i].stencil != vertices[i - 1].stencil)
            add_element(points, &vertices[i].params, vertices[i].stencil, {}, vertices[i].object);
}

} // namespace

void add_contact_part(const Table& t, const Dofs& dofs, int e, const Real* local, Real factor, std::span<Real> total) {
    const int size = t.row->points ? 3 : 6;
    for (int k = 0; k < t.row->stencil; ++k) {
        const int id = t.stencil[e * t.row->stencil + k];
        Real* to = total.data() + (t.row->points ? dofs.point_offset(id) : dofs.frame_offset(id));
        for (int i = 0; i < size; ++i) to[i] += factor * local[size * k + i];
    }
}

bool has_contact_elements(const Tables& tables) {
    return std::any_of(tables.energies.begin(), tables.energies.end(), [](const Table& t) { return t.count() > 0; });
}

const ElementRow* find_contact_row(const Model& m, const PointContact& c) {
    if (c.source == PointContact::shapes) return held_of(m, c) ? &rows().frame : nullptr;
    if (!is_vertex(c) || !is_movable(m, c.a)) return nullptr;
    return c.a.kind == SurfaceVertex::point ? &rows().point : c.a.kind == SurfaceVertex::frame ? &rows().frame : nullptr;
}

void build_contact_elements(const Model& m, const FrameState& frames, const Contacts& contacts, Tables& out) {
    for (const ElementRow* row : {&rows().point, &rows().frame})
        clear_table(table_of(out.energies, *row));
    for (const PointContact& c : contacts.point_point) {
        const ElementRow* row = find_contact_row(m, c);
        if (!row) continue;
        if (is_vertex(c)) add_vertex(m, c, *row, out);
        else add_shapes(m, frames, c, out);
    }
    build_rod_elements(m, contacts, out);
}

void begin_friction_lag(FrictionLag& lag) {
    lag.limits.clear();
    lag.detections = 0;
    lag.unsettled = 0;
}

// what the last detection has about a contact, null = nothing; `at` goes along with the contacts
static const FrictionLag::Limit* find_last(const FrictionLag& lag, const PointContact& c, std::size_t& at) {
    const auto key_of = [](const auto& x) { return std::tuple(int(x.source), x.key, x.feature); };
    while (at < lag.before.size() && key_of(lag.before[at]) < key_of(c)) ++at;
    const bool known = at < lag.before.size() && key_of(lag.before[at]) == key_of(c);
    return known ? &lag.before[at] : nullptr;
}

// `found` answers to last.used as last.found did to last.previous: the slope of the fixed-point iteration
static Real next_limit(const FrictionLag& lag, const FrictionLag::Limit* last, Real found) {
    if (!lag.secant || !last || lag.detections <= kPlainLags || last->used == last->previous) return found;
    const Real slope = std::max(-20.0, (found - last->found) / (last->used - last->previous));
    return slope < -0.5 ? last->used + (found - last->used) / (1 - slope) : found;
}

void build_friction_elements(const Model& m, const std::vector<Real3>& x_now, const FrictionStep& step, const Contacts& contacts,
                             FrictionLag& lag, Tables& out) {
    Table& t = table_of(out.energies, rows().friction);
    clear_table(t);
    if (!(step.elapsed > 0) || !(step.still > 0)) return;
    std::swap(lag.limits, lag.before);
    lag.limits.clear();
    ++lag.detections;
    lag.unsettled = 0;
    std::size_t at = 0;
    for (const PointContact& c : contacts.point_point) {
        if (!is_vertex(c) || c.a.kind != SurfaceVertex::point || !is_movable(m, c.a)) continue;
        const Real found = std::max(0.0, c.friction * m.obstacles[c.obstacle].stiffness * -c.gap);
        const FrictionLag::Limit* last = find_last(lag, c, at);
        const Real limit = next_limit(lag, last, found);
        lag.limits.push_back({c.source, c.key, c.feature, last ? last->used : limit, limit, found});
        lag.unsettled = std::max(lag.unsettled, std::abs(found - limit) / (m.point.mass[c.a.index] * step.scale * step.elapsed));
        if (!(limit > 0)) continue;
        const ContactFriction::Params params{limit, step.still * step.elapsed, c.normal,
                                             real3(vec(x_now[c.a.index]) + step.elapsed * vec(c.velocity)), c.velocity};
        add_element(t, &params, std::span<const int>(&c.a.index, 1), {}, m.surface.object[c.vertex]);
    }
}

} // namespace sinew
