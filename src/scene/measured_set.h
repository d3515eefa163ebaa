// Values of an event's `set` that hold measurements: they are taken when the event happens, and the state remembers them
// ("script.sets"), so that a run that is continued sets the same again.
#pragma once
#include "scene/script.h"

namespace sinew {

// The numbers of a set that are measured; errors about measurements that a set cannot have.
std::vector<MeasuredNumber> find_measured(const Model&, const Scope&, const std::vector<std::string>& wrong, const EventSet&, int set, const std::string& path,
                                          std::vector<Error>&);
// puts a number where it belongs
void put_number(EventSet&, const MeasuredNumber&, double value);

// The sets of an event with the numbers of now, which the state remembers, or (again) with those that it remembers. Sets that came out wrong
// are left out; sentences say why.
std::vector<EventSet> fill_sets(const Script&, std::size_t event, const Model&, State&, bool again, std::vector<std::string>& happened);
void register_sets(const Script&, State&);

} // namespace sinew
