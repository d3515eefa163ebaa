#include "collision/detect.h"
#include "core/math.h"
#include "geometry/convex.h"
#include "geometry/distance_closest.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr int kNarrowGrain = 512;

struct SurfaceNarrowPhase {
    const Model& m;
    std::span<const Real3> x;
    const SurfaceScratch& s;
    Real margin;

    Vec3 at(int vertex) const { return vec(x[vertex]); }
    Real thickness(std::span<const int> side) const {
        Real t = 0;
        for (int v : side) t = std::max(t, Real(m.surface.thickness[v]));
        return t;
    }
};

// Completes a contact from the gap vector; false if it is too far or the pair does not touch. `fallback` is the normal
// of a contact of distance zero.
bool finish(const SurfaceNarrowPhase& w, std::span<const int> a, std::span<const int> b, const Vec3& gap, const Vec3& fallback,
            SurfaceContact& c) {
    const int object_a = w.m.surface.object[a[0]], object_b = w.m.surface.object[b[0]];
    const PairRule rule = find_pair_rule(w.m, w.s.rules, object_a, object_b);
    if (!rule.touches) return false;
    const Real distance = gap.norm();
    c.thickness = rule.thickness >= 0 ? rule.thickness : w.thickness(a) + w.thickness(b);
    c.gap = distance - c.thickness;
    if (!(c.gap < w.margin)) return false;
    c.normal = c.normal_frozen = real3(distance > 0 ? Vec3(gap / distance) : fallback);
    c.friction = rule.friction;
    c.count = 1;
    int k = 0;
    for (int v : a) c.vertex[k++] = v;
    for (int v : b) c.vertex[k++] = v;
    return true;
}

std::uint64_t key_of(int a, int b) { return std::uint64_t(std::uint32_t(a)) << 32 | std::uint32_t(b); }

void add_vertex_vertex(const SurfaceNarrowPhase& w, int i, int j, SurfaceScratch::Chunk& out) {
    const int a = std::min(i, j), b = std::max(i, j);
    SurfaceContact c;
    c.key = key_of(a, b);
    c.weight = {1, -1, 0, 0};
    if (finish(w, std::array{a}, std::array{b}, w.at(a) - w.at(b), Vec3::UnitY(), c)) out.vertex_vertex.push_back(c);
}

void add_vertex_edge(const SurfaceNarrowPhase& w, int p, int edge, SurfaceScratch::Chunk& out) {
    const auto& e = w.m.surface.edges[edge];
    const Closest near = closest_vertex_edge(w.at(p), w.at(e[0]), w.at(e[1]));
    if (near.feature.kind == Feature::point_point) {
        add_vertex_vertex(w, p, e[near.feature.point[1] - 1], out);
        return;
    }
    SurfaceContact c;
    c.key = key_of(p, edge);
    c.weight = {1, -near.weight[1], -near.weight[2], 0};
    const Vec3 fallback = perpendicular(w.at(e[1]) - w.at(e[0]));
    if (finish(w, std::array{p}, e, near.difference, fallback, c)) out.vertex_edge.push_back(c);
}

// the edge of a triangle's stencil (p t0 t1 t2) between two of its corners
int edge_between(const std::array<int, 3>& edges, int i, int j) {
    const int low = std::min(i, j) - 1, high = std::max(i, j) - 1;
    return low == 0 ? (high == 1 ? edges[0] : edges[2]) : edges[1];
}

void add_vertex_triangle(const SurfaceNarrowPhase& w, int p, int triangle, SurfaceScratch::Chunk& out) {
    const auto& t = w.m.surface.triangles[triangle];
    const Vec3 t0 = w.at(t[0]), t1 = w.at(t[1]), t2 = w.at(t[2]);
    const Closest near = closest_vertex_triangle(w.at(p), t0, t1, t2);
    const auto& point = near.feature.point;
    if (near.feature.kind == Feature::point_point) add_vertex_vertex(w, p, t[point[1] - 1], out);
    if (near.feature.kind == Feature::point_line)
        add_vertex_edge(w, p, edge_between(w.s.triangle_edge[triangle], point[1], point[2]), out);
    if (near.feature.kind != Feature::point_plane) return;
    SurfaceContact c;
    c.key = key_of(p, triangle);
    c.weight = {1, -near.weight[1], -near.weight[2], -near.weight[3]};
    const Vec3 area = (t1 - t0).cross(t2 - t0);
    const Vec3 fallback = area.squaredNorm() > 0 ? Vec3(area.normalized()) : perpendicular(t1 - t0);
    if (finish(w, std::array{p}, t, near.difference, fallback, c)) out.vertex_triangle.push_back(c);
}

