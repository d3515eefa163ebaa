#include "collision/sunk.h"
#include "collision/detect_points.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {

namespace {

// per vertex: surface vertex, object it is in, depth [m] still allowed; by vertex and object
constexpr std::string_view kSunk = "contact.sunk";
enum SunkMemory { kVertex, kObject, kDepth, kSunkMemory };

const std::vector<double>* find_sunk(const std::vector<NamedValues>& memory) {
    for (const NamedValues& a : memory)
        if (a.name == kSunk)
            for (std::size_t i = kDepth; i < a.values.size(); i += kSunkMemory)
                if (a.values[i] > 0) return &a.values; // somebody is still inside
    return nullptr;
}

Real allowed_depth(const std::vector<double>& all, int vertex, int object) {
    std::size_t low = 0, high = all.size() / kSunkMemory;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const double* e = all.data() + kSunkMemory * middle;
        if (e[kVertex] < vertex || (e[kVertex] == vertex && e[kObject] < object)) low = middle + 1;
        else high = middle;
    }
    const double* e = all.data() + kSunkMemory * low;
    return low < all.size() / kSunkMemory && e[kVertex] == vertex && e[kObject] == object ? e[kDepth] : 0;
}

bool is_thrown(const Model& m, const PointContact& c) {
    const SurfaceVertex& v = m.surface.vertices[c.vertex];
    if (v.kind != SurfaceVertex::point || !is_movable(m, v)) return false;
    // inside of the shape itself: what is within its thickness only has not passed through it
    return c.gap + c.thickness < 0 && -c.gap * std::sqrt(m.obstacles[c.obstacle].stiffness / m.point.mass[v.index]) > kThrown;
}

} // namespace

std::vector<SunkPair> register_sunk(const Parallel& parallel, const Model& m, State& s) {
    if (m.obstacles.empty() || point_count(m) == 0) return {};
    PointsScratch scratch;
    Contacts found;
    if (!detect_points(parallel, m, surface_state(s), 0, scratch, found)) return {};
    std::map<std::pair<int, int>, Real> depth;          // by vertex and object
    std::map<std::pair<int, int>, SunkPair> pairs;      // by objects
    for (const PointContact& c : found.point_point) {
        if (c.vertex < 0 || c.obstacle < 0 || !is_thrown(m, c)) continue;
        Real& deepest = depth[{c.vertex, c.object_b}];
        SunkPair& pair = pairs[{c.object_a, c.object_b}];
        pair.object = c.object_a, pair.other = c.object_b;
        pair.vertices += deepest == 0;
        deepest = std::max(deepest, -c.gap);
        pair.depth = std::max(pair.depth, -c.gap - c.thickness);
    }
    std::vector<SunkPair> out;
    if (depth.empty()) return out;
    s.memory.push_back({std::string(kSunk), 1, {}});
    for (const auto& [who, deep] : depth)
        for (const double x : {double(who.first), double(who.second), double(deep)}) s.memory.back().values.push_back(x);
    for (const auto& [who, pair] : pairs) out.push_back(pair);
    return out;
}

void allow_sunk(const std::vector<NamedValues>& memory, Real elapsed, Contacts& contacts) {
    const std::vector<double>* all = find_sunk(memory);
    if (!all) return;
    for (PointContact& c : contacts.point_point) {
        if (c.source == PointContact::shapes) continue;
        // within an edge or a triangle: as deep as the deepest of its vertices may be
        Real allowed = 0;
        for (int v : c.stencil)
            if (v >= 0) allowed = std::max(allowed, allowed_depth(*all, v, c.object_b));
        if (allowed == 0) continue;
        c.friction = 0;
        allowed = std::max(0.0, allowed - kRiseSpeed * elapsed);
        c.gap += allowed;
        c.thickness -= allowed;
    }
}

void raise_sunk(const Model& m, Real dt, State& s) {
    if (!find_sunk(s.memory)) return;
    PointsScratch scratch;
    Contacts found;
    if (!detect_points(*make_parallel(Context{.threads = 1}), m, surface_state(s), 0, scratch, found)) return;
    std::map<std::pair<int, int>, Real> depth; // of what is still inside
    for (const PointContact& c : found.point_point)
        if (c.vertex >= 0) depth[{c.vertex, c.object_b}] = std::max(depth[{c.vertex, c.object_b}], -c.gap);
    for (NamedValues& a : s.memory) {
        if (a.name != kSunk) continue;
        // entries stay, at zero: a checkpoint fits by the sizes of its arrays
        for (std::size_t i = 0; i + kSunkMemory <= a.values.size(); i += kSunkMemory) {
            const auto now = depth.find({int(a.values[i + kVertex]), int(a.values[i + kObject])});
            const Real left = now == depth.end() ? 0 : std::min(a.values[i + kDepth] - kRiseSpeed * dt, now->second);
            a.values[i + kDepth] = std::max(0.0, left);
        }
    }
}

} // namespace sinew
