#include "solver/soft_contact.h"
#include "core/simd.h"
#include <algorithm>
#include <array>
#include <bit>

namespace sinew {
namespace {
constexpr int kBlockGrain = 8; // blocks per task

template <class S, int N> const SoftLoops<S, N>& loops_of(const SoftContacts<S, N>& contacts) {
    if constexpr (N == 1)
        return kSoftLoopsDouble;
    else
        return contacts.avx2 ? kSoftLoopsAvx2 : kSoftLoopsPlain;
}
template <class S> const SoftLoops<S, 1>& loops_of_rest() {
    if constexpr (sizeof(S) == sizeof(float))
        return kSoftLoopsOne;
    else
        return kSoftLoopsDouble;
}
template <class S> SoftNumbers<S> numbers_of(const SoftParameters& p) {
    return {S(p.h), S(1 / p.h), S(p.push_speed), S(p.slop), S(p.bounce_speed)};
}

struct ContactSoftness {
    Real bias_rate, mass_scale, impulse_scale;
};
ContactSoftness softness_of(const SoftParameters& p, Real hertz) {
    const Real omega = 2 * kPi * hertz, a1 = 2 * p.damping_ratio + p.h * omega, a2 = p.h * omega * a1,
               a3 = 1 / (1 + a2);
    return {omega / a1, a2 * a3, a3};
}

// Each manifold gets the first colour that neither of its movable bodies has. Inside a colour: by number of
// points, those that roll last, then in the order given. Slot: colour and class.
int find_class(const SoftManifold& m) { return kSoftPoints - m.points + (m.rolling > 0 ? kSoftPoints : 0); }
constexpr int kClasses = 2 * kSoftPoints;

// Compact first, by all threads: the loop over colours has to go in order, and then reads little.
void color_manifolds(const Parallel& parallel, std::span<const SoftManifold> manifolds, std::span<const SoftMass> masses,
                     std::vector<std::array<int, 2>>& moving, std::vector<std::uint32_t>& used, std::vector<int>& slot) {
    used.assign(masses.size() + 1, 0); // the last one: no body that moves
    slot.resize(manifolds.size());
    moving.resize(manifolds.size());
    const int none = int(masses.size());
    parallel_for(parallel, int(manifolds.size()), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const SoftManifold& m = manifolds[i];
            moving[i] = {m.a >= 0 && masses[m.a].inverse_mass > 0 ? m.a : none, m.b >= 0 && masses[m.b].inverse_mass > 0 ? m.b : none};
            slot[i] = find_class(m);
        }
    });
    constexpr std::uint32_t all = (1u << kSoftColors) - 1;
    for (std::size_t i = 0; i < manifolds.size(); ++i) {
        const auto [a, b] = moving[i];
        const std::uint32_t taken = used[a] | used[b];
        if (taken == all) {
            slot[i] = kSoftColors * kClasses;
            continue;
        }
        const int color = std::countr_one(taken);
        slot[i] += color * kClasses;
        used[a] |= 1u << color;
        used[b] |= 1u << color;
        used[none] = 0;
    }
}

template <class S, int N> void put3(SoftLane<S, N>* lane, int l, const Real3& a) {
    for (int c = 0; c < 3; ++c) lane[c].v[l] = S(a[c]);
}

bool has_round_inertia(const SoftMass& m) {
    const auto& i = m.inverse_inertia;
    return i[0] == i[1] && i[1] == i[2] && i[3] == 0 && i[4] == 0 && i[5] == 0;
}

template <class S, int N>
void pack(const SoftManifold& m, int index, std::span<const SoftMass> masses, const ContactSoftness (&softness)[2],
          int l, SoftBlock<S, N>& k) {
    k.a[l] = m.a;
    k.b[l] = m.b;
    k.manifold[l] = index;
    k.points = std::max(k.points, m.points);
    k.rolls = k.rolls || m.rolling > 0;
    k.bounces = k.bounces || m.restitution > 0;
    put3(k.normal, l, m.normal);
    put3(k.tangent, l, m.friction_impulse);
    put3(k.drive, l, m.drive);
    put3(k.roll_impulse, l, m.roll_impulse);
    const SoftMass none, &a = m.a < 0 ? none : masses[m.a], &b = m.b < 0 ? none : masses[m.b];
    k.mass_a.v[l] = S(a.inverse_mass);
    k.mass_b.v[l] = S(b.inverse_mass);
    for (int i = 0; i < 6; ++i)
        k.inertia_a[i].v[l] = S(a.inverse_inertia[i]), k.inertia_b[i].v[l] = S(b.inverse_inertia[i]);
    k.round = k.round && has_round_inertia(a) && has_round_inertia(b);
    k.friction.v[l] = S(m.friction);
    k.torsion.v[l] = S(m.torsion);
    k.rolling.v[l] = S(m.rolling);
    k.restitution.v[l] = S(m.restitution);
    k.spin_impulse.v[l] = S(m.spin_impulse);
    const ContactSoftness& soft = softness[a.inverse_mass > 0 && b.inverse_mass > 0 ? 0 : 1];
    k.bias_rate.v[l] = S(soft.bias_rate);
    k.mass_scale.v[l] = S(soft.mass_scale);
    k.impulse_scale.v[l] = S(soft.impulse_scale / m.firmness);
    Vec3 center_a = Vec3::Zero(), center_b = Vec3::Zero();
    for (int i = 0; i < m.points; ++i) {
        SoftPoint<S, N>& p = k.point[i];
        put3(p.ja, l, m.ra[i]);
        put3(p.jb, l, m.rb[i]);
        p.gap.v[l] = S(m.gap[i]);
        p.impulse.v[l] = S(m.impulse[i]);
        p.mass.v[l] = 1;
        center_a += vec(m.ra[i]) / m.points;
        center_b += vec(m.rb[i]) / m.points;
    }
    put3(k.center_a, l, real3(center_a));
    put3(k.center_b, l, real3(center_b));
}

