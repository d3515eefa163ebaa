#include "data_path.h"
#include "geometry/read_mesh.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"
#include "mesh_bytes.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

static std::string file_error(const std::string& path) {
    const Result<PolygonMesh> r = read_mesh(path);
    return r ? "accepted" : r.errors[0].message;
}

static std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = testing::TempDir() + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

TEST(read_mesh, the_extension_chooses_the_reader) {
    EXPECT_EQ(vertex_count(*read_mesh(write("sinew_tet.OBJ", tet_obj())).value), 4);
    EXPECT_EQ(vertex_count(*read_mesh(write("sinew_tet.ply", tet_ply(true, true))).value), 4);
    EXPECT_EQ(vertex_count(*read_mesh(write("sinew_tet.Stl", tet_stl(true))).value), 4);
    EXPECT_EQ(file_error("a.fbx"), "unknown kind of mesh file \".fbx\"");
    EXPECT_EQ(file_error(""), "unknown kind of mesh file \"\"");
}

TEST(read_mesh, what_is_not_a_readable_file_is_refused) {
    EXPECT_EQ(file_error("no/such/file.obj"), "the mesh file does not exist or may not be read");
    const std::string folder = testing::TempDir() + "sinew_folder.obj";
    std::filesystem::create_directories(folder);
    EXPECT_EQ(file_error(folder), "this is not a file");
    std::error_code code;
    const std::string endless = testing::TempDir() + "sinew_endless.obj";
    std::filesystem::remove(endless, code);
    std::filesystem::create_symlink("/dev/zero", endless, code);
    if (!code) {
        EXPECT_EQ(file_error(endless), "this is not a file");
    }
    EXPECT_EQ(file_error(std::string("a\0b.obj", 7)), "the mesh file does not exist or may not be read");
}

// name, vertices, polygons as counted in the file; closed, oriented and manifold as known of the model
struct Known {
    const char* name;
    int vertices, polygons;
    bool closed;
};

TEST(read_mesh, known_models_have_their_known_counts_and_topology) {
    int found = 0;
    for (const Known& k : {Known{"bunny.obj", 2503, 4968, false}, Known{"spot.obj", 2930, 5856, true},
                           Known{"dragon_50k.obj", 25007, 50000, true}}) {
        const std::string path = find_data(std::string("meshes/") + k.name);
        if (path.empty()) continue;
        ++found;
        const Result<PolygonMesh> r = read_mesh(path);
        ASSERT_TRUE(r) << to_string(r.errors[0]);
        EXPECT_EQ(vertex_count(*r.value), k.vertices) << k.name;
        EXPECT_EQ(polygon_count(*r.value), k.polygons) << k.name;
        const MeshCheck c = check_mesh(*r.value);
        EXPECT_EQ(c.closed, k.closed) << k.name << ": " << describe(c);
        EXPECT_TRUE(c.oriented) << k.name << ": " << describe(c);
        EXPECT_TRUE(validate_mesh(*r.value).empty());
    }
    if (!found) GTEST_SKIP() << "no mesh data";
}
