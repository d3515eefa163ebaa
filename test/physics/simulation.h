// A scene given as text, ready to run on one thread; what does not load is a failure of the test.
#pragma once
#include "scene/measurement.h"
#include "simulate.h"
#include <gtest/gtest.h>

namespace sinew {

inline std::optional<Compiled> compile_text(const std::string& text) {
    Result<Scene> scene = parse_scene(text, "scene.json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    if (!scene) return std::nullopt;
    Result<Compiled> compiled = compile_scene(*scene.value);
    for (const Error& e : compiled.errors) ADD_FAILURE() << to_string(e);
    return std::move(compiled.value);
}
inline std::optional<Simulation> start(const std::string& text, int threads = 1) {
    std::optional<Compiled> compiled = compile_text(text);
    if (!compiled) return std::nullopt;
    Context context;
    context.threads = threads;
    Result<Simulation> made = make_simulation(context, std::move(*compiled));
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    if (made) measure_start(*made.value);
    return std::move(made.value);
}
// to its end; a step that fails is a failure of the test
inline Simulation run_to_end(const std::string& text, int threads = 1) {
    std::optional<Simulation> s = start(text, threads);
    EXPECT_TRUE(s);
    while (!is_finished(*s))
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << s->report.message;
            break;
        }
    return std::move(*s);
}
inline double measure(const Simulation& s, std::string_view name) {
    const MeasurementResult m = find_measurements(s.compiled.model, name);
    if (m.found.size() != 1) {
        ADD_FAILURE() << name << ": " << m.problem;
        return 0;
    }
    return evaluate(m.found[0], s.compiled.model, s.now, s.report);
}

} // namespace sinew
