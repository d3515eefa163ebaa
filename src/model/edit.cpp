#include "model/edit.h"
#include "model/emit.h"
#include "model/field.h"
#include "model/snapshot.h"
#include <algorithm>

namespace sinew {

namespace {

template <class T> void append(std::vector<T>& to, const std::vector<T>& more) { to.insert(to.end(), more.begin(), more.end()); }
template <class T> void append_shifted(std::vector<T>& to, const std::vector<T>& more, int shift) {
    for (T v : more) to.push_back(v < 0 ? v : v + shift);
}

// What a model shares with nobody grows in place: one body more among thousands must not copy the others. Who keeps something
// of it by address looks at the revisions.
template <class T> std::shared_ptr<T> take_over(std::shared_ptr<const T>& p) {
    if (!p) return std::make_shared<T>();
    if (p.use_count() > 1) return std::make_shared<T>(*p);
    return std::const_pointer_cast<T>(std::move(p));
}

void shift(Range& r, int by) { r.begin += by, r.end += by; }

void append_tables(std::vector<Table>& to, const std::vector<Table>& more, const Model& m, int objects) {
    for (const Table& t : more) {
        Table& into = table_of(to, *t.row);
        for (int e = 0; e < t.count(); ++e)
            for (int k = 0; k < t.row->stencil; ++k) {
                const int id = t.stencil[std::size_t(e) * t.row->stencil + k];
                const int by = k < t.row->points ? point_count(m) : k < t.row->points + t.row->frames ? frame_count(m) : scalar_count(m);
                into.stencil.push_back(id < 0 ? id : id + by);
            }
        append(into.data, t.data);
        append_shifted(into.object, t.object, objects);
    }
}

void append_points(Model& to, State& s, const Model& more, const State& ms, int objects) {
    const int before = point_count(to), count = point_count(more);
    const bool pooled = !s.point.alive.empty() || !ms.point.alive.empty();
    append(to.point.rest, more.point.rest);
    append(to.point.mass, more.point.mass);
    append(to.point.flags, more.point.flags);
    append_shifted(to.point.object, more.point.object, objects);
    if (!to.point.field.empty() || !more.point.field.empty()) {
        to.point.field.resize(before, -1);
        append_shifted(to.point.field, more.point.field, to.fields ? int(to.fields->velocity.size()) : 0);
        to.point.field.resize(before + count, -1);
    }
    append(s.point.x, ms.point.x);
    append(s.point.v, ms.point.v);
    if (pooled) {
        s.point.alive.resize(before, 1), append(s.point.alive, ms.point.alive), s.point.alive.resize(before + count, 1);
        s.point.age.resize(before, 0), append(s.point.age, ms.point.age), s.point.age.resize(before + count, 0);
        s.point.id.resize(before, 0), append(s.point.id, ms.point.id), s.point.id.resize(before + count, 0);
    }
    // attributes go by name; who does not have one has zeros
    for (const NamedValues& a : ms.attributes) {
        const auto same = [&](const NamedValues& b) { return b.name == a.name; };
        if (std::none_of(s.attributes.begin(), s.attributes.end(), same))
            s.attributes.push_back({a.name, a.components, std::vector<double>(std::size_t(before) * a.components)});
    }
    for (NamedValues& a : s.attributes) {
        a.values.resize(std::size_t(before + count) * a.components, 0);
        for (const NamedValues& b : ms.attributes)
            if (b.name == a.name && b.components == a.components)
                std::copy(b.values.begin(), b.values.end(), a.values.begin() + std::size_t(before) * a.components);
    }
}

// the new elements come last in their tables, and so does what they remember
void append_memory(const Tables& joined, const Model& more, const State& ms, State& s) {
    register_elements(joined, s);
    for (const auto* kind : {&more.elements->energies, &more.elements->constraints})
        for (const Table& t : *kind) {
            const auto* from = t.row->memory_size ? find_element_memory(ms.memory, t.row->name) : nullptr;
            if (!from) continue;
            std::vector<double>& to = element_memory(s, *t.row);
            std::copy(from->begin(), from->end(), to.end() - std::ptrdiff_t(from->size()));
        }
}

void append_topology(Model& to, const Model& more, int vertices, int points) {
    for (auto e : more.surface.edges) to.surface.edges.push_back({e[0] + vertices, e[1] + vertices});
    for (auto t : more.surface.triangles) to.surface.triangles.push_back({t[0] + vertices, t[1] + vertices, t[2] + vertices});
    for (Embedding e : more.surface.embeddings) {
        for (int& p : e.point) p = p < 0 ? p : p + points;
        to.surface.embeddings.push_back(e);
    }
}

// where the data of each kind of shape starts in the joined store
void shift_shape(Shape& s, const ShapeStore& before) {
    if (s.data < 0) return;
    if (s.kind == Shape::hull) s.data += int(before.hulls.size());
    if (s.kind == Shape::height_field) s.data += int(before.height_fields.size());
    if (s.kind == Shape::mesh) s.data += int(before.meshes.size());
    if (s.kind == Shape::solid) s.data += int(before.distance_grids.size());
    if (s.kind == Shape::compound) s.data += int(before.compounds.size());
}

void append_shapes(Model& to, const Model& more, int frames, int objects) {
    static const ShapeStore none;
    const ShapeStore& before = to.shapes ? *to.shapes : none;
    for (Collider c : more.colliders) {
        shift_shape(c.shape, before);
        c.frame += frames, c.object += objects;
        to.colliders.push_back(c);
    }
    const ShapeStore* m = more.shapes.get();
    if (!m || (m->hulls.empty() && m->height_fields.empty() && m->meshes.empty() && m->distance_grids.empty() && m->compounds.empty())) return;
    auto joined = std::make_shared<ShapeStore>(before);
    append(joined->hulls, more.shapes->hulls);
    append(joined->height_fields, more.shapes->height_fields);
    append(joined->meshes, more.shapes->meshes);
    for (DistanceGridShape g : more.shapes->distance_grids) {
        if (g.mesh >= 0) g.mesh += int(before.meshes.size());
        joined->distance_grids.push_back(std::move(g));
    }
    for (CompoundShape c : more.shapes->compounds) {
        for (Shape& part : c.parts) shift_shape(part, before);
        joined->compounds.push_back(std::move(c));
    }
    to.shapes = std::move(joined);
}

} // namespace

int append_model(Model& to, State& s, const Model& more, const State& ms) {
    const int objects = int(to.objects.size()), points = point_count(to), frames = frame_count(to), scalars = scalar_count(to);
    const int surface = int(to.surface.vertices.size()), animated = animated_count(to);
    const int edges = int(to.surface.edges.size()), triangles = int(to.surface.triangles.size());
    const int fields = to.shapes ? int(to.shapes->height_fields.size()) : 0;
    std::shared_ptr<Tables> tables = take_over(to.elements);
    append_tables(tables->energies, more.elements->energies, to, objects);
    append_tables(tables->constraints, more.elements->constraints, to, objects);
    std::shared_ptr<SnapshotLayout> layout = take_over(to.layout);
    const int looks = int(layout->objects.size());
    if (more.layout) append(layout->objects, more.layout->objects);
    append_points(to, s, more, ms, objects);
    append(to.frame.mass, more.frame.mass), append(to.frame.inertia, more.frame.inertia), append(to.frame.flags, more.frame.flags);
    append_shifted(to.frame.object, more.frame.object, objects);
    append(s.frame.p, ms.frame.p), append(s.frame.q, ms.frame.q), append(s.frame.v, ms.frame.v), append(s.frame.w, ms.frame.w);
    append(to.scalar.mass, more.scalar.mass), append(to.scalar.flags, more.scalar.flags);
    append_shifted(to.scalar.object, more.scalar.object, objects);
    append(s.scalar.s, ms.scalar.s), append(s.scalar.ds, ms.scalar.ds);
    for (SurfaceVertex v : more.surface.vertices) {
        const int by[] = {points, frames, int(to.surface.embeddings.size()), animated};
        v.index += by[v.kind];
        to.surface.vertices.push_back(v);
    }
    append_topology(to, more, surface, points);
    append_shapes(to, more, frames, objects);
    append_shifted(to.animated.object, more.animated.object, objects);
    append(s.animated.x, ms.animated.x), append(s.animated.v, ms.animated.v);
    append(to.surface.thickness, more.surface.thickness);
    append_shifted(to.surface.object, more.surface.object, objects);
    for (Obstacle o : more.obstacles) {
        o.object += objects;
        if (o.frame >= 0) o.frame += frames;
        if (o.data >= 0) o.data += fields;
        to.obstacles.push_back(o);
    }
    for (Object o : more.objects) {
        shift(o.points, points), shift(o.frames, frames), shift(o.scalars, scalars), shift(o.surface, surface);
        shift(o.animated, animated), shift(o.edges, edges), shift(o.triangles, triangles);
        if (o.snapshot >= 0) o.snapshot += looks;
        to.objects.push_back(std::move(o));
    }
    for (ContactRule r : more.contact_rules) r.a += objects, r.b += objects, to.contact_rules.push_back(r);
    append(to.sinks, more.sinks);
    append_memory(*tables, more, ms, s);
    to.elements = std::move(tables);
    to.layout = std::move(layout);
    ++to.topology_revision;
    return objects;
}

// whether an element holds on to an unknown of the object: an attachment to a removed body goes with it
static bool refers_to(const Object& o, const Table& t, int element) {
    const auto in = [](Range r, int i) { return i >= r.begin && i < r.end; };
    const int* id = t.stencil.data() + std::size_t(element) * t.row->stencil;
    const int frames = t.row->points, scalars = frames + t.row->frames;
    for (int k = 0; k < t.row->stencil; ++k)
        if (in(k < frames ? o.points : k < scalars ? o.frames : o.scalars, id[k])) return true;
    return false;
}

// owners without unknowns of their own, such as joints, end with their last element
static void end_empty_owners(Model& m, const std::vector<int>& owners) {
    for (int owner : owners) {
        Object& o = m.objects[owner];
        if (!o.alive || o.points.count() || o.frames.count() || o.scalars.count()) continue;
        bool has_elements = false;
        for (const auto* kind : {&m.elements->energies, &m.elements->constraints})
            for (const Table& t : *kind) has_elements = has_elements || std::find(t.object.begin(), t.object.end(), owner) != t.object.end();
        if (has_elements) continue;
        o.alive = false;
        ++o.generation;
    }
}

// what dual solvers remember of the rows that stay ("force.<row>", for warm starts)
static void keep_row_forces(const Table& t, const std::vector<int>& kept, State& s) {
    for (NamedValues& a : s.memory) {
        if (!a.name.starts_with("force.") || std::string_view(a.name).substr(6) != t.row->name) continue;
        if (a.values.size() != std::size_t(t.count()) * t.row->rows) continue;
        std::vector<double> forces;
        for (int e : kept)
            for (int r = 0; r < t.row->rows; ++r) forces.push_back(a.values[std::size_t(e) * t.row->rows + r]);
        a.values = std::move(forces);
    }
}

static void drop_elements(std::vector<Table>& tables, State& s, const std::function<bool(const Table&, int)>& gone,
                          std::vector<int>& owners) {
    for (Table& t : tables) {
        Table kept{t.row, {}, {}, {}};
        std::vector<double> memory;
        std::vector<int> elements;
        const int size = t.row->memory_size;
        for (int e = 0; e < t.count(); ++e) {
            if (gone(t, e)) {
                owners.push_back(t.object[e]);
                continue;
            }
            const auto stencil = t.stencil.begin() + std::ptrdiff_t(e) * t.row->stencil;
            const auto data = t.data.begin() + std::ptrdiff_t(e * t.row->data_size);
            kept.stencil.insert(kept.stencil.end(), stencil, stencil + t.row->stencil);
            kept.data.insert(kept.data.end(), data, data + std::ptrdiff_t(t.row->data_size));
            kept.object.push_back(t.object[e]);
            elements.push_back(e);
            for (int k = 0; k < size; ++k) memory.push_back(element_memory(s, *t.row)[std::size_t(e) * size + k]);
        }
        if (kept.count() == t.count()) continue;
        keep_row_forces(t, elements, s);
        if (size) element_memory(s, *t.row) = std::move(memory);
        t = std::move(kept);
    }
}

void remove_elements(Model& m, State& s, const std::function<bool(const Table&, int element)>& gone) {
    auto tables = std::make_shared<Tables>(*m.elements);
    register_elements(*tables, s);
    std::vector<int> owners;
    drop_elements(tables->energies, s, gone, owners);
    drop_elements(tables->constraints, s, gone, owners);
    m.elements = std::move(tables);
    ++m.topology_revision;
    end_empty_owners(m, owners);
}

bool remove_object(Model& m, State& s, Id id) {
    if (id.index < 0 || id.index >= int(m.objects.size())) return false;
    Object& o = m.objects[id.index];
    if (!o.alive || o.generation != id.generation) return false;
    o.alive = false;
    ++o.generation;
    remove_elements(m, s, [&](const Table& t, int e) { return t.object[e] == id.index || refers_to(o, t, e); });
    if (o.points.count()) {
        if (s.point.alive.empty()) {
            s.point.alive.assign(point_count(m), 1);
            s.point.age.assign(point_count(m), 0);
            s.point.id.assign(point_count(m), 0);
        }
        for (int i = o.points.begin; i < o.points.end; ++i) {
            s.point.alive[i] = 0;
            s.point.v[i] = {};
            m.point.flags[i] |= kFixed | kPooled;
        }
    }
    for (int i = o.frames.begin; i < o.frames.end; ++i) m.frame.flags[i] |= kFixed, s.frame.v[i] = s.frame.w[i] = {};
    std::erase_if(m.colliders, [&](const Collider& x) { return x.object == id.index; });
    std::erase_if(m.obstacles, [&](const Obstacle& x) { return x.object == id.index; });
    for (int k = int(m.emitters.size()); k-- > 0;)
        if (m.emitters[k].object == id.index) remove_emitter(m, s, k);
    return true;
}

} // namespace sinew
