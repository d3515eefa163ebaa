#include "solver/position_pack.h"
#include "constraint/dihedral.h"
#include "constraint/distance.h"
#include "constraint/tet_hooke.h"
#include "constraint/tri_strain.h"
#include "core/simd.h"
#include "energy/hinge_tan.h"
#include "energy/hinge_theta.h"
#include "energy/hinge_willmore.h"
#include "energy/spring.h"
#include "energy/spring_strain.h"
#include "energy/tet_stable_neohookean.h"
#include "energy/tet_stvk.h"
#include "energy/tri_stvk.h"
#include "solver/chain_plan.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// elements that share nothing in a row: links are over in less time than a result takes to come back from memory
constexpr int kLinksTogether = 16, kOthersTogether = 8;

// -- what an element is, whatever entry it comes from; false: it does nothing
struct LinkFacts {
    Real rest, alpha, rho, unit;
};
template <class S> bool spring_facts(const Table& t, int e, LinkFacts& f) {
    const typename S::Data& d = ElementsOf<S>::data_of(t, e);
    if (!(d.stiffness > 0)) return false;
    f = {d.rest_length, 1 / d.stiffness, d.damping / d.stiffness, std::sqrt(d.stiffness)};
    return true;
}
bool link_facts(const Table& t, int e, LinkFacts& f) {
    if (t.row->name == Spring::name) return spring_facts<Spring>(t, e, f);
    if (t.row->name == SpringStrain::name) return spring_facts<SpringStrain>(t, e, f);
    const Distance::Data& d = ElementsOf<Distance>::data_of(t, e);
    f = {d.rest_length, d.compliance, 0, 1};
    return true;
}

struct HingeFacts {
    Real scale, rest, alpha, rho;
};
template <class L> bool law_facts(const Table& t, int e, HingeFacts& f) {
    const typename L::Data& d = ElementsOf<L>::data_of(t, e);
    if (!(d.stiffness > 0)) return false;
    f = {std::sqrt(2 * d.stiffness), d.rest, 1, L::root_damping(d)};
    return true;
}
bool hinge_facts(const Table& t, int e, HingeFacts& f) {
    if (t.row->name == HingeTheta::name) return law_facts<HingeTheta>(t, e, f);
    if (t.row->name == HingeTan::name) return law_facts<HingeTan>(t, e, f);
    if (t.row->name == HingeWillmore::name) return law_facts<HingeWillmore>(t, e, f);
    const Dihedral::Data& d = ElementsOf<Dihedral>::data_of(t, e);
    f = {1, d.rest_angle, d.compliance, 0};
    return true;
}

struct TriangleFacts {
    std::array<Real, 9> rows;    // K of C = K s
    std::array<Real, 3> length2; // [m^2]
    Real rho;
};
bool triangle_facts(const Table& t, int e, TriangleFacts& f) {
    if (t.row->name == TriStrain::name) {
        const TriStrain::Data& d = ElementsOf<TriStrain>::data_of(t, e);
        f = {d.rows_of_s, d.length2, 0};
    } else {
        const TriStvk::Data& d = ElementsOf<TriStvk>::data_of(t, e);
        f = {{}, d.length2, d.damping};
        Eigen::Map<Mat3>(f.rows.data()) = root_matrix(TriStvk::matrix(d));
    }
    return std::any_of(f.rows.begin(), f.rows.end(), [](Real k) { return k != 0; });
}

struct StrainFacts {
    std::array<Real, 9> inverse;
    std::array<Real, 6> factor; // 11 21 22 32 33 shear
};
bool strain_facts(const Table& t, int e, StrainFacts& f) {
    if (t.row->name == TetHooke::name) {
        const TetHooke::Data& d = ElementsOf<TetHooke>::data_of(t, e);
        f = {d.inverse, {d.factor[0], d.factor[1], d.factor[2], d.factor[4], d.factor[5], d.factor[6]}};
        return d.factor[0] > 0;
    }
    const TetData& d = ElementsOf<TetStvk>::data_of(t, e);
    if (!(d.shape.volume > 0)) return false;
    // as hooke_rows (energy/tet.h)
    const Real a = d.lambda + 2 * d.mu, b = d.lambda, root = std::sqrt(d.shape.volume);
    const Real l11 = std::sqrt(a), l21 = b / l11, l22 = std::sqrt(a - l21 * l21), l32 = (b - l21 * l21) / l22;
    const Real l33 = std::sqrt(a - l21 * l21 - l32 * l32);
    f = {d.shape.inverse, {root * l11, root * l21, root * l22, root * l32, root * l33, root * std::sqrt(d.mu)}};
    return true;
}

