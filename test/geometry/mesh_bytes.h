// Small mesh files written in memory for the tests.
#pragma once
#include "geometry/mesh.h"
#include <algorithm>
#include <cstring>

namespace sinew {

template <class T> void put(std::string& out, T value, bool big = false) {
    char b[sizeof(T)];
    std::memcpy(b, &value, sizeof(T));
    if (big) std::reverse(b, b + sizeof(T));
    out.append(b, sizeof(T));
}

// unit tetrahedron, outward
inline const std::vector<Real3> kTetVertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
inline const std::vector<std::array<int, 3>> kTetTriangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

inline std::string tet_obj() {
    return "# tet\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\no body\ng base\nusemtl red\n"
           "f 1/1/1 3/2/1 2/3/1\ng side top\nf 1 2 4\nf -4//1 4//1 -2//1\nf 2/1 3/2 4/3\nl 1 2 3\np 4\nvn 0 "
           "0 1\n";
}

inline std::string tet_ply(bool binary, bool big) {
    std::string s = "ply\nformat ";
    s += !binary ? "ascii" : big ? "binary_big_endian" : "binary_little_endian";
    s += " 1.0\ncomment a tetrahedron\nelement vertex 4\nproperty float x\nproperty double y\nproperty float "
         "z\n"
         "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty short weight\n"
         "element face 4\nproperty uchar flags\nproperty list uchar int vertex_indices\nelement edge 1\n"
         "property int vertex1\nproperty int vertex2\nend_header\n";
    for (int i = 0; i < 4; ++i) {
        const Real3& x = kTetVertices[i];
        if (binary) {
            put(s, float(x.x), big), put(s, double(x.y), big), put(s, float(x.z), big);
            s += std::string("\xff\x00\x33", 3);
            put(s, std::int16_t(-i), big);
        } else {
            s += std::to_string(x.x) + " " + std::to_string(x.y) + " " + std::to_string(x.z) + " 255 0 51 " +
                 std::to_string(-i) + "\n";
        }
    }
    for (const auto& t : kTetTriangles) {
        if (binary) {
            s += std::string("\x07\x03", 2);
            for (int v : t) put(s, v, big);
        } else {
            s += "7 3 " + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " + std::to_string(t[2]) +
                 "\n";
        }
    }
    if (binary)
        put(s, 2, big), put(s, 3, big);
    else
        s += "2 3\n";
    return s;
}

inline std::string tet_stl(bool binary) {
    std::string s;
    if (binary) {
        s = "solid misleading header";
        s.resize(80, ' ');
        put(s, std::uint32_t(4));
    } else {
        s = "solid tet one\n";
    }
    for (const auto& t : kTetTriangles) {
        if (binary)
            s.append(12, '\0');
        else
            s += " facet normal nan nan nan\n  outer loop\n";
        for (int v : t) {
            const Real3& x = kTetVertices[v];
            if (binary)
                put(s, float(x.x)), put(s, float(x.y)), put(s, float(x.z));
            else
                s += "   vertex " + std::to_string(x.x) + " " + std::to_string(x.y) + " " +
                     std::to_string(x.z) + "\n";
        }
        if (binary)
            s.append(2, '\0');
        else
            s += "  endloop\n endfacet\n";
    }
    if (!binary) s += "endsolid tet one\n";
    return s;
}

} // namespace sinew
