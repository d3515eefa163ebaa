#include "energy/contact_power.h"
#include "energy/contact_penalty_edge.h"
#include "energy/contact_penalty_frame.h"
#include "energy/contact_penalty_triangle.h"

namespace sinew {

template <class E> static const ContactPenalty::Data& contact_of(const typename E::Data& d) {
    if constexpr (std::is_same_v<E, ContactPenalty>)
        return d;
    else
        return d.contact;
}

// Force on the point of contact. A frame's first three numbers are it; the points of an edge or triangle share it.
template <class E> static Vec3 total_of(const VecN<kDofs<E>>& f) {
    Vec3 sum = f.template head<3>();
    for (int i = 1; i < E::points; ++i) sum += f.template segment<3>(3 * i);
    return sum;
}

template <class E> static void add_power(const Table& t, const Evaluation& ev, ContactPower& out) {
    VecN<kDofs<E>> gradient, force;
    for (int e = 0; e < t.count(); ++e) {
        const Vec3 v = vec(contact_of<E>(ElementsOf<E>::data_of(t, e)).velocity);
        if (v == Vec3::Zero()) continue;
        t.row->gradient(t, ev, e, e + 1, gradient.data());
        t.row->force(t, ev, e, e + 1, force.data());
        out.damping += total_of<E>(force).dot(v);
        out.total += total_of<E>(force - gradient).dot(v);
    }
}

ContactPower contact_power(const Tables& contacts, const Evaluation& ev) {
    ContactPower out;
    for (const Table& t : contacts.energies) {
        if (t.row->name == ContactPenalty::name) add_power<ContactPenalty>(t, ev, out);
        if (t.row->name == ContactPenaltyFrame::name) add_power<ContactPenaltyFrame>(t, ev, out);
        if (t.row->name == ContactPenaltyEdge::name) add_power<ContactPenaltyEdge>(t, ev, out);
        if (t.row->name == ContactPenaltyTriangle::name) add_power<ContactPenaltyTriangle>(t, ev, out);
    }
    return out;
}

} // namespace sinew
