#include "energy/hinge_mesh.h"
#include <algorithm>
#include <map>

namespace sinew {

namespace {

constexpr int kTriangleGrain = 256;

// the triangle with these corners in cyclic order, made if there is none; -1: it exists with the other orientation
int find_triangle(std::map<std::array<int, 3>, int>& known, HingeMesh& mesh, int a, int b, int c) {
    std::array<int, 3> cyclic{a, b, c}, turned{a, c, b};
    for (auto* t : {&cyclic, &turned}) std::rotate(t->begin(), std::min_element(t->begin(), t->end()), t->end());
    if (known.count(turned)) return -1;
    const auto [at, is_new] = known.try_emplace(cyclic, int(mesh.triangles.size()));
    if (is_new) mesh.triangles.push_back({cyclic, {-1, -1, -1}, {}, {}, {}, 0});
    return at->second;
}

int corner_of(const HingeMesh::Triangle& t, int point) {
    return t.point[0] == point ? 0 : t.point[1] == point ? 1 : 2;
}

// 3 x 3 column-major into the block array, transposed if asked
inline void store(const Mat3& m, bool flip, Real* out) {
    Eigen::Map<Mat3> to(out);
    if (flip) to = m.transpose();
    else to = m;
}

// gradient of the hinge that a triangle owns at corner i: at its corners in order, and at the far apex
struct OwnedGradient {
    std::array<Vec3, 3> corner;
    Vec3 apex;
};
OwnedGradient owned_gradient(const HingeMesh& mesh, const HingeMesh::Triangle& t, const HingeMesh::Shape& s, int i) {
    const HingeMesh::Edge& e = mesh.edges[t.hinge[i]];
    const HingeMesh::Shape& l = mesh.shape[e.lower];
    const int j = (i + 1) % 3, k = (i + 2) % 3;                                // x1, x2
    const int a = e.lower_corner, b = (a + 1) % 3, c = (a + 2) % 3;            // of the lower triangle: apex, x2, x1
    const auto cosine = [](const HingeMesh::Shape& h, int n) { return -h.unit[(n + 1) % 3].dot(h.unit[(n + 2) % 3]); };
    OwnedGradient g;
    g.corner[i] = -s.inverse_height[i] * s.n;
    g.corner[j] = cosine(s, k) * s.inverse_height[j] * s.n + cosine(l, b) * l.inverse_height[c] * l.n;
    g.corner[k] = cosine(s, j) * s.inverse_height[k] * s.n + cosine(l, c) * l.inverse_height[b] * l.n;
    g.apex = -l.inverse_height[a] * l.n;
    return g;
}

} // namespace

bool build_hinge_mesh(std::span<const int> stencils, HingeMesh& mesh) {
    mesh.triangles.clear();
    mesh.edges.clear();
    std::map<std::array<int, 3>, int> known;
    for (std::size_t h = 0; h + 3 < stencils.size(); h += 4) {
        const int *x = stencils.data() + h, hinge = int(h / 4);
        const int upper = find_triangle(known, mesh, x[0], x[1], x[2]), lower = find_triangle(known, mesh, x[3], x[2], x[1]);
        if (upper < 0 || lower < 0) return false;
        HingeMesh::Triangle &u = mesh.triangles[upper], &l = mesh.triangles[lower];
        const int a = corner_of(u, x[0]), b = corner_of(l, x[3]);
        if (u.hinge[a] >= 0 || l.hinge[b] >= 0) return false;
        u.hinge[a] = l.hinge[b] = hinge;
        u.owns[a] = true;
        mesh.edges.push_back({upper, lower, a, b, x[3]});
    }
    int at = 0;
    for (HingeMesh::Triangle& t : mesh.triangles) {
        t.first_value = at;
        at += 6 * 9;
        for (int i = 0; i < 3; ++i) {
            t.flip[i] = t.point[i] < t.point[(i + 1) % 3];
            if (!t.owns[i]) continue;
            at += 4 * 9;
            for (int j = 0; j < 3; ++j) t.flip_apex[i][j] = mesh.edges[t.hinge[i]].apex < t.point[j];
        }
    }
    mesh.value_count = at;
    mesh.shape.resize(mesh.triangles.size());
    mesh.psi.resize(mesh.edges.size());
    mesh.gradient.resize(12 * mesh.edges.size());
    mesh.blocks.resize(at);
    return true;
}

bool build_hinge_plan(const HingeMesh& mesh, const BlockPattern& pattern, GatherPlan& out) {
    std::vector<std::pair<int, int>> all; // slot, offset
    bool found = true;
    const auto add = [&](int a, int b, int offset) {
        const int slot = find_slot(pattern, std::max(a, b), std::min(a, b));
        found = found && slot >= 0;
        all.emplace_back(slot, offset);
    };
    for (const HingeMesh::Triangle& t : mesh.triangles) {
        int at = t.first_value;
        for (int i = 0; i < 3; ++i, at += 9) add(t.point[i], t.point[i], at);
        for (int i = 0; i < 3; ++i, at += 9) add(t.point[i], t.point[(i + 1) % 3], at);
        for (int i = 0; i < 3; ++i) {
            if (!t.owns[i]) continue;
            const int apex = mesh.edges[t.hinge[i]].apex;
            add(apex, apex, at);
            for (int j = 0; j < 3; ++j) add(apex, t.point[j], at + 9 * (j + 1));
            at += 36;
        }
    }
    if (!found) return false;
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    out = {};
    for (const auto& [slot, offset] : all) {
        if (out.slot.empty() || out.slot.back() != slot) {
            if (!out.slot.empty()) out.begin.push_back(int(out.offset.size()));
            out.slot.push_back(slot);
        }
        out.offset.push_back(offset);
        out.stride.push_back(3);
    }
    if (!out.slot.empty()) out.begin.push_back(int(out.offset.size()));
    return true;
}

void compute_hinge_shapes(const Parallel& p, const Real3* x, HingeMesh& mesh) {
    parallel_for(p, int(mesh.triangles.size()), kTriangleGrain, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            const auto& t = mesh.triangles[k].point;
            HingeMesh::Shape& s = mesh.shape[k];
            const Vec3 a = vec(x[t[0]]), b = vec(x[t[1]]), c = vec(x[t[2]]);
            const std::array<Vec3, 3> e{c - b, a - c, b - a};
            const Vec3 normal = e[0].cross(e[1]);
            const Real area2 = normal.norm();
            Real longest = 0;
            for (int i = 0; i < 3; ++i) {
                const Real l2 = e[i].squaredNorm();
                longest = std::max(longest, l2);
                s.length[i] = std::sqrt(l2);
            }
            s.valid = area2 > 1e-12 * longest;
            if (!s.valid) continue;
            const Real inverse = 1 / area2;
            s.n = inverse * normal;
            for (int i = 0; i < 3; ++i) {
                s.unit[i] = e[i] / s.length[i];
                s.inverse_height[i] = s.length[i] * inverse;
            }
        }
    });
}

