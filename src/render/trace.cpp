#include "render/trace.h"
#include "core/parallel.h"
#include <memory>
#ifdef SINEW_HAVE_EMBREE
#include <embree3/rtcore.h>
#endif

namespace sinew {

#ifndef SINEW_HAVE_EMBREE

struct TraceScene {};
void TraceSceneDelete::operator()(TraceScene* s) const { delete s; }
bool can_trace() { return false; }
Result<TraceScenePtr> make_trace_scene(const SnapshotLayout&, const std::vector<DrawnShape>&, const Drawing&,
                                       const TraceThickness&) {
    return {
        {},
        {{.message = "this build has no ray tracer: install Embree 3 (libembree-dev) and configure again"}}};
}
bool find_hit(const TraceScene&, const TraceRay&, TraceHit&) { return false; }
bool is_blocked(const TraceScene&, const TraceRay&) { return false; }

#else

namespace {

struct Geometry { // what a geometry of Embree is in the drawing
    int object;
    TracePart part;
    const std::vector<int>* elements; // primitive -> element
};

} // namespace

struct TraceScene {
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    std::vector<Geometry> geometries; // by geometry id
    std::string failure;              // Embree's first complaint
};

void TraceSceneDelete::operator()(TraceScene* s) const {
    if (s->scene) rtcReleaseScene(s->scene);
    if (s->device) rtcReleaseDevice(s->device);
    delete s;
}

bool can_trace() { return true; }

static void keep_failure(void* data, RTCError, const char* text) {
    TraceScene& s = *static_cast<TraceScene*>(data);
    if (s.failure.empty()) s.failure = text ? text : "unknown error";
}

static void attach(TraceScene& s, RTCGeometry geometry, const Geometry& what) {
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(s.scene, geometry, unsigned(s.geometries.size()));
    rtcReleaseGeometry(geometry);
    s.geometries.push_back(what);
}

// a fresh buffer of `count` items of `size` bytes; null when out of memory
template <class T>
static T* new_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, std::size_t size,
                     std::size_t count) {
    return static_cast<T*>(rtcSetNewGeometryBuffer(geometry, type, 0, format, size, count));
}

static void add_triangles(TraceScene& s, int index, const DrawnShape& shape, const DrawnObject& object) {
    if (object.triangles.empty()) return;
    RTCGeometry g = rtcNewGeometry(s.device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* x = new_buffer<float>(g, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, 12, object.position.size());
    auto* corners =
        new_buffer<unsigned>(g, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, 12, object.triangles.size());
    if (x && corners) {
        for (std::size_t i = 0; i < object.position.size(); ++i)
            for (int k = 0; k < 3; ++k) x[3 * i + k] = object.position[i][k];
        for (std::size_t i = 0; i < object.triangles.size(); ++i)
            for (int k = 0; k < 3; ++k)
                corners[3 * i + k] = unsigned(shape.triangles[object.triangles[i]][k]);
    }
    attach(s, g, {index, TracePart::triangle, &object.triangles});
}

static void put_ball(const Vec3f& p, float radius, const TraceThickness& thick, float* out) {
    for (int k = 0; k < 3; ++k) out[k] = p[k];
    out[3] = std::max(radius, 0.5f * thick.thinnest * thick.pixel * (p - thick.eye).norm());
}

static void add_points(TraceScene& s, int index, const DrawnObject& object, const TraceThickness& thick) {
    if (object.points.empty()) return;
    RTCGeometry g = rtcNewGeometry(s.device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    auto* balls = new_buffer<float>(g, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, 16, object.points.size());
    for (std::size_t i = 0; balls && i < object.points.size(); ++i)
        put_ball(object.position[object.points[i]], object.radius, thick, balls + 4 * i);
    attach(s, g, {index, TracePart::point, &object.points});
}

// cones with round ends, so that a chain of segments has no gaps at its joints
static void add_segments(TraceScene& s, int index, const SnapshotObject& layout, const DrawnObject& object,
                         const TraceThickness& thick) {
    if (object.segments.empty()) return;
    RTCGeometry g = rtcNewGeometry(s.device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    const std::size_t count = object.segments.size();
    auto* ends = new_buffer<float>(g, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, 16, 2 * count);
    auto* first = new_buffer<unsigned>(g, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT, 4, count);
    for (std::size_t i = 0; ends && first && i < count; ++i) {
        const auto& ab = layout.segments[object.segments[i]];
        for (int k = 0; k < 2; ++k)
            put_ball(object.position[ab[k]], object.radius, thick, ends + 8 * i + 4 * k);
        first[i] = unsigned(2 * i);
    }
    attach(s, g, {index, TracePart::segment, &object.segments});
}

Result<TraceScenePtr> make_trace_scene(const SnapshotLayout& layout, const std::vector<DrawnShape>& shapes,
                                       const Drawing& drawing, const TraceThickness& thick) {
    TraceScenePtr s(new TraceScene);
    s->device = rtcNewDevice(nullptr);
    if (!s->device)
        return {
            {},
            {{.message = "Embree cannot start (error " + std::to_string(rtcGetDeviceError(nullptr)) + ")"}}};
    rtcSetDeviceErrorFunction(s->device, keep_failure, s.get());
    s->scene = rtcNewScene(s->device);
    rtcSetSceneFlags(s->scene, RTC_SCENE_FLAG_ROBUST);
    for (int i = 0; i < int(drawing.objects.size()); ++i) {
        add_triangles(*s, i, shapes[i], drawing.objects[i]);
        add_points(*s, i, drawing.objects[i], thick);
        add_segments(*s, i, layout.objects[i], drawing.objects[i], thick);
    }
    run_alone([](void* scene) { rtcCommitScene(static_cast<RTCScene>(scene)); }, s->scene);
    if (!s->failure.empty()) return {{}, {{.message = "Embree: " + s->failure}}};
    return {std::move(s), {}};
}

static void fill_ray(const TraceRay& from, RTCRay& to) {
    to.org_x = from.origin.x(), to.org_y = from.origin.y(), to.org_z = from.origin.z();
    to.dir_x = from.direction.x(), to.dir_y = from.direction.y(), to.dir_z = from.direction.z();
    to.tnear = from.near;
    to.tfar = from.far;
    to.time = 0;
    to.mask = ~0u;
    to.id = 0;
    to.flags = 0;
}

bool find_hit(const TraceScene& s, const TraceRay& ray, TraceHit& hit) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit r;
    fill_ray(ray, r.ray);
    r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(s.scene, &context, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    const Geometry& g = s.geometries[r.hit.geomID];
    hit.distance = r.ray.tfar;
    hit.object = g.object;
    hit.part = g.part;
    hit.element = (*g.elements)[r.hit.primID];
    hit.u = r.hit.u;
    hit.v = r.hit.v;
    hit.normal = Vec3f(r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z).stableNormalized();
    return true;
}

bool is_blocked(const TraceScene& s, const TraceRay& ray) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay r;
    fill_ray(ray, r);
    rtcOccluded1(s.scene, &context, &r);
    return r.tfar < 0;
}

#endif

} // namespace sinew