// Cauchy's strain
template <class C> bool has_linear(const Table& t) {
    for (int e = 0; e < t.count(); ++e)
        if (ElementsOf<C>::data_of(t, e).linear) return true;
    return false;
}
bool has_current_volume(const Table& t) {
    for (int e = 0; e < t.count(); ++e)
        if (ElementsOf<TetHooke>::data_of(t, e).current) return true;
    return false;
}
PackKind kind_of(const Table& t, HingeAngle& angle) {
    const std::string_view name = t.row->name;
    if (name == Spring::name || name == SpringStrain::name) return PackKind::link;
    if (name == Distance::name) {
        for (int e = 0; e < t.count(); ++e)
            if (ElementsOf<Distance>::data_of(t, e).rope) return PackKind::none;
        return PackKind::link;
    }
    angle = name == HingeTan::name ? HingeAngle::tangent : name == HingeWillmore::name ? HingeAngle::sine : HingeAngle::theta;
    if (name == HingeTheta::name || name == HingeTan::name || name == HingeWillmore::name || name == Dihedral::name) return PackKind::hinge;
    if (name == TriStrain::name) return has_linear<TriStrain>(t) ? PackKind::none : PackKind::triangle;
    if (name == TriStvk::name) return PackKind::triangle;
    if (name == TetHooke::name) return has_linear<TetHooke>(t) || has_current_volume(t) ? PackKind::none : PackKind::strain;
    if (name == TetStvk::name) return PackKind::strain;
    return name == TetStableNeohookean::name ? PackKind::neohookean : PackKind::none;
}
bool does_something(const Table& t, PackKind kind, int e) {
    LinkFacts link;
    HingeFacts hinge;
    TriangleFacts triangle;
    StrainFacts strain;
    switch (kind) {
    case PackKind::link: return link_facts(t, e, link);
    case PackKind::hinge: return hinge_facts(t, e, hinge);
    case PackKind::triangle: return triangle_facts(t, e, triangle);
    case PackKind::strain: return strain_facts(t, e, strain);
    case PackKind::neohookean: return ElementsOf<TetStableNeohookean>::data_of(t, e).shape.volume > 0;
    case PackKind::none: break;
    }
    return false;
}

// -- filling of lanes
struct Filler {
    const Table& t;
    std::span<const Real> inverse;
    PositionPack& p;

    // points and masses of a lane; one without an element has the points of the batch's first, and no mass
    template <class B> int fill_points(B& b, int batch, int lane) const {
        const int e = p.plan.lane[std::size_t(batch) * kLanes + lane], from = e < 0 ? p.plan.lane[std::size_t(batch) * kLanes] : e;
        constexpr int points = int(std::extent_v<decltype(B::id)>);
        for (int k = 0; k < points; ++k) {
            b.id[k][lane] = t.stencil[points * std::size_t(from) + k];
            b.w[k].v[lane] = e < 0 ? 0 : inverse[b.id[k][lane]];
        }
        return e;
    }
    void keep_rho(Real rho, int batch, int lane) const {
        if (!(rho > 0)) return;
        if (p.rho.empty()) p.rho.assign(p.plan.batch_count(), {});
        p.rho[batch].v[lane] = rho;
    }
    void fill_link(int batch, int lane) const {
        LinkBatch& b = p.links[batch];
        const int e = p.plan.lane[std::size_t(batch) * kLanes + lane], from = e < 0 ? p.plan.lane[std::size_t(batch) * kLanes] : e;
        const std::size_t at = std::size_t(batch) * kLanes + lane;
        int i = t.stencil[2 * std::size_t(from)], j = t.stencil[2 * std::size_t(from) + 1];
        if (at < p.plan.flipped.size() && p.plan.flipped[at]) std::swap(i, j);
        b.i[lane] = 3 * i, b.j[lane] = 3 * j;
        LinkFacts f;
        if (e < 0 || !link_facts(t, e, f)) return;
        b.w_i.v[lane] = inverse[i], b.w_j.v[lane] = inverse[j];
        b.rest.v[lane] = f.rest, b.alpha.v[lane] = f.alpha;
        keep_rho(f.rho, batch, lane);
        if (f.unit == 1 && p.unit.empty()) return;
        if (p.unit.empty()) p.unit.assign(p.plan.batch_count(), {{1, 1, 1, 1}});
        p.unit[batch].v[lane] = f.unit;
    }
    void fill_hinge(int batch, int lane) const {
        HingeBatch& b = p.hinges[batch];
        HingeFacts f;
        const int e = fill_points(b, batch, lane);
        if (e < 0 || !hinge_facts(t, e, f)) return;
        b.scale.v[lane] = f.scale, b.rest.v[lane] = f.rest, b.alpha.v[lane] = f.alpha;
        keep_rho(f.rho, batch, lane);
    }
    void fill_triangle(int batch, int lane) const {
        TriangleBatch& b = p.triangles[batch];
        TriangleFacts f;
        const int e = fill_points(b, batch, lane);
        if (e < 0 || !triangle_facts(t, e, f)) return;
        for (int k = 0; k < 9; ++k) b.rows[k].v[lane] = f.rows[k];
        for (int k = 0; k < 3; ++k) b.rest2[k].v[lane] = f.length2[k];
        b.alpha.v[lane] = 1;
        keep_rho(f.rho, batch, lane);
    }
    void fill_strain(int batch, int lane) const {
        StrainBatch& b = p.strains[batch];
        StrainFacts f;
        const int e = fill_points(b, batch, lane);
        if (e < 0 || !strain_facts(t, e, f)) return;
        for (int k = 0; k < 9; ++k) b.inverse[k].v[lane] = f.inverse[k];
        for (int k = 0; k < 6; ++k) b.factor[k].v[lane] = f.factor[k];
        b.alpha.v[lane] = 1;
    }
    void fill_neohookean(int batch, int lane) const {
        NeohookeanBatch& b = p.neohookeans[batch];
        const int e = fill_points(b, batch, lane);
        if (e < 0) return;
        const TetData& d = ElementsOf<TetStableNeohookean>::data_of(t, e);
        for (int k = 0; k < 9; ++k) b.inverse[k].v[lane] = d.shape.inverse[k];
        b.shear.v[lane] = std::sqrt(d.mu * d.shape.volume), b.bulk.v[lane] = std::sqrt(d.lambda * d.shape.volume);
        b.rest.v[lane] = 1 + d.mu / d.lambda, b.alpha.v[lane] = 1;
    }
    void fill() const {
        const int batches = p.plan.batch_count();
        p.links.assign(p.kind == PackKind::link ? batches : 0, {});
        p.hinges.assign(p.kind == PackKind::hinge ? batches : 0, {});
        p.triangles.assign(p.kind == PackKind::triangle ? batches : 0, {});
        p.strains.assign(p.kind == PackKind::strain ? batches : 0, {});
        p.neohookeans.assign(p.kind == PackKind::neohookean ? batches : 0, {});
        for (int b = 0; b < batches; ++b)
            for (int l = 0; l < kLanes; ++l) switch (p.kind) {
                case PackKind::link: fill_link(b, l); break;
                case PackKind::hinge: fill_hinge(b, l); break;
                case PackKind::triangle: fill_triangle(b, l); break;
                case PackKind::strain: fill_strain(b, l); break;
                case PackKind::neohookean: fill_neohookean(b, l); break;
                case PackKind::none: break;
                }
    }
};