HalfAngle hinge_half_angle(const HingeMesh& mesh, int hinge, bool& valid) {
    const HingeMesh::Edge& e = mesh.edges[hinge];
    const HingeMesh::Shape &u = mesh.shape[e.upper], &l = mesh.shape[e.lower];
    valid = u.valid && l.valid;
    return valid ? half_angle(u.n, l.n, u.unit[e.corner]) : HalfAngle{};
}

void compute_hinge_gradients(const Parallel& p, HingeMesh& mesh) {
    parallel_for(p, int(mesh.edges.size()), kTriangleGrain, [&](int begin, int end) {
        for (int h = begin; h < end; ++h) {
            const HingeMesh::Edge& e = mesh.edges[h];
            Eigen::Map<VecN<12>> out(mesh.gradient.data() + 12 * std::size_t(h));
            if (!mesh.shape[e.upper].valid || !mesh.shape[e.lower].valid) {
                out.setZero();
                continue;
            }
            const OwnedGradient g = owned_gradient(mesh, mesh.triangles[e.upper], mesh.shape[e.upper], e.corner);
            out << g.corner[e.corner], g.corner[(e.corner + 1) % 3], g.corner[(e.corner + 2) % 3], g.apex;
            out *= mesh.psi[h].d;
        }
    });
}