template <class S, int N> void clear_block(SoftBlock<S, N>& k) {
    k = {};
    std::fill_n(k.a, N, -1);
    std::fill_n(k.b, N, -1);
    std::fill_n(k.manifold, N, -1);
    k.round = true;
    // a unit normal, so that empty lanes meet no division by zero
    for (int l = 0; l < N; ++l) k.normal[2].v[l] = 1;
}

// begin of each colour in `order`, and of each class inside it, by counting
void sort_by_color(const std::vector<int>& slot, std::vector<int>& order, int (&begin)[kSoftColors + 2]) {
    int count[(kSoftColors + 1) * kClasses + 1] = {};
    for (int k : slot) ++count[k + 1];
    for (int s = 0; s < (kSoftColors + 1) * kClasses; ++s) count[s + 1] += count[s];
    for (int c = 0; c <= kSoftColors + 1; ++c)
        begin[c] = count[std::min(c * kClasses, (kSoftColors + 1) * kClasses)];
    order.resize(slot.size());
    for (std::size_t i = 0; i < slot.size(); ++i) order[count[slot[i]]++] = int(i);
}

template <class S, int N, class F>
void run_color(const Parallel& parallel, const SoftContacts<S, N>& contacts, std::size_t c, F&& f) {
    const int begin = contacts.color_begin[c], count = contacts.color_begin[c + 1] - begin;
    parallel_for(parallel, count, kBlockGrain, [&](int b, int e) { f(begin + b, begin + e); });
}
template <class S, int N, class F>
void for_each_color(const Parallel& parallel, const SoftContacts<S, N>& contacts, F&& f) {
    for (std::size_t c = 0; c + 1 < contacts.color_begin.size(); ++c) run_color(parallel, contacts, c, f);
}
template <class S, int N, class F>
void for_each_color_back(const Parallel& parallel, const SoftContacts<S, N>& contacts, F&& f) {
    for (std::size_t c = contacts.color_begin.size() - 1; c-- > 0;) run_color(parallel, contacts, c, f);
}
} // namespace

template <class S, int N>
void build_contacts(const Parallel& parallel, const SoftParameters& parameters,
                    std::span<const SoftManifold> manifolds, std::span<const SoftMass> masses,
                    std::span<const SoftBody<S>> bodies, SoftContacts<S, N>& out) {
    color_manifolds(parallel, manifolds, masses, out.moving, out.used, out.slot);
    int begin[kSoftColors + 2];
    sort_by_color(out.slot, out.order, begin);
    out.color_begin.resize(kSoftColors + 1);
    out.color_begin[0] = 0;
    for (int c = 0; c < kSoftColors; ++c)
        out.color_begin[c + 1] = out.color_begin[c] + chunk_count(begin[c + 1] - begin[c], N);
    out.blocks.resize(out.color_begin.back());
    out.rest.resize(begin[kSoftColors + 1] - begin[kSoftColors]);
    out.avx2 = has_avx2();
    const ContactSoftness softness[2] = {softness_of(parameters, parameters.hertz),
                                         softness_of(parameters, 2 * parameters.hertz)};
    parallel_for(parallel, int(out.blocks.size()), kBlockGrain, [&](int b, int e) {
        int c = int(std::upper_bound(out.color_begin.begin(), out.color_begin.end(), b) -
                    out.color_begin.begin()) -
                1;
        for (int i = b; i < e; ++i) {
            while (i >= out.color_begin[c + 1]) ++c;
            SoftBlock<S, N>& k = out.blocks[i];
            clear_block(k);
            const int first = begin[c] + (i - out.color_begin[c]) * N,
                      last = std::min(first + N, begin[c + 1]);
            for (int j = first; j < last; ++j)
                pack(manifolds[out.order[j]], out.order[j], masses, softness, j - first, k);
        }
        loops_of(out).prepare(out.blocks.data(), b, e, bodies.data());
    });
    for (std::size_t i = 0; i < out.rest.size(); ++i) {
        const int m = out.order[begin[kSoftColors] + int(i)];
        clear_block(out.rest[i]);
        pack(manifolds[m], m, masses, softness, 0, out.rest[i]);
    }
    loops_of_rest<S>().prepare(out.rest.data(), 0, int(out.rest.size()), bodies.data());
}

