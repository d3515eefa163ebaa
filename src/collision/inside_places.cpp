#include "collision/inside_places.h"
#include "collision/obstacle_features.h"
#include "geometry/convex_distance.h"
#include "geometry/distance_closest.h"
#include "geometry/triangle.h"
#include "model/surface.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kElementGrain = 2048;

Vec3 normal_of(std::span<const Vec3> t) { return (t[1] - t[0]).cross(t[2] - t[0]).stableNormalized(); }

// from a difference element - core of the given length; where they meet there is no direction but the element's own
NearestPlace round_place(const Vec3& difference, Real squared, Real radius, std::array<Real, 3> weight, const Vec3& across) {
    const Real length = std::sqrt(squared);
    return {weight, length > 0 ? Vec3(difference / length) : across, length - radius};
}

NearestPlace near_core(const Vec3& core, Real radius, std::span<const Vec3> x) {
    if (x.size() == 2) {
        const Closest c = closest_vertex_edge(core, x[0], x[1]);
        return round_place(-c.difference, c.squared, radius, {c.weight[1], c.weight[2], 0}, perpendicular(x[1] - x[0]));
    }
    const Closest c = closest_vertex_triangle(core, x[0], x[1], x[2]);
    return round_place(-c.difference, c.squared, radius, {c.weight[1], c.weight[2], c.weight[3]}, normal_of(x));
}

NearestPlace nearer(const NearestPlace& a, const NearestPlace& b) { return b.distance < a.distance ? b : a; }

NearestPlace near_axis_edge(const Vec3& end, Real radius, const Vec3& e0, const Vec3& e1) {
    const Closest c = closest_edge_edge(-end, end, e0, e1);
    const Vec3 across = end.cross(e1 - e0).stableNormalized();
    return round_place(c.difference, c.squared, radius, {c.weight[2], c.weight[3], 0}, across.squaredNorm() > 0.5 ? across : perpendicular(end));
}

NearestPlace near_capsule(const ImplicitShape& s, std::span<const Vec3> x) {
    const Vec3 end(0, s.size.y, 0);
    const Real r = s.size.x;
    if (!(s.size.y > 0)) return near_core(Vec3::Zero(), r, x);
    if (x.size() == 2) return near_axis_edge(end, r, x[0], x[1]);
    // the axis through the triangle: out over the nearer end
    const Vec3 m = normal_of(x);
    const Real low = m.dot(-end - x[0]), high = m.dot(end - x[0]);
    if (std::min(low, high) < 0 && std::max(low, high) > 0) {
        const Vec3 through = -end + low / (low - high) * 2 * end;
        const Closest c = closest_vertex_triangle(through, x[0], x[1], x[2]);
        const Real nearest = std::abs(low) <= std::abs(high) ? low : high;
        if (c.feature.kind == Feature::point_plane)
            return {{c.weight[1], c.weight[2], c.weight[3]}, nearest > 0 ? m : Vec3(-m), -std::abs(nearest) - r};
    }
    NearestPlace best = nearer(near_core(-end, r, x), near_core(end, r, x));
    for (int k = 0; k < 3; ++k) {
        NearestPlace p = near_axis_edge(end, r, x[k], x[(k + 1) % 3]);
        const std::array<Real, 3> w = p.weight;
        p.weight = {};
        p.weight[k] = w[0], p.weight[(k + 1) % 3] = w[1];
        best = nearer(best, p);
    }
    return best;
}

// gradient of the depth in a box where several faces are as near: their combination that is perpendicular to the element
Vec3 box_gradient(const Vec3& half, std::span<const Vec3> x, const DeepPoint& p) {
    const int inner = int(std::count_if(p.weight.begin(), p.weight.end(), [](Real w) { return w > 0; }));
    if (inner < 2) return p.normal;
    Vec3 at = Vec3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) at += p.weight[i] * x[i];
    // faces in the order of their heights
    std::array<std::pair<Real, int>, 6> faces;
    for (int f = 0; f < 6; ++f) faces[f] = {half[f / 2] - (f & 1 ? -1 : 1) * at[f / 2], f};
    std::sort(faces.begin(), faces.end());
    const auto outward = [](int f) { return Vec3((f & 1 ? -1 : 1) * Vec3::Unit(f / 2)); };
    if (inner == 3) { // n along the triangle's normal m, and sum lambda = 1: n = m/sum |m_k|
        const Vec3 m = normal_of(x);
        const Vec3 n = m / m.cwiseAbs().sum();
        return n.dot(outward(faces[0].second)) < 0 ? Vec3(-n) : n;
    }
    int a = 0, b = 0; // the edge
    while (!(p.weight[a] > 0)) ++a;
    b = a + 1;
    while (!(p.weight[b] > 0)) ++b;
    const Vec3 e = x[b] - x[a], f = outward(faces[0].second);
    // of the faces as near the one whose slope along the edge is opposite
    for (int k = 1; k < 6; ++k) {
        const Vec3 g = outward(faces[k].second);
        const Real sf = f.dot(e), sg = g.dot(e);
        if (sf * sg < 0) return (sg * f - sf * g) / (sg - sf);
    }
    return f;
}

