#include "geometry/decompose.h"
#include "geometry/decompose_part.h"
#include "geometry/mass.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {

namespace {
constexpr std::size_t kTrialPoints = 1200; // of a trial hull: enough to rank planes, 20 times faster than all
constexpr int kTrialSamples = 600;

Aabb box_of_points(const std::vector<Vec3>& x) {
    Aabb b;
    for (const Vec3& p : x) b = merge(b, p);
    return b;
}

// Planes of faces at concave edges of the mesh, the largest (edge length times angle) first.
struct EdgePlane {
    CutPlane plane;
    Vec3 a, b;
    Real weight;
};
std::vector<EdgePlane> find_edge_planes(const TriangleShape& m) {
    std::map<std::array<int, 2>, int> open; // directed edge -> triangle
    std::vector<EdgePlane> planes;
    const auto x = [&](int v) { return Vec3(vec(m.vertices[v])); };
    const auto normal = [&](int t) {
        return Vec3((x(m.triangles[t][1]) - x(m.triangles[t][0])).cross(x(m.triangles[t][2]) - x(m.triangles[t][0])).stableNormalized());
    };
    for (int t = 0; t < int(m.triangles.size()); ++t)
        for (int k = 0; k < 3; ++k) open[{m.triangles[t][k], m.triangles[t][(k + 1) % 3]}] = t;
    for (const auto& [e, t] : open) {
        const auto other = open.find({e[1], e[0]});
        if (e[0] > e[1] || other == open.end()) continue;
        const Vec3 a = x(e[0]), b = x(e[1]), n = normal(t), n2 = normal(other->second);
        const Real bend = n.cross(n2).dot(b - a); // negative = concave
        if (!(bend < -1e-6 * (b - a).norm())) continue;
        planes.push_back({{n, n.dot(a)}, a, b, -bend});
        planes.push_back({{n2, n2.dot(a)}, a, b, -bend});
    }
    std::stable_sort(planes.begin(), planes.end(), [](const EdgePlane& p, const EdgePlane& q) { return p.weight > q.weight; });
    if (planes.size() > 4096) planes.resize(4096);
    return planes;
}

std::vector<CutPlane> find_candidates(const Part& p, const std::vector<EdgePlane>& edge_planes) {
    constexpr int kAlong = 9, kEdgePlanes = 16;
    std::vector<CutPlane> planes;
    const Aabb box = box_of_points(p.vertices);
    for (int k = 0; k < 3; ++k) {
        for (int i = 1; i <= kAlong; ++i) planes.push_back({Vec3::Unit(k), box.lo[k] + i * (box.hi[k] - box.lo[k]) / (kAlong + 1)});
        planes.push_back({Vec3::Unit(k), p.worst[k]});
    }
    // principal axes of the vertices
    Vec3 mean = Vec3::Zero();
    for (const Vec3& x : p.vertices) mean += x / Real(p.vertices.size());
    Mat3 second = Mat3::Zero();
    for (const Vec3& x : p.vertices) second += (x - mean) * (x - mean).transpose();
    Real3 moments;
    Real4 rotation;
    diagonalise(real33(second), moments, rotation);
    for (int k = 0; k < 3; ++k) {
        const Vec3 n = quat(rotation) * Vec3::Unit(k);
        if (n.cwiseAbs().maxCoeff() > 0.999) continue;
        Real low = 1e300, high = -1e300;
        for (const Vec3& x : p.vertices) low = std::min(low, n.dot(x)), high = std::max(high, n.dot(x));
        for (int i = 1; i <= 5; ++i) planes.push_back({n, low + i * (high - low) / 6});
        planes.push_back({n, n.dot(p.worst)});
    }
    int found = 0;
    for (const EdgePlane& e : edge_planes) {
        if (!contains(box, e.a) || !contains(box, e.b)) continue;
        const auto same = [&](const CutPlane& q) {
            return std::abs(q.normal.dot(e.plane.normal)) > 1 - 1e-9 && std::abs(q.normal.dot(e.a) - q.offset) < 1e-9 * (box.hi - box.lo).norm();
        };
        if (std::any_of(planes.begin(), planes.end(), same)) continue;
        planes.push_back(e.plane);
        if (++found == kEdgePlanes) break;
    }
    return planes;
}

// What a plane leaves, in shares of what the part has: the larger concavity of the halves, the volume of their hulls, and
// how unequal they are. The sum of concavities instead of the larger one would shave off thin slices. Infinite for a plane
// that cuts nothing off.
Real rate_cut(const DecomposeJob& job, const Part& part, const CutPlane& plane) {
    Part half[2];
    cut_part(job, part, plane, half[0], half[1]);
    Real concavity = 0, volume[2];
    for (int i = 0; i < 2; ++i) {
        const Part& h = half[i];
        if (h.triangles.empty()) return std::numeric_limits<Real>::infinity();
        const HullShape hull = hull_of(h.vertices, h.inner, kTrialPoints);
        const int stride = std::max(1, int(h.samples.size()) / kTrialSamples);
        concavity = std::max(concavity, find_worst(job, hull, &h.samples, stride, false).concavity);
        volume[i] = hull_volume(hull);
    }
    return concavity / part.concavity + (volume[0] + volume[1] + 0.1 * std::abs(volume[0] - volume[1])) / part.volume;
}

CutPlane choose_plane(const Parallel& parallel, const DecomposeJob& job, const Part& part, const std::vector<EdgePlane>& edge_planes) {
    std::vector<CutPlane> planes = find_candidates(part, edge_planes);
    std::vector<Real> rating(planes.size());
    const auto rate = [&](std::size_t from) {
        parallel_for(parallel, int(planes.size() - from), 1, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) rating[from + i] = rate_cut(job, part, planes[from + i]);
        });
    };
    rate(0);
    std::size_t best = std::size_t(std::min_element(rating.begin(), rating.end()) - rating.begin());
    // slide the best plane by halves of the distance between candidates
    const Aabb box = box_of_points(part.vertices);
    Real step = (box.hi - box.lo).cwiseProduct(planes[best].normal).norm() / 20;
    for (int round = 0; round < 2; ++round, step /= 2) {
        const CutPlane base = planes[best];
        const std::size_t from = planes.size();
        for (Real s : {-step, step}) planes.push_back({base.normal, base.offset + s});
        rating.resize(planes.size());
        rate(from);
        for (std::size_t i = from; i < planes.size(); ++i)
            if (rating[i] < rating[best]) best = i;
    }
    return planes[best];
}

