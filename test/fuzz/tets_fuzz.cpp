// libFuzzer target: the readers of tetrahedral meshes on arbitrary bytes. The first byte chooses: Gmsh, or TetGen with
// its files one after another, divided by zero bytes. What is read is sound, and comes back from what is written.
#include "geometry/read_tets.h"
#include <cmath>
#include <cstdlib>

using namespace sinew;

static void check_sound(const TetMesh& mesh) {
    for (const Real3& x : mesh.points)
        if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) std::abort();
    for (const auto& tet : mesh.tets)
        for (int corner : tet)
            if (corner < 0 || corner >= int(mesh.points.size())) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    Result<TetMesh> mesh;
    if (data[0] % 2 == 0) {
        mesh = parse_gmsh(bytes, "fuzz.msh");
    } else {
        TetgenText text;
        for (std::string_view* part : {&text.node, &text.ele, &text.face}) {
            const std::size_t end = std::min(bytes.find('\0'), bytes.size());
            *part = bytes.substr(0, end);
            bytes.remove_prefix(std::min(end + 1, bytes.size()));
        }
        mesh = parse_tetgen(text, "fuzz");
    }
    if (!mesh) {
        if (mesh.errors.empty()) std::abort();
        return 0;
    }
    check_sound(*mesh.value);
    for (bool binary : {false, true}) {
        const Result<TetMesh> again = parse_gmsh(format_gmsh(*mesh.value, binary), "again.msh");
        if (!again || again.value->points.size() != mesh.value->points.size() || again.value->tets != mesh.value->tets)
            std::abort();
    }
    return 0;
}
