// Closest point, ray, box and winding number through the tree of triangle_tree.h.
#include "geometry/triangle_tree.h"
#include <algorithm>
#include <cmath>

namespace sinew {

SurfacePoint find_closest(const TriangleTree& tree, const TriangleShape& mesh, const Vec3& p, Real within, int hint) {
    SurfacePoint best;
    Real least = within * within;
    if (tree.nodes.empty()) return best;
    // Points on triangles are off by the rounding of their coordinates, so that a triangle can be nearer than its box: boxes
    // no further than that are opened too, and of as near triangles the lowest is found whatever the tree looks like.
    const Aabb& all = tree.nodes[0].box;
    const Real slack = 16 * std::numeric_limits<Real>::epsilon() * (p.cwiseAbs() + all.lo.cwiseAbs().cwiseMax(all.hi.cwiseAbs())).sum();
    Real open = 0; // squared: (distance + slack)^2
    const auto set_open = [&] {
        const Real d = std::sqrt(least) + slack;
        open = d * d;
    };
    set_open();
    const auto look_at = [&](int t) {
        const TrianglePoint q = closest_on_triangle(p, corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2));
        const Real d = (p - q.point).squaredNorm();
        if (d < least || (d == least && (best.triangle < 0 || t < best.triangle))) least = d, best.triangle = t, best.at = q, set_open();
    };
    if (hint >= 0) look_at(hint);
    TriangleNodeStack stack;
    push(stack, 0, squared_distance(tree.nodes[0].box, p));
    while (stack.size > 0) {
        const auto [index, bound] = pop(stack);
        if (bound > open) continue;
        const TriangleTree::Node& node = tree.nodes[index];
        for (int i = node.first; i < node.first + node.count; ++i) look_at(tree.order[i]);
        if (node.count) continue;
        const int a = node.first, b = node.first + 1;
        const Real da = squared_distance(tree.nodes[a].box, p), db = squared_distance(tree.nodes[b].box, p);
        push_nearer_last(stack, a, da, b, db);
    }
    best.distance = best.triangle >= 0 ? std::sqrt(least) : 0;
    return best;
}

namespace {
// Ray in axes where it runs along +z: shear and permutation of Woop et al.
struct ShearedRay {
    Vec3 origin, direction;
    int kx, ky, kz;
    Real sx, sy, sz;
};

ShearedRay shear(const Vec3& origin, const Vec3& direction) {
    ShearedRay r{origin, direction, 0, 0, 0, 0, 0, 0};
    direction.cwiseAbs().maxCoeff(&r.kz);
    r.kx = (r.kz + 1) % 3;
    r.ky = (r.kx + 1) % 3;
    if (direction[r.kz] < 0) std::swap(r.kx, r.ky);
    r.sx = direction[r.kx] / direction[r.kz];
    r.sy = direction[r.ky] / direction[r.kz];
    r.sz = 1 / direction[r.kz];
    return r;
}

// In the sheared axes; an edge function of exactly zero counts as inside, so shared edges belong to both triangles.
bool hit_triangle(const ShearedRay& r, const Vec3 x[3], Real far, Real& t, Vec3& weight) {
    Real px[3], py[3], pz[3];
    for (int k = 0; k < 3; ++k) {
        const Vec3 q = x[k] - r.origin;
        px[k] = q[r.kx] - r.sx * q[r.kz];
        py[k] = q[r.ky] - r.sy * q[r.kz];
        pz[k] = r.sz * q[r.kz];
    }
    Vec3 w;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        w[k] = px[j] * py[i] - py[j] * px[i];
    }
    if (w.minCoeff() < 0 && w.maxCoeff() > 0) return false;
    const Real sum = w.sum();
    if (sum == 0) return false;
    t = (w[0] * pz[0] + w[1] * pz[1] + w[2] * pz[2]) / sum;
    weight = w / sum;
    return t >= 0 && t <= far;
}

// Entry of the ray into the box, infinite if it misses; widened by the rounding of three operations (Ize 2013).
Real enter_box(const Aabb& b, const Vec3& origin, const Vec3& direction, Real far) {
    Real near = 0;
    for (int k = 0; k < 3; ++k) {
        if (direction[k] == 0) {
            if (origin[k] < b.lo[k] || origin[k] > b.hi[k]) return std::numeric_limits<Real>::infinity();
            continue;
        }
        Real t0 = (b.lo[k] - origin[k]) / direction[k], t1 = (b.hi[k] - origin[k]) / direction[k];
        if (t0 > t1) std::swap(t0, t1);
        near = std::max(near, t0 - std::abs(t0) * 1e-15);
        far = std::min(far, t1 + std::abs(t1) * 1e-15);
    }
    return near <= far ? near : std::numeric_limits<Real>::infinity();
}
} // namespace

RayPoint cast_ray(const TriangleTree& tree, const TriangleShape& mesh, const Vec3& origin, const Vec3& direction, Real far) {
    RayPoint best;
    best.t = far;
    if (tree.nodes.empty() || !(direction.squaredNorm() > 0)) return best;
    const ShearedRay ray = shear(origin, direction);
    TriangleNodeStack stack;
    push(stack, 0, enter_box(tree.nodes[0].box, origin, direction, far));
    while (stack.size > 0) {
        const auto [index, near] = pop(stack);
        if (near > best.t) continue;
        const TriangleTree::Node& node = tree.nodes[index];
        for (int i = node.first; i < node.first + node.count; ++i) {
            const int t = tree.order[i];
            const Vec3 x[3] = {corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2)};
            Real at;
            Vec3 weight;
            if (!hit_triangle(ray, x, best.t, at, weight)) continue;
            if (best.triangle >= 0 && at == best.t && t > best.triangle) continue;
            best.triangle = t, best.t = at, best.weight = weight;
            best.normal = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
        }
        if (node.count) continue;
        const int a = node.first, b = node.first + 1;
        const Real ta = enter_box(tree.nodes[a].box, origin, direction, best.t),
                   tb = enter_box(tree.nodes[b].box, origin, direction, best.t);
        push_nearer_last(stack, a, ta, b, tb);
    }
    return best;
}

