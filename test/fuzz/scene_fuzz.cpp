// libFuzzer target: the scene loader and compiler on arbitrary text. Lines that begin with "--set " in front of the scene
// are assignments. What loads must be written back without loss; what is small is compiled, and gives a model or errors.
#include "core/fields.h"
#include "model/visit.h"
#include "scene/compile.h"
#include "scene/object.h"
#include "scene/scope.h"
#include <algorithm>
#include <cstdlib>

using namespace sinew;

// How much is made is decided by counts, by lengths over the length of a cell, and by births per second: with these bounds a scene
// has some thousands of points at most, and compiling takes milliseconds.
static constexpr std::size_t kMostObjects = 20;
static constexpr double kMostCount = 8, kLongest = 1, kShortestCell = 0.2, kMostBirths = 1000;

static bool is_cell(const FieldRef& f) { return f.name == "edge" || f.name == "cell" || f.name == "spacing"; }

static bool is_small(const FieldRef& f) {
    const auto few = [](int n) { return n <= kMostCount; };
    const auto is_short = [](double x) { return x <= kLongest; };
    switch (f.type) {
    case FieldType::integer: return few(member_of<int>(f));
    case FieldType::integer2: return std::ranges::all_of(member_of<std::array<int, 2>>(f), few);
    case FieldType::integers: return std::ranges::all_of(member_of<std::vector<int>>(f), few);
    case FieldType::real: return is_cell(f) ? member_of<double>(f) >= kShortestCell : f.name != "size" || is_short(member_of<double>(f));
    case FieldType::real2: return f.name != "size" || std::ranges::all_of(member_of<std::array<double, 2>>(f), is_short);
    case FieldType::real3: {
        const Real3& x = member_of<Real3>(f);
        return f.name != "size" || (is_short(x.x) && is_short(x.y) && is_short(x.z));
    }
    case FieldType::value: return f.name != "mesh" || !find(member_of<Value>(f), "shape"); // as fine as it says
    default: return true;
    }
}

static bool is_small(const Scene& scene, const SceneObject& o) {
    const ObjectKind* kind = find_object_kind(o.kind);
    if (!kind) return true;
    std::vector<Error> ignored;
    const std::shared_ptr<void> params = kind->make_params();
    FieldList list;
    kind->describe(params.get(), list);
    read_fields(list, o.params, make_scope(make_scene_scope(scene), o.vars), o.path, ignored);
    for (const FieldRef& f : list.fields) {
        if (f.given && !is_small(f)) return false;
        if (f.name == "rate" && f.type == FieldType::real && member_of<double>(f) * scene.time.seconds > kMostBirths) return false;
    }
    return o.scale.x <= 1 && o.scale.y <= 1 && o.scale.z <= 1;
}

static bool is_small(const Scene& scene) {
    const auto spawns = [](const Value& event) { return find(event, "spawn") != nullptr; };
    // events may raise the rate of an emitter
    const auto emits = [&](const SceneObject& o) { return o.kind == "emitter" && !scene.events.empty(); };
    return scene.objects.size() <= kMostObjects && std::ranges::none_of(scene.events, spawns) && std::ranges::none_of(scene.objects, emits) &&
           std::ranges::all_of(scene.objects, [&](const SceneObject& o) { return is_small(scene, o); });
}

static void compile(const Scene& scene) {
    const CompiledParts parts = compile_parts(scene);
    for (const Error& e : parts.errors) to_string(e);
    if (parts.errors.empty() && !find_size_error(parts.compiled.model, parts.compiled.state).empty()) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    std::vector<std::string> sets;
    while (text.starts_with("--set ")) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        sets.emplace_back(text.substr(6, end - 6));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const auto scene = parse_scene(text, "fuzz.json", sets);
    for (const Error& e : scene.errors) to_string(e);
    if (!scene) return scene.errors.empty() ? std::abort(), 0 : 0;
    if (!scene.errors.empty()) std::abort();
    const std::string written = write_scene(*scene.value);
    const auto again = parse_scene(written, "fuzz.json");
    if (!again || write_scene(*again.value) != written) std::abort();
    if (is_small(*scene.value)) compile(*scene.value);
    return 0;
}
