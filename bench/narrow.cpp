// Distances and manifolds of convex pairs on one thread against Bullet (single precision) and FCL (double).
// Every answer, ours and theirs, is judged by a search of all directions: narrow_agree.cpp has those claims.
// Claim about time: distances take at most the time of FCL, which works in double as we do.
#include "narrow.h"
#include "collision/manifold.h"
#include "core/random.h"
#include "geometry/convex_distance.h"
#include "geometry/hull.h"
#include <fmt/format.h>

namespace sinew::bench {

namespace {

struct Set {
    const char* name;
    Shape::Kind a, b;
};
constexpr Set kSets[] = {{"boxes", Shape::box, Shape::box},
                         {"hulls of 32", Shape::hull, Shape::hull},
                         {"capsules", Shape::capsule, Shape::capsule},
                         {"box, capsule", Shape::box, Shape::capsule},
                         {"box, cylinder", Shape::box, Shape::cylinder},
                         {"cylinders", Shape::cylinder, Shape::cylinder},
                         {"hull, cone", Shape::hull, Shape::cone}};

ShapeStore make_store() {
    ShapeStore store;
    for (std::uint64_t i = 0; i < 16; ++i) {
        Rng rng{i, 5};
        std::vector<Real3> points;
        for (int k = 0; k < 32; ++k) {
            const Real3 u = draw_unit_vector(rng);
            points.push_back({0.6 * u.x, 0.6 * u.y, 0.6 * u.z});
        }
        store.hulls.push_back(*make_hull(points).value);
    }
    return store;
}

Shape draw_shape(Rng& rng, Shape::Kind kind) {
    Shape s{kind, {draw_uniform(rng, 0.2, 0.6), draw_uniform(rng, 0.2, 0.6), draw_uniform(rng, 0.2, 0.6)}};
    if (kind == Shape::hull) s.data = draw_int(rng, 16);
    return s;
}

std::vector<NarrowPair> make_pairs(const Set& set, int count) {
    std::vector<NarrowPair> pairs;
    Rng rng{7, std::uint64_t(&set - kSets)};
    for (int i = 0; i < count; ++i) {
        const Real3 p = draw_in_ball(rng);
        pairs.push_back({draw_shape(rng, set.a),
                         draw_shape(rng, set.b),
                         {{}, draw_rotation(rng)},
                         {{1.3 * p.x, 1.3 * p.y, 1.3 * p.z}, draw_rotation(rng)}});
    }
    return pairs;
}

struct Ours {
    std::vector<Convex> a, b;
    std::vector<Placement> fa, fb;
};
Ours make_ours(const ShapeStore& store, const std::vector<NarrowPair>& pairs) {
    Ours o;
    for (const NarrowPair& p : pairs) {
        o.a.push_back(*make_convex(store, p.a));
        o.b.push_back(*make_convex(store, p.b));
        o.fa.push_back(make_placement(p.pose_a));
        o.fb.push_back(make_placement(p.pose_b));
    }
    return o;
}
ConvexDistance distance_of(const Ours& o, int i) { return convex_distance(o.a[i], o.fa[i], o.b[i], o.fb[i]); }

std::vector<std::unique_ptr<NarrowPeer>> make_peers([[maybe_unused]] const ShapeStore& store,
                                                    [[maybe_unused]] const std::vector<NarrowPair>& pairs) {
    std::vector<std::unique_ptr<NarrowPeer>> peers;
#ifdef SINEW_HAVE_BULLET
    peers.push_back(make_narrow_bullet(store, pairs));
#endif
#ifdef SINEW_HAVE_FCL
    peers.push_back(make_narrow_fcl(store, pairs));
#endif
    return peers;
}

volatile double sink; // what a measured loop computes must not be left out

void time_distances(const Options& options, const std::string& test, const Ours& ours, int count,
                    NarrowPeer& peer, Results& out) {
    const std::string who = peer.name();
    const Pairs times = measure_pairs(
        options.pairs, 1,
        [&] {
            double sum = 0;
            for (int i = 0; i < count; ++i) sum += peer.distance(i);
            sink = sum;
        },
        [&] {
            double sum = 0;
            for (int i = 0; i < count; ++i) sum += distance_of(ours, i).distance;
            sink = sum;
        });
    add(out, test, 1, "our distances", "1/us",
        {count / times.b.median / 1e6, count / times.b.high / 1e6, count / times.b.low / 1e6});
    if (who == "FCL") // in double as ours: only that is a claim
        add_at_least(out, test, 1, "distance: " + who + " / ours", times.ratio, 1, true);
    else
        add(out, test, 1, "distance: " + who + " / ours", "", times.ratio);
}

void time_contacts(const Options& options, const std::string& test, const Ours& ours, int count,
                   NarrowPeer& peer, Results& out) {
    const Pairs times = measure_pairs(
        options.pairs, 1,
        [&] {
            double sum = 0, deepest;
            for (int i = 0; i < count; ++i) sum += peer.contact(i, deepest);
            sink = sum;
        },
        [&] {
            double sum = 0;
            Manifold m;
            for (int i = 0; i < count; ++i)
                sum += collide_convex(ours.a[i], ours.fa[i], ours.b[i], ours.fb[i], 0, m);
            sink = sum;
        });
    add(out, test, 1, fmt::format("contact: {} / ours", peer.name()), "", times.ratio);
}

} // namespace

void run_narrow(const Options& options, Results& out) {
    const int count = options.size ? options.size : 2000;
    const ShapeStore store = make_store();
    const bool timed = options.pairs > 0;
    if (timed) add_ceilings(out, "before", measure_ceilings(options.pairs));
    for (const Set& set : kSets) {
        const std::vector<NarrowPair> pairs = make_pairs(set, count);
        const Ours ours = make_ours(store, pairs);
        int apart = 0;
        for (int i = 0; i < count; ++i) apart += distance_of(ours, i).distance > 0;
        add(out, set.name, 1, "pairs", "", exactly(count));
        add(out, set.name, 1, "pairs apart", "", exactly(double(apart) / count));
        const auto peers = make_peers(store, pairs);
        if (peers.empty())
            fmt::print("no peer in this build: tools/install_deps.sh --bench installs FCL and Bullet\n");
        compare_answers(set.name, store, pairs, peers, out);
        if (!timed) continue;
        for (const auto& peer : peers) {
            time_distances(options, set.name, ours, count, *peer, out);
            time_contacts(options, set.name, ours, count, *peer, out);
        }
    }
    if (timed) add_ceilings(out, "after", measure_ceilings(options.pairs));
}

} // namespace sinew::bench