RayPoint cast_ray_triangle(const std::array<Vec3, 3>& x, const Vec3& origin, const Vec3& direction, Real far) {
    RayPoint r;
    if (!(direction.squaredNorm() > 0) || !hit_triangle(shear(origin, direction), x.data(), far, r.t, r.weight)) return r;
    r.triangle = 0;
    r.normal = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
    return r;
}

void find_triangles(const TriangleTree& tree, const TriangleShape& mesh, const Aabb& box, bool exact, std::vector<int>& out) {
    out.clear();
    if (tree.nodes.empty()) return;
    TriangleNodeStack stack;
    push(stack, 0, 0);
    while (stack.size > 0) {
        const TriangleTree::Node& node = tree.nodes[pop(stack).node];
        if (!overlap(node.box, box)) continue;
        for (int i = node.first; i < node.first + node.count; ++i) {
            const int t = tree.order[i];
            const Vec3 x = corner(mesh, t, 0), y = corner(mesh, t, 1), z = corner(mesh, t, 2);
            if (exact ? triangle_overlaps_box(x, y, z, box) : overlap(box, merge(merge(box_of(x), y), z))) out.push_back(t);
        }
        if (node.count == 0) push(stack, node.first, 0), push(stack, node.first + 1, 0);
    }
    std::sort(out.begin(), out.end());
}

namespace {
// Van Oosterom and Strackee 1983: tan(omega / 2) = a.(b x c) / (|a||b||c| + ...); 4 pi at most.
Real solid_angle(const Vec3& p, const TriangleShape& m, int t) {
    const Vec3 a = corner(m, t, 0) - p, b = corner(m, t, 1) - p, c = corner(m, t, 2) - p;
    const Real la = a.norm(), lb = b.norm(), lc = c.norm();
    const Real y = a.dot(b.cross(c)), x = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    return y == 0 && x == 0 ? 0 : 2 * std::atan2(y, x);
}
} // namespace

Real winding_number_exact(const TriangleShape& m, const Vec3& p) {
    Real sum = 0;
    for (int t = 0; t < int(m.triangles.size()); ++t) sum += solid_angle(p, m, t);
    return sum / (4 * kPi);
}

Real winding_number(const TriangleTree& tree, const TriangleShape& mesh, const Vec3& p) {
    constexpr Real kFar = 3; // opening ratio; Barill et al. take 2, which errs by 0.06 on the cow
    if (tree.nodes.empty()) return 0;
    Real sum = 0;
    TriangleNodeStack stack;
    push(stack, 0, 0);
    while (stack.size > 0) {
        const int index = pop(stack).node;
        const TriangleTree::Node& node = tree.nodes[index];
        const TriangleTree::Dipole& d = tree.dipoles[index];
        const Vec3 r = d.center - p;
        const Real distance = r.norm();
        if (distance > kFar * d.radius) {
            sum += r.dot(d.normal) / (distance * distance * distance);
            continue;
        }
        for (int i = node.first; i < node.first + node.count; ++i) sum += solid_angle(p, mesh, tree.order[i]);
        if (node.count == 0) push(stack, node.first, 0), push(stack, node.first + 1, 0);
    }
    return sum / (4 * kPi);
}

Pseudonormals build_pseudonormals(const TriangleShape& m) {
    Pseudonormals r;
    const int n = int(m.triangles.size());
    r.face.resize(n);
    r.edge.resize(n);
    r.vertex.assign(m.vertices.size(), Vec3::Zero());
    struct Side {
        int a, b, triangle, edge;
    };
    std::vector<Side> sides;
    for (int t = 0; t < n; ++t) {
        const Vec3 x[3] = {corner(m, t, 0), corner(m, t, 1), corner(m, t, 2)};
        const Vec3 area = (x[1] - x[0]).cross(x[2] - x[0]);
        r.face[t] = area.norm() > 0 ? Vec3(area.normalized()) : Vec3(Vec3::Zero());
        for (int k = 0; k < 3; ++k) {
            const int a = m.triangles[t][k], b = m.triangles[t][(k + 1) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), t, k});
            const Vec3 u = x[(k + 1) % 3] - x[k], v = x[(k + 2) % 3] - x[k];
            r.vertex[a] += std::atan2(u.cross(v).norm(), u.dot(v)) * r.face[t];
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& p, const Side& q) {
        return std::tie(p.a, p.b, p.triangle) < std::tie(q.a, q.b, q.triangle);
    });
    for (std::size_t i = 0, j = 0; i < sides.size(); i = j) {
        Vec3 sum = Vec3::Zero();
        for (j = i; j < sides.size() && sides[j].a == sides[i].a && sides[j].b == sides[i].b; ++j) sum += r.face[sides[j].triangle];
        for (std::size_t k = i; k < j; ++k) r.edge[sides[k].triangle][sides[k].edge] = sum;
    }
    return r;
}

Vec3 pseudonormal(const Pseudonormals& n, const TriangleShape& m, const SurfacePoint& s) {
    const int f = int(s.at.feature);
    if (f == 0) return n.face[s.triangle];
    return f <= 3 ? n.edge[s.triangle][f - 1] : n.vertex[m.triangles[s.triangle][f - 4]];
}

} // namespace sinew