NearestPlace near_box(const ImplicitShape& s, std::span<const Vec3> x) {
    const Vec3 half = vec(s.size);
    const DeepPoint deep = find_deepest(half, x);
    if (deep.depth >= 0) return {deep.weight, box_gradient(half, x, deep), -deep.depth};
    Convex box, element;
    box.core = Convex::box, box.size = half;
    Placement place;
    if (x.size() == 2) {
        const Vec3 way = x[1] - x[0], y = way.stableNormalized(), side = perpendicular(y.squaredNorm() > 0.5 ? y : Vec3(Vec3::UnitY()));
        element.core = Convex::segment, element.size = {0, way.norm() / 2, 0};
        place.R << side, y, side.cross(y);
        place.p = 0.5 * (x[0] + x[1]);
    } else {
        element = make_triangle(x[0], x[1], x[2], 0);
    }
    const ConvexDistance d = convex_distance(box, {}, element, place);
    NearestPlace out;
    out.distance = d.distance, out.normal = d.normal;
    if (x.size() == 2) {
        const Real t = closest_on_segment(d.on_b, x[0], x[1]);
        out.weight = {1 - t, t, 0};
    } else {
        const Vec3 w = closest_on_triangle(d.on_b, x[0], x[1], x[2]).weight;
        out.weight = {w[0], w[1], w[2]};
    }
    return out;
}

} // namespace

NearestPlace find_nearest_place(const ImplicitShape& s, std::span<const Vec3> x) {
    if (x.size() == 1) {
        const ImplicitHit hit = evaluate_shape(s, x[0]);
        return {{1, 0, 0}, hit.normal, hit.distance};
    }
    if (s.kind == ImplicitShape::box) return near_box(s, x);
    return s.kind == ImplicitShape::sphere ? near_core(Vec3::Zero(), s.size.x, x) : near_capsule(s, x);
}

