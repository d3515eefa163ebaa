// All linear solvers, orderings and preconditioners by name. Add one row here.
#include "core/nearest.h"
#include "linalg/banded_lu.h"
#include "linalg/linear_solver.h"
#include <algorithm>

namespace sinew {

#ifdef SINEW_HAVE_CHOLMOD
static constexpr bool kHaveCholmod = true;
#else
static constexpr bool kHaveCholmod = false;
#endif

static constexpr LinearSolverEntry kLinearSolvers[] = {
    {"banded", "Cholesky factorisation within a band, each connected part by itself; for rods",
     "positive definite matrix", true, make_banded},
    {"banded_lu", "LU factorisation with row exchanges within a band, each connected part by itself; for rods that buckle",
     "regular matrix, indefinite or not", true, make_banded_lu},
    {"cg", "preconditioned conjugate gradients on the block matrix", "positive definite matrix", true,
     make_cg},
    {"cholesky", "supernodal sparse Cholesky factorisation by CHOLMOD and BLAS",
     "positive definite matrix; a build with CHOLMOD", kHaveCholmod, make_cholesky},
    {"ldlt", "sparse LDL^T factorisation by Eigen", "positive definite matrix", true, make_ldlt},
};

static constexpr NamedOption kOrderings[] = {
    {"amd", "approximate minimum degree on the graph of blocks"},
    {"metis",
     "nested dissection by METIS (cholesky only); for large solids. It seeds and uses the C library's "
     "rand, so it repeats only while no other thread calls rand"},
};

static constexpr NamedOption kPreconditioners[] = {
    {"ic0",
     "block incomplete Cholesky without fill, diagonal shifted where it breaks down; applied serially"},
    {"jacobi", "inverse of the diagonal blocks"},
    {"none", "no preconditioner"},
};

std::span<const LinearSolverEntry> linear_solvers() { return kLinearSolvers; }
std::span<const NamedOption> orderings() { return kOrderings; }
std::span<const NamedOption> preconditioners() { return kPreconditioners; }
std::string_view default_linear_solver() { return kHaveCholmod ? "cholesky" : "ldlt"; }

template <class Entries> static std::vector<std::string> names(const Entries& entries) {
    std::vector<std::string> result;
    for (const auto& e : entries) result.emplace_back(e.name);
    return result;
}

static Error bad_value(std::string path, std::string value, std::string message, std::string allowed) {
    Error e;
    e.path = std::move(path), e.value = std::move(value);
    e.message = std::move(message), e.allowed = std::move(allowed);
    return e;
}

static void check_name(const std::string& path, const std::string& name, const std::string& message,
                       const std::vector<std::string>& known, std::vector<Error>& errors) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    errors.push_back(bad_value(path, name, message, list_words(known)));
    errors.back().nearest = find_nearest(name, known);
}

Result<std::unique_ptr<LinearSolver>> make_linear_solver(std::string_view name, const LinearSettings& s) {
    Result<std::unique_ptr<LinearSolver>> result;
    std::vector<Error>& errors = result.errors;
    check_name("ordering", s.ordering, "unknown ordering", names(kOrderings), errors);
    check_name("preconditioner", s.preconditioner, "unknown preconditioner", names(kPreconditioners), errors);
    if (!(s.tolerance > 0 && s.tolerance < 1))
        errors.push_back(
            bad_value("tolerance", std::to_string(s.tolerance), "out of range", "between 0 and 1"));
    if (s.max_iterations < 1)
        errors.push_back(
            bad_value("max_iterations", std::to_string(s.max_iterations), "out of range", "at least 1"));

    std::vector<std::string> known = names(kLinearSolvers);
    known.insert(known.begin(), "default");
    check_name("", std::string(name), "unknown linear solver", known, errors);
    const std::string_view wanted = name == "default" ? default_linear_solver() : name;
    for (const LinearSolverEntry& e : kLinearSolvers) {
        if (e.name != wanted) continue;
        if (!e.available)
            errors.push_back(
                bad_value("", std::string(name), "this build has no CHOLMOD", "default, cg, ldlt"));
        if (wanted == "ldlt" && s.ordering == "metis")
            errors.push_back(
                bad_value("ordering", s.ordering, "the linear solver ldlt has no such ordering", "amd"));
        if (errors.empty()) result.value = e.make(s);
    }
    return result;
}

LinearInfo linear_failure(std::string message) {
    LinearInfo info;
    info.ok = false;
    info.message = std::move(message);
    return info;
}

LinearInfo check_analyse_input(const BlockPattern& pattern, FixedMask fixed) {
    if (fixed.empty() || int(fixed.size()) == block_count(pattern.layout)) return {};
    return linear_failure("the mask of fixed blocks must have one entry per block or none");
}

LinearInfo check_factor_input(const BlockPattern& analysed, const BlockSparse& A,
                              std::span<const BlockProjector> projectors) {
    if (slot_count(A.pattern) != slot_count(analysed) ||
        A.values.size() != std::size_t(analysed.value_begin.back()))
        return linear_failure("the matrix does not have the pattern that was analysed");
    for (const BlockProjector& p : projectors)
        if (p.block < 0 || p.block >= block_count(analysed.layout) ||
            block_size(analysed.layout, p.block) != 3)
            return linear_failure("a projector must name a block of size 3, not block " +
                                  std::to_string(p.block));
    return {};
}

} // namespace sinew
