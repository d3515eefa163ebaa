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
    mesh.terms.resize(mesh.edges.size());
    mesh.gradient.resize(12 * mesh.edges.size());
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
            s.edge = {c - b, a - c, b - a};
            const Vec3 normal = s.edge[0].cross(s.edge[1]);
            const Real area2 = normal.norm();
            for (int i = 0; i < 3; ++i) {
                s.length2[i] = s.edge[i].squaredNorm();
                s.product[i] = s.edge[(i + 1) % 3].dot(s.edge[(i + 2) % 3]);
            }
            if (area2 > 1e-12 * std::max({s.length2[0], s.length2[1], s.length2[2]})) {
                s.inverse_area2 = 1 / area2;
                s.n = s.inverse_area2 * normal;
            } else {
                s = {Vec3::Zero(), 0, {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}, {}, {}};
            }
        }
    });
}

void compute_hinge_term(const Psi& psi, int hinge, HingeMesh& mesh) {
    const HingeMesh::Edge& e = mesh.edges[hinge];
    const HingeMesh::Shape &u = mesh.shape[e.upper], &l = mesh.shape[e.lower];
    const int i = e.corner, x1 = (i + 1) % 3, x2 = (i + 2) % 3;
    const int a = e.lower_corner, y2 = (a + 1) % 3, y1 = (a + 2) % 3; // the lower triangle has the edge the other way round
    const Real inverse2 = 1 / u.length2[i], inverse = std::sqrt(inverse2);
    const Real wu = -inverse * u.inverse_area2, wl = -inverse * l.inverse_area2;
    mesh.terms[hinge] = {psi.d, psi.dd, psi.d * inverse, psi.d * inverse * inverse2,
                         {wu * u.length2[i], wu * u.product[x2], wu * u.product[x1]},
                         {wl * l.length2[a], wl * l.product[y2], wl * l.product[y1]}};
}

Psi fade_hinge(const Psi& psi, Real fade_upper, Real fade_lower, int hinge, const HingeMesh& mesh, std::vector<HingeMesh::Faded>& out) {
    const HingeMesh::Edge& e = mesh.edges[hinge];
    const HingeMesh::Shape &u = mesh.shape[e.upper], &l = mesh.shape[e.lower];
    // positions as seen from x1
    const std::array<Vec3, 4> x{-u.edge[(e.corner + 2) % 3], Vec3::Zero(), u.edge[e.corner], l.edge[(e.lower_corner + 1) % 3]};
    const Jet<12> s = hinge_fade(x, fade_upper, fade_lower);
    const VecN<12> ds = gradient_of(s), g = hinge_gradient(make_hinge(x));
    out.push_back({hinge, psi.value * ds, psi.d * (g * ds.transpose() + ds * g.transpose()) + psi.value * hessian_of(s)});
    return {s.value * psi.value, s.value * psi.d, s.value * psi.dd};
}

void compute_hinge_gradients(const Parallel& p, HingeMesh& mesh) {
    parallel_for(p, int(mesh.edges.size()), kTriangleGrain, [&](int begin, int end) {
        for (int h = begin; h < end; ++h) {
            const HingeMesh::Edge& e = mesh.edges[h];
            const HingeMesh::Term& t = mesh.terms[h];
            const Vec3 n = t.d * mesh.shape[e.upper].n, m = t.d * mesh.shape[e.lower].n;
            Eigen::Map<VecN<12>> out(mesh.gradient.data() + 12 * std::size_t(h));
            out << t.upper[0] * n, t.upper[1] * n + t.lower[1] * m, t.upper[2] * n + t.lower[2] * m, t.lower[0] * m;
        }
    });
    for (const auto& chunk : mesh.faded)
        for (const HingeMesh::Faded& f : chunk) Eigen::Map<VecN<12>>(mesh.gradient.data() + 12 * std::size_t(f.hinge)) += f.gradient;
}

namespace {

inline void add_scaled(Real k, const Mat3& m, Real* out) {
    for (int i = 0; i < 9; ++i) out[i] += k * m.data()[i];
}

} // namespace

// the ten blocks of a hinge, all of them stored by its upper triangle
void add_hinge_element(const HingeMesh& mesh, int hinge, const MatN<12>& hessian, Real* blocks) {
    const HingeMesh::Edge& e = mesh.edges[hinge];
    const HingeMesh::Triangle& t = mesh.triangles[e.upper];
    Real* own = blocks + t.first_value;
    const auto add = [&](int a, int b, bool flip, Real* out) {
        const Mat3 m = hessian.block<3, 3>(3 * a, 3 * b);
        add_scaled(1, flip ? Mat3(m.transpose()) : m, out);
    };
    // labels x0, x1, x2 of the corners, in cyclic order from the apex
    std::array<int, 3> label{};
    for (int k = 0; k < 3; ++k) label[(e.corner + k) % 3] = k;
    for (int k = 0; k < 3; ++k) {
        add(label[k], label[k], false, own + 9 * k);
        add(label[k], label[(k + 1) % 3], t.flip[k], own + 27 + 9 * k);
    }
    int before = 0; // hinges that the triangle owns and stores earlier
    for (int k = 0; k < e.corner; ++k) before += t.owns[k];
    Real* far = own + 54 + 36 * before;
    add(3, 3, false, far);
    for (int k = 0; k < 3; ++k) add(3, label[k], t.flip_apex[e.corner][k], far + 9 * (k + 1));
}

} // namespace sinew
