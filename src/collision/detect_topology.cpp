// The model's surface as the broad phase takes it. Roles as bits, because two that cannot move need never be looked at:
//   soft      unknowns of points                        meets everything
//   body      a free rigid body with a shape            meets soft and animated; bodies meet by their shapes
//   held      a rigid body that cannot move             meets soft
//   animated  vertices moved from outside               meets soft and bodies
// An analytic obstacle has role `none`: detect_obstacles takes it. Safe steps (options.obstacles) meet height fields, which
// have triangles for it, by their surface.
#include "collision/detect.h"
#include "model/surface.h"
#include <algorithm>
#include <array>

namespace sinew {

namespace {

enum Role : std::uint32_t { kNone = 0, kSoft = 1, kBody = 2, kHeld = 4, kAnimated = 8 };

Role role_of(const Model& m, int vertex) {
    const SurfaceVertex& v = m.surface.vertices[vertex];
    if (v.kind == SurfaceVertex::animated) return kAnimated;
    if (v.kind == SurfaceVertex::frame) return m.frame.flags[v.index] & kFixed ? kHeld : kBody;
    return kSoft;
}

std::uint32_t mask_of(Role role, bool everything) {
    switch (role) {
    case kSoft: return kSoft | kBody | kHeld | kAnimated;
    case kBody: return kSoft | kAnimated | (everything ? kBody | kHeld : 0u);
    case kHeld: return kSoft | (everything ? std::uint32_t(kBody) : 0u);
    case kAnimated: return kSoft | kBody;
    default: return 0;
    }
}

bool find_triangle_edges(const Model& m, SurfaceScratch& s) {
    const auto& edges = m.surface.edges;
    std::vector<std::pair<Pair, int>> sorted;
    for (std::size_t k = 0; k < edges.size(); ++k)
        sorted.push_back({{std::min(edges[k][0], edges[k][1]), std::max(edges[k][0], edges[k][1])}, int(k)});
    std::sort(sorted.begin(), sorted.end());
    s.triangle_edge.clear();
    for (const auto& t : m.surface.triangles) {
        std::array<int, 3> found{};
        for (int k = 0; k < 3; ++k) {
            const Pair e{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])};
            const auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair(e, 0));
            if (at == sorted.end() || at->first != e) return false;
            found[k] = at->second;
        }
        s.triangle_edge.push_back(found);
    }
    return true;
}

// An object that does not touch itself and has nobody else to meet has no roles to look for: a single cloth in the wind.
void leave_out_lonely(const Model& m, SurfaceScratch& s) {
    std::vector<std::uint32_t> roles(m.objects.size(), 0), masks(m.objects.size(), 0);
    for (std::size_t i = 0; i < s.group.size(); ++i) {
        roles[m.surface.object[i]] |= s.group[i];
        masks[m.surface.object[i]] |= s.mask[i];
    }
    std::array<int, 4> carriers{}; // objects with each role
    for (std::uint32_t r : roles)
        for (int k = 0; k < 4; ++k) carriers[k] += (r >> k) & 1;
    std::vector<std::uint8_t> meets(m.objects.size(), 0);
    for (std::size_t o = 0; o < roles.size(); ++o) {
        meets[o] = m.objects[o].self_contact;
        for (int k = 0; k < 4; ++k)
            if ((masks[o] >> k) & 1) meets[o] |= carriers[k] > int((roles[o] >> k) & 1);
    }
    for (std::size_t i = 0; i < s.mask.size(); ++i)
        if (!meets[m.surface.object[i]]) s.mask[i] = 0;
}

void find_roles(const Model& m, const SurfaceOptions& options, SurfaceScratch& s) {
    const bool everything = options.everything;
    std::vector<std::uint8_t> analytic(m.objects.size(), 0);
    if (!everything)
        for (const Obstacle& o : m.obstacles)
            if (o.object >= 0 && o.frame >= 0 && !(options.obstacles && o.shape == Obstacle::height_field)) analytic[o.object] = 1;
    const std::size_t n = m.surface.vertices.size();
    s.group.resize(n);
    s.mask.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Role role = analytic[m.surface.object[i]] ? kNone : role_of(m, int(i));
        s.group[i] = role;
        s.mask[i] = mask_of(role, everything);
    }
    if (!options.obstacles) leave_out_lonely(m, s);
    s.excluded.clear();
    for (int k = 0; k < int(m.objects.size()); ++k)
        if (!m.objects[k].self_contact) s.excluded.push_back({k, k});
    s.rule_thickness = 0;
    for (const ContactRule& r : m.contact_rules) s.rule_thickness = std::max(s.rule_thickness, Real(r.thickness));
    for (const auto& [pair, index] : s.rules.rules)
        if (m.contact_rules[index].off) s.excluded.push_back({int(pair >> 32), int(pair & 0xffffffffu)});
    std::sort(s.excluded.begin(), s.excluded.end());
    s.excluded.erase(std::unique(s.excluded.begin(), s.excluded.end()), s.excluded.end());
}

bool refresh(const Model& m, const SurfaceOptions& options, SurfaceScratch& s, SurfaceTopology& view) {
    const bool same = s.topology == m.topology_revision && s.values == m.values_revision && s.owner == m.elements.get() &&
                      s.options.everything == options.everything && s.options.rings == options.rings &&
                      s.options.obstacles == options.obstacles &&
                      s.group.size() == m.surface.vertices.size() && s.triangle_edge.size() == m.surface.triangles.size();
    if (same) return s.valid;
    s.topology = m.topology_revision, s.values = m.values_revision, s.owner = m.elements.get(), s.options = options, s.options.reach = {};
    const std::size_t n = m.surface.vertices.size();
    s.valid = m.surface.thickness.size() == n && m.surface.object.size() == n &&
              build_neighbors(view, options.rings, s.neighbors) && find_triangle_edges(m, s);
    if (!s.valid) return false;
    build_rule_table(m, s.rules);
    find_roles(m, options, s);
    return true;
}

// vertices of removed objects, dead points, and what meets nothing by its surface: it would only fill the boxes' trees
void find_alive(const Model& m, std::span<const std::uint8_t> alive, SurfaceScratch& s) {
    const std::size_t n = m.surface.vertices.size();
    s.alive.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        s.alive[i] = s.mask[i] != 0 && m.objects[m.surface.object[i]].alive && is_alive(m, alive, m.surface.vertices[i]);
}

} // namespace

bool build_surface_topology(const Model& m, std::span<const std::uint8_t> alive, const SurfaceOptions& options,
                            SurfaceScratch& s, SurfaceTopology& out) {
    out = {};
    out.vertex_count = int(m.surface.vertices.size());
    out.edges = m.surface.edges;
    out.triangles = m.surface.triangles;
    if (!refresh(m, options, s, out)) return false;
    find_alive(m, alive, s);
    out.thickness = m.surface.thickness;
    out.object = m.surface.object;
    out.group = s.group;
    out.mask = s.mask;
    out.alive = s.alive;
    out.excluded = s.excluded;
    return true;
}

} // namespace sinew
