// A State in a checkpoint file, with the scene it belongs to: a run can be continued, and a failure can be looked at
// elsewhere (a capsule: scene, state, version).
#pragma once
#include "output/checkpoint.h"
#include "sinew/state.h"

namespace sinew {

struct StateFile {
    State state;
    std::string scene;            // the scene document as text
    std::uint64_t scene_hash = 0; // of that text
    std::string program_version;
    int substeps = 1;             // per frame
};

Checkpoint state_checkpoint(const StateFile&);
Errors read_state(const Checkpoint&, StateFile&);
Errors write_state(const std::string& path, const StateFile&);
Errors read_state(const std::string& path, StateFile&);

} // namespace sinew
