#include "model/builder.h"
#include "core/assert.h"
#include <algorithm>

namespace sinew {

int begin_object(ModelBuilder& b, std::string name, std::string kind, std::string material) {
    Object o;
    o.name = std::move(name);
    o.kind = std::move(kind);
    o.material = std::move(material);
    const Model& m = b.model;
    o.points = {point_count(m), point_count(m)};
    o.frames = {frame_count(m), frame_count(m)};
    o.scalars = {scalar_count(m), scalar_count(m)};
    o.surface = {int(m.surface.vertices.size()), int(m.surface.vertices.size())};
    o.animated = {animated_count(m), animated_count(m)};
    o.edges = {int(m.surface.edges.size()), int(m.surface.edges.size())};
    o.triangles = {int(m.surface.triangles.size()), int(m.surface.triangles.size())};
    b.model.objects.push_back(std::move(o));
    return int(b.model.objects.size()) - 1;
}

static int current_object(const ModelBuilder& b) { return int(b.model.objects.size()) - 1; }

int add_points(ModelBuilder& b, std::span<const Real3> rest, std::span<const Real> mass, std::uint8_t flags,
               Real3 velocity) {
    const int first = point_count(b.model), count = int(rest.size());
    PointModel& p = b.model.point;
    p.rest.insert(p.rest.end(), rest.begin(), rest.end());
    p.mass.insert(p.mass.end(), mass.begin(), mass.end());
    p.object.insert(p.object.end(), count, current_object(b));
    p.flags.insert(p.flags.end(), count, flags);
    if (!p.field.empty() || (flags & kPassive)) p.field.resize(first + count, -1);
    PointState& s = b.state.point;
    s.x.insert(s.x.end(), rest.begin(), rest.end());
    s.v.insert(s.v.end(), count, velocity);
    if (!s.alive.empty() || (flags & kPooled)) {
        // slots of a pool are born later
        s.alive.resize(first, 1);
        s.alive.resize(first + count, (flags & kPooled) ? 0 : 1);
        s.age.resize(first + count, 0);
        s.id.resize(first + count, 0);
    }
    b.model.objects.back().points.end = first + count;
    return first;
}

int add_frame(ModelBuilder& b, const Pose& pose, Real mass, const Real33& inertia, std::uint8_t flags, Real3 velocity,
              Real3 angular_velocity) {
    const int first = frame_count(b.model);
    b.model.frame.mass.push_back(mass);
    b.model.frame.inertia.push_back(inertia);
    b.model.frame.object.push_back(current_object(b));
    b.model.frame.flags.push_back(flags);
    b.state.frame.p.push_back(pose.position);
    b.state.frame.q.push_back(pose.rotation);
    b.state.frame.v.push_back(velocity);
    b.state.frame.w.push_back(angular_velocity);
    b.model.objects.back().frames.end = first + 1;
    return first;
}

int add_scalar(ModelBuilder& b, Real value, Real mass, std::uint8_t flags) {
    const int first = scalar_count(b.model);
    b.model.scalar.mass.push_back(mass);
    b.model.scalar.object.push_back(current_object(b));
    b.model.scalar.flags.push_back(flags);
    b.state.scalar.s.push_back(value);
    b.state.scalar.ds.push_back(0);
    b.model.objects.back().scalars.end = first + 1;
    return first;
}

static void add_to(ModelBuilder& b, std::vector<Table>& tables, const ElementRow& row, const void* params,
                   std::span<const int> stencil) {
    std::array<Real3, 16> x;
    std::array<Real, 16> mass, frame_mass;
    for (int i = 0; i < row.points; ++i)
        if (stencil[i] >= 0) {
            x[i] = b.model.point.rest[stencil[i]];
            mass[i] = b.model.point.mass[stencil[i]];
        }
    // only points may be absent; a side that is the world is a held frame
    for (int i = row.points; i < row.stencil; ++i) SINEW_ASSERT(stencil[i] >= 0);
    for (int i = 0; i < row.frames; ++i) frame_mass[i] = b.model.frame.mass[stencil[row.points + i]];
    const RestView rest{{x.data(), std::size_t(row.points)},
                        {mass.data(), std::size_t(row.points)},
                        {frame_mass.data(), std::size_t(row.frames)},
                        b.model.gravity};
    const int owner = row.points && stencil[0] >= 0 ? b.model.point.object[stencil[0]]
                      : row.frames                  ? b.model.frame.object[stencil[row.points]]
                                                    : current_object(b);
    add_element(table_of(tables, row), params, stencil, rest, owner);
}

void add_energy(ModelBuilder& b, const ElementRow& row, const void* params, std::span<const int> stencil) {
    add_to(b, b.tables.energies, row, params, stencil);
}

void add_constraint(ModelBuilder& b, const ElementRow& row, const void* params, std::span<const int> stencil) {
    add_to(b, b.tables.constraints, row, params, stencil);
}

static int add_surface_vertex(ModelBuilder& b, const SurfaceVertex& vertex, Real thickness) {
    Surface& s = b.model.surface;
    s.vertices.push_back(vertex);
    s.thickness.push_back(thickness);
    s.object.push_back(current_object(b));
    b.model.objects.back().surface.end = int(s.vertices.size());
    return int(s.vertices.size()) - 1;
}

int add_surface_points(ModelBuilder& b, Range points, Real thickness) {
    const int first = int(b.model.surface.vertices.size());
    for (int i = points.begin; i < points.end; ++i) add_surface_vertex(b, {SurfaceVertex::point, i, {}}, thickness);
    return first;
}

int add_surface_vertex_in_frame(ModelBuilder& b, int frame, Real3 local, Real thickness) {
    return add_surface_vertex(b, {SurfaceVertex::frame, frame, local}, thickness);
}

int add_embedded_vertex(ModelBuilder& b, const Embedding& e, Real thickness) {
    b.model.surface.embeddings.push_back(e);
    return add_surface_vertex(b, {SurfaceVertex::embedded, int(b.model.surface.embeddings.size()) - 1, {}}, thickness);
}

int add_animated_vertices(ModelBuilder& b, std::span<const Real3> x, Real thickness) {
    const int first = animated_count(b.model), count = int(x.size());
    b.model.animated.object.insert(b.model.animated.object.end(), count, current_object(b));
    b.state.animated.x.insert(b.state.animated.x.end(), x.begin(), x.end());
    b.state.animated.v.insert(b.state.animated.v.end(), count, {});
    b.model.objects.back().animated.end = first + count;
    for (int i = first; i < first + count; ++i) add_surface_vertex(b, {SurfaceVertex::animated, i, {}}, thickness);
    return first;
}

void add_surface_edges(ModelBuilder& b, int first, std::span<const std::array<int, 2>> edges) {
    auto& to = b.model.surface.edges;
    for (const auto& e : edges) to.push_back({first + e[0], first + e[1]});
    b.model.objects.back().edges.end = int(to.size());
}

// each edge of the triangles once, sorted: by their first vertex into buckets, which have a handful each
static std::vector<std::array<int, 2>> find_edges(std::span<const std::array<int, 3>> triangles) {
    const auto low = [](const auto& t, int k) { return std::min(t[k], t[(k + 1) % 3]); };
    int count = 0;
    for (const auto& t : triangles) count = std::max({count, t[0] + 1, t[1] + 1, t[2] + 1});
    std::vector<int> begin(count + 1, 0), high(3 * triangles.size());
    for (const auto& t : triangles)
        for (int k = 0; k < 3; ++k) ++begin[low(t, k) + 1];
    for (int v = 0; v < count; ++v) begin[v + 1] += begin[v];
    std::vector<int> next(begin.begin(), begin.end() - 1);
    for (const auto& t : triangles)
        for (int k = 0; k < 3; ++k) high[next[low(t, k)]++] = std::max(t[k], t[(k + 1) % 3]);
    std::vector<std::array<int, 2>> edges;
    edges.reserve(high.size());
    for (int v = 0; v < count; ++v) {
        const auto from = high.begin() + begin[v], to = high.begin() + begin[v + 1];
        std::sort(from, to);
        for (auto i = from; i != to; ++i)
            if (i == from || *i != *(i - 1)) edges.push_back({v, *i});
    }
    return edges;
}

void add_surface_triangles(ModelBuilder& b, int first, std::span<const std::array<int, 3>> triangles) {
    auto& to = b.model.surface.triangles;
    for (const auto& t : triangles) to.push_back({first + t[0], first + t[1], first + t[2]});
    b.model.objects.back().triangles.end = int(to.size());
    add_surface_edges(b, first, find_edges(triangles));
}

void add_collider(ModelBuilder& b, const Shape& shape, int frame, const Pose& pose) {
    b.model.colliders.push_back({shape, pose, frame, current_object(b)});
}

void finish_model(ModelBuilder& b) {
    b.model.elements = std::make_shared<const Tables>(b.tables);
    b.model.fields = std::make_shared<const FieldSet>(FieldSet{b.fields, nullptr});
    b.model.shapes = std::make_shared<const ShapeStore>(b.shapes);
    b.model.layout = std::make_shared<const SnapshotLayout>(b.layout);
}

} // namespace sinew
