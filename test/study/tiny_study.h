// A study small enough for a test: a chain of ten rigid links let go horizontally, by few and by many sweeps.
#pragma once
#include "paths.h"
#include "study/study.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace sinew {

inline std::string tiny_text() {
    return R"({ "study": 1, "name": "tiny", "title": "Error of a chain", "source": "nowhere",
  "scene": { "sinew": 1, "gravity": 9.8, "time": { "fps": 60, "substeps": 1, "frames": 10 },
    "objects": { "chain": { "kind": "chain", "from": [0, 0, 0], "to": [1, 0, 0], "count": 10, "mass": 1, "fixed": { "index": 0 },
                            "material": { "rod": { "model": "distance", "compliance": 1e-9 } } } },
    "solver": "position", "solvers": { "position": { "substeps": 1, "chains": false } } },
  "variants": { "gs": { "title": "sweeps" }, "cr": { "title": "residuals", "set": { "solvers.position.method": "conjugate_residuals" } } },
  "sweep": { "path": "solvers.position.iterations", "values": [2, 20], "title": "iterations" },
  "record": { "columns": { "error [m]": "constraint_error.sum", "relative": "constraint_error.sum/length.sum", "height [m]": "chain.y" } },
  "plot": { "y": "error", "of": "mean", "log": "y" },
  "claims": [ { "claim": "more sweeps leave less error", "holds": "gs[20].error.mean < gs[2].error.mean", "show": { "ratio": "gs[20].error.mean/gs[2].error.mean" } },
              { "claim": "fewer sweeps leave less error", "holds": "gs[20].error.mean > gs[2].error.mean", "note": "of course not" } ] })";
}

// a folder of its own for one test
inline std::string fresh_folder(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("sinew_study_" + name);
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder.string();
}
inline std::string write_text(const std::string& file, const std::string& text) {
    std::ofstream(file) << text;
    return file;
}
inline std::string read_text(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}
inline std::optional<Study> load_text(const std::string& text, const std::string& name) {
    Result<Study> r = load_study(write_text(fresh_folder(name) + "/" + name + ".study.json", text));
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    return std::move(r.value);
}

} // namespace sinew