namespace {

// H_ii and H_ij of the geometric part
void add_geometric(const HingeMesh::Triangle& t, const HingeMesh::Shape& s, const std::vector<Psi>& psi, std::array<Mat3, 3>& diagonal,
                   std::array<Mat3, 3>& across) {
    std::array<Real, 3> c, cosine, d;
    std::array<Mat3, 3> m, r;
    for (int i = 0; i < 3; ++i) {
        c[i] = t.hinge[i] >= 0 ? psi[t.hinge[i]].d : 0;
        cosine[i] = -s.unit[(i + 1) % 3].dot(s.unit[(i + 2) % 3]);
        m[i] = s.n * s.unit[i].cross(s.n).transpose();
        r[i] = c[i] / (s.length[i] * s.length[i]) * m[i];
    }
    for (int i = 0; i < 3; ++i) d[i] = c[(i + 2) % 3] * cosine[(i + 1) % 3] + c[(i + 1) % 3] * cosine[(i + 2) % 3] - c[i];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const Real wii = s.inverse_height[i] * s.inverse_height[i] * d[i];
        const Real wij = s.inverse_height[i] * s.inverse_height[j], a = wij * d[i], b = wij * d[j];
        diagonal[i] = wii * (m[i] + m[i].transpose()) - r[j] - r[k];
        across[i] = a * m[j].transpose() + b * m[i];
        if (t.owns[k]) across[i] += r[k].transpose();
        else across[i] += r[k];
    }
}

} // namespace

void compute_hinge_blocks(const Parallel& p, Projection how, HingeMesh& mesh) {
    parallel_for(p, int(mesh.triangles.size()), kTriangleGrain, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            const HingeMesh::Triangle& t = mesh.triangles[k];
            const HingeMesh::Shape& s = mesh.shape[k];
            Real* out = mesh.blocks.data() + t.first_value;
            std::array<Mat3, 3> diagonal, across;
            if (s.valid && how == Projection::none) add_geometric(t, s, mesh.psi, diagonal, across);
            else diagonal.fill(Mat3::Zero()), across.fill(Mat3::Zero());
            Real* extra = out + 54;
            for (int i = 0; i < 3; ++i) {
                if (!t.owns[i]) continue;
                const HingeMesh::Edge& e = mesh.edges[t.hinge[i]];
                if (!s.valid || !mesh.shape[e.lower].valid) {
                    std::fill(extra, extra + 36, 0.0);
                    extra += 36;
                    continue;
                }
                Real dd = mesh.psi[t.hinge[i]].dd;
                if (how == Projection::absolute) dd = std::abs(dd);
                else if (how != Projection::none) dd = std::max(0.0, dd);
                const OwnedGradient g = owned_gradient(mesh, t, s, i);
                for (int a = 0; a < 3; ++a) {
                    const Vec3 scaled = dd * g.corner[a];
                    diagonal[a] += scaled * g.corner[a].transpose();
                    across[a] += scaled * g.corner[(a + 1) % 3].transpose();
                }
                const Vec3 apex = dd * g.apex;
                store(apex * g.apex.transpose(), false, extra);
                for (int j = 0; j < 3; ++j) store(apex * g.corner[j].transpose(), t.flip_apex[i][j], extra + 9 * (j + 1));
                extra += 36;
            }
            for (int i = 0; i < 3; ++i) store(diagonal[i], false, out + 9 * i);
            for (int i = 0; i < 3; ++i) store(across[i], t.flip[i], out + 27 + 9 * i);
        }
    });
}

} // namespace sinew