void add_edge_edge(const SurfaceNarrowPhase& w, int i, int j, SurfaceScratch::Chunk& out) {
    const auto &a = w.m.surface.edges[i], &b = w.m.surface.edges[j];
    const Vec3 a0 = w.at(a[0]), a1 = w.at(a[1]), b0 = w.at(b[0]), b1 = w.at(b[1]);
    const Closest near = closest_edge_edge(a0, a1, b0, b1);
    const std::array<int, 4> vertex{a[0], a[1], b[0], b[1]};
    const auto& point = near.feature.point;
    if (near.feature.kind == Feature::point_point) add_vertex_vertex(w, vertex[point[0]], vertex[point[1]], out);
    // the corner is the one that is alone on its side
    if (near.feature.kind == Feature::point_line) add_vertex_edge(w, vertex[point[0]], point[0] < 2 ? j : i, out);
    if (near.feature.kind != Feature::line_line) return;
    SurfaceContact c;
    c.key = key_of(i, j);
    c.weight = {near.weight[0], near.weight[1], -near.weight[2], -near.weight[3]};
    const Vec3 cross = (a1 - a0).cross(b1 - b0);
    const Vec3 fallback = cross.squaredNorm() > 0 ? Vec3(cross.normalized()) : perpendicular(a1 - a0);
    if (finish(w, a, b, -near.difference, fallback, c)) out.edge_edge.push_back(c);
}

// contacts found by several elements once, with the number of finds; equal keys are equal contacts
void sort_and_count(std::vector<SurfaceContact>& all) {
    std::sort(all.begin(), all.end(), [](const SurfaceContact& a, const SurfaceContact& b) { return a.key < b.key; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (kept && all[kept - 1].key == all[i].key) all[kept - 1].count += all[i].count;
        else all[kept++] = all[i];
    all.resize(kept);
}

void join(std::span<const SurfaceScratch::Chunk> chunks, std::vector<SurfaceContact> SurfaceScratch::Chunk::*part,
          std::vector<SurfaceContact>& out) {
    std::size_t found = 0;
    for (const auto& c : chunks) found += (c.*part).size();
    out.clear();
    if (out.capacity() < found) out.reserve(2 * found); // growing contacts must not allocate every time
    for (const auto& c : chunks) out.insert(out.end(), (c.*part).begin(), (c.*part).end());
}

void clear_surface(Contacts& out) {
    for (auto* range : {&out.vertex_triangle, &out.edge_edge, &out.vertex_edge, &out.vertex_vertex}) range->clear();
}

} // namespace

bool detect_surface(const Parallel& parallel, const Model& m, std::span<const Real3> x, std::span<const std::uint8_t> alive,
                    const SurfaceOptions& options, SurfaceScratch& s, Contacts& out) {
    clear_surface(out);
    SurfaceTopology topology;
    if (!build_surface_topology(m, alive, options, s, topology)) return false;
    const Real reach = options.margin + s.rule_thickness;
    Real farthest = 0;
    if (options.reach.size() == m.surface.thickness.size()) { // boxes grow each by its own reach: one that is fast makes only its own large
        s.grown.assign(options.reach.begin(), options.reach.end());
        for (std::size_t i = 0; i < s.grown.size(); ++i) farthest = std::max(farthest, s.grown[i]), s.grown[i] += m.surface.thickness[i];
        topology.thickness = s.grown;
    }
    if (!find_candidates(parallel, topology, s.neighbors, x, reach, s.boxes, s.candidates)) return false;

    // one loop over all pairs, kind after kind; chunks are cut by the number of pairs only
    const Candidates& pairs = s.candidates;
    const std::array<const std::vector<Pair>*, 4> lists{&pairs.vertex_triangle, &pairs.edge_edge, &pairs.vertex_edge,
                                                        &pairs.vertex_vertex};
    std::size_t total = 0;
    for (const auto* list : lists) total += list->size();
    if (total > std::size_t(std::numeric_limits<int>::max())) return false; // no scene has so many on purpose
    const int count = int(total);
    const int chunk_total = chunk_count(count, kNarrowGrain);
    if (int(s.chunks.size()) < chunk_total) s.chunks.resize(chunk_total);
    const SurfaceNarrowPhase narrow{m, x, s, options.margin + 2 * farthest};
    parallel_for(parallel, count, kNarrowGrain, [&](int begin, int end) {
        SurfaceScratch::Chunk& chunk = s.chunks[begin / kNarrowGrain];
        for (auto* part : {&chunk.vertex_triangle, &chunk.edge_edge, &chunk.vertex_edge, &chunk.vertex_vertex}) part->clear();
        std::size_t before = 0;
        for (int kind = 0; kind < 4; ++kind) {
            const std::vector<Pair>& list = *lists[kind];
            const std::size_t first = std::max(std::size_t(begin), before), last = std::min(std::size_t(end), before + list.size());
            for (std::size_t i = first; i < last; ++i) {
                const Pair& p = list[i - before];
                if (kind == 0) add_vertex_triangle(narrow, p[0], p[1], chunk);
                else if (kind == 1) add_edge_edge(narrow, p[0], p[1], chunk);
                else if (kind == 2) add_vertex_edge(narrow, p[0], p[1], chunk);
                else add_vertex_vertex(narrow, p[0], p[1], chunk);
            }
            before += list.size();
        }
    });
    const std::span<const SurfaceScratch::Chunk> chunks(s.chunks.data(), std::size_t(chunk_total));
    join(chunks, &SurfaceScratch::Chunk::vertex_triangle, out.vertex_triangle);
    join(chunks, &SurfaceScratch::Chunk::edge_edge, out.edge_edge);
    join(chunks, &SurfaceScratch::Chunk::vertex_edge, out.vertex_edge);
    join(chunks, &SurfaceScratch::Chunk::vertex_vertex, out.vertex_vertex);
    sort_and_count(out.vertex_edge);
    sort_and_count(out.vertex_vertex);
    return true;
}

} // namespace sinew
