#include "scene/shell_rest.h"
#include "core/error.h"
#include "core/signal.h"
#include "energy/hinge_animated.h"
#include "energy/list.h"
#include "energy/tri_stvk_animated.h"
#include "scene/scope.h"
#include <fmt/format.h>

namespace sinew {

namespace {

struct RestParams {
    Signal scale = make_signal(1), angle = make_signal(0), angle_scale = make_signal(1);
    std::string object;
    Value weight;
    template <class V> static void fields(RestParams& p, V&& v) {
        v("scale", p.scale, Field{.doc = "factor on all rest lengths: a number or an expression of t, frame, x, y, z"});
        v("angle", p.angle, Field{.unit = "rad", .doc = "added to the rest angles of hinges: the same"});
        v("angle_scale", p.angle_scale, Field{.doc = "factor on the rest angles of hinges: the same"});
        v("object", p.object, Field{.doc = "animated mesh with the same vertices, earlier in the scene"});
        v("weight", p.weight, Field{.doc = "of the script: 0 = true rest shape, 1 = follows it; a number or a map per vertex"});
    }
};

int add_field(BuildContext& c, const char* name, const Signal& value) {
    ScalarField f;
    f.name = fmt::format("{}.rest.{}", c.object.name, name);
    f.value = is_constant(value) ? make_expression(value.constant) : value.expression;
    f.fps = c.scene.time.fps;
    f.first_frame = c.scene.time.first_frame;
    c.builder.fields.scalars.push_back(std::move(f));
    return int(c.builder.fields.scalars.size()) - 1;
}

bool find_moving(BuildContext& c, const std::string& name, const Value& value, int vertices, RestScript& out) {
    for (const Object& o : c.builder.model.objects) {
        if (o.name != name || o.animated.count() == 0) continue;
        if (o.animated.count() == vertices) {
            out.first_moving = o.animated.begin;
            return true;
        }
        add_error(c, "rest.object", value, fmt::format("has {} vertices, the sheet {}", o.animated.count(), vertices));
        return false;
    }
    add_error(c, "rest.object", value, "no animated mesh of this name before this object");
    return false;
}

} // namespace

bool read_rest(BuildContext& c, const Value& value, const PolygonMesh& mesh, RestScript& out) {
    if (value.kind == Value::Kind::null) return false;
    RestParams p;
    FieldList list = collect_fields([&](auto v) { RestParams::fields(p, v); });
    const Scope outer = make_field_scope(c.scene), scope = make_scope(outer, c.object.vars);
    if (!read_fields(list, value, scope, c.path("rest"), c.errors)) return false;
    out.weight.assign(mesh.positions.size(), 1.0);
    const MapRange range{0, 1, false, "numbers from 0 to 1"};
    if (p.weight.kind != Value::Kind::null && !read_map(c, p.weight, "rest.weight", map_places(mesh), range, out.weight)) return false;
    if (!p.object.empty()) {
        for (const char* key : {"scale", "angle", "angle_scale"})
            if (const Value* other = find(value, key)) {
                add_error(c, fmt::format("rest.{}", key), *other, "the lengths and angles are those of the object", "object, weight");
                return false;
            }
        out.lengths = out.angles = true;
        return find_moving(c, p.object, *find(value, "object"), vertex_count(mesh), out);
    }
    out.lengths = find(value, "scale");
    out.angles = find(value, "angle") || find(value, "angle_scale");
    if (out.lengths) out.scale = add_field(c, "scale", p.scale);
    if (find(value, "angle")) out.added = add_field(c, "angle", p.angle);
    if (find(value, "angle_scale")) out.factor = add_field(c, "angle_scale", p.angle_scale);
    if (!out.lengths && !out.angles) add_error(c, "rest", value, "says nothing", "scale, angle, angle_scale or object");
    return out.lengths || out.angles;
}

const ElementRow* find_animated_hinge(const ElementRow& law) {
    return law.name.starts_with("hinge_") ? find_energy(fmt::format("{}_animated", law.name)) : nullptr;
}

void add_animated_hinge(BuildContext& c, const ElementRow& animated, const void* law_params, const RestScript& rest,
                        const std::array<int, 4>& h, Range points) {
    AnimatedHingeParams p;
    static_cast<HingeParams&>(p) = *static_cast<const HingeParams*>(law_params);
    std::array<int, 4> stencil{};
    for (int i = 0; i < 4; ++i) {
        p.weight[i] = rest.weight[h[i]];
        if (rest.first_moving >= 0) p.moving[i] = rest.first_moving + h[i];
        stencil[i] = points.begin + h[i];
    }
    p.scale = rest.scale, p.factor = rest.factor, p.added = rest.added;
    add_energy(c.builder, animated, &p, stencil);
}

void add_animated_triangle(BuildContext& c, const void* params, const RestScript& rest, const std::array<int, 3>& t, Range points) {
    TriStvkAnimated::Params p;
    static_cast<MembraneParams&>(p) = *static_cast<const MembraneParams*>(params);
    std::array<int, 3> stencil{};
    for (int i = 0; i < 3; ++i) {
        p.weight[i] = 0.5 * (rest.weight[t[kNext[i]]] + rest.weight[t[kPrevious[i]]]);
        if (rest.first_moving >= 0) p.moving[i] = rest.first_moving + t[i];
        stencil[i] = points.begin + t[i];
    }
    p.scale = rest.scale;
    add_energy(c.builder, *find_energy("tri_stvk_animated"), &p, stencil);
}

} // namespace sinew
