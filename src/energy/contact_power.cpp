#include "energy/contact_power.h"
#include "energy/contact_friction.h"
#include "energy/contact_penalty_frame.h"

namespace sinew {

template <class E> static const ContactPenalty::Data& contact_of(const typename E::Data& d) {
    if constexpr (std::is_same_v<E, ContactPenalty>)
        return d;
    else
        return d.contact;
}

// the first three numbers of an element's gradient and force are those of the vertex, for points and frames
// alike
template <class E> static void add_power(const Table& t, const Evaluation& ev, ContactPower& out) {
    VecN<kDofs<E>> gradient, force;
    for (int e = 0; e < t.count(); ++e) {
        const Vec3 v = vec(contact_of<E>(ElementsOf<E>::data_of(t, e)).velocity);
        if (v == Vec3::Zero()) continue;
        t.row->gradient(t, ev, e, e + 1, gradient.data());
        t.row->force(t, ev, e, e + 1, force.data());
        out.damping += force.template head<3>().dot(v);
        out.total += (force - gradient).template head<3>().dot(v);
    }
}

ContactPower contact_power(const Tables& contacts, const Evaluation& ev) {
    ContactPower out;
    for (const Table& t : contacts.energies) {
        if (t.row->name == ContactPenalty::name) add_power<ContactPenalty>(t, ev, out);
        if (t.row->name == ContactPenaltyFrame::name) add_power<ContactPenaltyFrame>(t, ev, out);
    }
    return out;
}

FrictionWork friction_work(const Tables& contacts, const Evaluation& ev, const std::vector<Real3>& x_now,
                           const std::vector<Real3>& x_next, Real dt) {
    FrictionWork out;
    for (const Table& t : contacts.energies) {
        if (t.row->name != ContactFriction::name) continue;
        for (int e = 0; e < t.count(); ++e) {
            Vec3 gradient;
            t.row->gradient(t, ev, e, e + 1, gradient.data());
            const int i = t.stencil[e];
            const Vec3 carried = dt * vec(ElementsOf<ContactFriction>::data_of(t, e).velocity);
            out.lost -= gradient.dot(vec(x_next[i]) - vec(x_now[i]) - carried);
            out.put_in -= gradient.dot(carried);
        }
    }
    return out;
}

} // namespace sinew
