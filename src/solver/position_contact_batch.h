// Contacts between points (cloth, solids, grains, and what is prescribed), and of points with bodies that nothing moves (floors,
// obstacles), four at a time, by the colours of PositionContacts. Contacts of bodies that move, of more than four points, and models of
// friction other than cylinder and cone go one by one as before (position_contact.h), whose formulas these are.
#pragma once
#include "solver/position_batch.h"
#include "solver/position_contact.h"

namespace sinew {

struct ContactPack {
    std::vector<ContactBatch> batches;
    std::vector<int> batch_begin, single_begin; // per colour, and the end
    std::vector<int> singles;                   // contacts that go one by one
    bool avx2 = false;
};

// From the contacts as they are now, with their forces, and from where bodies that nothing moves are. False: not worth it, or a model that the batches do not know.
bool pack_contacts(const PositionContactOptions&, const DualState&, int points, const PositionContacts&, ContactPack&);
// One sweep; the forces of packed contacts stay in the pack until they are stored.
void project_contacts(const Parallel&, const PositionContactOptions&, const DualState&, int points, PositionContacts&, ContactPack&);
void store_forces(const ContactPack&, PositionContacts&);

} // namespace sinew
