// Hessian blocks of the hinges of a mesh, triangle by triangle (energy/hinge_mesh.h). With n and m the normals of the upper and the lower
// triangle, grad theta of the hinge at corner i is g = (u0 n, u1 n + l1 m, u2 n + l2 m) at its corners and l0 m at the far apex, so that
// all blocks of a triangle are n a^T + b n^T, and what its own hinges add is s m m^T.
// Vectors are [x y z 0] in the compiler's vectors of four, compiled for AVX2 and for plain x86-64: the same operations in the same order,
// hence the same bits. Blocks stay in registers until they are stored once.
#include "core/simd.h"
#include "energy/hinge_mesh.h"

namespace sinew {

namespace {

#define SINEW_INLINE [[gnu::always_inline]] inline
using V = double __attribute__((vector_size(32)));

SINEW_INLINE void load(const Vec3& p, V& out) { out = V{p[0], p[1], p[2], 0}; }
SINEW_INLINE Real dot(const V& a, const V& b) {
    const V c = a * b;
    return c[0] + (c[1] + c[2]);
}
SINEW_INLINE void cross(const V& a, const V& b, V& out) {
    out = __builtin_shufflevector(a, a, 1, 2, 0, 3) * __builtin_shufflevector(b, b, 2, 0, 1, 3) -
          __builtin_shufflevector(a, a, 2, 0, 1, 3) * __builtin_shufflevector(b, b, 1, 2, 0, 3);
}

// n a^T + b n^T
struct Block {
    V a{}, b{};
};
struct Blocks {
    Block diagonal[3], across[3]; // (i, i), (i, i + 1)
};
// a hinge that the triangle owns
struct Owned {
    bool is = false;
    Real k = 0;                   // psi''
    const Real *u = nullptr, *l = nullptr;
    V m{}, g[3]{};                // g at apex, x1, x2
};

// three columns of three; the first two spill into what is written next
SINEW_INLINE void store_columns(const V& c0, const V& c1, const V& c2, Real* out) {
    __builtin_memcpy(out, &c0, sizeof c0);
    __builtin_memcpy(out + 3, &c1, sizeof c1);
    __builtin_memcpy(out + 6, &c2, 3 * sizeof(Real));
}
// columns += s m m^T
SINEW_INLINE void add_outer(Real s, const V& m, V& c0, V& c1, V& c2) {
    c0 += s * (m * m[0]);
    c1 += s * (m * m[1]);
    c2 += s * (m * m[2]);
}
SINEW_INLINE void columns(const V& n, const V& a, const V& b, V& c0, V& c1, V& c2) {
    c0 = n * a[0] + b * n[0];
    c1 = n * a[1] + b * n[1];
    c2 = n * a[2] + b * n[2];
}

// psi' Hess theta of the three hinges, as far as this triangle has a part in it
SINEW_INLINE void add_geometric(const HingeMesh::Triangle& t, const HingeMesh::Shape& s, const V& n, const HingeMesh& mesh, Blocks& out) {
    V edge[3]{}, side[3], r[3], sum{};
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        load(s.edge[i], edge[i]);
        cross(edge[i], n, side[i]);
        r[i] = V{};
        if (t.hinge[i] < 0) continue;
        const HingeMesh::Term& term = mesh.terms[t.hinge[i]];
        sum += term.c * edge[i];
        r[i] = term.r * side[i];
    }
    sum *= -s.inverse_area2 * s.inverse_area2;
    const Real d[3] = {dot(sum, edge[0]), dot(sum, edge[1]), dot(sum, edge[2])};
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out.diagonal[i].b = d[i] * side[i];
        out.diagonal[i].a = out.diagonal[i].b - (r[j] + r[k]);
        out.across[i].a = d[j] * side[i];
        out.across[i].b = d[i] * side[j];
        (t.owns[k] ? out.across[i].b : out.across[i].a) += r[k];
    }
}

SINEW_INLINE void find_owned(const HingeMesh& mesh, const HingeMesh::Triangle& t, const V& n, int i, Projection how, Owned& out) {
    if (!t.owns[i]) return;
    const HingeMesh::Term& term = mesh.terms[t.hinge[i]];
    const Real *u = term.upper.data(), *l = term.lower.data();
    out.is = true;
    out.k = how == Projection::none ? term.dd : std::max(0.0, term.dd);
    out.u = u;
    out.l = l;
    load(mesh.shape[mesh.edges[t.hinge[i]].lower].n, out.m);
    out.g[0] = u[0] * n;
    out.g[1] = u[1] * n + l[1] * out.m;
    out.g[2] = u[2] * n + l[2] * out.m;
}