struct Joined {
    HullShape hull;
    Real concavity = std::numeric_limits<Real>::infinity();
};
Joined join_hulls(const DecomposeJob& job, const HullShape& a, const HullShape& b, Real limit) {
    std::vector<Vec3> points;
    for (const HullShape* h : {&a, &b})
        for (const Real3& v : h->vertices) points.push_back(vec(v));
    Joined j;
    j.hull = hull_of(points, {}, points.size() + 1);
    if (j.hull.vertices.empty()) return j;
    // a cheap look first: most pairs are far too concave
    const int stride = std::max(1, int(job.samples.size()) / (4 * kTrialSamples));
    const Real rough = find_worst(job, j.hull, nullptr, stride, false).concavity;
    j.concavity = rough > limit + 2 * job.grid.cell ? rough : find_worst(job, j.hull, nullptr, 1, true).concavity;
    return j;
}

bool boxes_touch(const HullShape& a, const HullShape& b, Real margin) {
    Aabb p, q;
    for (const Real3& v : a.vertices) p = merge(p, Vec3(vec(v)));
    for (const Real3& v : b.vertices) q = merge(q, Vec3(vec(v)));
    return overlap(grow(p, margin), q);
}

// Joins the pair of least concavity while it is within the limit or there are too many hulls. A joined hull is a new entry.
void join_parts(const Parallel& parallel, const DecomposeJob& job, Real limit, int max_hulls, Decomposition& d) {
    std::map<std::array<int, 2>, Joined> pairs;
    std::vector<char> alive(d.hulls.size(), 1);
    int count = int(d.hulls.size());
    for (;;) {
        const bool forced = count > max_hulls;
        const Real margin = (forced ? 0.05 : 1e-6) * d.diagonal;
        std::vector<std::array<int, 2>> todo;
        for (int i = 0; i < int(alive.size()); ++i)
            for (int j = i + 1; j < int(alive.size()); ++j)
                if (alive[i] && alive[j] && !pairs.contains({i, j}) && boxes_touch(d.hulls[i], d.hulls[j], margin)) todo.push_back({i, j});
        std::vector<Joined> made(todo.size());
        parallel_for(parallel, int(todo.size()), 1, [&](int begin, int end) {
            for (int k = begin; k < end; ++k) made[k] = join_hulls(job, d.hulls[todo[k][0]], d.hulls[todo[k][1]], limit);
        });
        for (std::size_t k = 0; k < todo.size(); ++k) pairs[todo[k]] = std::move(made[k]);
        const std::pair<const std::array<int, 2>, Joined>* best = nullptr;
        for (const auto& entry : pairs)
            if (alive[entry.first[0]] && alive[entry.first[1]] && (!best || entry.second.concavity < best->second.concavity)) best = &entry;
        if (!best || !(best->second.concavity <= limit || (forced && std::isfinite(best->second.concavity)))) break;
        d.hulls.push_back(best->second.hull);
        d.concavity.push_back(best->second.concavity);
        alive[best->first[0]] = alive[best->first[1]] = 0;
        alive.push_back(1);
        --count;
    }
    Decomposition kept = d;
    kept.hulls.clear();
    kept.concavity.clear();
    for (std::size_t i = 0; i < alive.size(); ++i)
        if (alive[i]) kept.hulls.push_back(std::move(d.hulls[i])), kept.concavity.push_back(d.concavity[i]);
    d = std::move(kept);
}
} // namespace

