// A State in a checkpoint file, with the scene it belongs to: a run can be continued, and a failure can be looked at
// elsewhere (a capsule: scene, state, version).
#pragma once
#include "output/checkpoint.h"
#include "sinew/state.h"

namespace sinew {

struct StateFile {
    State state;
    std::string scene;            // the scene document as text
    std::uint64_t scene_hash = 0; // of that text and of `needs`
    std::string program_version;
    int substeps = 1;             // per frame
    std::string solver;           // name of its entry
    std::string scene_file;       // where the scene was read from
    std::vector<std::string> origins; // which file each text of the scene is from (scene/document.h): names of files are relative to it
    std::vector<std::string> needs; // other files the scene reads (meshes), "hash  path" each
    // what a run remembers besides its state (simulate.h): numbers of the last step that cannot be measured again, how
    // often each expectation was looked at, those not met, and what was said of a run that has blown up
    std::vector<double> report, looked;
    std::vector<std::string> failures, alarms;
    double failure_count = 0;
};

std::uint64_t scene_hash(const StateFile&); // as write_state computes it
Checkpoint state_checkpoint(const StateFile&);
Errors read_state(const Checkpoint&, StateFile&);
Errors write_state(const std::string& path, const StateFile&);
Errors read_state(const std::string& path, StateFile&);

} // namespace sinew
