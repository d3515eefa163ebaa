// The files of a run: exporters named by the scene, report, checkpoint.
#pragma once
#include "output/csv.h"
#include "output/output.h"
#include "simulate.h"

namespace sinew {

struct RunOutputs {
    std::string folder, name;
    std::vector<std::unique_ptr<Exporter>> frames; // written at frames
    std::vector<std::string> paths;                // of these
    CsvWriter report;                              // report.csv, one row per step
    std::string checkpoint;                        // path
    int topology = -1;                             // revision of the model whose layout exporters know
};

// Folder and files; `resume_frame` continues earlier outputs after that frame, `resume_step` the report.
Errors open_outputs(const Scene&, const SnapshotLayout&, const std::string& folder, bool resume, int resume_frame,
                    std::int64_t resume_step, RunOutputs&);
// What an earlier run of this scene left in the folder under the names of this one: frames of sequences, states, report.
void remove_earlier(const Scene&, const SnapshotLayout&, const std::string& folder);
Errors write_frame(RunOutputs&, const Simulation&);
Errors write_report(RunOutputs&, const Simulation&);
// with the scene, and where each of its texts is from: the file can be run again from anywhere
Errors write_state_file(const std::string& path, const Scene&, const std::string& scene_file, const Simulation&);
Errors close_outputs(RunOutputs&);

// Outputs of a scene that are wrong: kinds, settings, names outside the folder, two of the same file, and, where the
// scene was compiled, fields that no object has.
Errors check_outputs(const Scene&, const Compiled*);

// The files an exporter made for this path, as lines for people: the path itself, or "a.0000.obj ... a.0024.obj (25 files)".
std::vector<std::string> describe_files(const std::string& path);
std::vector<std::string> describe_files(std::vector<std::string> files); // by name, sorted

} // namespace sinew
