#include "energy/contact_read.h"
#include "energy/contact_edge_edge.h"
#include "energy/contact_friction.h"
#include "energy/contact_penalty_frame.h"
#include "energy/contact_vertex_edge.h"
#include <algorithm>

namespace sinew {

namespace {

const Table* find_table(const Tables& tables, std::string_view name) {
    for (const Table& t : tables.energies)
        if (t.row->name == name) return &t;
    return nullptr;
}

// f - grad E of one element: its first three numbers are those of the surface vertex, for points and frames alike
template <class E> Vec3 element_force(const Table& t, const Evaluation& ev, int e) {
    VecN<kDofs<E>> gradient, force = VecN<kDofs<E>>::Zero();
    t.row->gradient(t, ev, e, e + 1, gradient.data());
    if (t.row->force) t.row->force(t, ev, e, e + 1, force.data());
    return (force - gradient).template head<3>();
}

void add_reading(ContactReading r, std::vector<ContactReading>& out) {
    r.order = int(out.size());
    if (vec(r.force.force) != Vec3::Zero()) out.push_back(r);
}

// contacts with obstacles and held shapes, in the order of their elements
struct PointReader {
    const Model& m;
    const Evaluation& ev;
    const Table *points, *frames, *friction;
    const FrictionLag* lag;
    int point = 0, frame = 0, slide = 0; // next element of each table
    std::size_t limit = 0;               // next limit of friction

    // friction of the contact that has the element `point`: zero where it has none
    Vec3 next_friction(const PointContact& c) {
        if (!lag || !friction || limit >= lag->limits.size()) return Vec3::Zero();
        const FrictionLag::Limit& l = lag->limits[limit];
        if (l.source != c.source || l.key != c.key || l.feature != c.feature) return Vec3::Zero();
        ++limit;
        return l.used > 0 ? element_force<ContactFriction>(*friction, ev, slide++) : Vec3::Zero();
    }
    ContactReading read(const PointContact& c, const ElementRow& row, Real weight) {
        ContactReading r;
        r.contact = {int(c.source), c.key, c.feature};
        Vec3 force;
        Real sign = 1;
        if (row.name == ContactPenalty::name) {
            r.force.at = ElementsOf<ContactPenalty>::data_of(*points, point).at;
            force = element_force<ContactPenalty>(*points, ev, point++) + next_friction(c);
        } else {
            r.force.at = ElementsOf<ContactPenaltyFrame>::data_of(*frames, frame).contact.at;
            force = element_force<ContactPenaltyFrame>(*frames, ev, frame++);
            if (c.source == PointContact::shapes && (m.frame.flags[c.a.index] & kFixed)) sign = -1; // the element is of side b
        }
        const bool shapes = c.source == PointContact::shapes;
        r.force.object_a = shapes ? c.object_a : m.surface.object[c.vertex];
        r.force.object_b = shapes ? c.object_b : m.obstacles[c.obstacle].object;
        r.force.normal = c.normal;
        r.force.force = real3(weight * sign * force);
        return r;
    }
};

// Elements of rods: side a has the first `a` points of the stencil. Their gradients are parts of one force, so that the place
// where it acts is the mean of the points by them.
template <class E, int a> void read_rods(const Model& m, const Table& t, const Evaluation& ev, int kind, Real weight,
                                         std::vector<ContactReading>& out) {
    for (int e = 0; e < t.count(); ++e) {
        VecN<kDofs<E>> gradient;
        t.row->gradient(t, ev, e, e + 1, gradient.data());
        const int* id = t.stencil.data() + std::size_t(e) * E::points;
        Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
        Real parts = 0;
        for (int k = 0; k < a; ++k) {
            const Vec3 g = gradient.template segment<3>(3 * k);
            force -= g;
            moment += g.norm() * vec(ev.x[id[k]]);
            parts += g.norm();
        }
        if (!(parts > 0)) continue;
        ContactReading r;
        r.contact = {kind, std::uint64_t(id[0]) << 32 | std::uint64_t(id[a]), std::uint64_t(id[a - 1]) << 32 | std::uint64_t(id[a + 1])};
        r.force.object_a = m.point.object[id[0]];
        r.force.object_b = m.point.object[id[a]];
        r.force.at = real3(moment / parts);
        r.force.normal = real3(force.normalized());
        r.force.force = real3(weight * force);
        add_reading(r, out);
    }
}

} // namespace

void read_contacts(const Model& m, const Contacts& contacts, const Tables& tables, const FrictionLag* friction, const Evaluation& ev,
                   Real weight, std::vector<ContactReading>& out) {
    PointReader reader{m, ev, find_table(tables, ContactPenalty::name), find_table(tables, ContactPenaltyFrame::name),
                       find_table(tables, ContactFriction::name), friction};
    for (const PointContact& c : contacts.point_point)
        if (const ElementRow* row = find_contact_row(m, c)) add_reading(reader.read(c, *row, weight), out);
    constexpr int kRods = PointContact::shapes + 1;
    if (const Table* t = find_table(tables, ContactEdgeEdge::name)) read_rods<ContactEdgeEdge, 2>(m, *t, ev, kRods, weight, out);
    if (const Table* t = find_table(tables, ContactVertexEdge::name)) read_rods<ContactVertexEdge, 1>(m, *t, ev, kRods + 1, weight, out);
}

void list_contact_forces(std::vector<ContactReading>& readings, std::vector<ContactForce>& out) {
    const auto key = [](const ContactReading& r) { return std::tuple(r.force.object_a, r.force.object_b, r.contact); };
    std::sort(readings.begin(), readings.end(), [&](const ContactReading& x, const ContactReading& y) {
        return std::tuple(key(x), x.order) < std::tuple(key(y), y.order); // stages in their order: the bits of sums depend on it
    });
    out.clear();
    for (std::size_t i = 0; i < readings.size(); ++i) {
        if (i == 0 || key(readings[i]) != key(readings[i - 1])) out.push_back(readings[i].force);
        else out.back().force = real3(vec(out.back().force) + vec(readings[i].force.force));
    }
}

} // namespace sinew
