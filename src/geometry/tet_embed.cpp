#include "geometry/tet_embed.h"
#include "geometry/tet_measure.h"
#include "geometry/triangle_tree.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {
constexpr Real kEdge = -1e-12; // barycentric coordinate of a point on a face, up to rounding

std::array<Real, 4> weights_in(const TetMesh& m, int t, const Vec3& p) {
    const std::array<int, 4>& c = m.tets[t];
    const Vec3 a = vec(m.points[c[0]]), b = vec(m.points[c[1]]), d = vec(m.points[c[2]]), e = vec(m.points[c[3]]);
    const Real v = signed_volume(a, b, d, e);
    std::array<Real, 4> w{0, signed_volume(a, p, d, e) / v, signed_volume(a, b, p, e) / v, signed_volume(a, b, d, p) / v};
    w[0] = 1 - w[1] - w[2] - w[3];
    return w;
}

// Cubes of about the size of a tetrahedron; each lists those whose boxes touch it.
struct TetBuckets {
    Aabb box;
    Vec3 cell = Vec3::Ones();
    std::array<int, 3> size{1, 1, 1};
    std::vector<int> begin, tet;
};

std::array<int, 3> bucket_at(const TetBuckets& b, const Vec3& p) {
    std::array<int, 3> at;
    for (int k = 0; k < 3; ++k) at[k] = std::clamp(int(std::floor(std::clamp((p - b.box.lo)[k] / b.cell[k], -1.0, 1e6))), 0, b.size[k] - 1);
    return at;
}

template <class F> void visit_buckets(const TetBuckets& b, const TetMesh& m, int t, F&& f) {
    Aabb box;
    for (int p : m.tets[t]) box = merge(box, Vec3(vec(m.points[p])));
    const std::array<int, 3> lo = bucket_at(b, box.lo), hi = bucket_at(b, box.hi);
    for (int k = lo[2]; k <= hi[2]; ++k)
        for (int j = lo[1]; j <= hi[1]; ++j)
            for (int i = lo[0]; i <= hi[0]; ++i) f((k * b.size[1] + j) * b.size[0] + i);
}

TetBuckets build_buckets(const TetMesh& m) {
    TetBuckets b;
    for (const Real3& p : m.points) b.box = merge(b.box, Vec3(vec(p)));
    // as many buckets as tetrahedra, at most 2^21, shared out by the box's proportions
    const Vec3 extent = (b.box.hi - b.box.lo).cwiseMax(1e-300);
    const Real count = std::min<Real>(Real(m.tets.size()), 1 << 21), side = std::cbrt(extent.prod() / count);
    for (int k = 0; k < 3; ++k) {
        b.size[k] = side > 0 ? int(std::clamp(extent[k] / side, 1.0, 127.0)) : 1;
        b.cell[k] = extent[k] / b.size[k];
    }
    b.begin.assign(std::size_t(b.size[0]) * b.size[1] * b.size[2] + 1, 0);
    for (int t = 0; t < int(m.tets.size()); ++t) visit_buckets(b, m, t, [&](int n) { ++b.begin[n + 1]; });
    for (std::size_t n = 1; n < b.begin.size(); ++n) b.begin[n] += b.begin[n - 1];
    b.tet.resize(b.begin.back());
    std::vector<int> next(b.begin.begin(), b.begin.end() - 1);
    for (int t = 0; t < int(m.tets.size()); ++t) visit_buckets(b, m, t, [&](int n) { b.tet[next[n]++] = t; });
    return b;
}
} // namespace

std::vector<TetPlace> embed_points(const Parallel& parallel, const TetMesh& m, std::span<const Real3> points) {
    const TetBuckets buckets = build_buckets(m);
    // boundary of the tetrahedra that have a volume
    TetMesh solid;
    std::vector<int> source;
    solid.points = m.points;
    for (int t = 0; t < int(m.tets.size()); ++t)
        if (signed_volume(m, t) != 0) {
            solid.tets.push_back(m.tets[t]);
            source.push_back(t);
        }
    const std::vector<BoundaryFace> faces = boundary_faces(solid);
    TriangleShape skin{m.points, {}};
    for (const BoundaryFace& f : faces) skin.triangles.push_back(f.corners);
    const TriangleTree tree = build_triangle_tree(skin);
    std::vector<TetPlace> out(points.size());
    parallel_for(parallel, int(points.size()), 64, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const Vec3 p = vec(points[i]);
            const std::array<int, 3> at = bucket_at(buckets, p);
            const int n = (at[2] * buckets.size[1] + at[1]) * buckets.size[0] + at[0];
            for (int k = buckets.begin[n]; k < buckets.begin[n + 1] && !out[i].inside; ++k) {
                const std::array<Real, 4> w = weights_in(m, buckets.tet[k], p);
                if (*std::min_element(w.begin(), w.end()) >= kEdge) out[i] = {buckets.tet[k], w, true, 0};
            }
            if (out[i].inside || faces.empty()) continue;
            const SurfacePoint s = find_closest(tree, skin, p);
            if (s.triangle < 0) continue; // not a finite point
            const int t = source[faces[s.triangle].tet];
            out[i] = {t, weights_in(m, t, p), false, s.distance};
        }
    });
    return out;
}

} // namespace sinew
