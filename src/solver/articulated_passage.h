// No link gets through something else within a step (collision/passage.h), as bodies of `velocity` do not (velocity_passage.cpp). Links that go
// further than a part of their thickness are followed from the first pose to the last: rows of contacts know the start alone, and an impact turns what hangs on what it meets. If the core of one
// meets something, its whole tree stops where it touches, with what loops join to it, and goes on from there in the next step; momenta and energy stay. Trees that have stopped
// are looked at again, since a part of a tree's way is not that of its links: in rounds, and what still gets through after them does not move at all.
// Links of one tree are not followed against each other.
#pragma once
#include "collision/passage.h"
#include "solver/articulated_contact.h"

namespace sinew {

struct LinkPassage {
    struct Pair {
        int a, b;                      // leaves
        Real time;                     // part of the step, see find_passage
    };
    std::vector<Real> part;            // per tree: of its step that it goes
    std::vector<std::uint8_t> changed; // per tree: it stops earlier than the round before said
    std::vector<Vec3> turned;          // [rad] per link: by its spin at the start of the step, over all of it
    std::vector<int> joined;           // per tree: the first one that moves with it
    std::vector<std::uint8_t> fast;    // per leaf
    std::vector<RigidMotion> motion;   // per leaf that is looked at
    std::vector<Pair> pairs;
    std::vector<std::vector<int>> workers; // triangles that may be met
};

// nothing has stopped; `turned` is the caller's to fill
void begin_passage(const Forest&, const LinkRows&, LinkPassage&);

// Whether trees must stop earlier than they have; `motion` of the links at the end of their parts, `frames` of what is held, `last`: they do not move at all then.
bool find_stops(const Parallel&, const Model&, const ArticulatedSettings&, const Forest&, const ContactStage&, std::span<const LinkMotion> motion,
                const FrameState& frames, Real dt, bool last, LinkPassage&);

} // namespace sinew