template <class S, int N>
void warm_start_contacts(const Parallel& parallel, SoftContacts<S, N>& contacts,
                         std::span<SoftBody<S>> bodies) {
    for_each_color(parallel, contacts, [&](int b, int e) {
        loops_of(contacts).warm_start(contacts.blocks.data(), b, e, bodies.data());
    });
    loops_of_rest<S>().warm_start(contacts.rest.data(), 0, int(contacts.rest.size()), bodies.data());
}

template <class S, int N>
void solve_contacts(const Parallel& parallel, const SoftParameters& parameters, SoftContacts<S, N>& contacts,
                    std::span<SoftBody<S>> bodies) {
    const SoftNumbers<S> s = numbers_of<S>(parameters);
    for_each_color(parallel, contacts, [&](int b, int e) {
        loops_of(contacts).solve(contacts.blocks.data(), b, e, s, bodies.data());
    });
    loops_of_rest<S>().solve(contacts.rest.data(), 0, int(contacts.rest.size()), s, bodies.data());
}

template <class S, int N>
void relax_contacts(const Parallel& parallel, const SoftParameters& parameters, SoftContacts<S, N>& contacts,
                    std::span<SoftBody<S>> bodies) {
    const SoftNumbers<S> s = numbers_of<S>(parameters);
    loops_of_rest<S>().relax(contacts.rest.data(), 0, int(contacts.rest.size()), s, bodies.data());
    for_each_color_back(parallel, contacts, [&](int b, int e) {
        loops_of(contacts).relax(contacts.blocks.data(), b, e, s, bodies.data());
    });
}

template <class S, int N>
void bounce_contacts(const Parallel& parallel, const SoftParameters& parameters, SoftContacts<S, N>& contacts,
                     std::span<SoftBody<S>> bodies) {
    const SoftNumbers<S> s = numbers_of<S>(parameters);
    for_each_color(parallel, contacts, [&](int b, int e) {
        loops_of(contacts).bounce(contacts.blocks.data(), b, e, s, bodies.data());
    });
    loops_of_rest<S>().bounce(contacts.rest.data(), 0, int(contacts.rest.size()), s, bodies.data());
}

namespace {
template <class S, int N> void read_block(const SoftBlock<S, N>& k, std::span<SoftManifold> manifolds) {
    const auto at = [](const SoftLane<S, N>* lane, int l) {
        return Vec3(lane[0].v[l], lane[1].v[l], lane[2].v[l]);
    };
    for (int l = 0; l < N && k.manifold[l] >= 0; ++l) {
        SoftManifold& m = manifolds[k.manifold[l]];
        const Vec3 n = at(k.normal, l), t0 = at(k.tangent, l), t1 = n.cross(t0);
        for (int i = 0; i < m.points; ++i) m.impulse[i] = k.point[i].impulse.v[l];
        m.friction_impulse =
            real3(t0 * Real(k.friction_impulse[0].v[l]) + t1 * Real(k.friction_impulse[1].v[l]));
        m.spin_impulse = k.spin_impulse.v[l];
        if (k.rolls)
            m.roll_impulse = real3(t0 * Real(k.roll_impulse[0].v[l]) + t1 * Real(k.roll_impulse[1].v[l]));
    }
}
} // namespace

template <class S, int N>
void read_impulses(const Parallel& parallel, const SoftContacts<S, N>& contacts,
                   std::span<SoftManifold> manifolds) {
    parallel_for(parallel, int(contacts.blocks.size()), kBlockGrain, [&](int b, int e) {
        for (int i = b; i < e; ++i) read_block(contacts.blocks[i], manifolds);
    });
    for (const SoftBlock<S, 1>& k : contacts.rest) read_block(k, manifolds);
}

#define SINEW_SOFT(S, N)                                                                                     \
    template void build_contacts(const Parallel&, const SoftParameters&, std::span<const SoftManifold>,      \
                                 std::span<const SoftMass>, std::span<const SoftBody<S>>,                    \
                                 SoftContacts<S, N>&);                                                       \
    template void warm_start_contacts(const Parallel&, SoftContacts<S, N>&, std::span<SoftBody<S>>);         \
    template void solve_contacts(const Parallel&, const SoftParameters&, SoftContacts<S, N>&,                \
                                 std::span<SoftBody<S>>);                                                    \
    template void relax_contacts(const Parallel&, const SoftParameters&, SoftContacts<S, N>&,                \
                                 std::span<SoftBody<S>>);                                                    \
    template void bounce_contacts(const Parallel&, const SoftParameters&, SoftContacts<S, N>&,               \
                                  std::span<SoftBody<S>>);                                                   \
    template void read_impulses(const Parallel&, const SoftContacts<S, N>&, std::span<SoftManifold>);
SINEW_SOFT(float, kSoftLanes)
SINEW_SOFT(double, 1)
#undef SINEW_SOFT

} // namespace sinew
