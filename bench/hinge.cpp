// Bending force and Hessian of a cloth, by four ways (spec T X1, X2; Tamstorf 2016, 5.8):
//   half-hinge   energy/hinge_mesh.h, closed form per triangle
//   automatic    core/autodiff.h: forward second order over 12 variables, packed Hessian, no heap
//   symbolic     bench/generated/hinge_symbolic.h: computer algebra with common subexpressions
//   element      energy/hinge.h, closed form per hinge (for the record)
// Same flags, one thread, same law psi = k a (2 tan(theta/2))^2, same matrix and gather. "Evaluation" fills element forces and
// blocks; "with assembly" also gathers them into the block matrix and the force vector.
// Claims (the document's figures): evaluation at least 7 times as fast as automatic, 3 times as symbolic; with assembly 3.8
// and 2.2 times. |dH|_F/|H|_F at most 5 * 2^-53 against each of the three others: automatic and symbolic share no line of code with
// ours. |df|/|f| is told beside it: forces of neighbours cancel in their sum, so that rounding is larger against what is left.
// Also: relative error of the Hessian with lengths held constant (after Baraff and Witkin 1998).
#include "bench.h"
#include "core/autodiff.h"
#include "energy/assemble_hessian.h"
#include "energy/hinge_mesh.h"
#include "energy/hinge_tan.h"
#include "energy/list.h"
#include "generated/hinge_symbolic.h"
#include "geometry/generate.h"
#include "geometry/triangulate.h"
#include <fmt/format.h>
#include <map>

