#include "model/edit.h"
#include "model/emit.h"
#include "model/field.h"
#include "model/snapshot.h"
#include "model/visit.h"
#include <algorithm>

namespace sinew {

namespace {

template <class T> void append(std::vector<T>& to, const std::vector<T>& more) { to.insert(to.end(), more.begin(), more.end()); }

// What a model shares with nobody grows in place: one body more among thousands must not copy the others. Who keeps something
// of it by address looks at the revisions.
template <class T> std::shared_ptr<T> take_over(std::shared_ptr<const T>& p) {
    if (!p) return std::make_shared<T>();
    if (p.use_count() > 1) return std::make_shared<T>(*p);
    return std::const_pointer_cast<T>(std::move(p));
}

// State.memory: the step of its removal plus one, per object; 0 = never. A slot is used again after a step at the earliest, when no
// solver remembers who had it.
constexpr const char* kRemoved = "objects.removed";
bool removed_before(const State& s, int object) {
    const std::vector<double>* removed = find_memory(s, kRemoved);
    return !removed || object >= int(removed->size()) || (*removed)[object] <= double(s.step);
}

// Where what is new goes, by its index in the model it comes from: to slots of removed objects, or to the ends.
struct Places {
    std::vector<int> object, point, frame, scalar, animated, vertex, edge, triangle, embedding, look;
    std::vector<int> new_object, new_frame; // the same but for what stands for something that is there: -1
};

template <class F> void for_each_range(const Object& a, const Object& b, Places& p, F&& f) {
    f(a.points, b.points, p.point), f(a.frames, b.frames, p.frame), f(a.scalars, b.scalars, p.scalar);
    f(a.animated, b.animated, p.animated), f(a.surface, b.surface, p.vertex), f(a.edges, b.edges, p.edge);
    f(a.triangles, b.triangles, p.triangle);
}

// the slot of an object that was removed and had as much of everything; -1 = there is none
int find_slot(const Model& to, const State& s, const Model& more, const Object& o, const std::vector<int>& taken) {
    const auto fits = [&](int slot) {
        const Object& old = to.objects[slot];
        Places none;
        bool same = !old.alive && removed_before(s, slot) && (old.snapshot < 0) == (o.snapshot < 0);
        for_each_range(o, old, none, [&](Range a, Range b, const std::vector<int>&) { same = same && a.count() == b.count(); });
        for (int i = 0; same && i < o.surface.count(); ++i)
            same = more.surface.vertices[o.surface.begin + i].kind == to.surface.vertices[old.surface.begin + i].kind;
        return same;
    };
    // those of the scene come first; scripts know them by their index, so that their slots stay empty
    const auto first = std::partition_point(to.objects.begin(), to.objects.end(), [](const Object& x) { return !x.spawned; });
    for (int slot = int(first - to.objects.begin()); slot < int(to.objects.size()); ++slot)
        if (std::find(taken.begin(), taken.end(), slot) == taken.end() && fits(slot)) return slot;
    return -1;
}

void take_slot(const Model& to, const Model& more, int object, int slot, Places& p) {
    const Object &o = more.objects[object], &old = to.objects[slot];
    p.object[object] = slot;
    for_each_range(o, old, p, [](Range from, Range at, std::vector<int>& place) {
        for (int i = 0; i < from.count(); ++i) place[from.begin + i] = at.begin + i;
    });
    for (int i = 0; i < o.surface.count(); ++i)
        if (const SurfaceVertex& v = more.surface.vertices[o.surface.begin + i]; v.kind == SurfaceVertex::embedded)
            p.embedding[v.index] = to.surface.vertices[old.surface.begin + i].index;
    if (o.snapshot >= 0) p.look[o.snapshot] = old.snapshot;
}

// what has no place yet goes behind the `count` that are there, in order
void place_rest(int count, std::vector<int>& place) {
    for (int& p : place)
        if (p < 0) p = count++;
}

// objects that stand for a body of `to`
void take_there(const Model& to, const Model& more, std::span<const int> there, Places& p) {
    for (std::size_t k = 0; k < there.size(); ++k)
        if (there[k] >= 0) {
            p.object[k] = there[k];
            p.frame[more.objects[k].frames.begin] = to.objects[there[k]].frames.begin;
        }
}
void find_new(const Model& more, std::span<const int> there, Places& p) {
    p.new_object = p.object, p.new_frame = p.frame;
    for (std::size_t k = 0; k < there.size(); ++k)
        if (there[k] >= 0) p.new_object[k] = p.new_frame[more.objects[k].frames.begin] = -1;
}

Places find_places(const Model& to, const State& s, const Model& more, std::span<const int> there) {
    Places p;
    p.object.assign(more.objects.size(), -1), p.point.assign(point_count(more), -1), p.frame.assign(frame_count(more), -1);
    p.scalar.assign(scalar_count(more), -1), p.animated.assign(animated_count(more), -1);
    p.vertex.assign(more.surface.vertices.size(), -1), p.edge.assign(more.surface.edges.size(), -1);
    p.triangle.assign(more.surface.triangles.size(), -1), p.embedding.assign(more.surface.embeddings.size(), -1);
    p.look.assign(more.layout ? more.layout->objects.size() : 0, -1);
    take_there(to, more, there, p);
    for (int k = 0; k < int(more.objects.size()); ++k)
        if (const int slot = p.object[k] < 0 ? find_slot(to, s, more, more.objects[k], p.object) : -1; slot >= 0) take_slot(to, more, k, slot, p);
    place_rest(int(to.objects.size()), p.object), place_rest(point_count(to), p.point), place_rest(frame_count(to), p.frame);
    place_rest(scalar_count(to), p.scalar), place_rest(animated_count(to), p.animated);
    place_rest(int(to.surface.vertices.size()), p.vertex), place_rest(int(to.surface.edges.size()), p.edge);
    place_rest(int(to.surface.triangles.size()), p.triangle), place_rest(int(to.surface.embeddings.size()), p.embedding);
    place_rest(to.layout ? int(to.layout->objects.size()) : 0, p.look);
    find_new(more, there, p);
    return p;
}

template <class T> void make_room(const std::vector<int>& place, std::vector<T>& to) {
    int last = -1;
    for (int i : place) last = std::max(last, i);
    if (last >= int(to.size())) to.resize(std::size_t(last) + 1);
}
// a place of -1: nowhere
template <class T> void put(const std::vector<T>& from, const std::vector<int>& place, std::vector<T>& to) {
    make_room(place, to);
    for (std::size_t i = 0; i < from.size(); ++i)
        if (place[i] >= 0) to[place[i]] = from[i];
}
template <class T> void put_value(const T& value, const std::vector<int>& place, std::size_t size, std::vector<T>& to) {
    to.resize(size, value);
    for (int p : place) to[p] = value;
}
void put_indices(const std::vector<int>& from, const std::vector<int>& meaning, const std::vector<int>& place, std::vector<int>& to) {
    make_room(place, to);
    for (std::size_t i = 0; i < from.size(); ++i)
        if (place[i] >= 0) to[place[i]] = from[i] < 0 ? from[i] : meaning[from[i]];
}

void append_tables(std::vector<Table>& to, const std::vector<Table>& more, const Places& p) {
    for (const Table& t : more) {
        Table& into = table_of(to, *t.row);
        for (int e = 0; e < t.count(); ++e)
            for (int k = 0; k < t.row->stencil; ++k) {
                const int id = t.stencil[std::size_t(e) * t.row->stencil + k];
                const auto& place = k < t.row->points ? p.point : k < t.row->points + t.row->frames ? p.frame : p.scalar;
                into.stencil.push_back(id < 0 ? id : place[id]);
            }
        append(into.data, t.data);
        for (int o : t.object) into.object.push_back(p.object[o]);
    }
}

void put_points(Model& to, State& s, const Model& more, const State& ms, const Places& p) {
    const int before = point_count(to);
    const bool pooled = !s.point.alive.empty() || !ms.point.alive.empty();
    put(more.point.rest, p.point, to.point.rest);
    put(more.point.mass, p.point, to.point.mass);
    put(more.point.flags, p.point, to.point.flags);
    put_indices(more.point.object, p.object, p.point, to.point.object);
    const std::size_t size = to.point.mass.size();
    if (!to.point.field.empty() || !more.point.field.empty()) {
        to.point.field.resize(before, -1);
        put_value(-1, p.point, size, to.point.field);
        put(more.point.field, p.point, to.point.field); // flows are those of the model it comes to
    }
    put(ms.point.x, p.point, s.point.x);
    put(ms.point.v, p.point, s.point.v);
    if (pooled) {
        s.point.alive.resize(before, 1), s.point.age.resize(before, 0), s.point.id.resize(before, 0);
        put_value<std::uint8_t>(1, p.point, size, s.point.alive), put(ms.point.alive, p.point, s.point.alive);
        put_value(0.0, p.point, size, s.point.age), put(ms.point.age, p.point, s.point.age);
        put_value<std::uint32_t>(0, p.point, size, s.point.id), put(ms.point.id, p.point, s.point.id);
    }
    // attributes go by name; who does not have one has zeros
    for (const NamedValues& a : ms.attributes) {
        const auto same = [&](const NamedValues& b) { return b.name == a.name; };
        if (std::none_of(s.attributes.begin(), s.attributes.end(), same))
            s.attributes.push_back({a.name, a.components, std::vector<double>(std::size_t(before) * a.components)});
    }
    for (NamedValues& a : s.attributes) {
        a.values.resize(size * a.components, 0);
        for (int i : p.point) std::fill_n(a.values.begin() + std::ptrdiff_t(i) * a.components, a.components, 0.0);
        for (const NamedValues& b : ms.attributes)
            if (b.name == a.name && b.components == a.components)
                for (std::size_t i = 0; i < p.point.size(); ++i)
                    std::copy_n(b.values.begin() + std::ptrdiff_t(i) * a.components, a.components,
                                a.values.begin() + std::ptrdiff_t(p.point[i]) * a.components);
    }
}

void put_frames(Model& to, State& s, const Model& more, const State& ms, const Places& p) {
    put(more.frame.mass, p.new_frame, to.frame.mass), put(more.frame.inertia, p.new_frame, to.frame.inertia);
    put(more.frame.flags, p.new_frame, to.frame.flags), put_indices(more.frame.object, p.object, p.new_frame, to.frame.object);
    put(ms.frame.p, p.new_frame, s.frame.p), put(ms.frame.q, p.new_frame, s.frame.q);
    put(ms.frame.v, p.new_frame, s.frame.v), put(ms.frame.w, p.new_frame, s.frame.w);
    put(more.scalar.mass, p.scalar, to.scalar.mass), put(more.scalar.flags, p.scalar, to.scalar.flags);
    put_indices(more.scalar.object, p.object, p.scalar, to.scalar.object);
    put(ms.scalar.s, p.scalar, s.scalar.s), put(ms.scalar.ds, p.scalar, s.scalar.ds);
    put_indices(more.animated.object, p.object, p.animated, to.animated.object);
    put(ms.animated.x, p.animated, s.animated.x), put(ms.animated.v, p.animated, s.animated.v);
}

// Schemes of several steps begin anew where a slot has another owner, as they do where a state has grown: what they have of the
// steps before is named "<solver>.history" or "<solver>.step_previous".
void forget_history(State& s) {
    for (NamedValues& a : s.memory)
        if (a.name.ends_with(".history") || a.name.ends_with(".step_previous")) a.values.clear();
}

// What is remembered by the place of a row among all ("<solver>.rows") has another place; force.<row> has it by the element.
void forget_rows(State& s) {
    for (NamedValues& a : s.memory)
        if (a.name.ends_with(".rows")) a.values.clear();
}

bool is_row_force(const NamedValues& a) { return a.name.starts_with("force."); }
bool is_row_force(const NamedValues& a, const ElementRow& row) { return is_row_force(a) && std::string_view(a.name).substr(6) == row.name; }

// What dual solvers remember of each row ("force.<row>", for loads and warm starts) goes by the place of its element: the rows that
// are new have carried nothing yet.
void append_row_forces(std::vector<Table>& joined, const Model& more, State& s) {
    if (std::none_of(s.memory.begin(), s.memory.end(), [](const NamedValues& a) { return is_row_force(a); })) return;
    for (const Table& t : more.elements->constraints) {
        const std::size_t rows = t.row->rows, count = table_of(joined, *t.row).count();
        auto a = std::find_if(s.memory.begin(), s.memory.end(), [&](const NamedValues& x) { return is_row_force(x, *t.row); });
        if (a == s.memory.end()) a = s.memory.insert(a, {"force." + std::string(t.row->name), 1, {}});
        if (a->values.size() == (count - t.count()) * rows) a->values.resize(count * rows, 0.0);
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

void put_surface(Model& to, const Model& more, const Places& p) {
    const std::vector<int>* by[] = {&p.point, &p.frame, &p.embedding, &p.animated};
    std::vector<SurfaceVertex> vertices = more.surface.vertices;
    for (SurfaceVertex& v : vertices) v.index = (*by[v.kind])[v.index];
    std::vector<std::array<int, 2>> edges = more.surface.edges;
    for (auto& e : edges)
        for (int& v : e) v = p.vertex[v];
    std::vector<std::array<int, 3>> triangles = more.surface.triangles;
    for (auto& t : triangles)
        for (int& v : t) v = p.vertex[v];
    std::vector<Embedding> embeddings = more.surface.embeddings;
    for (Embedding& e : embeddings)
        for (int& i : e.point) i = i < 0 ? i : p.point[i];
    put(vertices, p.vertex, to.surface.vertices), put(edges, p.edge, to.surface.edges);
    put(triangles, p.triangle, to.surface.triangles), put(embeddings, p.embedding, to.surface.embeddings);
    put(more.surface.thickness, p.vertex, to.surface.thickness);
    put_indices(more.surface.object, p.object, p.vertex, to.surface.object);
}

bool is_same(const HullShape& a, const HullShape& b) { return a.vertices == b.vertices && a.face_begin == b.face_begin && a.face_vertex == b.face_vertex; }
bool is_same(const HeightFieldShape& a, const HeightFieldShape& b) {
    return a.nx == b.nx && a.nz == b.nz && a.dx == b.dx && a.dz == b.dz && a.height == b.height;
}
bool is_same(const TriangleShape& a, const TriangleShape& b) { return a.vertices == b.vertices && a.triangles == b.triangles; }
bool is_same(const DistanceGridShape& a, const DistanceGridShape& b) {
    return a.origin == b.origin && a.cell == b.cell && a.size == b.size && a.mesh == b.mesh && a.distance == b.distance;
}
bool is_same(const CompoundShape& a, const CompoundShape& b) {
    const auto same_part = [](const Shape& x, const Shape& y) { return x.kind == y.kind && x.size == y.size && x.rounding == y.rounding && x.data == y.data; };
    const auto same_pose = [](const Pose& x, const Pose& y) { return x.position == y.position && x.rotation == y.rotation; };
    return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), same_part) &&
           std::equal(a.poses.begin(), a.poses.end(), b.poses.begin(), b.poses.end(), same_pose);
}

// Where the data of each kind of shape is in the joined store: what is there already is shared, so that the ten thousandth bullet
// adds nothing.
struct ShapePlaces {
    std::vector<int> hull, height_field, mesh, grid, compound;
    int of(const Shape& s) const {
        if (s.data < 0) return s.data;
        switch (s.kind) {
        case Shape::hull: return hull[s.data];
        case Shape::height_field: return height_field[s.data];
        case Shape::mesh: return mesh[s.data];
        case Shape::solid: return grid[s.data];
        case Shape::compound: return compound[s.data];
        default: return s.data;
        }
    }
};

// `own` is the store as it grows, null until something is new
template <class T> int find_or_add(const T& x, std::vector<T> ShapeStore::*kind, const ShapeStore& before, std::shared_ptr<ShapeStore>& own) {
    const std::vector<T>& known = (own ? *own : before).*kind;
    const auto at = std::find_if(known.begin(), known.end(), [&](const T& y) { return is_same(x, y); });
    if (at != known.end()) return int(at - known.begin());
    if (!own) own = std::make_shared<ShapeStore>(before);
    ((*own).*kind).push_back(x);
    return int(((*own).*kind).size()) - 1;
}

ShapePlaces put_shapes(Model& to, const Model& more) {
    static const ShapeStore none;
    ShapePlaces p;
    if (!more.shapes) return p;
    const std::shared_ptr<const ShapeStore> kept = to.shapes;
    const ShapeStore& before = kept ? *kept : none;
    std::shared_ptr<ShapeStore> own;
    for (const HullShape& h : more.shapes->hulls) p.hull.push_back(find_or_add(h, &ShapeStore::hulls, before, own));
    for (const HeightFieldShape& h : more.shapes->height_fields) p.height_field.push_back(find_or_add(h, &ShapeStore::height_fields, before, own));
    for (const TriangleShape& t : more.shapes->meshes) p.mesh.push_back(find_or_add(t, &ShapeStore::meshes, before, own));
    for (DistanceGridShape g : more.shapes->distance_grids) {
        if (g.mesh >= 0) g.mesh = p.mesh[g.mesh];
        p.grid.push_back(find_or_add(g, &ShapeStore::distance_grids, before, own));
    }
    for (CompoundShape c : more.shapes->compounds) {
        for (Shape& part : c.parts) part.data = p.of(part);
        p.compound.push_back(find_or_add(c, &ShapeStore::compounds, before, own));
    }
    if (own) to.shapes = std::move(own);
    return p;
}

void put_touchables(Model& to, const Model& more, const Places& p) {
    const ShapePlaces shapes = put_shapes(to, more);
    for (Collider c : more.colliders) {
        c.shape.data = shapes.of(c.shape);
        c.frame = p.frame[c.frame], c.object = p.object[c.object];
        const auto before = [](int object, const Collider& other) { return object < other.object; };
        to.colliders.insert(std::upper_bound(to.colliders.begin(), to.colliders.end(), c.object, before), c); // they stay by object
    }
    for (Obstacle o : more.obstacles) {
        o.object = p.object[o.object];
        if (o.frame >= 0) o.frame = p.frame[o.frame];
        if (o.data >= 0) o.data = shapes.height_field[o.data];
        to.obstacles.push_back(o);
    }
    for (ContactRule r : more.contact_rules) {
        r.a = p.object[r.a], r.b = p.object[r.b];
        if (r.joint >= 0) r.joint = p.object[r.joint];
        to.contact_rules.push_back(r);
    }
}

void put_objects(Model& to, const Model& more, const Places& p) {
    for (std::size_t k = 0; k < more.objects.size(); ++k) {
        if (p.new_object[k] < 0) continue;
        Object o = more.objects[k];
        const std::size_t slot = p.object[k];
        const auto move = [](Range& r, const std::vector<int>& place, int end) {
            const int count = r.count(), begin = count ? place[r.begin] : end;
            r = {begin, begin + count};
        };
        move(o.points, p.point, point_count(to)), move(o.frames, p.frame, frame_count(to)), move(o.scalars, p.scalar, scalar_count(to));
        move(o.animated, p.animated, animated_count(to)), move(o.surface, p.vertex, int(to.surface.vertices.size()));
        move(o.edges, p.edge, int(to.surface.edges.size())), move(o.triangles, p.triangle, int(to.surface.triangles.size()));
        if (o.snapshot >= 0) o.snapshot = p.look[o.snapshot];
        o.generation = slot < to.objects.size() ? to.objects[slot].generation : 0;
        o.alive = o.spawned = true;
        if (slot >= to.objects.size()) to.objects.resize(slot + 1);
        to.objects[slot] = std::move(o);
    }
}

} // namespace

std::vector<int> append_objects(Model& to, State& s, const Model& more, const State& ms, const std::function<std::string(const std::string&)>& name,
                                std::span<const int> there) {
    if (more.objects.empty()) return {};
    const int points = point_count(to), scalars = scalar_count(to);
    const Places p = find_places(to, s, more, there);
    std::shared_ptr<Tables> tables = take_over(to.elements);
    append_tables(tables->energies, more.elements->energies, p);
    append_tables(tables->constraints, more.elements->constraints, p);
    if (more.layout && !more.layout->objects.empty()) {
        std::shared_ptr<SnapshotLayout> layout = take_over(to.layout);
        put(more.layout->objects, p.look, layout->objects);
        for (int i : p.look)
            if (name) layout->objects[i].name = name(layout->objects[i].name);
        to.layout = std::move(layout);
    }
    put_points(to, s, more, ms, p);
    put_frames(to, s, more, ms, p);
    put_surface(to, more, p);
    put_touchables(to, more, p);
    put_objects(to, more, p);
    for (int i : p.new_object)
        if (name && i >= 0) to.objects[i].name = name(to.objects[i].name);
    const auto used_again = [](const std::vector<int>& place, int before) { return std::any_of(place.begin(), place.end(), [&](int i) { return i < before; }); };
    if (used_again(p.point, points) || used_again(p.scalar, scalars)) forget_history(s);
    for (Sink k : more.sinks) {
        if (k.object >= 0) k.object = p.object[std::size_t(k.object)];
        k.way = -1; // of the other model
        to.sinks.push_back(k);
    }
    append_memory(*tables, more, ms, s);
    if (!more.elements->constraints.empty()) forget_rows(s);
    append_row_forces(tables->constraints, more, s);
    to.elements = std::move(tables);
    ++to.topology_revision;
    return p.object;
}

int append_model(Model& to, State& s, const Model& more, const State& ms) {
    const int before = int(to.objects.size());
    const std::vector<int> objects = append_objects(to, s, more, ms);
    return objects.empty() ? before : objects[0];
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

static void end_object(Model& m, State& s, int index) {
    Object& o = m.objects[index];
    o.alive = false;
    ++o.generation;
    std::erase_if(m.contact_rules, [&](const ContactRule& r) { return r.joint == index; });
    if (!o.spawned) return;
    memory_array(s, kRemoved, m.objects.size())[index] = double(s.step + 1);
    std::erase_if(m.contact_rules, [&](const ContactRule& r) { return r.a == index || r.b == index; });
}

// owners without unknowns of their own, such as joints, end with their last element
static void end_empty_owners(Model& m, State& s, std::vector<int> owners) {
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    for (int owner : owners) {
        const Object& o = m.objects[owner];
        if (!o.alive || o.points.count() || o.frames.count() || o.scalars.count()) continue;
        bool has_elements = false;
        for (const auto* kind : {&m.elements->energies, &m.elements->constraints})
            for (const Table& t : *kind) has_elements = has_elements || std::find(t.object.begin(), t.object.end(), owner) != t.object.end();
        if (!has_elements) end_object(m, s, owner);
    }
}

// what dual solvers remember of the rows that stay
static void keep_row_forces(const Table& t, const std::vector<int>& kept, State& s) {
    for (NamedValues& a : s.memory) {
        if (!is_row_force(a, *t.row)) continue;
        if (a.values.size() != std::size_t(t.count()) * t.row->rows) continue;
        std::vector<double> forces;
        for (int e : kept)
            for (int r = 0; r < t.row->rows; ++r) forces.push_back(a.values[std::size_t(e) * t.row->rows + r]);
        a.values = std::move(forces);
    }
}

// moves the kept blocks of `width` values together
template <class T> static void keep_blocks(const std::vector<int>& kept, std::size_t width, std::vector<T>& a) {
    auto to = a.begin();
    for (int e : kept) {
        const auto from = a.begin() + std::ptrdiff_t(e * width);
        to = from == to ? to + std::ptrdiff_t(width) : std::copy_n(from, width, to);
    }
    a.erase(to, a.end());
}

static void drop_elements(std::vector<Table>& tables, State& s, const std::function<bool(const Table&, int)>& gone,
                          std::vector<int>& owners) {
    for (Table& t : tables) {
        const std::size_t before = owners.size();
        std::vector<int> kept;
        for (int e = 0; e < t.count(); ++e)
            if (gone(t, e)) {
                if (kept.empty() && owners.size() == before)
                    for (int k = 0; k < e; ++k) kept.push_back(k); // none was gone so far
                owners.push_back(t.object[e]);
            } else if (owners.size() > before) {
                kept.push_back(e);
            }
        if (owners.size() == before) continue;
        keep_row_forces(t, kept, s);
        if (t.row->memory_size) keep_blocks(kept, t.row->memory_size, element_memory(s, *t.row));
        keep_blocks(kept, t.row->stencil, t.stencil);
        keep_blocks(kept, t.row->data_size, t.data);
        keep_blocks(kept, 1, t.object);
    }
}

void remove_elements(Model& m, State& s, const std::function<bool(const Table&, int element)>& gone) {
    std::shared_ptr<Tables> tables = take_over(m.elements);
    register_elements(*tables, s);
    std::vector<int> owners;
    drop_elements(tables->energies, s, gone, owners);
    const std::size_t before = owners.size();
    drop_elements(tables->constraints, s, gone, owners);
    if (owners.size() > before) forget_rows(s);
    m.elements = std::move(tables);
    ++m.topology_revision;
    end_empty_owners(m, s, std::move(owners));
}

bool remove_object(Model& m, State& s, Id id) {
    if (id.index < 0 || id.index >= int(m.objects.size())) return false;
    const Object& o = m.objects[id.index];
    if (!o.alive || o.generation != id.generation) return false;
    end_object(m, s, id.index);
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
    const auto by_object = [](const Collider& a, const Collider& b) { return a.object < b.object; };
    const auto [first, last] = std::equal_range(m.colliders.begin(), m.colliders.end(), Collider{.object = id.index}, by_object);
    m.colliders.erase(first, last);
    std::erase_if(m.obstacles, [&](const Obstacle& x) { return x.object == id.index; });
    for (int k = int(m.emitters.size()); k-- > 0;)
        if (m.emitters[k].object == id.index) remove_emitter(m, s, k);
    std::erase_if(m.sinks, [&](const Sink& k) { return k.object == id.index; });
    return true;
}

} // namespace sinew
