// What the commands share: options, exit codes, errors, loading.
#pragma once
#include "simulate.h"
#include "sinew/sinew.h"
#include <string>
#include <vector>

namespace sinew {

enum Exit { kOk = 0, kFailed = 1, kBadInput = 2, kInterrupted = 130 };

struct RunOptions {
    std::string scene, solver, out, frames;
    std::vector<std::string> set;
    int threads = 0;
    bool overwrite = false, resume = false, quiet = false, json = false, hash = false;
    bool drop_caches = false;      // test
    int checkpoint_every = 24;     // frames; 0 = at the end only
};
struct CheckOptions {
    std::string scene, solver, pictures; // pictures: folder
    std::vector<std::string> set;
    bool json = false, overwrite = false;
};
struct MeshOptions {
    std::string in, out, pictures;
    double weld = 0, thin = 1e-9, concavity = 0.02, cell = 0, offset = 0;
    int hulls = 64;
    bool overwrite = false, quiet = false;
    bool keep_orientation = false, keep_nonmanifold = false, keep_unused = false, fill_holes = false;
};
struct TestOptions {
    std::vector<std::string> paths;
    std::string solver;
    int threads = 0, jobs = 0;
    bool hash = false, drop_caches = false, quiet = false;
};
struct ModesOptions {
    std::string scene, out;
    std::vector<std::string> set;
    int count = 12, threads = 0;
    double amplitude = 0.1; // of the shapes, by the size of the scene's points
    bool overwrite = false;
};
struct RenderOptions {
    std::string recording, out, color_by, frames, camera, size;
    std::vector<std::string> set;
    int samples = 0, threads = 0, colors = 200;
    double limit = 0; // [MB] of an APNG
    double fps = 0;
    bool overwrite = false, quiet = false;
};
struct ConvertOptions {
    std::string recording, to, out;
    std::vector<std::string> objects;
    int every = 1;
    bool overwrite = false, quiet = false;
};
struct ListOptions {
    std::string what;
    bool support = false, json = false, markdown = false;
};
struct BenchOptions {
    std::vector<std::string> scenes, set;
    std::string solver, out; // out: folder for one CSV per scene
    bool overwrite = false;
    int steps = 100, repeats = 5;
    std::vector<int> threads{1, 2};
};
struct ViewOptions {
    std::string file, solver, page; // scene or recording; page: folder of the built page
    std::vector<std::string> set;
    int threads = 0, port = 8017;
    bool paused = false, open = false, loop = false;
    double speed = 1;               // of time; 0 = as fast as it goes
};
struct StudyOptions {
    std::string path, out, page;
    bool resume = false, overwrite = false, quiet = false;
};

int command_run(const RunOptions&);
int command_check(const CheckOptions&);
int command_test(const TestOptions&);
int command_modes(const ModesOptions&);
int command_render(const RenderOptions&);
int command_convert(const ConvertOptions&);
int command_list(const ListOptions&);
int command_explain(const std::string& name, bool markdown);
int command_schema();
int command_bench(const BenchOptions&);
int command_bench_compare(const std::string& before, const std::string& after);
int command_study(const StudyOptions&);
int command_mesh_check(const MeshOptions&);
int command_mesh_repair(const MeshOptions&);
int command_mesh_decompose(const MeshOptions&);
int command_mesh_tets(const MeshOptions&);
int command_view(const ViewOptions&);
int command_version();

bool check_mesh_output(const std::string& out, bool overwrite); // prints what is wrong
std::optional<PolygonMesh> read_mesh_to_change(const MeshOptions&); // and checks the output; prints what is wrong
void print_errors(const std::vector<Error>&); // to standard error
bool check_free(const std::vector<std::string>& files, bool overwrite); // prints which of them are there already
Context make_context(int threads, bool quiet);
// loads and compiles
// (all errors at once: of loading, of compiling, of outputs); stored: with the scene itself, as if `file` held it
Result<Compiled> load_compiled(const std::string& file, const std::string& solver, const std::vector<std::string>& set,
                               bool check_only, Scene* scene = nullptr, const StateFile* stored = nullptr);

// Numbers of options: all of the text or nothing.
std::optional<int> parse_whole(std::string_view text);
std::optional<double> parse_real(std::string_view text); // finite
// "7" or "1001-1100", also with negative numbers
struct FrameRange {
    int first = 0, last = 0;
    bool single = false;
};
std::optional<FrameRange> parse_frame_range(std::string_view text);

} // namespace sinew
