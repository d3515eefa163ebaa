#include "solver/position_contact_batch.h"
#include "core/simd.h"

namespace sinew {

namespace {

constexpr std::size_t kFewest = 64; // contacts; below, packing gains nothing
constexpr int kTaskBatches = 16;    // per task

void add_held_side(const ContactSide& side, const DualState& s, int points, PositionContact& c) {
    const int f = side.body - points;
    const Vec3 arm = quat(s.q[f]) * side.local;
    c.outside += side.weight * (vec(s.p[f]) + arm);
    c.drive += side.weight * (vec(s.frame_v[f]) + vec(s.frame_w[f]).cross(arm));
}

// One to four points, and bodies that nothing moves. Bodies that move stay out: all contacts at one of them are of different colours, so
// that cloth on it would fill one lane of four.
bool fits(const DualState& s, const PositionContacts& all, const PositionContact& c, int points) {
    int moved = 0;
    for (int k = 0; k < c.sides; ++k) {
        const int body = all.sides[c.side + k].body;
        if (body < points) ++moved;
        else if (s.frame_inverse[body - points] > 0) return false;
    }
    return moved > 0 && moved <= 4;
}

void put(const Vec3& a, int lane, Lane4* to) {
    for (int k = 0; k < 3; ++k) to[k].v[lane] = a[k];
}

void fill_lane(const PositionContactOptions& o, const DualState& s, int points, const PositionContacts& all, int contact, int lane, ContactBatch& b) {
    const PositionContact& c = all.contacts[contact];
    // bodies are where they stay during the sweeps, and so part of what is outside, as animated vertices are
    PositionContact held = c;
    const ContactSide* moved[4] = {};
    for (int k = 0, count = 0; k < c.sides; ++k) {
        const ContactSide& side = all.sides[c.side + k];
        if (side.body < points) moved[count++] = &side;
        else add_held_side(side, s, points, held);
    }
    for (int k = 0; k < 4; ++k) {
        const ContactSide* side = moved[k];
        // sides that are absent look at the first point and weigh nothing
        b.id[k][lane] = side ? side->body : moved[0]->body;
        b.weight[k].v[lane] = side ? side->weight : 0;
        b.w[k].v[lane] = side && side->weight != 0 ? s.point_inverse[side->body] : 0;
    }
    put(c.n, lane, b.n);
    put(held.outside, lane, b.outside);
    put(held.drive, lane, b.drive);
    put(c.tangential, lane, b.tangential);
    b.offset.v[lane] = c.offset;
    b.friction.v[lane] = o.friction == FrictionSet::cylinder || o.friction == FrictionSet::cone ? c.friction : 0;
    b.normal.v[lane] = c.normal;
    b.contact[lane] = contact;
}

} // namespace

bool pack_contacts(const PositionContactOptions& o, const DualState& s, int points, const PositionContacts& all, ContactPack& p) {
    const bool known = o.friction == FrictionSet::cylinder || o.friction == FrictionSet::cone || o.friction == FrictionSet::post || o.friction == FrictionSet::none;
    if (!known || o.sequential || all.contacts.size() < kFewest) return false;
    const Colours& c = all.colours;
    p.avx2 = has_avx2();
    p.batches.clear(), p.singles.clear();
    p.batch_begin.assign(1, 0), p.single_begin.assign(1, 0);
    for (int k = 0; k < c.count(); ++k) {
        const bool serial = c.last_is_serial && k + 1 == c.count();
        int lane = kLanes;
        for (int i = c.begin[k]; i < c.begin[k + 1]; ++i) {
            const int contact = c.order[i];
            if (serial || !fits(s, all, all.contacts[contact], points)) {
                p.singles.push_back(contact);
                continue;
            }
            if (lane == kLanes) {
                p.batches.emplace_back();
                for (int& empty : p.batches.back().contact) empty = -1;
                lane = 0;
            }
            fill_lane(o, s, points, all, contact, lane++, p.batches.back());
        }
        // empty lanes look where the first one looks; they have no mass
        for (; lane < kLanes; ++lane)
            for (int j = 0; j < 4; ++j) p.batches.back().id[j][lane] = p.batches.back().id[j][0];
        p.batch_begin.push_back(int(p.batches.size()));
        p.single_begin.push_back(int(p.singles.size()));
    }
    return true;
}

void project_contacts(const Parallel& parallel, const PositionContactOptions& o, const DualState& s, int points, PositionContacts& all,
                      ContactPack& p) {
    ContactNumbers numbers;
    numbers.h = o.h, numbers.relaxation = o.relaxation, numbers.compliance = o.compliance, numbers.damping_time = o.damping_time;
    numbers.cone = o.friction == FrictionSet::cone, numbers.de_saxce = o.de_saxce;
    numbers.x = &s.x->x, numbers.v = &s.v->x;
    auto* run = kBatchLoopsPlain.contacts;
#ifdef SINEW_HAVE_AVX2
    if (p.avx2) run = kBatchLoopsAvx2.contacts;
#endif
    const int colours = int(p.batch_begin.size()) - 1;
    for (int k = 0; k < colours; ++k) {
        const int batch = p.batch_begin[k], single = p.single_begin[k], singles = p.single_begin[k + 1] - single;
        parallel_for(parallel, p.batch_begin[k + 1] - batch, kTaskBatches, [&](int from, int to) { run(p.batches.data(), batch + from, batch + to, numbers); });
        const bool serial = all.colours.last_is_serial && k + 1 == colours;
        parallel_for(parallel, singles, serial ? singles : 4 * kTaskBatches, [&](int from, int to) {
            for (int i = from; i < to; ++i) project_contact(o, s, points, all, all.contacts[p.singles[single + i]]);
        });
    }
}

void store_forces(const ContactPack& p, PositionContacts& all) {
    for (const ContactBatch& b : p.batches)
        for (int l = 0; l < kLanes; ++l) {
            if (b.contact[l] < 0) continue;
            PositionContact& c = all.contacts[b.contact[l]];
            c.normal = b.normal.v[l];
            c.tangential = {b.tangential[0].v[l], b.tangential[1].v[l], b.tangential[2].v[l]};
        }
}

} // namespace sinew