namespace sinew::bench {

namespace {

constexpr int kSize = 80; // cells along a side: 81 x 81 vertices, the document's largest

template <class S> using Corners = std::array<VecOf<S>, 4>;

// tan(theta/2) = |n - m|/|n + m| has no derivative at 0: the angle by its sine and cosine instead
template <class S> S hinge_energy(const Corners<S>& x, const HingeTan::Data& d) {
    const VecOf<S> e = x[2] - x[1];
    const VecOf<S> n = (x[1] - x[0]).cross(x[2] - x[0]), m = (x[2] - x[3]).cross(x[1] - x[3]);
    const S sine = n.cross(m).dot(e) / e.norm(), cosine = n.dot(m), size = n.norm() * m.norm();
    const S u = 2.0 * (sine / (size + cosine)) - S(d.rest);
    return d.stiffness * (u * u);
}

// Baraff and Witkin's angle: lengths of normals and edge are constants of the moment
template <class S> S frozen_energy(const Corners<S>& x, const HingeTan::Data& d, Real edge, Real upper, Real lower) {
    const VecOf<S> e = x[2] - x[1];
    const VecOf<S> n = (x[1] - x[0]).cross(x[2] - x[0]), m = (x[2] - x[3]).cross(x[1] - x[3]);
    const S sine = n.cross(m).dot(e) / (edge * upper * lower), cosine = n.dot(m) / (upper * lower);
    const S u = 2.0 * (sine / (S(1.0) + cosine)) - S(d.rest);
    return d.stiffness * (u * u);
}

// psi' and psi'' of psi = k a (2 t - rest)^2, t = tan(theta/2), from what the symbolic version has at hand
std::pair<Real, Real> tan_psi(Real sine, Real cosine, const HingeTan::Data& d) {
    const Real t = sine / (std::sqrt(sine * sine + cosine * cosine) + cosine), first = 1 + t * t, u = 2 * t - d.rest;
    return {2 * d.stiffness * u * first, 2 * d.stiffness * first * (first + u * t)};
}

struct Cloth {
    std::vector<Real3> x;
    Table table;
    ElementSet set;
    Dofs dofs;
    BlockPattern pattern;
    HessianPlan plan;      // of 12 x 12 elements
    Gather gather;
    HingeMesh mesh;
    GatherPlan mesh_plan;
    std::vector<Real> mesh_blocks;
    std::vector<Real> force;
    BlockSparse matrix;
    const HingeTan::Data* data() const { return reinterpret_cast<const HingeTan::Data*>(table.data.data()); }
};

// a sheet over a ball, with folds
void build_cloth(int n, Cloth& c) {
    const PolygonMesh grid = make_grid(n, n, 2, 2);
    for (const Real3& p : grid.positions) {
        const Real r = std::hypot(p.x, p.z), a = std::atan2(p.z, p.x);
        const Real fall = r < 0.5 ? std::sqrt(1 - r * r) : 0.866 - 1.4 * (r - 0.5);
        c.x.push_back({p.x * 0.8, fall + 0.1 * r * std::cos(7 * a), p.z * 0.8});
    }
    c.table.row = find_energy("hinge_tan");
    std::map<std::pair<int, int>, std::array<int, 3>> first;
    const HingeParams p;
    for (const auto& t : triangulate(grid).triangles)
        for (int i = 0; i < 3; ++i) {
            const int apex = t[i], a = t[(i + 1) % 3], b = t[(i + 2) % 3];
            const auto [at, is_new] = first.try_emplace(std::minmax(a, b), std::array<int, 3>{apex, a, b});
            if (is_new) continue;
            const std::array<int, 4> stencil{at->second[0], at->second[1], at->second[2], apex};
            std::array<Real3, 4> rest;
            for (int k = 0; k < 4; ++k) rest[k] = grid.positions[stencil[k]];
            add_element(c.table, &p, stencil, {rest, {}, {}, {}}, 0);
        }
    c.set.tables = {&c.table};
    c.dofs.points = int(c.x.size());
    build_hessian_pattern(c.set, {}, c.dofs, c.pattern);
    build_hessian_plan(c.set, c.dofs, c.pattern, c.plan, HingeSums::per_element);
    build_gather(c.set, c.dofs, kValue, c.gather);
    build_hinge_mesh(c.table.stencil, c.mesh);
    build_hinge_plan(c.mesh, c.pattern, c.mesh_plan);
    c.mesh_blocks.resize(c.mesh.value_count);
    c.matrix = make_block_sparse(c.pattern);
    c.force.resize(3 * c.x.size());
}

void gather_force(const Cloth& c, const std::vector<Real>& local, std::vector<Real>& out) {
    for (int b = 0; b < c.dofs.points; ++b) {
        Vec3 sum = Vec3::Zero();
        for (int k = c.gather.begin[b]; k < c.gather.begin[b + 1]; ++k) sum += Eigen::Map<const Vec3>(local.data() + c.gather.source[k]);
        Eigen::Map<Vec3>(out.data() + 3 * b) = sum;
    }
}

enum class Way { half_hinge, automatic, symbolic, element };

// forces into 12 numbers per hinge, Hessians into blocks
void evaluate(const Parallel& p, Way way, Cloth& c) {
    if (way == Way::half_hinge) {
        compute_hinge_shapes(p, c.x.data(), c.mesh);
        compute_hinge_terms<HingeTan>(p, c.data(), {}, c.table.stencil, c.mesh);
        compute_hinge_gradients(p, c.mesh);
        compute_hinge_blocks(p, Projection::none, c.mesh, c.mesh_blocks.data());
        return;
    }
    const HingeTan::Data* data = c.data();
    for (int h = 0; h < c.table.count(); ++h) {
        Stencil<4> s;
        for (int k = 0; k < 4; ++k) s.x[k] = vec(c.x[c.table.stencil[4 * h + k]]);
        Eigen::Map<VecN<12>> g(c.gather.local.data() + 12 * h);
        Eigen::Map<MatN<12>> hessian(c.plan.local.data() + 144 * h);
        if (way == Way::automatic) {
            const Jet<12> jet = hinge_energy(make_variables<4>(s.x), data[h]);
            g = gradient_of(jet);
            hessian = hessian_of(jet);
        } else if (way == Way::symbolic) {
            hinge_symbolic(s.x[0].data(), [&](Real sine, Real cosine) { return tan_psi(sine, cosine, data[h]); }, g.data(), hessian.data());
        } else {
            const auto local = HingeTan::eval<2>(data[h], {}, s);
            g = local.gradient;
            hessian = local.hessian;
        }
    }
}

void assemble(const Parallel& p, Way way, Cloth& c) {
    evaluate(p, way, c);
    if (way == Way::half_hinge) {
        gather_force(c, c.mesh.gradient, c.force);
        gather_elements(p, c.mesh_plan, c.mesh_blocks, c.matrix);
    } else {
        gather_force(c, c.gather.local, c.force);
        gather_elements(p, c.plan.gather, c.plan.local, c.matrix);
    }
}

double difference(const BlockSparse& a, const BlockSparse& b) {
    BlockSparse d = a;
    for (std::size_t i = 0; i < d.values.size(); ++i) d.values[i] -= b.values[i];
    return frobenius_norm(d) / frobenius_norm(a);
}

double difference(const std::vector<Real>& a, const std::vector<Real>& b) {
    Real square = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]), size += a[i] * a[i];
    return std::sqrt(square / size);
}

