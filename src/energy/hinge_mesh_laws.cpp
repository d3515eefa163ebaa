// Which laws of bending the assembly per triangle (hinge_mesh.h) knows: one line each.
#include "energy/hinge_bridson.h"
#include "energy/hinge_mesh.h"
#include "energy/hinge_tan.h"
#include "energy/hinge_theta.h"
#include "energy/hinge_willmore.h"

namespace sinew {

template <class L> static void compute_terms(const Parallel& p, const Table& t, const Evaluation& ev, HingeMesh& mesh) {
    compute_hinge_shapes(p, ev.x, mesh);
    compute_hinge_terms<L>(p, reinterpret_cast<const typename L::Data*>(t.data.data()), ElementsOf<L>::context(ev), t.stencil, mesh,
                           ev.alive);
}

HingeTerms find_hinge_terms(std::string_view law) {
    if (law == HingeBridson::name) return compute_terms<HingeBridson>;
    if (law == HingeTan::name) return compute_terms<HingeTan>;
    if (law == HingeTheta::name) return compute_terms<HingeTheta>;
    if (law == HingeWillmore::name) return compute_terms<HingeWillmore>;
    return nullptr;
}

} // namespace sinew
