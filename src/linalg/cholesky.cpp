// Linear solver `cholesky`: A = L L^T by CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008), supernodal with
// BLAS where there is enough work per column, simplicial otherwise (CHOLMOD's own rule by flops per entry of
// L).
//
// The fill-reducing order is found on the graph of blocks, a ninth of the entries of the scalar graph, and
// postordered there; the scalar matrix is laid out in that order as a lower triangle, which CHOLMOD then
// factors in natural order without permuting or copying it.
//
// CHOLMOD keeps L and most work space between factorisations. It neither prints nor stops: its printing is
// off and its error handler is empty, failures come back as LinearInfo.
#include "linalg/linear_solver.h"

#ifdef SINEW_HAVE_CHOLMOD
#include "linalg/direct.h"
#include "linalg/library_threads.h"
#include <cholmod.h>

namespace sinew {

static std::string cholmod_message(int status) {
    switch (status) {
    case CHOLMOD_OUT_OF_MEMORY:
        return "CHOLMOD: out of memory";
    case CHOLMOD_TOO_LARGE:
        return "CHOLMOD: the factor has more than 2^31 - 1 entries; use cg";
    case CHOLMOD_NOT_INSTALLED:
        return "CHOLMOD was built without this method (METIS)";
    default:
        return "CHOLMOD failed with status " + std::to_string(status);
    }
}

// a view of our arrays; x may be null for a pattern
static cholmod_sparse sparse_view(int n, int* column_begin, int* row, Real* x, int stype) {
    cholmod_sparse A{};
    A.nrow = A.ncol = std::size_t(n);
    A.nzmax = std::size_t(column_begin[n]);
    A.p = column_begin, A.i = row, A.x = x;
    A.stype = stype;
    A.itype = CHOLMOD_INT, A.dtype = CHOLMOD_DOUBLE;
    A.xtype = x ? CHOLMOD_REAL : CHOLMOD_PATTERN;
    A.sorted = A.packed = 1;
    return A;
}

struct Cholesky : LinearSolver {
    explicit Cholesky(const LinearSettings& settings) : use_metis(settings.ordering == "metis") {
        pin_blas_threads();
        cholmod_start(&common);
        common.print = 0;
        common.error_handler = nullptr;
        common.nmethods = 1;
        common.final_ll = 1; // L L^T also in the simplicial case: L D L^T would accept indefinite matrices
    }
    ~Cholesky() override {
        cholmod_free_factor(&L, &common);
        cholmod_free_dense(&X, &common);
        cholmod_free_dense(&Y, &common);
        cholmod_free_dense(&E, &common);
        cholmod_finish(&common);
    }
    Cholesky(const Cholesky&) = delete;
    Cholesky& operator=(const Cholesky&) = delete;

    LinearInfo analyse(const BlockPattern& pattern, FixedMask fixed) override;
    LinearInfo factor(const Parallel&, const BlockSparse& A, std::span<const BlockProjector>) override;
    LinearInfo solve(const Parallel&, std::span<const Real> b, std::span<Real> x) override;

    // of the ordered lower triangle
    cholmod_sparse view(int n) {
        return sparse_view(n, system.matrix.column_begin.data(), system.matrix.row.data(), system.matrix.values.data(), -1);
    }

    bool use_metis = false;
    DirectSystem system;
    cholmod_common common;
    cholmod_factor* L = nullptr;
    cholmod_dense *X = nullptr, *Y = nullptr, *E = nullptr; // solution and work space of cholmod_solve2
};

// free blocks in fill-reducing order; empty if CHOLMOD fails
static std::vector<int> find_block_order(BlockGraph& graph, bool use_metis, cholmod_common& common) {
    std::vector<int> order;
    const int n = int(graph.free_blocks.size());
    cholmod_sparse blocks = sparse_view(n, graph.column_begin.data(), graph.row.data(), nullptr, 1);
    common.method[0].ordering = use_metis ? CHOLMOD_METIS : CHOLMOD_AMD;
    common.postorder = 1;
    common.supernodal = CHOLMOD_SIMPLICIAL;
    cholmod_factor* symbolic = cholmod_analyze(&blocks, &common);
    if (symbolic && common.status >= CHOLMOD_OK) {
        const int* permutation = static_cast<const int*>(symbolic->Perm);
        for (int k = 0; k < n; ++k) order.push_back(graph.free_blocks[permutation[k]]);
    }
    const int status = common.status;
    cholmod_free_factor(&symbolic, &common);
    common.status = status;
    return order;
}

LinearInfo Cholesky::analyse(const BlockPattern& pattern, FixedMask mask) {
    if (LinearInfo info = begin_analyse(pattern, mask, system); !info.ok) return info;
    cholmod_free_factor(&L, &common);
    BlockGraph graph = make_block_graph(pattern, mask);
    std::vector<int> order;
    if (!graph.free_blocks.empty()) {
        order = find_block_order(graph, use_metis, common);
        if (order.empty()) return linear_failure(cholmod_message(common.status));
    }
    order_matrix(pattern, order, Triangle::lower, system);
    const int n = free_count(system.matrix);
    if (n > 0) {
        cholmod_sparse A = view(n);
        common.method[0].ordering = CHOLMOD_NATURAL;
        common.postorder = 0;
        common.supernodal = CHOLMOD_AUTO;
        L = cholmod_analyze(&A, &common);
        if (!L || common.status < CHOLMOD_OK) return linear_failure(cholmod_message(common.status));
    }
    system.analysed = true;
    return {};
}

LinearInfo Cholesky::factor(const Parallel& parallel, const BlockSparse& A,
                            std::span<const BlockProjector> given) {
    if (LinearInfo info = take_matrix(parallel, A, given, system); !info.ok) return info;
    const int n = free_count(system.matrix);
    if (n > 0) {
        pin_blas_threads();
        const SerialOpenmp serial;
        cholmod_sparse S = view(n);
        const bool done = cholmod_factorize(&S, L, &common);
        if (common.status == CHOLMOD_NOT_POSDEF) return not_positive_definite();
        if (!done || common.status < CHOLMOD_OK) return linear_failure(cholmod_message(common.status));
    }
    system.factored = true;
    return {};
}

LinearInfo Cholesky::solve(const Parallel&, std::span<const Real> b, std::span<Real> x) {
    const int n = free_count(system.matrix);
    if (LinearInfo info = take_right_side(b, x, system); !info.ok || n == 0) return info;
    pin_blas_threads();
    const SerialOpenmp serial;
    cholmod_dense B{};
    B.nrow = B.d = B.nzmax = std::size_t(n), B.ncol = 1;
    B.x = system.rhs.data();
    B.xtype = CHOLMOD_REAL, B.dtype = CHOLMOD_DOUBLE;
    if (!cholmod_solve2(CHOLMOD_A, L, &B, nullptr, &X, nullptr, &Y, &E, &common))
        return linear_failure(cholmod_message(common.status));
    return give_solution({static_cast<const Real*>(X->x), std::size_t(n)}, x, system);
}

std::unique_ptr<LinearSolver> make_cholesky(const LinearSettings& s) { return std::make_unique<Cholesky>(s); }

} // namespace sinew

#else

namespace sinew {
std::unique_ptr<LinearSolver> make_cholesky(const LinearSettings&) { return nullptr; }
} // namespace sinew

#endif