namespace {

struct Search {
    const Model& m;
    std::span<const Real3> x;
    std::span<const std::uint8_t> alive;
    const FrameState& frames;
    const DetectScratch& s;
    Real margin;
};

template <std::size_t N> bool takes_part(const Search& w, const std::array<int, N>& vertex) {
    bool moves = false;
    for (int v : vertex) {
        const SurfaceVertex& s = w.m.surface.vertices[v];
        if (s.kind != SurfaceVertex::point || !is_alive(w.m, w.alive, s)) return false;
        moves = moves || is_movable(w.m, s);
    }
    return moves;
}

// in the world: gap = normal . (sum weight x - at) is the distance without the thickness there
template <std::size_t N>
InsideContact::Place place_in_world(const Search& w, const std::array<int, N>& vertex, int k, const NearestPlace& p, Real thickness) {
    Vec3 x = Vec3::Zero();
    for (std::size_t j = 0; j < N; ++j) x += p.weight[j] * Vec3(vec(w.x[vertex[j]]));
    const Vec3 n = w.s.place[k].R * p.normal;
    return {p.weight, real3(n), real3(x - (p.distance - thickness) / n.squaredNorm() * n)};
}

template <std::size_t N> void test(const Search& w, int element, const std::array<int, N>& vertex, int k, std::vector<InsideContact>& out) {
    const Obstacle& o = w.m.obstacles[k];
    if (o.shape == Obstacle::plane || o.shape == Obstacle::height_field || o.object < 0) return;
    const PairRule rule = find_pair_rule(w.m, w.s.rules, w.m.surface.object[vertex[0]], o.object);
    if (!rule.touches) return;
    Real own = 0;
    std::array<Vec3, N> x;
    for (std::size_t j = 0; j < N; ++j) own = std::max(own, Real(w.m.surface.thickness[vertex[j]])), x[j] = from(w.s.place[k], vec(w.x[vertex[j]]));
    if (N == 3 && !(normal_of(std::array{x[0], x[1], x[N - 1]}).squaredNorm() > 0.5)) return; // without area: its edges are all of it
    const Real thickness = rule.thickness >= 0 ? rule.thickness : own + o.thickness;
    const ImplicitShape shape = implicit_shape_of(o);
    const NearestPlace deepest = find_nearest_place(shape, x);
    if (!(deepest.distance - thickness < w.margin)) return;
    for (std::size_t j = 0; j < N; ++j)
        if (!(deepest.weight[j] > 0)) return; // on the border
    InsideContact c;
    c.key = std::uint64_t(element) << 32 | std::uint64_t(k);
    c.count = int(N);
    c.obstacle = k;
    for (std::size_t j = 0; j < N; ++j) c.vertex[j] = vertex[j];
    c.deepest = place_in_world(w, vertex, k, deepest, thickness);
    const Real depth = thickness - deepest.distance;
    c.part = depth > 0 ? 1 : 0;
    for (std::size_t j = 0; j < N; ++j) {
        NearestPlace p;
        if constexpr (N == 2) {
            p = find_nearest_place(shape, std::span(&x[j], 1));
            p.weight = {j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, 0};
        } else {
            const std::size_t next = (j + 1) % 3;
            p = find_nearest_place(shape, std::array{x[j], x[next]});
            std::array<Real, 3> weight{};
            weight[j] = p.weight[0], weight[next] = p.weight[1];
            p.weight = weight;
        }
        c.border[j] = place_in_world(w, vertex, k, p, thickness);
        const Real there = std::max(0.0, thickness - p.distance);
        if (depth > 0) c.part *= std::max(0.0, 1 - there * there / (depth * depth));
    }
    const Vec3 on = vec(c.deepest.at), p = vec(w.frames.p[o.frame]);
    c.velocity = real3(vec(w.frames.v[o.frame]) + vec(w.frames.w[o.frame]).cross(on - p));
    out.push_back(c);
}

template <std::size_t N>
void search(const Parallel& parallel, const Search& w, const std::vector<std::array<int, N>>& elements, InsideScratch& s, Contacts& out) {
    const int count = int(elements.size()), chunks = chunk_count(count, kElementGrain);
    if (int(s.chunks.size()) < chunks) s.chunks.resize(chunks);
    parallel_for(parallel, count, kElementGrain, [&](int begin, int end) {
        InsideScratch::Chunk& chunk = s.chunks[begin / kElementGrain];
        chunk.found.clear();
        for (int first = begin; first < end; first += kObstacleBlock) {
            const int last = std::min(end, first + kObstacleBlock);
            std::array<Aabb, kObstacleBlock> own; // empty where the element takes no part
            Aabb block;
            for (int i = first; i < last; ++i) {
                if (!takes_part(w, elements[i])) continue;
                for (int v : elements[i]) own[i - first] = merge(own[i - first], Vec3(vec(w.x[v])));
                block = merge(block, own[i - first]);
            }
            if (is_empty(block)) continue;
            find_near_obstacles(w.m, w.s.boxes, block, Unbounded::without, chunk.near);
            for (int i = first; i < last; ++i)
                for (int k : chunk.near)
                    if (!is_empty(own[i - first]) && overlap(own[i - first], w.s.boxes.box[k])) test(w, i, elements[i], k, chunk.found);
        }
    });
    std::size_t found = out.inside.size();
    for (int c = 0; c < chunks; ++c) found += s.chunks[c].found.size();
    if (out.inside.capacity() < found) out.inside.reserve(2 * found); // growing contacts must not allocate every time
    for (int c = 0; c < chunks; ++c) out.inside.insert(out.inside.end(), s.chunks[c].found.begin(), s.chunks[c].found.end());
}

} // namespace

void detect_inside(const Parallel& parallel, const Model& m, std::span<const Real3> surface, std::span<const std::uint8_t> alive,
                   const FrameState& frames, Real margin, const DetectScratch& obstacles, InsideScratch& s, Contacts& out) {
    const Search w{m, surface, alive, frames, obstacles, margin};
    out.inside.clear();
    search(parallel, w, m.surface.edges, s, out);
    search(parallel, w, m.surface.triangles, s, out);
}

} // namespace sinew
