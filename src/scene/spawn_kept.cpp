// What was compiled to be spawned is kept with the surroundings it was compiled in, for the next that is the same: the
// thousandth bullet is not built anew. Same means every member of the scene, and the gravity; what reads files is not kept,
// since they may have changed.
#include "scene/spawn.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr std::size_t kMostKept = 8;

bool is_same(const Pose& a, const Pose& b) { return a.position == b.position && a.rotation == b.rotation; }
bool is_same(const SceneTime& a, const SceneTime& b) {
    return a.fps == b.fps && a.dt == b.dt && a.substeps == b.substeps && a.first_frame == b.first_frame && a.last_frame == b.last_frame &&
           a.seconds == b.seconds;
}
bool is_same(const SceneEntry& a, const SceneEntry& b) {
    return a.name == b.name && a.kind == b.kind && a.names == b.names && a.params == b.params && a.vars == b.vars && is_same(a.frame, b.frame) &&
           a.path == b.path;
}
bool is_same(const SceneObject& a, const SceneObject& b) {
    return a.name == b.name && a.kind == b.kind && a.params == b.params && a.motion == b.motion && a.vars == b.vars && a.parent == b.parent &&
           is_same(a.pose, b.pose) && is_same(a.container, b.container) && is_same(a.local, b.local) && a.scale == b.scale &&
           a.velocity == b.velocity && a.angular_velocity == b.angular_velocity && a.prefix == b.prefix && a.path == b.path;
}
template <class T> bool is_same(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, std::vector<SceneEntry>> || std::is_same_v<T, std::vector<SceneObject>>)
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return is_same(x, y); });
    else return a == b;
}

bool is_same_scene(const Scene& a, const Scene& b) {
    std::vector<const void*> of_a;
    visit(a, [&](const char*, const auto& member) { of_a.push_back(&member); });
    std::size_t k = 0;
    bool same = true;
    visit(b, [&](const char*, const auto& member) {
        same = same && is_same(*static_cast<const std::remove_cvref_t<decltype(member)>*>(of_a[k]), member);
        ++k;
    });
    return same;
}

// a field of the surroundings acts on objects by their names
bool names_matter(const SpawnContext& around) {
    return std::any_of(around.scene.fields.begin(), around.scene.fields.end(), [](const SceneEntry& e) { return find(e.params, "objects"); });
}

} // namespace

Result<NamedSpawn> recall_spawn(const Scene& what, const SpawnContext& around, const Real3& gravity, const std::string& name) {
    const bool by_name = names_matter(around);
    const std::string own = by_name ? name : "";
    const std::shared_ptr<const std::vector<KeptSpawn>> kept = take(around.kept);
    if (kept)
        for (const KeptSpawn& k : *kept)
            if (k.name == own && k.gravity == gravity && is_same_scene(*k.scene, what)) return {NamedSpawn{k.made, by_name ? "" : name}, {}};
    bool has_files = false;
    Result<Spawned> made = compile_spawn(what, around, gravity, own, &has_files);
    if (!made) return {std::nullopt, std::move(made.errors)};
    auto shared = std::make_shared<const Spawned>(std::move(*made.value));
    if (!has_files) {
        auto more = std::make_shared<std::vector<KeptSpawn>>();
        more->push_back({std::make_shared<const Scene>(what), gravity, own, shared});
        if (kept) more->insert(more->end(), kept->begin(), kept->begin() + std::ptrdiff_t(std::min(kept->size(), kMostKept - 1)));
        put<std::vector<KeptSpawn>>(std::move(more), around.kept);
    }
    return {NamedSpawn{std::move(shared), by_name ? "" : name}, {}};
}

} // namespace sinew
