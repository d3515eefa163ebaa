// Studies: one scene run in several variants, numbers recorded, a plot, and a verdict on each claim. A study is a file:
//   { "study": 1, "name": "x13_stretch", "title": ..., "source": ..., "text": ...,
//     "scene": { ... } | "other.json",            any scene of docs/scene.md
//     "threads": 1,
//     "variants": { "gs": { "title": "Gauss-Seidel", "set": { "solvers.position.method": "gauss_seidel" } }, ... },
//     "sweep": { "path": "solvers.position.iterations", "values": [4, 8, 16], "title": "iterations" },   optional
//     "record": { "every": "frame" | "iteration", "frames": [100], "columns": { "error [m]": "constraint_error.sum" } },
//     "race": { ... }                              optional: time to equal error, race.cpp
//     "plot": { "x": "time", "y": "error", "of": "end", "log": "y" },
//     "claims": [ { "claim": "in words", "holds": "cr.error.mean < gs.error.mean", "show": { "ratio": "..." }, "note": ... } ] }
// Every variant is run at every value of the sweep. Columns are expressions of measurements (column.h), claims are expressions
// of what was recorded: variant[value].column.statistic (verdict.h).
// Wrong files are told with file, line, path, value, what is allowed and the nearest known word, all at once, before anything runs.
#pragma once
#include "core/expression.h"
#include "sinew/scene.h"
#include <functional>

namespace sinew {

struct StudyVariant {
    std::string key, title;
    std::vector<std::string> sets; // path=value
    int threads = 0;               // 0 = those of the study, in a race those of the race
    Value value;                   // as written, for messages
};
struct StudySweep {
    std::string path, title;
    std::vector<double> values;    // empty = no sweep
    Value value;
};
struct StudyColumn {
    std::string name, unit;        // "error", "m"
    Value text;                    // the expression
};
struct StudyRecord {
    std::string every = "frame";   // or iteration
    std::vector<int> frames;       // of every iteration: which frames; empty = the last one
    std::vector<StudyColumn> columns;
};
struct StudyPlot {
    std::string x, y, of = "end", log, title, x_label, y_label;
    std::vector<std::string> variants; // empty = all
    Value value;
};
struct StudyClaim {
    std::string text, note;
    Value holds;                                    // expression
    std::vector<std::pair<std::string, Value>> show; // further numbers
};
struct StudyRace {
    bool wanted = false;
    std::string reference, against; // variants
    std::string path;               // setting of `against` that is raised until the error is as small: iterations; empty: both differ in
                                    // their threads alone, and run at equal settings
    std::string error;              // column, its mean counts
    int most = 256, least = 1;      // largest and smallest value tried
    int pairs = 9, threads = 2;
    Value value;
};
struct Study {
    std::string file, name, title, source, text;
    Value scene;                    // document, includes merged
    std::string scene_file;
    int threads = 1;
    std::vector<StudyVariant> variants;
    StudySweep sweep;
    StudyRecord record;
    StudyPlot plot;
    std::vector<StudyClaim> claims;
    StudyRace race;
};
// Reads the file and checks everything that can be checked without running: every variant compiles, every expression is known.
Result<Study> load_study(const std::string& file);

struct StudyRun {                   // one variant at one value of the sweep
    int variant = 0;
    double value = 0;               // of the sweep
    std::vector<double> frame, time, iteration; // per row; iteration only of records of them
    std::vector<std::vector<double>> columns;   // per column, per row
    std::string failure;            // why it ended early, empty = it did not
    double cpu = 0;                 // [s] of all steps
};
struct RaceResult {
    bool done = false, reached = false, quiet = false;
    int value = 0;                  // setting of `against` at which its error is as small
    int tried = 0;                  // the last that was tried where it is not; its error is error_against, infinite if not finite
    double error_reference = 0, error_against = 0;
    double ms_reference = 0, ms_against = 0;   // medians, wall time per step
    double cpu_reference = 0, cpu_against = 0; // [ms] medians, processor time per step
    double ratio = 0, ratio_low = 0, ratio_high = 0; // reference over against, of pairs: median and quartiles
    double others = 0;              // processors that others kept busy meanwhile
    int pairs = 0;                  // of timed runs
};
enum class Verdict { holds, does_not_hold, tie, is_void }; // tie: a lead of less than a fifth
std::string_view verdict_name(Verdict);
struct StudyVerdict {
    std::string claim, note;
    Verdict verdict = Verdict::is_void;
    std::string why;                // the expression with the numbers that went into it
    std::vector<std::pair<std::string, double>> numbers;
};
struct StudyResult {
    std::vector<StudyRun> runs;     // variants outside, sweep inside
    RaceResult race;
    std::vector<StudyVerdict> verdicts;
};
// `tell`: one line per run, empty = silent. Runs that fail end early and say so; claims on them do not hold.
Result<StudyResult> run_study(const Study&, const std::function<void(const std::string&)>& tell = {});

// Of everything in it, words too, which results hold as well: results are of the study they stand beside where their `made_of` is this.
std::string hash_study(const Study&);
bool is_result_of(const Study&, const std::string& folder); // false: there is none, or it is of another study

// name.csv, name.svg and name.json (what was found, for the page) in a folder that exists.
std::vector<Error> write_study(const Study&, const StudyResult&, const std::string& folder);

std::vector<std::string> statistic_names();

} // namespace sinew
