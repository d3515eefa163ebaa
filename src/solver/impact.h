// Algebraic laws of impact at one contact point of two bodies (spec P 3.21, P150-P157).
//   u  relative velocity of a with respect to b at the point, n unit normal from b to a; approaching: u . n < 0
//   K  3 x 3, u' = u + K P for the impulse P on a and -P on b (K = K_a + K_b)
//   sticking          u' = 0                                                   (P153)
//   frictionless      u' . n = -e u . n, P along n                             (P154)
//   stick_slide       sticking with u' . n = -e u . n if inside the cone, otherwise sliding along u_t (Guendelman; P156)
//   poisson           compression as stick_slide with e = 0, which takes the normal impulse p_c; then e p_c more along n, with the friction
//                     that stops the slip, at most mu e p_c; p = (1 + e) p_c in all (Glocker and Pfeiffer 1995; U147). What approaches
//                     even then, where friction presses it down, is stopped. Without friction the same as u' . n = -e u . n (Newton)
//   chatterjee_ruina  P = (1 + e) P_I + (1 + e_t)(P_II - P_I), cut back to the cone (Chatterjee and Ruina 1998), e_t = 0
// No law may add energy: the change is dE = 1/2 P . (u + u'). Where stick_slide or poisson would, e is lowered until it
// does not (P157), and where they do even at e = 0 chatterjee_ruina's with e = 0 is taken; the others never do.
#pragma once
#include "core/math.h"

namespace sinew {

enum class ImpactLaw { sticking, frictionless, stick_slide, poisson, chatterjee_ruina };

// Impulse on a; zero if separating. guard = false leaves out the energy guard, for comparison.
Vec3 compute_impact(ImpactLaw, const Mat3& K, const Vec3& n, const Vec3& u, Real restitution, Real friction, bool guard = true);

inline Real impact_energy(const Mat3& K, const Vec3& u, const Vec3& P) { return 0.5 * P.dot(u + (u + K * P)); }

} // namespace sinew
