// How busy others keep the machine while something is timed: their times are worth nothing then.
//   others = (processor time of the whole machine - that of this process) / wall time
#pragma once

namespace sinew {

struct MachineLoad {
    double wall = 0, machine = 0, own = 0; // [s] when it was read
    bool known = false;                    // the system tells
};
MachineLoad read_load();
// processors that others used between two readings; negative: nobody knows
double processors_of_others(const MachineLoad& from, const MachineLoad& to);

} // namespace sinew
