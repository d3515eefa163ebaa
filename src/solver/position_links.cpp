#include "solver/position_links.h"
#include "constraint/distance.h"
#include "energy/spring.h"
#include "energy/spring_strain.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace sinew {

namespace {

constexpr int kLinks = 1024; // per task

struct LinkFacts {
    Real rest, alpha, rho, scale;
};

template <class S> std::optional<LinkFacts> spring_facts(const Table& t, int e) {
    const typename S::Data& d = ElementsOf<S>::data_of(t, e);
    if (!(d.stiffness > 0)) return std::nullopt;
    return LinkFacts{d.rest_length, 1 / d.stiffness, d.damping / d.stiffness, 1 / std::sqrt(d.stiffness)};
}
std::optional<LinkFacts> link_facts(const Table& t, int e) {
    if (t.row->name == Spring::name) return spring_facts<Spring>(t, e);
    if (t.row->name == SpringStrain::name) return spring_facts<SpringStrain>(t, e);
    const Distance::Data& d = ElementsOf<Distance>::data_of(t, e);
    return LinkFacts{d.rest_length, d.compliance, 0, 1};
}
bool is_link_table(const Table& t) {
    if (t.row->name == Spring::name || t.row->name == SpringStrain::name) return true;
    if (t.row->name != Distance::name) return false;
    for (int e = 0; e < t.count(); ++e)
        if (ElementsOf<Distance>::data_of(t, e).rope) return false;
    return true;
}

} // namespace

bool build_links(const Table& t, const Colours& colours, const std::vector<Real>& point_inverse, LinkPack& out) {
    out = {};
    if (!is_link_table(t)) return false;
    out.last_is_serial = colours.last_is_serial;
    for (int k = 0; k < colours.count(); ++k) {
        for (int a = colours.begin[k]; a < colours.begin[k + 1]; ++a) {
            const int e = colours.order[a], i = t.stencil[2 * e], j = t.stencil[2 * e + 1];
            const std::optional<LinkFacts> f = link_facts(t, e);
            if (!f || !(point_inverse[i] + point_inverse[j] > 0)) continue;
            out.links.push_back({i, j, f->rest, f->alpha, f->rho, point_inverse[i], point_inverse[j], 0});
            out.element.push_back(e);
            out.scale.push_back(f->scale);
            out.damped = out.damped || f->rho > 0;
        }
        out.begin.push_back(int(out.links.size()));
    }
    return true;
}

void clear_multipliers(LinkPack& p) {
    for (LinkPack::Link& l : p.links) l.lambda = 0;
}

namespace {

template <bool Velocities> void project_range(const Sweep& w, LinkPack::Link* begin, LinkPack::Link* end) {
    const bool factor = w.softness == Softness::factor;
    const Real feedback = w.softness == Softness::feedback ? 1 : 0, omega = factor ? w.relaxation * w.stiffness : w.relaxation;
    for (LinkPack::Link* l = begin; l != end; ++l) {
        Real3 &a = w.to.x[l->i], &b = w.to.x[l->j];
        const Real dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
        const Real length = std::sqrt(dx * dx + dy * dy + dz * dz);
        if (!(length > 0)) continue; // no direction
        const Real alpha = factor ? 0 : l->alpha, inverse = 1 / length;
        Real r = length - l->rest + feedback * alpha * l->lambda, scale = w.reach;
        Real3 *va = nullptr, *vb = nullptr;
        if constexpr (Velocities) {
            va = w.to.v + l->i, vb = w.to.v + l->j;
            const Real rho = l->rho > 0 ? l->rho : w.damping_time;
            if (rho > 0) {
                r += rho * inverse * (dx * (vb->x - va->x) + dy * (vb->y - va->y) + dz * (vb->z - va->z));
                scale += rho * w.kick;
            }
        }
        const Real change = -omega * r / (scale * (l->w_i + l->w_j) + alpha);
        l->lambda += change;
        const Real push = change * inverse, pa = -push * l->w_i, pb = push * l->w_j;
        // held ends belong to no colour: others may read them meanwhile
        if (l->w_i > 0) {
            a.x += w.reach * pa * dx, a.y += w.reach * pa * dy, a.z += w.reach * pa * dz;
            if constexpr (Velocities) va->x += w.kick * pa * dx, va->y += w.kick * pa * dy, va->z += w.kick * pa * dz;
        }
        if (l->w_j > 0) {
            b.x += w.reach * pb * dx, b.y += w.reach * pb * dy, b.z += w.reach * pb * dz;
            if constexpr (Velocities) vb->x += w.kick * pb * dx, vb->y += w.kick * pb * dy, vb->z += w.kick * pb * dz;
        }
    }
}

} // namespace

void project_links(const Parallel& parallel, const Sweep& w, bool velocities, LinkPack& p) {
    const int colours = int(p.begin.size()) - 1;
    for (int k = 0; k < colours; ++k) {
        LinkPack::Link* first = p.links.data() + p.begin[k];
        const int count = p.begin[k + 1] - p.begin[k], task = p.last_is_serial && k + 1 == colours ? std::max(1, count) : kLinks;
        parallel_for(parallel, count, task, [&](int begin, int end) {
            if (velocities) project_range<true>(w, first + begin, first + end);
            else project_range<false>(w, first + begin, first + end);
        });
    }
}

void store_multipliers(const LinkPack& p, std::vector<Real>& lambda) {
    std::fill(lambda.begin(), lambda.end(), 0.0);
    for (std::size_t k = 0; k < p.links.size(); ++k) lambda[p.element[k]] = p.scale[k] * p.links[k].lambda;
}

} // namespace sinew