// the runs of a task
void project_chains(const BatchLoops& loops, int begin, int end, BatchNumbers o, PositionPack& p) {
    const std::vector<int>& runs = p.plan.run_begin;
    const Lane4* directions = o.directions;
    for (auto run = std::lower_bound(runs.begin(), runs.end(), begin); *run < end; ++run) {
        if (!p.rho.empty()) o.rho = p.rho.data() + *run;
        if (directions) o.directions = directions + kLanes * std::size_t(*run);
        loops.chain(p.links.data() + *run, run[1] - *run, o);
    }
}

} // namespace

BatchNumbers batch_numbers(const Sweep& w, bool velocities, bool first, const PositionPack& p) {
    BatchNumbers o;
    const bool factor = w.softness == Softness::factor;
    o.reach = w.reach, o.kick = w.kick;
    o.omega = factor ? w.relaxation * w.stiffness : w.relaxation;
    o.soft = factor ? 0 : 1;
    o.feedback = w.softness == Softness::feedback ? 1 : 0;
    o.damping_time = w.damping_time;
    o.x = &w.to.x->x, o.v = &w.to.v->x;
    o.rho = p.rho.empty() ? nullptr : p.rho.data();
    o.velocities = velocities, o.first = first;
    return o;
}
const BatchLoops& batch_loops(const PositionPack& p) {
#ifdef SINEW_HAVE_AVX2
    if (p.avx2) return kBatchLoopsAvx2;
#endif
    (void)p;
    return kBatchLoopsPlain;
}

// chains where the rest positions of the points are given, and what is in none of them by blocks
static void build_plan(const Table& t, std::span<const Real> point_inverse, std::span<const Real3> rest, std::vector<int> elements, PositionPack& p) {
    std::vector<unsigned char> held(point_inverse.size());
    for (std::size_t i = 0; i < held.size(); ++i) held[i] = !(point_inverse[i] > 0);
    p.plan = {};
    if (p.kind == PackKind::link && !rest.empty()) {
        std::vector<Real> compliance(t.count());
        std::vector<int> loose;
        LinkFacts f;
        for (int e : elements)
            if (link_facts(t, e, f)) compliance[e] = f.alpha;
        build_chain_plan({t.stencil, compliance, rest, point_inverse}, elements, p.plan, loose);
        elements = std::move(loose);
    }
    build_batch_plan(t.stencil, t.row->points, elements, held, int(held.size()), p.kind == PackKind::link ? kLinksTogether : kOthersTogether, p.plan);
}

