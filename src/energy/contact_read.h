// What each contact of the penalty and of rods did in a step, for the user to read: the force on object a, from the elements
// that stand for it.  F = sum over stages of weight (f_damping - grad E). Explicit schemes take the weights by which they move points,
// whose sum is 1: the mean over the step. Implicit steps tell the forces in balance at their stage: the mean for implicit Euler,
// those of the end for BDF2 and Newmark, of the middle for the midpoint.
#pragma once
#include "energy/contact.h"
#include "sinew/solver.h"
#include <tuple>

namespace sinew {

struct ContactReading {
    std::tuple<int, std::uint64_t, std::uint64_t> contact; // kind, key and feature: the same contact in every stage
    int order = 0; // of reading: stages come one after the other
    ContactForce force;
};
// Appends what touches with a force. `tables` were built from these contacts; `friction` tells which of them have an element of
// friction, null = none.
void read_contacts(const Model&, const Contacts&, const Tables&, const FrictionLag* friction, const Evaluation&, Real weight,
                   std::vector<ContactReading>&);
// one entry per contact, by objects; the readings are sorted
void list_contact_forces(std::vector<ContactReading>&, std::vector<ContactForce>&);

} // namespace sinew
