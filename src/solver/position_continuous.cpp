#include "solver/position_continuous.h"
#include "model/surface.h"
#include <algorithm>
#include <tuple>

namespace sinew {

namespace {

constexpr Real kSameNormal = 0.95;
constexpr int kCutRounds = 40, kMovingRounds = 12;

auto order_of(const Touch& t) { return std::tie(t.kind, t.key, t.feature); }
bool before(const Touch& a, const Touch& b) { return order_of(a) < order_of(b); }

std::vector<SurfaceContact>& range_of(Contacts& c, int kind) {
    return kind == 2 ? c.vertex_triangle : kind == 3 ? c.edge_edge : kind == 4 ? c.vertex_edge : c.vertex_vertex;
}

// a touch of this pair with about this normal, in one of the sorted blocks
bool is_known(const TouchList& list, const std::vector<int>& blocks, const Touch& t) {
    int begin = 0;
    for (int end : blocks) {
        const auto first = list.touches.begin() + begin, last = list.touches.begin() + end;
        for (auto at = std::lower_bound(first, last, t, before); at != last && order_of(*at) == order_of(t); ++at)
            if (at->n.dot(t.n) > kSameNormal) return true;
        begin = end;
    }
    return false;
}

Way way_of(const WayView& view, const Continuous& c) { return {view.surface, c.way.x_t1, c.way.bend}; }

} // namespace

bool look_ahead(const Parallel& parallel, const Model& m, const WayView& view, const State& end, Real part, SurfaceScratch& surface,
                Continuous& c) {
    c.way.x_t1.resize(m.surface.vertices.size());
    surface_positions(parallel, m, surface_state(end), c.way.x_t1);
    find_bends(m, view.start.q, end.frame.q, c.way.bend);
    return find_impacts(parallel, m, end, way_of(view, c), part, surface, c.way);
}

int add_impact_contacts(const Model& m, const State& end, const WayView& view, Real h, std::span<const unsigned char> held,
                        Contacts& found, TouchList& list, PositionContacts& all, Continuous& c) {
    const Way way = way_of(view, c);
    const std::size_t earlier = list.touches.size();
    for (const Impact& k : c.way.impacts) {
        SurfaceContact contact;
        if (!build_impact_contact(m, list.rules, k, way, contact)) continue;
        Touch t;
        t.key = contact.key;
        t.kind = int(k.kind) + 1;
        t.n = vec(contact.normal);
        if (is_known(list, c.blocks, t)) continue;
        auto& range = range_of(found, t.kind);
        t.index = int(range.size());
        t.object_a = m.surface.object[k.vertex[0]], t.object_b = m.surface.object[k.vertex[k.on_a]];
        t.rule = find_pair_rule(m, list.rules, t.object_a, t.object_b);
        t.rule.friction = contact.friction;
        t.pair = false;
        const ContactStencil stencil = stencil_of(m, contact);
        Vec3 start = Vec3::Zero(), stop = Vec3::Zero();
        bool free = false;
        for (int i = 0; i < k.count; ++i) {
            start += contact.weight[i] * vec(view.surface[k.vertex[i]]);
            stop += contact.weight[i] * vec(c.way.x_t1[k.vertex[i]]);
            if (i < k.on_a) t.at += contact.weight[i] * vec(view.surface[k.vertex[i]]);
            free = free || is_movable(m, stencil.vertex[i]);
        }
        if (!free) continue;
        t.gap = t.n.dot(start) - contact.thickness;
        range.push_back(contact);
        list.touches.push_back(t);
        add_position_contact(m, stencil, t, int(list.touches.size()) - 1, -contact.thickness, t.n.dot(stop - start) / h, all);
        if (!end.animated.x.empty()) place_contact(m, end, stencil, all.contacts.back());
    }
    const int added = int(list.touches.size() - earlier);
    if (added > 0) {
        c.blocks.push_back(int(list.touches.size()));
        colour_contacts(held, all);
    }
    return added;
}

bool cut_ways(const Parallel& parallel, const Model& m, const WayView& view, Real h, const DualState& to, State& end,
              SurfaceScratch& surface, Continuous& c) {
    begin_zones(point_count(m) + frame_count(m), c.zones);
    for (int round = 0; round < kCutRounds; ++round) {
        if (!look_ahead(parallel, m, view, end, kPartKept, surface, c)) return false;
        if (c.way.impacts.empty()) return true;
        cut_zones(m, view.start, c.way.impacts, h, round >= kMovingRounds, to, c.zones);
    }
    return false;
}

void sort_touches(TouchList& list) {
    auto& all = list.touches;
    std::sort(all.begin(), all.end(), before);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (Touch* same = kept ? &all[kept - 1] : nullptr; same && order_of(*same) == order_of(all[i])) {
            same->impulse += all[i].impulse;
            same->gap = std::min(same->gap, all[i].gap);
        } else {
            all[kept++] = all[i];
        }
    all.resize(kept);
}

void add_touches(const TouchList& list, TouchList& total) {
    total.touches.insert(total.touches.end(), list.touches.begin(), list.touches.end());
    sort_touches(total);
}

} // namespace sinew
