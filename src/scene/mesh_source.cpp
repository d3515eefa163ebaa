#include "scene/mesh_source.h"
#include "core/error.h"
#include "core/hash.h"
#include "geometry/read_mesh.h"
#include "scene/document.h"
#include "scene/mesh_shape.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

struct MeshParams {
    std::string file, unit = "m", up = "y";
    template <class V> static void fields(MeshParams& p, V&& v) {
        v("file", p.file, Field{.required = true, .doc = "OBJ, PLY or STL; of solids also MSH, NODE, ELE"});
        v("unit", p.unit, Field{.allowed = {"m", "cm", "mm", "in", "ft"}, .doc = "of the file's numbers"});
        v("up", p.up, Field{.allowed = {"x", "y", "z"}, .doc = "axis of the file that points up"});
    }
};

} // namespace

Real metres_per(const std::string& unit) {
    if (unit == "cm") return 0.01;
    if (unit == "mm") return 0.001;
    if (unit == "in") return 0.0254;
    if (unit == "ft") return 0.3048;
    return 1;
}

Real3 up_to_y(const Real3& x, const std::string& up) {
    if (up == "z") return {x.x, x.z, -x.y};
    if (up == "x") return {-x.y, x.x, x.z};
    return x;
}

bool read_mesh_file(BuildContext& c, std::string_view key, const Value& value, MeshFile& out) {
    MeshParams p;
    out.name = value;
    if (value.kind == Value::Kind::object) {
        FieldList list = collect_fields([&](auto v) { MeshParams::fields(p, v); });
        if (!read_fields(list, value, c.scope, c.path(key), c.errors)) return false;
        out.name = *find(value, "file");
    } else if (!read_text(value, c.path(key), p.file, c.errors)) {
        return false;
    }
    out.file = p.file;
    out.unit = p.unit;
    out.up = p.up;
    return true;
}

void note_file(BuildContext& c, const Value& name) {
    std::string bytes, problem;
    const std::string path = std::filesystem::absolute(resolve_file(name)).lexically_normal().string();
    read_whole_file(path, bytes, problem);
    const std::string line = fmt::format("{:016x}  {}", hash_text(bytes), path);
    if (std::find(c.files.begin(), c.files.end(), line) == c.files.end()) c.files.push_back(line);
}

PolygonMesh read_mesh_source(BuildContext& c, std::string_view key, const Value& value) {
    if (is_mesh_shape(value)) return make_mesh_shape(c, key, value);
    MeshFile p;
    if (!read_mesh_file(c, key, value, p)) return {};
    Result<PolygonMesh> read = read_mesh(resolve_file(p.name));
    if (!read) {
        for (const Error& e : read.errors) {
            Error here = make_error(p.name, c.path(key), e.message, e.allowed);
            here.message = fmt::format("cannot use this mesh: {}{}", e.message,
                                       e.line ? fmt::format(" (line {} of the mesh file)", e.line) : "");
            c.errors.push_back(std::move(here));
        }
        return {};
    }
    note_file(c, p.name);
    const Real scale = metres_per(p.unit);
    for (Real3& x : read.value->positions) {
        x = up_to_y(x, p.up);
        x = {scale * x.x, scale * x.y, scale * x.z};
    }
    return std::move(*read.value);
}

} // namespace sinew