bool build_pack(const Table& t, std::span<const Real> point_inverse, std::span<const Real3> rest, bool plan_is_kept, PositionPack& p) {
    p.kind = kind_of(t, p.angle);
    if (p.kind == PackKind::none || std::any_of(t.stencil.begin(), t.stencil.end(), [](int id) { return id < 0; })) {
        p = {};
        return false;
    }
    p.avx2 = has_avx2();
    p.rho.clear();
    p.unit.clear();
    std::vector<int> elements;
    for (int e = 0; e < t.count(); ++e) {
        bool moves = false;
        for (int k = 0; k < t.row->points; ++k) moves = moves || point_inverse[t.stencil[std::size_t(e) * t.row->points + k]] > 0;
        if (moves && does_something(t, p.kind, e)) elements.push_back(e);
    }
    std::vector<int> planned; // sorted, as the elements are
    for (int e : p.plan.lane)
        if (e >= 0) planned.push_back(e);
    std::sort(planned.begin(), planned.end());
    if (!plan_is_kept || planned != elements) build_plan(t, point_inverse, rest, std::move(elements), p);
    Filler{t, point_inverse, p}.fill();
    return true;
}

void project_pack(const Parallel& parallel, const Sweep& w, bool velocities, bool first, PositionPack& p, const Lane4* directions) {
    BatchNumbers o = batch_numbers(w, velocities, first, p);
    o.directions = directions;
    const BatchLoops& loops = batch_loops(p);
    for_each_task(parallel, p.plan, [&](int begin, int end) {
        switch (p.kind) {
        case PackKind::link:
            if (begin < p.plan.run_begin.back()) project_chains(loops, begin, end, o, p);
            else loops.links(p.links.data(), begin, end, o);
            break;
        case PackKind::hinge: loops.hinges(p.angle, p.hinges.data(), begin, end, o); break;
        case PackKind::triangle: loops.triangles(p.triangles.data(), begin, end, o); break;
        case PackKind::strain: loops.strains(p.strains.data(), begin, end, o); break;
        case PackKind::neohookean: loops.neohookeans(p.neohookeans.data(), begin, end, o); break;
        case PackKind::none: break;
        }
    });
}

void store_multipliers(const PositionPack& p, std::vector<Real>& lambda) {
    std::fill(lambda.begin(), lambda.end(), 0.0);
    for (std::size_t i = 0; i < p.plan.lane.size(); ++i) {
        const int e = p.plan.lane[i];
        if (e < 0) continue;
        const std::size_t b = i / kLanes, l = i % kLanes;
        switch (p.kind) {
        case PackKind::link: lambda[e] = p.links[b].lambda.v[l] / (p.unit.empty() ? 1 : p.unit[b].v[l]); break;
        case PackKind::hinge: lambda[e] = p.hinges[b].lambda.v[l]; break;
        case PackKind::triangle:
            for (int k = 0; k < 3; ++k) lambda[3 * std::size_t(e) + k] = p.triangles[b].lambda[k].v[l];
            break;
        case PackKind::strain:
            for (int k = 0; k < 6; ++k) lambda[6 * std::size_t(e) + k] = p.strains[b].lambda[k].v[l];
            break;
        case PackKind::neohookean:
            for (int k = 0; k < 2; ++k) lambda[2 * std::size_t(e) + k] = p.neohookeans[b].lambda[k].v[l];
            break;
        case PackKind::none: break;
        }
    }
}

Real largest_error(const Parallel& parallel, const Sweep& w, const PositionPack& p, std::vector<Real>& worst, bool lengths) {
    const BatchNumbers o = batch_numbers(w, false, false, p);
    const BatchLoops& loops = batch_loops(p);
    constexpr int kBatches = 256;
    worst.assign(chunk_count(p.plan.batch_count(), kBatches), 0);
    parallel_for(parallel, p.plan.batch_count(), kBatches, [&](int begin, int end) {
        Real& to = worst[begin / kBatches];
        switch (p.kind) {
        case PackKind::link: to = loops.link_error(p.links.data(), p.unit.empty() || lengths ? nullptr : p.unit.data(), begin, end, o); break;
        case PackKind::hinge: to = loops.hinge_error(p.angle, p.hinges.data(), begin, end, o); break;
        case PackKind::triangle: to = loops.triangle_error(p.triangles.data(), begin, end, o); break;
        case PackKind::strain: to = loops.strain_error(p.strains.data(), begin, end, o); break;
        case PackKind::neohookean: to = loops.neohookean_error(p.neohookeans.data(), begin, end, o); break;
        case PackKind::none: break;
        }
    });
    return worst.empty() ? 0 : *std::max_element(worst.begin(), worst.end());
}

} // namespace sinew
