// Small scenes for the tests of this folder.
#pragma once
#include "core/math.h"
#include "model/snapshot.h"
#include <cmath>

namespace sinew {

struct SampleScene {
    SnapshotLayout layout;
    Snapshot snapshot;
};

inline void add_face(SnapshotObject& o, std::initializer_list<int> corners) {
    o.polygon_vertex.insert(o.polygon_vertex.end(), corners);
    o.polygon_begin.push_back(int(o.polygon_vertex.size()));
}

inline SnapshotObject box_object(double half) {
    SnapshotObject o;
    o.kind = "box";
    o.rigid = true;
    o.point_count = 8;
    for (int i = 0; i < 8; ++i)
        o.rest.push_back({i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half});
    add_face(o, {0, 4, 6, 2});
    add_face(o, {1, 3, 7, 5});
    add_face(o, {0, 1, 5, 4});
    add_face(o, {2, 6, 7, 3});
    add_face(o, {0, 2, 3, 1});
    add_face(o, {4, 5, 7, 6});
    return o;
}

// longitudes x latitudes
inline SnapshotObject sphere_object(double radius, int around, int down) {
    SnapshotObject o;
    o.kind = "sphere";
    o.rigid = true;
    o.rest.push_back({0, radius, 0});
    for (int j = 1; j < down; ++j)
        for (int i = 0; i < around; ++i) {
            const double th = kPi * j / down, ph = 2 * kPi * i / around;
            o.rest.push_back({radius * std::sin(th) * std::cos(ph), radius * std::cos(th),
                              -radius * std::sin(th) * std::sin(ph)});
        }
    o.rest.push_back({0, -radius, 0});
    o.point_count = int(o.rest.size());
    for (int i = 0; i < around; ++i) {
        const int k = (i + 1) % around, last = o.point_count - 1, row = 1 + (down - 2) * around;
        add_face(o, {0, 1 + i, 1 + k});
        add_face(o, {last, row + k, row + i});
        for (int j = 0; j + 2 < down; ++j) {
            const int a = 1 + j * around, b = a + around;
            add_face(o, {a + i, b + i, b + k, a + k});
        }
    }
    return o;
}

// n x n vertices over 1 m x 1 m in the plane y = 0, facing up
inline SnapshotObject cloth_object(int n) {
    SnapshotObject o;
    o.kind = "cloth_grid";
    o.point_count = n * n;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            o.rest.push_back({double(i) / (n - 1) - 0.5, 0, double(j) / (n - 1) - 0.5});
    for (int j = 0; j + 1 < n; ++j)
        for (int i = 0; i + 1 < n; ++i)
            add_face(o, {j * n + i, (j + 1) * n + i, (j + 1) * n + i + 1, j * n + i + 1});
    return o;
}

inline SnapshotObject ball_object(double radius) {
    SnapshotObject o;
    o.kind = "particles";
    o.draw_points = true;
    o.point_count = 1;
    o.radius = radius;
    o.rest = {{0, 0, 0}};
    return o;
}

inline void add_object(SampleScene& s, const std::string& name, SnapshotObject o, const Real3& at = {}) {
    o.name = name;
    SnapshotObjectFrame f;
    f.pose.position = at;
    if (!o.rigid)
        for (const Real3& p : o.rest) f.position.push_back({p.x + at.x, p.y + at.y, p.z + at.z});
    s.layout.objects.push_back(std::move(o));
    s.snapshot.objects.push_back(std::move(f));
}

// one of each kind of thing that is drawn
inline SampleScene mixed_scene() {
    SampleScene s;
    add_object(s, "box", box_object(0.3), {0, 0.3, 0});
    add_object(s, "sphere", sphere_object(0.3, 24, 12), {0.9, 0.3, 0.2});
    SnapshotObject cloth = cloth_object(20);
    for (Real3& p : cloth.rest) p.y = 0.1 * std::sin(9 * p.x) * std::cos(7 * p.z);
    add_object(s, "cloth", cloth, {0.3, 1, 0});
    SnapshotObject grains = ball_object(0.04), rope;
    grains.rest.clear();
    for (int i = 0; i < 200; ++i)
        grains.rest.push_back(
            {0.05 * std::sqrt(i) * std::cos(2.4 * i), 0.04, 0.05 * std::sqrt(i) * std::sin(2.4 * i)});
    grains.point_count = 200;
    add_object(s, "grains", grains, {-0.9, 0, 0.5});
    rope.kind = "rope";
    rope.radius = 0.02;
    rope.point_count = 30;
    for (int i = 0; i < 30; ++i) {
        rope.rest.push_back({-1 + 0.07 * i, 1.4 + 0.1 * std::sin(0.5 * i), 0.3});
        if (i) rope.segments.push_back({i - 1, i});
    }
    add_object(s, "rope", rope);
    return s;
}

} // namespace sinew
