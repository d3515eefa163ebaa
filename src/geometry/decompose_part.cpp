#include "geometry/decompose_part.h"
#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sinew {

static constexpr Real kOnPlane = 1e-12; // of the diagonal

Cell make_cell(const Aabb& b) {
    Cell c;
    const auto corner = [&](int i) { return Vec3(i & 1 ? b.hi.x() : b.lo.x(), i & 2 ? b.hi.y() : b.lo.y(), i & 4 ? b.hi.z() : b.lo.z()); };
    for (const auto& q : {std::array{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}})
        c.faces.push_back({corner(q[0]), corner(q[1]), corner(q[2]), corner(q[3])});
    return c;
}

Cell cut_cell(const Cell& cell, const CutPlane& plane, bool upper) {
    Cell r;
    std::vector<Vec3> cap;
    const Real sign = upper ? 1 : -1;
    for (const auto& face : cell.faces) {
        std::vector<Vec3> kept;
        for (std::size_t i = 0; i < face.size(); ++i) {
            const Vec3 &p = face[i], &q = face[(i + 1) % face.size()];
            const Real dp = sign * (plane.normal.dot(p) - plane.offset), dq = sign * (plane.normal.dot(q) - plane.offset);
            if (dp >= 0) kept.push_back(p);
            if (dp == 0) cap.push_back(p);
            if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
                // the same bits from both faces of the edge: always from the lower to the upper end
                const bool swap = dp > dq;
                const Vec3 &a = swap ? q : p, &b = swap ? p : q;
                const Real da = swap ? dq : dp, db = swap ? dp : dq;
                kept.push_back(a + da / (da - db) * (b - a));
                cap.push_back(kept.back());
            }
        }
        if (kept.size() >= 3) r.faces.push_back(std::move(kept));
    }
    if (cap.size() < 3) return r;
    // the cut itself: its corners around their middle
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : cap) middle += p / Real(cap.size());
    const Vec3 x = plane.normal.unitOrthogonal(), y = plane.normal.cross(x);
    const auto angle = [&](const Vec3& p) { return std::atan2((p - middle).dot(y), (p - middle).dot(x)); };
    std::sort(cap.begin(), cap.end(), [&](const Vec3& p, const Vec3& q) { return angle(p) < angle(q); });
    cap.erase(std::unique(cap.begin(), cap.end()), cap.end());
    if (cap.size() >= 3) r.faces.push_back(std::move(cap));
    return r;
}

namespace {
// Triangles of one side of the plane, those across it clipped; vertices renumbered. A triangle that only touches the plane
// from the other side leaves nothing here, one that lies in it belongs to the side of its material.
void clip_surface(const Part& from, const std::vector<Real>& height, const Vec3& normal, Real sign, Part& to) {
    std::vector<int> index(from.vertices.size(), -1);
    std::unordered_map<std::uint64_t, int> crossing;
    const auto keep = [&](int v) {
        if (index[v] < 0) index[v] = int(to.vertices.size()), to.vertices.push_back(from.vertices[v]);
        return index[v];
    };
    const auto cross = [&](int a, int b) {
        if (a > b) std::swap(a, b);
        const auto [it, is_new] = crossing.try_emplace(std::uint64_t(a) << 32 | std::uint32_t(b), int(to.vertices.size()));
        if (is_new) to.vertices.push_back(from.vertices[a] + height[a] / (height[a] - height[b]) * (from.vertices[b] - from.vertices[a]));
        return it->second;
    };
    for (const auto& t : from.triangles) {
        const Real d[3] = {sign * height[t[0]], sign * height[t[1]], sign * height[t[2]]};
        const Real highest = std::max({d[0], d[1], d[2]});
        if (highest < 0 || (highest == 0 && std::min({d[0], d[1], d[2]}) < 0)) continue;
        if (highest == 0) {
            const Vec3 area = (from.vertices[t[1]] - from.vertices[t[0]]).cross(from.vertices[t[2]] - from.vertices[t[0]]);
            if (sign * area.dot(normal) > 0) continue;
        }
        int polygon[4], n = 0;
        for (int k = 0; k < 3; ++k) {
            const int j = (k + 1) % 3;
            if (d[k] >= 0) polygon[n++] = keep(t[k]);
            if ((d[k] < 0 && d[j] > 0) || (d[k] > 0 && d[j] < 0)) polygon[n++] = cross(t[k], t[j]);
        }
        for (int i = 1; i + 1 < n; ++i) to.triangles.push_back({polygon[0], polygon[i], polygon[i + 1]});
    }
}

std::vector<Vec3> find_inner_corners(const DecomposeJob& job, const Cell& cell) {
    std::vector<Vec3> corners, inner;
    for (const auto& face : cell.faces) corners.insert(corners.end(), face.begin(), face.end());
    const auto less = [](const Vec3& p, const Vec3& q) { return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3); };
    std::sort(corners.begin(), corners.end(), less);
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    for (const Vec3& p : corners) {
        const Real d = sample_distance(job.grid, p).distance;
        if (d < -2 * job.grid.cell || (d < 2 * job.grid.cell && winding_number(job.tree, job.mesh, p) > 0.5)) inner.push_back(p);
    }
    return inner;
}
} // namespace

void cut_part(const DecomposeJob& job, const Part& part, const CutPlane& plane, Part& lower, Part& upper) {
    std::vector<Real> height(part.vertices.size());
    for (std::size_t v = 0; v < height.size(); ++v) {
        height[v] = plane.normal.dot(part.vertices[v]) - plane.offset;
        if (std::abs(height[v]) < kOnPlane * job.size) height[v] = 0; // a face's own plane misses its corners by rounding
    }
    for (int side = 0; side < 2; ++side) {
        Part& to = side ? upper : lower;
        to = Part{};
        clip_surface(part, height, plane.normal, side ? 1 : -1, to);
        to.cell = cut_cell(part.cell, plane, side == 1);
        to.inner = find_inner_corners(job, to.cell);
    }
    for (int s : part.samples) (plane.normal.dot(job.samples[s]) > plane.offset ? upper : lower).samples.push_back(s);
}

