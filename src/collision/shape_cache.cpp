#include "collision/shape_cache.h"
#include "geometry/distance_grid.h"
#include "geometry/height_field.h"
#include "geometry/hull.h"
#include "geometry/shape_bounds.h"
#include <algorithm>

namespace sinew {

namespace {
bool is_mesh(const TriangleShape& m) {
    const int n = int(m.vertices.size());
    for (const auto& t : m.triangles)
        for (int v : t)
            if (v < 0 || v >= n) return false;
    return std::all_of(m.vertices.begin(), m.vertices.end(),
                       [](const Real3& x) { return vec(x).allFinite(); });
}

bool is_same(const TriangleShape& a, const TriangleShape& b) {
    return a.vertices == b.vertices && a.triangles == b.triangles;
}

bool has_mesh(const ShapeStore& store, const DistanceGridShape& g) {
    return g.mesh >= 0 && g.mesh < int(store.meshes.size());
}

void update_meshes(ShapeCache& before, ShapeCache& now) {
    for (std::size_t k = 0; k < now.store->meshes.size(); ++k) {
        const TriangleShape& m = now.store->meshes[k];
        const bool kept =
            k < before.meshes.size() && before.meshes[k].shape && is_same(*before.meshes[k].shape, m);
        if (kept)
            now.meshes.push_back(std::move(before.meshes[k]));
        else
            now.meshes.push_back(is_mesh(m) ? build_mesh_surface(m) : MeshSurface{});
        if (kept) now.meshes.back().shape = &m;
    }
}

void update_grids(ShapeCache& now) {
    for (const DistanceGridShape& g : now.store->distance_grids) {
        const bool valid = is_distance_grid(g), own = valid && !has_mesh(*now.store, g);
        now.grid_valid.push_back(valid);
        now.made.push_back(own ? std::make_unique<TriangleShape>(mesh_of(g)) : nullptr);
        now.made_surface.push_back(own ? build_mesh_surface(*now.made.back()) : MeshSurface{});
    }
}

HullCore make_core(const HullShape& h) {
    const Real inner = inner_ball(h).radius;
    auto core = shrink_hull(h, kCoreDepth * inner);
    if (!core) return {};
    return {inner, std::move(*core)};
}

bool is_same(const HullShape& a, const HullShape& b) { return a.vertices == b.vertices && a.face_vertex == b.face_vertex; }

// what a store had before it grew is kept
void update_cores(ShapeCache& before, ShapeCache& now) {
    static const ShapeStore none;
    const ShapeStore &old = before.store ? *before.store : none, &store = *now.store;
    for (std::size_t k = 0; k < store.hulls.size(); ++k) {
        const bool kept = k < before.hulls.size() && is_same(old.hulls[k], store.hulls[k]);
        now.hulls.push_back(kept ? std::move(before.hulls[k]) : make_core(store.hulls[k]));
    }
}

template <class T> const T* find(const std::vector<T>& list, int k) {
    return k >= 0 && k < int(list.size()) ? &list[k] : nullptr;
}
} // namespace

const ShapeStore& store_of(const ShapeCache& c) {
    static const ShapeStore none;
    return c.store ? *c.store : none;
}

void update_shape_cache(const std::shared_ptr<const ShapeStore>& store, ShapeCache& c) {
    if (c.store == store) return;
    ShapeCache now;
    now.store = store;
    if (store) {
        update_meshes(c, now);
        update_grids(now);
        for (const HeightFieldShape& f : store->height_fields) {
            now.field_valid.push_back(is_height_field(f));
            now.field_box.push_back(now.field_valid.back() ? height_field_box(f) : Aabb{});
        }
        update_cores(c, now);
        now.compounds.resize(store->compounds.size());
        for (int k = 0; k < int(store->compounds.size()); ++k)
            if (expand_shape(*store, {Shape::compound, {}, 0, k}, now.compounds[k])) now.compounds[k].clear();
    }
    c = std::move(now);
}

const MeshSurface* surface_of(const ShapeCache& c, const Shape& s) {
    const MeshSurface* found = nullptr;
    if (s.kind == Shape::mesh) found = find(c.meshes, s.data);
    if (s.kind == Shape::solid && grid_of(c, s)) {
        const DistanceGridShape& g = c.store->distance_grids[s.data];
        found = has_mesh(*c.store, g) ? &c.meshes[g.mesh] : &c.made_surface[s.data];
    }
    return found && found->shape && !found->shape->triangles.empty() ? found : nullptr;
}

const DistanceGridShape* grid_of(const ShapeCache& c, const Shape& s) {
    if (s.kind != Shape::solid || s.data < 0 || s.data >= int(c.grid_valid.size()) || !c.grid_valid[s.data])
        return nullptr;
    return &c.store->distance_grids[s.data];
}

const HeightFieldShape* field_of(const ShapeCache& c, const Shape& s) {
    if (s.kind != Shape::height_field || s.data < 0 || s.data >= int(c.field_valid.size()) ||
        !c.field_valid[s.data])
        return nullptr;
    return &c.store->height_fields[s.data];
}

Aabb shape_bounds(const ShapeCache& c, const Shape& s, const Placement& f) {
    Aabb own;
    if (s.kind == Shape::mesh || s.kind == Shape::solid) {
        const MeshSurface* surface = surface_of(c, s);
        if (!surface) return {};
        own = surface->tree.nodes[0].box;
    } else if (s.kind == Shape::height_field) {
        if (!field_of(c, s)) return {};
        own = c.field_box[s.data];
        own.lo.y() = -kEndless; // solid below
    } else {
        const auto convex = make_convex(store_of(c), s);
        return convex ? shape_bounds(*convex, f) : Aabb{};
    }
    return grow(oriented_bounds(own, f), s.rounding);
}

} // namespace sinew
