#include "scene/look.h"
#include "core/error.h"
#include "core/fields.h"
#include "render/settings.h"

namespace sinew {

namespace {

struct CameraParams {
    Real3 eye{3, 2, 4}, up{0, 1, 0};
    Value look_at;
    Real fov = 0.610865;
    template <class V> static void fields(CameraParams& p, V&& v) {
        v("eye", p.eye, Field{.unit = "m", .required = true, .doc = "where the picture is taken from"});
        v("look_at", p.look_at, Field{.doc = "an object, the middle of several (a group or pattern), or a place; default: the origin"});
        v("up", p.up, Field{.doc = "points to the top of the picture"});
        v("fov", p.fov, Field{.min = 0.01, .max = 3, .unit = "rad", .doc = "vertical opening angle"});
    }
};

// middle of the objects that the name means, each at its place or the middle of its points; false: none is built, said elsewhere
bool find_place(const ModelBuilder& b, std::string_view name, Real3& out) {
    Vec3 middle = Vec3::Zero();
    int count = 0;
    for (const Object& o : b.model.objects) {
        if (!match_name(name, o.name)) continue;
        Vec3 sum = Vec3::Zero();
        for (int i = o.points.begin; i < o.points.end; ++i) sum += vec(b.state.point.x[i]);
        middle += o.frames.count() ? vec(b.state.frame.p[o.frames.begin]) : Vec3(sum / std::max(1, o.points.count()));
        ++count;
    }
    if (count > 0) out = real3(middle / count);
    return count > 0;
}

void read_camera(const Scene& scene, const Scope& scope, ModelBuilder& b, std::vector<Error>& errors) {
    if (scene.camera.kind == Value::Kind::null) return;
    CameraParams p;
    FieldList list = collect_fields([&](auto v) { CameraParams::fields(p, v); });
    if (!read_fields(list, scene.camera, scope, "camera", errors)) return;
    Real3 at;
    if (p.look_at.kind == Value::Kind::text) {
        if (!find_place(b, p.look_at.text, at)) return;
    } else if (p.look_at.kind != Value::Kind::null && !read_real3(p.look_at, "m", scope, "camera.look_at", at, errors)) {
        return;
    }
    if (p.eye == at) {
        errors.push_back(make_error(*find(scene.camera, "eye"), "camera.eye", "the eye is at the place it looks at", "two different places"));
        return;
    }
    b.layout.camera = {p.eye.x, p.eye.y, p.eye.z, at.x, at.y, at.z, p.up.x, p.up.y, p.up.z, p.fov};
}

} // namespace

FieldList describe_camera(std::shared_ptr<void>& owner) {
    auto params = std::make_shared<CameraParams>();
    owner = params;
    return collect_fields([&](auto v) { CameraParams::fields(*params, v); });
}

FieldList describe_light(std::shared_ptr<void>& owner) {
    auto settings = std::make_shared<RenderSettings>();
    owner = settings;
    return render_fields(*settings);
}

void read_look(const Scene& scene, const Scope& scope, ModelBuilder& b, std::vector<Error>& errors) {
    read_camera(scene, scope, b, errors);
    RenderSettings settings;
    Value merged = make_object();
    for (const auto& [value, path] : {std::pair{&scene.light, "light"}, std::pair{&scene.background, "background"}}) {
        if (value->kind == Value::Kind::null) continue;
        FieldList list = render_fields(settings);
        if (!read_fields(list, *value, scope, path, errors)) continue;
        for (const FieldRef& f : list.fields)
            if (f.given) set(merged, f.name, write_field(f));
    }
    if (!merged.members.empty()) b.layout.look = write_value(merged, 0);
}

} // namespace sinew