HullShape hull_of(const std::vector<Vec3>& points, const std::vector<Vec3>& more, std::size_t limit) {
    std::vector<Real3> x;
    const std::size_t stride = std::max<std::size_t>(1, (points.size() + limit - 1) / limit);
    for (std::size_t i = 0; i < points.size(); i += stride) x.push_back(real3(points[i]));
    if (stride > 1) { // the extremes along the axes are never left out
        for (int k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax_element(points.begin(), points.end(), [k](const Vec3& p, const Vec3& q) { return p[k] < q[k]; });
            x.push_back(real3(*low)), x.push_back(real3(*high));
        }
    }
    for (const Vec3& p : more) x.push_back(real3(p));
    Result<HullShape> h = make_hull(x);
    return h ? std::move(*h.value) : HullShape{};
}

Real hull_volume(const HullShape& h) {
    if (h.vertices.empty()) return 0;
    const Vec3 o = vec(h.vertices[0]);
    Real six = 0;
    for (std::size_t f = 0; f + 1 < h.face_begin.size(); ++f)
        for (int i = h.face_begin[f] + 1; i + 1 < h.face_begin[f + 1]; ++i)
            six += (vec(h.vertices[h.face_vertex[h.face_begin[f]]]) - o)
                       .dot((vec(h.vertices[h.face_vertex[i]]) - o).cross(vec(h.vertices[h.face_vertex[i + 1]]) - o));
    return six / 6;
}

Real depth_in_hull(const HullShape& h, const Vec3& p, Real least) {
    Real depth = std::numeric_limits<Real>::infinity();
    for (std::size_t f = 0; f < h.face_offset.size() && depth > least; ++f) depth = std::min(depth, h.face_offset[f] - vec(h.face_normal[f]).dot(p));
    return depth;
}

void sample_triangle(const Vec3& a, const Vec3& b, const Vec3& c, Real spacing, int most, std::vector<Vec3>& out) {
    const Real longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    const int n = int(std::clamp(std::ceil(longest / spacing), 1.0, Real(most)));
    for (int i = 0; i <= n; ++i)
        for (int j = 0; i + j <= n; ++j) out.push_back(a + Real(i) / n * (b - a) + Real(j) / n * (c - a));
}

void sample_hull(const HullShape& h, Real spacing, std::vector<Vec3>& out) {
    for (std::size_t f = 0; f + 1 < h.face_begin.size(); ++f)
        for (int i = h.face_begin[f] + 1; i + 1 < h.face_begin[f + 1]; ++i)
            sample_triangle(vec(h.vertices[h.face_vertex[h.face_begin[f]]]), vec(h.vertices[h.face_vertex[i]]),
                            vec(h.vertices[h.face_vertex[i + 1]]), spacing, 40, out);
}

namespace {
// Grid nodes outside the solid and inside the hull.
void search_nodes(const DistanceGridShape& g, const HullShape& h, int step, Worst& w) {
    Aabb box;
    for (const Real3& v : h.vertices) box = merge(box, Vec3(vec(v)));
    int lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = std::clamp(int(std::floor((box.lo[k] - g.origin[k]) / g.cell)), 0, g.size[k] - 1);
        hi[k] = std::clamp(int(std::ceil((box.hi[k] - g.origin[k]) / g.cell)), 0, g.size[k] - 1);
    }
    for (int k = lo[2]; k <= hi[2]; k += step)
        for (int j = lo[1]; j <= hi[1]; j += step)
            for (int i = lo[0]; i <= hi[0]; i += step) {
                const Real d = g.distance[(std::size_t(k) * g.size[1] + j) * g.size[0] + i];
                if (d <= w.concavity) continue;
                const Vec3 p = grid_node(g, i, j, k);
                if (depth_in_hull(h, p, 0) > 0) w = {d, p};
            }
}
} // namespace

Worst find_worst(const DecomposeJob& job, const HullShape& h, const std::vector<int>* samples, int stride, bool fine) {
    Worst w;
    if (h.vertices.empty()) return w;
    // dents: surface points inside
    const int n = int(samples ? samples->size() : job.samples.size());
    for (int i = 0; i < n; i += stride) {
        const Vec3& p = job.samples[samples ? (*samples)[i] : i];
        const Real depth = depth_in_hull(h, p, w.concavity);
        if (depth > w.concavity) w = {depth, p};
    }
    // air: places of the hull outside the solid
    search_nodes(job.grid, h, fine ? 1 : 2, w);
    std::vector<Vec3> points;
    sample_hull(h, fine ? job.spacing : 4 * job.spacing, points);
    for (const Vec3& p : points) {
        Real d = sample_distance(job.grid, p).distance;
        if (fine) {
            if (d < w.concavity - 0.9 * job.grid.cell) continue; // error of the grid: at most sqrt(3)/2 cell
            d = find_closest(job.tree, job.mesh, p).distance;
            if (d <= w.concavity || winding_number(job.tree, job.mesh, p) > 0.5) continue;
        }
        if (d > w.concavity) w = {d, p};
    }
    return w;
}

void finish_part(const DecomposeJob& job, Part& p) {
    p.hull = hull_of(p.vertices, p.inner, std::numeric_limits<std::size_t>::max() / 2);
    p.volume = hull_volume(p.hull);
    const Worst w = find_worst(job, p.hull, &p.samples, 1, true);
    p.concavity = w.concavity;
    p.worst = w.place;
}

} // namespace sinew
