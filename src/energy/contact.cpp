#include "energy/contact.h"
#include "energy/contact_penalty_frame.h"
#include "energy/list.h"
#include "model/surface.h"

namespace sinew {

static void clear_table(Table& t) {
    t.stencil.clear();
    t.data.clear();
    t.object.clear();
}

void build_contact_elements(const Model& m, const Contacts& contacts, Tables& out) {
    static const ElementRow& on_point = *find_energy(ContactPenalty::name);
    static const ElementRow& on_frame = *find_energy(ContactPenaltyFrame::name);
    clear_table(table_of(out.energies, on_point));
    clear_table(table_of(out.energies, on_frame));
    for (const PointContact& c : contacts.point_point) {
        if (c.source != PointContact::vertex_obstacle) continue;
        const SurfaceVertex& s = c.a;
        const bool one_unknown = s.kind == SurfaceVertex::point || s.kind == SurfaceVertex::frame;
        if (!one_unknown || !is_movable(m, s)) continue;
        const Obstacle& o = m.obstacles[c.obstacle];
        const ContactPenaltyFrame::Params params{
            {o.stiffness, o.damping, c.thickness, c.normal, c.at, c.velocity}, s.local};
        const bool point = s.kind == SurfaceVertex::point;
        Table& t = table_of(out.energies, point ? on_point : on_frame);
        const void* p = point ? static_cast<const void*>(&params.contact) : static_cast<const void*>(&params);
        add_element(t, p, std::span<const int>(&s.index, 1), {}, m.surface.object[c.vertex]);
    }
}

} // namespace sinew