// psi'' g g^T without its parts m m^T, of the hinge at corner i
SINEW_INLINE void add_stiffness(const Owned& h, int i, Blocks& out) {
    if (!h.is) return;
    const int x1 = (i + 1) % 3, x2 = (i + 2) % 3;
    const Real k0 = h.k * h.u[0], k1 = h.k * h.u[1], k2 = h.k * h.u[2];
    out.diagonal[i].a += k0 * h.g[0];
    out.diagonal[x1].a += k1 * h.g[1];
    out.diagonal[x1].b += (k1 * h.l[1]) * h.m;
    out.diagonal[x2].a += k2 * h.g[2];
    out.diagonal[x2].b += (k2 * h.l[2]) * h.m;
    out.across[i].a += k0 * h.g[1];              // (apex, x1)
    out.across[x1].a += k1 * h.g[2];             // (x1, x2)
    out.across[x1].b += (k2 * h.l[1]) * h.m;
    out.across[x2].b += k0 * h.g[2];             // (x2, apex)
}

// the six blocks between the corners
SINEW_INLINE void store_own(const HingeMesh::Triangle& t, const V& n, const Blocks& blocks, const Owned (&owned)[3], Real* out) {
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
        V c0, c1, c2;
        columns(n, blocks.diagonal[j].a, blocks.diagonal[j].b, c0, c1, c2);
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
            const Owned& h = owned[i];
            if (i == j || !h.is) continue;
            const int label = j == (i + 1) % 3 ? 1 : 2;
            add_outer(h.k * h.l[label] * h.l[label], h.m, c0, c1, c2);
        }
        store_columns(c0, c1, c2, out + 9 * j);
    }
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
        const Block& b = blocks.across[j];
        const V first = t.flip[j] ? b.b : b.a, second = t.flip[j] ? b.a : b.b;
        V c0, c1, c2;
        columns(n, first, second, c0, c1, c2);
        const Owned& h = owned[(j + 2) % 3];
        if (h.is) add_outer(h.k * h.l[1] * h.l[2], h.m, c0, c1, c2);
        store_columns(c0, c1, c2, out + 27 + 9 * j);
    }
}

// the four blocks of the far apex of the hinge at corner i
SINEW_INLINE void store_far(const Owned& h, int i, const std::array<bool, 3>& flip, Real* out) {
    const Real k0 = h.k * h.l[0], s = k0 * h.l[0];
    const V far = k0 * h.m;
    store_columns(s * (h.m * h.m[0]), s * (h.m * h.m[1]), s * (h.m * h.m[2]), out);
#pragma GCC unroll 3
    for (int corner = 0; corner < 3; ++corner) {
        const V& g = h.g[(corner - i + 3) % 3];
        const V p = flip[corner] ? g : far, q = flip[corner] ? far : g; // far g^T
        store_columns(p * q[0], p * q[1], p * q[2], out + 9 * (corner + 1));
    }
}

SINEW_INLINE void compute_range(Projection how, const HingeMesh& mesh, Real* blocks, int begin, int end) {
    for (int k = begin; k < end; ++k) {
        const HingeMesh::Triangle& t = mesh.triangles[k];
        Real* out = blocks + t.first_value;
        V n;
        load(mesh.shape[k].n, n);
        Blocks sums;
        if (how == Projection::none) add_geometric(t, mesh.shape[k], n, mesh, sums);
        Owned owned[3];
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
            find_owned(mesh, t, n, i, how, owned[i]);
            add_stiffness(owned[i], i, sums);
        }
        store_own(t, n, sums, owned, out);
        out += 54;
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
            if (!owned[i].is) continue;
            store_far(owned[i], i, t.flip_apex[i], out);
            out += 36;
        }
    }
}

void compute_plain(Projection how, const HingeMesh& mesh, Real* blocks, int begin, int end) {
    compute_range(how, mesh, blocks, begin, end);
}
#ifdef SINEW_HAVE_AVX2
[[gnu::target("avx2")]] void compute_avx2(Projection how, const HingeMesh& mesh, Real* blocks, int begin, int end) {
    compute_range(how, mesh, blocks, begin, end);
}
#else
constexpr auto compute_avx2 = compute_plain;
#endif

} // namespace

void compute_hinge_blocks(const Parallel& p, Projection how, const HingeMesh& mesh, Real* blocks, bool wide) {
    constexpr int kTriangleGrain = 256;
    const auto compute = wide ? compute_avx2 : compute_plain;
    parallel_for(p, int(mesh.triangles.size()), kTriangleGrain, [&](int begin, int end) { compute(how, mesh, blocks, begin, end); });
    if (how != Projection::none) return; // what is kept of a faded hinge has no part of the fade's derivatives
    for (const auto& chunk : mesh.faded)
        for (const HingeMesh::Faded& f : chunk) add_hinge_element(mesh, f.hinge, f.hessian, blocks);
}

} // namespace sinew

#undef SINEW_INLINE