Result<Decomposition> decompose_mesh(const Parallel& parallel, const TriangleShape& mesh, const DecomposeSettings& s) {
    const auto fail = [](std::string value, std::string message, std::string allowed) {
        return Result<Decomposition>{std::nullopt, {Error{.value = std::move(value), .message = std::move(message), .allowed = std::move(allowed)}}};
    };
    if (s.max_hulls < 1) return fail(std::to_string(s.max_hulls), "there must be room for a hull", ">= 1");
    if (!(s.concavity > 0 && s.spacing >= 1e-4)) return fail(std::to_string(s.concavity), "concavity and spacing must be positive", "concavity > 0, spacing >= 1e-4");
    Result<DistanceGridShape> grid = build_distance_grid(parallel, mesh, {.resolution = s.resolution});
    if (!grid) return {std::nullopt, grid.errors};
    DecomposeJob job{mesh, build_triangle_tree(mesh), std::move(*grid.value), {}, 0, 0};
    const Aabb box = job.tree.nodes[0].box;
    Decomposition d;
    d.diagonal = (box.hi - box.lo).norm();
    job.spacing = s.spacing * d.diagonal;
    job.size = d.diagonal;
    for (const auto& t : mesh.triangles)
        sample_triangle(vec(mesh.vertices[t[0]]), vec(mesh.vertices[t[1]]), vec(mesh.vertices[t[2]]), job.spacing, 200, job.samples);
    const auto less = [](const Vec3& p, const Vec3& q) { return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3); };
    std::sort(job.samples.begin(), job.samples.end(), less);
    job.samples.erase(std::unique(job.samples.begin(), job.samples.end()), job.samples.end());
    // samples are points at most `spacing` apart: what lies between them is at most half of that deeper
    const Real limit = (s.concavity - s.spacing / 4) * d.diagonal;

    std::vector<Part> parts(1);
    for (const Real3& v : mesh.vertices) parts[0].vertices.push_back(vec(v));
    parts[0].triangles = mesh.triangles;
    parts[0].cell = make_cell(grow(box, 0.01 * d.diagonal));
    for (int i = 0; i < int(job.samples.size()); ++i) parts[0].samples.push_back(i);
    finish_part(job, parts[0]);
    const std::vector<EdgePlane> edge_planes = find_edge_planes(mesh);
    // cut freely, four times as many as allowed: joining makes the best of them
    while (int(parts.size()) < 4 * s.max_hulls) {
        const auto worst = std::max_element(parts.begin(), parts.end(), [](const Part& p, const Part& q) { return p.concavity < q.concavity; });
        if (worst->concavity <= limit) break;
        Part half[2];
        cut_part(job, *worst, choose_plane(parallel, job, *worst, edge_planes), half[0], half[1]);
        if (half[0].triangles.empty() || half[1].triangles.empty()) break;
        for (Part& h : half) finish_part(job, h);
        *worst = std::move(half[0]);
        parts.push_back(std::move(half[1]));
        ++d.cuts;
    }
    for (Part& p : parts) {
        if (p.hull.vertices.empty()) continue;
        d.hulls.push_back(std::move(p.hull));
        d.concavity.push_back(p.concavity);
    }
    if (d.hulls.empty()) return fail("", "the mesh has no volume", "");
    join_parts(parallel, job, limit, s.max_hulls, d);
    d.within_limit = *std::max_element(d.concavity.begin(), d.concavity.end()) <= s.concavity * d.diagonal;
    return {std::move(d), {}};
}

Concavity measure_concavity(const TriangleShape& mesh, const HullShape& h, Real spacing) {
    const TriangleTree tree = build_triangle_tree(mesh);
    Concavity c;
    std::vector<Vec3> points;
    for (const auto& t : mesh.triangles) {
        points.clear();
        sample_triangle(vec(mesh.vertices[t[0]]), vec(mesh.vertices[t[1]]), vec(mesh.vertices[t[2]]), spacing, 1000, points);
        for (const Vec3& p : points) c.depth = std::max(c.depth, depth_in_hull(h, p, c.depth));
    }
    // faces of the hull, and the same shrunk towards its middle: the inside
    points.clear();
    sample_hull(h, spacing, points);
    Vec3 middle = Vec3::Zero();
    for (const Real3& v : h.vertices) middle += vec(v) / Real(h.vertices.size());
    for (Real shrink : {1.0, 0.7, 0.4})
        for (const Vec3& q : points) {
            const Vec3 p = middle + shrink * (q - middle);
            if (winding_number(tree, mesh, p) > 0.5) continue;
            c.excess = std::max(c.excess, find_closest(tree, mesh, p).distance);
        }
    return c;
}

} // namespace sinew
