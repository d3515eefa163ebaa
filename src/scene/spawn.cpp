#include "scene/spawn.h"
#include "core/error.h"
#include "energy/gravity.h"
#include "energy/gravity_frame.h"
#include "energy/list.h"
#include "model/edit.h"
#include "model/field.h"
#include "model/visit.h"
#include "scene/attach.h"
#include "scene/load.h"
#include "scene/names.h"
#include "scene/placement.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace sinew {

std::shared_ptr<SpawnContext> make_spawn_context(const Scene& scene, const Scope& scene_scope) {
    auto out = std::make_shared<SpawnContext>();
    out->scene.time = scene.time;
    out->scene.seed = scene.seed;
    out->scene.vars = scene.vars;
    out->scene.fields = scene.fields;
    std::vector<Error> said_elsewhere;
    out->rules = read_contact_rules(scene, scene_scope, said_elsewhere);
    return out;
}

// what is about the objects alone; the rest of the document was judged with the scene
static void keep_own_errors(std::string_view path, std::vector<Error>& errors) {
    constexpr std::string_view kObjects = "objects";
    std::erase_if(errors, [&](const Error& e) { return !e.path.starts_with(kObjects); });
    for (Error& e : errors) e.path = std::string(path) + e.path.substr(kObjects.size());
}

Result<Spawned> compile_spawn_event(const Value& objects, std::string_view path, const Value& document, const SpawnContext& around, const Real3& gravity) {
    Value own = document;
    for (const char* section : {"events", "expect", "outputs", "camera", "light", "background", "joints", "attach", "contact", "fields", "solver",
                                "solvers", "gravity"})
        erase(own, section);
    set(own, "objects", objects);
    LoadedScene loaded = make_parts(own);
    Result<Spawned> result;
    if (loaded.errors.empty()) result = compile_spawn(loaded.scene, around, gravity);
    else result.errors = std::move(loaded.errors);
    const bool failed = !result;
    for (Error& e : result.errors)
        if (!e.path.starts_with("objects")) e.path = "objects." + e.path; // names what is not taken
    keep_own_errors(path, result.errors);
    if (failed && result.errors.empty()) // said with the scene
        result.errors.push_back(make_error(objects, path, "cannot be read as objects of this scene"));
    return result;
}

std::vector<Error> find_spawn_problems(const Spawned& what, const Model& running) {
    std::vector<Error> errors;
    const SpawnContext* around = running.fields->spawning.get();
    const SolverEntry* entry = around ? find_solver(around->solver) : nullptr;
    if (!entry) return errors;
    const auto able = [&] {
        std::vector<std::string> names;
        for (const SolverEntry& s : solver_entries())
            if (find_unsupported(s, what.model).empty()) names.emplace_back(s.name);
        return fmt::format("{}", fmt::join(names, ", "));
    };
    for (const std::string& problem : find_unsupported(*entry, what.model))
        errors.push_back(Error{.path = "spawn", .message = problem, .allowed = "running under " + able()});
    const bool meets = (!what.model.obstacles.empty() && !running.surface.vertices.empty()) ||
                       (!running.obstacles.empty() && !what.model.surface.vertices.empty());
    if (!entry->needs.contacts && meets)
        errors.push_back(Error{.path = "spawn", .message = fmt::format("it would meet obstacles, which solver '{}' does not take", entry->name)});
    return errors;
}

void begin_row_forces(const Model& m, State& s) {
    const SpawnContext* around = m.fields->spawning.get();
    const SolverEntry* entry = around ? find_solver(around->solver) : nullptr;
    if (!entry || !entry->needs.row_forces) return;
    for (const Table& t : m.elements->constraints) {
        const std::string name = "force." + std::string(t.row->name);
        if (t.count() > 0 && !find_memory(s, name)) memory_array(s, name, std::size_t(t.count()) * t.row->rows);
    }
}

// moves everything of a state by a pose
static void place(const Pose& at, State& s) {
    const Quat q = quat(at.rotation);
    for (Real3& x : s.point.x) x = real3(vec(at.position) + q * vec(x));
    for (Real3& v : s.point.v) v = real3(q * vec(v));
    for (Real3& x : s.frame.p) x = real3(vec(at.position) + q * vec(x));
    for (Real4& r : s.frame.q) r = real4(q * quat(r));
    for (auto* a : {&s.frame.v, &s.frame.w})
        for (Real3& v : *a) v = real3(q * vec(v));
}

template <class E, class Is> static void change_gravity(const Real3& from, const Real3& to, const Is& is_meant, std::vector<Table>& energies) {
    const ElementRow* row = find_energy(E::name);
    for (Table& t : energies)
        for (int e = 0; t.row == row && e < t.count(); ++e) {
            typename E::Data data;
            std::byte* at = reinterpret_cast<std::byte*>(t.data.data()) + std::size_t(e) * t.row->data_size;
            std::memcpy(&data, at, sizeof data);
            if (!is_meant(t.object[e]) || data.acceleration != from) continue;
            data.acceleration = to;
            std::memcpy(at, &data, sizeof data);
        }
}

