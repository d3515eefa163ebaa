#include "scene/compile_text.h"
#include "model/element.h"

namespace sinew {

Scene parsed_scene(std::string_view text, const std::vector<std::string>& sets) {
    Result<Scene> r = parse_scene(text, "scene.json", sets);
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    return r.value.value_or(Scene{});
}
Compiled compile(const std::string& text) {
    const Result<Scene> scene = parse_scene(text, "scene.json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    if (!scene) return {};
    Result<Compiled> made = compile_scene(*scene.value);
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    return made ? std::move(*made.value) : Compiled{};
}

int element_count(const Model& m, std::string_view energy) {
    for (const Table& t : m.elements->energies)
        if (t.row->name == energy) return t.count();
    return 0;
}
double total_point_mass(const Model& m) {
    double sum = 0;
    for (double a : m.point.mass) sum += a;
    return sum;
}

} // namespace sinew
