// The files of a run: exporters named by the scene, report, checkpoint.
#pragma once
#include "output/output.h"
#include "simulate.h"

namespace sinew {

struct RunOutputs {
    std::string folder, name;
    std::vector<std::unique_ptr<Exporter>> frames; // written at frames
    std::vector<std::string> paths;                // of these
    std::unique_ptr<Exporter> report;              // report.csv, one row per step
    std::string checkpoint;                        // path
};

// Folder and files; `resume_frame` >= 0 continues earlier outputs after that frame, `resume_step` the report.
// Unknown exporters and wrong settings are errors.
Errors open_outputs(const Scene&, const SnapshotLayout&, const std::string& folder, bool resume, int resume_frame,
                    std::int64_t resume_step, RunOutputs&);
Errors write_frame(RunOutputs&, const Simulation&);
Errors write_report(RunOutputs&, const Simulation&);
Errors write_state_file(const std::string& path, const Scene&, const Simulation&);
Errors close_outputs(RunOutputs&);

// The part of a scene's outputs that can be checked without a run.
Errors check_outputs(const Scene&);

} // namespace sinew
