#include "physics/simulation.h"
#include "paths.h"

namespace sinew {

static std::optional<Compiled> compile_or_fail(const Result<Scene>& scene) {
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    if (!scene) return std::nullopt;
    Result<Compiled> compiled = compile_scene(*scene.value);
    for (const Error& e : compiled.errors) ADD_FAILURE() << to_string(e);
    return std::move(compiled.value);
}
static std::optional<Simulation> start_or_fail(std::optional<Compiled> compiled, int threads) {
    if (!compiled) return std::nullopt;
    Context context;
    context.threads = threads;
    Result<Simulation> made = make_simulation(context, std::move(*compiled));
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    if (made) measure_start(*made.value);
    return std::move(made.value);
}

std::optional<Compiled> compile_text(const std::string& text) { return compile_or_fail(parse_scene(text, "scene.json")); }
std::optional<Simulation> start(const std::string& text, int threads) { return start_or_fail(compile_text(text), threads); }
std::optional<Simulation> start_file(const std::string& name, const std::vector<std::string>& set, int threads) {
    return start_or_fail(compile_or_fail(load_scene(source_dir() + "/scenes/" + name, set)), threads);
}
void run_to_end(Simulation& s) {
    while (!is_finished(s))
        if (simulate_step(s) == Status::failed) {
            ADD_FAILURE() << s.report.message;
            return;
        }
}
Simulation run_to_end(const std::string& text, int threads) {
    std::optional<Simulation> s = start(text, threads);
    EXPECT_TRUE(s);
    run_to_end(*s);
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
