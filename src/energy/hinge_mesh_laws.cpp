// Which laws of bending the assembly per triangle (hinge_mesh.h) knows: one line each.
#include "energy/hinge_bridson.h"
#include "energy/hinge_bridson_animated.h"
#include "energy/hinge_mesh.h"
#include "energy/hinge_tan.h"
#include "energy/hinge_tan_animated.h"
#include "energy/hinge_theta.h"
#include "energy/hinge_theta_animated.h"
#include "energy/hinge_willmore.h"
#include "energy/hinge_willmore_animated.h"
#include <algorithm>

namespace sinew {

template <class L> static void compute_terms(const Parallel& p, const Table& t, const Evaluation& ev, HingeMesh& mesh) {
    compute_hinge_shapes(p, ev.x, mesh);
    compute_hinge_terms<L>(p, reinterpret_cast<const typename L::Data*>(t.data.data()), ElementsOf<L>::context(ev), t.stencil, mesh,
                           ev.alive);
}

namespace {

struct Row {
    std::string_view name;
    HingeTerms terms;
    bool barrier;
};
template <class L> constexpr Row make_row() { return {L::name, compute_terms<L>, L::Law::barrier}; }
constexpr Row kLaws[] = {make_row<HingeBridson>(),  make_row<HingeBridsonAnimated>(), make_row<HingeTan>(),
                         make_row<HingeTanAnimated>(),  make_row<HingeTheta>(),           make_row<HingeThetaAnimated>(),
                         make_row<HingeWillmore>(), make_row<HingeWillmoreAnimated>()};

} // namespace

HingeTerms find_hinge_terms(std::string_view law) {
    for (const Row& r : kLaws)
        if (r.name == law) return r.terms;
    return nullptr;
}

bool has_fold_barrier(const ElementRow& row) {
    return std::any_of(std::begin(kLaws), std::end(kLaws), [&](const Row& r) { return r.barrier && r.name == row.name; });
}

} // namespace sinew