double frozen_error(const Parallel& p, Cloth& c) {
    assemble(p, Way::element, c);
    const BlockSparse exact = c.matrix;
    for (int h = 0; h < c.table.count(); ++h) {
        std::array<Vec3, 4> x;
        for (int k = 0; k < 4; ++k) x[k] = vec(c.x[c.table.stencil[4 * h + k]]);
        const Real upper = (x[1] - x[0]).cross(x[2] - x[0]).norm(), lower = (x[2] - x[3]).cross(x[1] - x[3]).norm();
        const Jet<12> jet = frozen_energy(make_variables<4>(x), c.data()[h], (x[2] - x[1]).norm(), upper, lower);
        Eigen::Map<MatN<12>>(c.plan.local.data() + 144 * h) = hessian_of(jet);
    }
    gather_elements(p, c.plan.gather, c.plan.local, c.matrix);
    return difference(exact, c.matrix);
}

} // namespace

void run_hinge(const Options& options, Results& out) {
    const int size = options.size ? options.size : kSize;
    const auto parallel = make_parallel({.threads = 1});
    Cloth c;
    build_cloth(size, c);
    const std::string test = fmt::format("hinge {}x{}", size + 1, size + 1);
    add_ceilings(out, "before", measure_ceilings(options.pairs));

    // agreement first, in units of 2^-53
    assemble(*parallel, Way::half_hinge, c);
    const BlockSparse fast = c.matrix;
    const std::vector<Real> fast_force = c.force;
    const double unit = std::ldexp(1.0, -53);
    for (const auto& [way, name] : {std::pair{Way::element, "element"}, {Way::automatic, "automatic"}, {Way::symbolic, "symbolic"}}) {
        assemble(*parallel, way, c);
        const Spread d = exactly(difference(fast, c.matrix) / unit);
        add_at_most(out, test, 1, fmt::format("difference of H from {} / 2^-53", name), d, 5, true);
        add(out, test, 1, fmt::format("difference of f from {} / 2^-53", name), "", exactly(difference(fast_force, c.force) / unit));
    }
    add(out, test, 1, "error of H with constant lengths", "", exactly(frozen_error(*parallel, c)));

    const auto compare = [&](Way way, bool with_assembly) {
        const auto run = [&, with_assembly](Way w) {
            if (with_assembly) assemble(*parallel, w, c);
            else evaluate(*parallel, w, c);
        };
        run(way), run(Way::half_hinge);
        return measure_pairs(
            options.pairs, 1, [&] { run(way); }, [&] { run(Way::half_hinge); });
    };
    const Pairs ad = compare(Way::automatic, false), ad_all = compare(Way::automatic, true);
    const Pairs cas = compare(Way::symbolic, false), cas_all = compare(Way::symbolic, true);
    const Pairs element = compare(Way::element, false), element_all = compare(Way::element, true);
    const double per = 1e9 / c.table.count();
    const auto nanoseconds = [&](const Spread& s) { return Spread{per * s.median, per * s.low, per * s.high}; };
    add(out, test, 1, "half-hinge per hinge", "ns", nanoseconds(ad.b));
    add(out, test, 1, "half-hinge with assembly per hinge", "ns", nanoseconds(ad_all.b));
    add_at_least(out, test, 1, "evaluation automatic / half-hinge", ad.ratio, 7, true);
    add_at_least(out, test, 1, "evaluation symbolic / half-hinge", cas.ratio, 3, true);
    add_at_least(out, test, 1, "with assembly automatic / half-hinge", ad_all.ratio, 3.8, true);
    add_at_least(out, test, 1, "with assembly symbolic / half-hinge", cas_all.ratio, 2.2, true);
    add(out, test, 1, "evaluation element / half-hinge", "", element.ratio);
    add(out, test, 1, "with assembly element / half-hinge", "", element_all.ratio);
    add_ceilings(out, "after", measure_ceilings(options.pairs));
    out.path = "half-hinge";
}

} // namespace sinew::bench