void change_spawned_gravity(const Real3& from, const Real3& to, const Model& m, std::vector<Table>& energies) {
    if (from == to) return;
    const auto is_spawned = [&](int object) { return m.objects[object].spawned; };
    change_gravity<Gravity>(from, to, is_spawned, energies);
    change_gravity<GravityFrame>(from, to, is_spawned, energies);
}

// gravity of the running model, which may have been set since
static void take_gravity(const Real3& g, Model& m) {
    if (m.gravity == g) return;
    auto tables = std::make_shared<Tables>(*m.elements);
    const auto all = [](int) { return true; };
    change_gravity<Gravity>(m.gravity, g, all, tables->energies);
    change_gravity<GravityFrame>(m.gravity, g, all, tables->energies);
    m.elements = std::move(tables);
    m.gravity = g;
}

// what comes is called: the only one by the name given, several by name/theirs, then the number
struct Calling {
    std::string name, suffix;
    bool only = true;
    std::string world{}; // the side of its joints that is the world
    std::string of(const std::string& own) const {
        if (own == kWorld && !world.empty()) return world;
        return (name.empty() ? own : only ? name : name + "/" + own) + suffix;
    }
};

// the rules of the scene that name what is new
static void add_rules(const std::vector<RulePattern>& rules, const std::vector<int>& fresh, Model& m) {
    std::vector<std::uint8_t> is_fresh(m.objects.size(), 0);
    for (int o : fresh) is_fresh[o] = 1;
    for (const RulePattern& r : rules) {
        const auto add = [&](int a, int b) {
            ContactRule rule = r.rule;
            rule.a = a, rule.b = b;
            m.contact_rules.push_back(rule);
        };
        for (int o : fresh) {
            const bool first = match_name(r.a, m.objects[o].name), second = match_name(r.b, m.objects[o].name);
            for (int k = 0; (first || second) && k < int(m.objects.size()); ++k) {
                if (!m.objects[k].alive) continue;
                if (first && match_name(r.b, m.objects[k].name)) add(o, k);
                if (second && !is_fresh[k] && match_name(r.a, m.objects[k].name)) add(k, o);
            }
        }
    }
}

int find_free_number(const std::vector<std::string>& names, const Model& m) {
    std::vector<int> used;
    for (const std::string& name : names) {
        const std::string head = name + "/";
        for (const Object& other : m.objects) {
            int n = 0;
            const char *begin = other.name.data() + std::min(head.size(), other.name.size()), *end = other.name.data() + other.name.size();
            if (other.alive && other.name.starts_with(head) && std::from_chars(begin, end, n).ptr == end) used.push_back(n);
        }
    }
    std::sort(used.begin(), used.end());
    int free = 2;
    for (int n : used) free += n == free;
    return free;
}

Result<std::vector<Id>> put_spawned(const Spawned& what, const Pose& at, bool numbered, Model& m, State& s, const std::string& name) {
    Calling calling{name, {}, what.model.objects.size() == 1};
    // the world is there in any number: it does not make others be called by one
    if (name.empty() && find(m, kWorld)) calling.world = fmt::format("{}/{}", kWorld, find_free_number({std::string(kWorld)}, m));
    const auto find_taken = [&]() -> const Object* {
        for (const Object& o : what.model.objects)
            if (o.name != kWorld && find(m, calling.of(o.name))) return &o;
        return nullptr;
    };
    std::vector<std::string> names;
    for (const Object& o : what.model.objects)
        if (o.name != kWorld) names.push_back(o.name);
    if (numbered && find_taken()) calling.suffix = fmt::format("/{}", find_free_number(names, m));
    if (const Object* o = find_taken())
        return {std::nullopt,
                {Error{.path = "spawn", .value = calling.of(o->name), .message = "an object of this name is there already", .allowed = "another name"}}};
    State state = what.state;
    place(at, state);
    std::optional<Model> changed; // a copy only where gravity was set since
    if (what.model.gravity != m.gravity) take_gravity(m.gravity, changed.emplace(what.model));
    const std::size_t sinks = m.sinks.size();
    const std::vector<int> objects = append_objects(m, s, changed ? *changed : what.model, state, [&](const std::string& own) { return calling.of(own); });
    begin_row_forces(m, s);
    for (Sink& k : std::span(m.sinks).subspan(sinks)) {
        const Pose there = compose(at, {k.center, k.rotation});
        k.center = there.position, k.rotation = there.rotation;
    }
    if (m.fields->spawning) add_rules(m.fields->spawning->rules, objects, m);
    std::vector<Id> ids;
    for (int o : objects) ids.push_back({o, m.objects[o].generation});
    return {std::move(ids), {}};
}

} // namespace sinew
