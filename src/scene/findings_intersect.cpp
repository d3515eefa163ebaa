// Objects that intersect in the first state, by exact predicates on all their triangles at once. What only touches (a
// stack of boxes, a cloth on a table top) is in order: a pair counts if an edge of one goes from one side of the other's
// plane strictly to the other side. Left out are planes, which are drawn smaller than they are, objects that nothing
// touches or that a rule keeps apart, two that cannot move, and bodies with themselves.
#include "collision/intersections.h"
#include "core/parallel.h"
#include "geometry/exact.h"
#include "geometry/triangulate.h"
#include "model/contacts.h"
#include "scene/findings.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace sinew {

namespace {

struct Soup {
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> triangles;
    std::vector<int> part, polygon; // per triangle: which of `parts`, which polygon of it
    std::vector<int> first;         // per part: its first vertex
};

bool can_move(const Model& m, const Object& o) {
    for (int i = o.frames.begin; i < o.frames.end; ++i)
        if (!(m.frame.flags[i] & kFixed)) return true;
    return o.points.count() > 0;
}
bool can_touch(const Model& m, int object) {
    const Object& o = m.objects[object];
    if (!o.alive || o.kind == "plane") return false;
    const auto own = [&](const auto& c) { return c.object == object; };
    return o.triangles.count() > 0 || std::any_of(m.colliders.begin(), m.colliders.end(), own);
}
bool can_meet(const Model& m, const RuleTable& rules, int a, int b) {
    if (a == b) return m.objects[a].points.count() > 0;
    return (can_move(m, m.objects[a]) || can_move(m, m.objects[b])) && find_pair_rule(m, rules, a, b).touches;
}

bool crosses(const Soup& s, int i, int j) {
    const auto at = [&](int triangle, int k) { return Vec3(vec(s.x[s.triangles[triangle][k]])); };
    const auto one_way = [&](int a, int b) {
        int low = 0, high = 0;
        for (int k = 0; k < 3; ++k) {
            const int side = orient3d(at(b, 0), at(b, 1), at(b, 2), at(a, k));
            low += side < 0, high += side > 0;
        }
        return low > 0 && high > 0;
    };
    return one_way(i, j) && one_way(j, i);
}

std::string indices(const std::set<int>& of) {
    std::string text;
    int shown = 0;
    for (int i : of) {
        if (shown == 5) return text + ", ...";
        text += fmt::format("{}{}", shown++ ? ", " : "", i);
    }
    return text;
}

} // namespace

void find_intersecting_objects(const Model& m, std::span<const WorldMesh> parts, std::vector<Finding>& out) {
    Soup s;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        s.first.push_back(int(s.x.size()));
        if (!can_touch(m, parts[k].object)) continue;
        const Triangulation t = triangulate(parts[k].mesh);
        for (std::size_t i = 0; i < t.triangles.size(); ++i) {
            const auto& v = t.triangles[i];
            s.triangles.push_back({v[0] + s.first[k], v[1] + s.first[k], v[2] + s.first[k]});
            s.part.push_back(int(k));
            s.polygon.push_back(t.polygon[i]);
        }
        s.x.insert(s.x.end(), parts[k].mesh.positions.begin(), parts[k].mesh.positions.end());
    }
    const ParallelPtr parallel = make_parallel({});
    IntersectScratch scratch;
    std::vector<Pair> pairs;
    find_self_intersections(*parallel, {s.x, s.triangles}, scratch, pairs);
    RuleTable rules;
    build_rule_table(m, rules);
    std::map<Pair, std::array<std::set<int>, 2>> found; // polygons of both, by pair of parts
    for (const Pair& p : pairs) {
        const int a = s.part[p[0]], b = s.part[p[1]]; // ascending, as triangles are
        if (!can_meet(m, rules, parts[a].object, parts[b].object) || !crosses(s, p[0], p[1])) continue;
        found[{a, b}][0].insert(s.polygon[p[0]]);
        found[{a, b}][1].insert(s.polygon[p[1]]);
    }
    for (const auto& [pair, polygons] : found) {
        const WorldMesh &a = parts[pair[0]], &b = parts[pair[1]];
        Finding f;
        f.object = m.objects[a.object].name;
        f.kind = "intersection";
        if (pair[0] != pair[1]) f.other = m.objects[b.object].name;
        f.positions = a.mesh.positions;
        std::set<int> mine = polygons[0];
        if (pair[0] == pair[1]) mine.insert(polygons[1].begin(), polygons[1].end());
        for (int p : mine)
            f.polygons.emplace_back(a.mesh.polygon_vertex.begin() + a.mesh.polygon_begin[p],
                                    a.mesh.polygon_vertex.begin() + a.mesh.polygon_begin[p + 1]);
        f.message = f.other.empty()
                        ? fmt::format("intersects itself: {} polygons ({})", mine.size(), indices(mine))
                        : fmt::format("intersects {}: {} of its polygons ({}) and {} of the other's ({})", f.other, mine.size(),
                                      indices(mine), polygons[1].size(), indices(polygons[1]));
        out.push_back(std::move(f));
    }
}

} // namespace sinew
