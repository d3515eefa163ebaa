// States of earlier runs: the checkpoint that --resume goes on from, and capsules that are run again.
#pragma once
#include "output/state_file.h"
#include "simulate.h"

namespace sinew {

bool is_state_file(const std::string& path); // by its first bytes
// Puts the state in place. For --resume everything must be as it was; a capsule may be tried with another solver, with
// other settings or another step, as long as the state still means the same.
// What is no longer as it was when the state was written, as lines for people: the program, files of the scene.
std::vector<std::string> find_changes(const StateFile&, const Compiled&);
Errors resume_state(const std::string& path, const StateFile&, const Scene&, Simulation&);
Errors start_from_capsule(const std::string& path, const StateFile&, Simulation&);

} // namespace sinew
