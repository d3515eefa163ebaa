#include "physics/simulation.h"

namespace sinew {

std::optional<Compiled> compile_text(const std::string& text) {
    Result<Scene> scene = parse_scene(text, "scene.json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    if (!scene) return std::nullopt;
    Result<Compiled> compiled = compile_scene(*scene.value);
    for (const Error& e : compiled.errors) ADD_FAILURE() << to_string(e);
    return std::move(compiled.value);
}
std::optional<Simulation> start(const std::string& text, int threads) {
    std::optional<Compiled> compiled = compile_text(text);
    if (!compiled) return std::nullopt;
    Context context;
    context.threads = threads;
    Result<Simulation> made = make_simulation(context, std::move(*compiled));
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    if (made) measure_start(*made.value);
    return std::move(made.value);
}
Simulation run_to_end(const std::string& text, int threads) {
    std::optional<Simulation> s = start(text, threads);
    EXPECT_TRUE(s);
    while (!is_finished(*s))
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << s->report.message;
            break;
        }
    return std::move(*s);
}
double measure(const Simulation& s, std::string_view name) {
    const MeasurementResult m = find_measurements(s.compiled.model, name);
    if (m.found.size() != 1) {
        ADD_FAILURE() << name << ": " << m.problem;
        return 0;
    }
    return evaluate(m.found[0], s.compiled.model, s.now, s.report);
}

} // namespace sinew
