#include "random_matrix.h"

namespace sinew {

Real random_real(std::mt19937& rng) { return std::uniform_real_distribution<Real>(-1, 1)(rng); }
BlockLayout random_layout(std::mt19937& rng, int count) {
    std::vector<int> sizes;
    for (int i = 0; i < count; ++i) {
        const int kind = random_int(rng, 4);
        sizes.push_back(kind == 0 ? 1 : 3);
        if (kind == 1) sizes.push_back(3);
    }
    return make_block_layout(sizes);
}
RandomElements random_elements(std::mt19937& rng, const BlockLayout& layout, int count, bool spd) {
    RandomElements r;
    const int blocks = block_count(layout);
    for (int e = 0; e < count && blocks > 0; ++e) {
        std::vector<int> stencil;
        int size = 0;
        for (int k = 1 + random_int(rng, 5); k > 0; --k) {
            const int absent = random_int(rng, 12);
            stencil.push_back(absent == 0   ? kAbsentBlock
                              : absent == 1 ? kAbsentScalar
                                            : random_int(rng, blocks));
            size += absent == 0 ? 3 : absent == 1 ? 1 : block_size(layout, stencil.back());
        }
        MatX m = MatX::NullaryExpr(size, size, [&] { return random_real(rng); });
        if (spd) m = (m * m.transpose() + 0.1 * MatX::Identity(size, size)).eval();
        r.stencil.push_back(stencil);
        r.elements.push_back({.first_value = int(r.values.size()), .size = size});
        r.values.insert(r.values.end(), m.data(), m.data() + m.size());
        // a gap between element matrices, as padding would leave
        if (random_int(rng, 5) == 0) r.values.push_back(1e300);
    }
    for (std::size_t e = 0; e < r.stencil.size(); ++e) r.elements[e].blocks = r.stencil[e];
    return r;
}
static int local_block_size(const BlockLayout& layout, int block) {
    return block >= 0 ? block_size(layout, block) : block == kAbsentScalar ? 1 : 3;
}
void add_triplets(const BlockLayout& layout, const RandomElements& r, MatX& dense) {
    for (const ElementBlocks& e : r.elements) {
        int c0 = 0;
        for (const int cb : e.blocks) {
            int r0 = 0;
            for (const int rb : e.blocks) {
                if (cb >= 0 && rb >= cb)
                    for (int j = 0; j < block_size(layout, cb); ++j)
                        for (int i = 0; i < block_size(layout, rb); ++i)
                            dense(layout.begin[rb] + i, layout.begin[cb] + j) +=
                                r.values[e.first_value + (c0 + j) * e.size + r0 + i];
                r0 += local_block_size(layout, rb);
            }
            c0 += local_block_size(layout, cb);
        }
    }
}
void mirror_blocks(const BlockLayout& layout, MatX& dense) {
    for (int rb = 0; rb < block_count(layout); ++rb)
        for (int cb = 0; cb < rb; ++cb)
            for (int j = layout.begin[cb]; j < layout.begin[cb + 1]; ++j)
                for (int i = layout.begin[rb]; i < layout.begin[rb + 1]; ++i) dense(j, i) = dense(i, j);
}
MatX dense_matrix(const BlockSparse& A) {
    const std::vector<Real> values = to_dense(A);
    const int n = scalar_count(A.pattern.layout);
    return Eigen::Map<const MatX>(values.data(), n, n);
}
std::vector<Real> random_vector(std::mt19937& rng, int n) {
    std::vector<Real> x(n);
    for (Real& v : x) v = random_real(rng);
    return x;
}
BlockSparse random_spd(std::mt19937& rng, int count, Real shift) {
    const BlockLayout layout = random_layout(rng, count);
    RandomElements r = random_elements(rng, layout, 2 * count, true);
    BlockPattern pattern;
    build_pattern(layout, r.elements, {}, pattern);
    GatherPlan plan;
    build_plan(pattern, r.elements, plan);
    BlockSparse A = make_block_sparse(std::move(pattern));
    const auto serial = make_parallel({.threads = 1});
    gather_elements(*serial, plan, r.values, A);
    add_diagonal(*serial, std::vector<Real>(scalar_count(layout), shift), A);
    return A;
}

} // namespace sinew
