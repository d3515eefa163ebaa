// Contact features of convex cores, geometry/convex_face.h.
#include "geometry/convex_face.h"
#include "geometry/polytope.h"
#include <cmath>

namespace sinew {

namespace {

constexpr int kDisc = 12;
constexpr Real kAlong = 0.9; // a line this much along d (cosine) touches with its end

void add_corner(ContactFace& f, const Vec3& x, int id) {
    f.x[f.count] = x;
    f.id[f.count++] = id;
}

void take_support(const Convex& c, const Vec3& d, ContactFace& f) {
    const SupportPoint p = support(c, d);
    add_corner(f, p.x, p.id < 0 ? 0 : p.id);
}

void face_of_segment(const Convex& c, const Vec3& d, ContactFace& f) {
    if (std::abs(d.y()) > kAlong || !(c.size.y() > 0)) return take_support(c, d, f);
    add_corner(f, {0, -c.size.y(), 0}, 0);
    add_corner(f, {0, c.size.y(), 0}, 1);
}

void face_of_triangle(const Convex& c, const Vec3& d, ContactFace& f) {
    const Real up = c.normal.dot(d);
    if (std::abs(up) > 0.1) {
        f.normal = up > 0 ? c.normal : Vec3(-c.normal);
        for (int i : {0, up > 0 ? 1 : 2, up > 0 ? 2 : 1}) add_corner(f, c.corner[i], i);
        return;
    }
    int side = 0;
    for (int i = 1; i < 3; ++i)
        if (face_of(c, 2 + i).normal.dot(d) > face_of(c, 2 + side).normal.dot(d)) side = i;
    for (int i : {side, (side + 1) % 3}) add_corner(f, c.corner[i], i);
}

void face_of_box(const Convex& c, const Vec3& d, ContactFace& f) {
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (std::abs(d[i]) > std::abs(d[k])) k = i;
    const int u = (k + 1) % 3, v = (k + 2) % 3, up = d[k] >= 0;
    f.normal = (up ? 1 : -1) * Vec3::Unit(k);
    static constexpr int kTurn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (const auto& turn : kTurn) {
        const int iu = turn[up ? 0 : 1], iv = turn[up ? 1 : 0], id = up << k | iu << u | iv << v;
        add_corner(f,
                   {id & 1 ? c.size.x() : -c.size.x(), id & 2 ? c.size.y() : -c.size.y(),
                    id & 4 ? c.size.z() : -c.size.z()},
                   id);
    }
}

void add_disc(ContactFace& f, Real radius, Real y, bool up, int first_id) {
    f.normal = up ? Vec3(Vec3::UnitY()) : Vec3(-Vec3::UnitY());
    for (int i = 0; i < kDisc; ++i) {
        const int k = up ? kDisc - 1 - i : i; // x to -z is counter-clockwise seen from above
        const Real angle = 2 * kPi * k / kDisc;
        add_corner(f, {radius * std::cos(angle), y, radius * std::sin(angle)}, first_id + k);
    }
}

void face_of_cylinder(const Convex& c, const Vec3& d, ContactFace& f) {
    const Real r = c.size.x(), h = c.size.y(), radial = std::hypot(d.x(), d.z());
    if (std::abs(d.y()) > 0.7 || !(h > 0))
        return add_disc(f, r, d.y() > 0 ? h : -h, d.y() > 0, d.y() > 0 ? 0 : kDisc);
    const Vec3 out(r * d.x() / radial, 0, r * d.z() / radial);
    add_corner(f, out - h * Vec3::UnitY(), 2 * kDisc);
    add_corner(f, out + h * Vec3::UnitY(), 2 * kDisc + 1);
}

void face_of_cone(const Convex& c, const Vec3& d, ContactFace& f) {
    const Real r = c.size.x(), h = c.size.y(), radial = std::hypot(d.x(), d.z()),
               length = std::hypot(r, 2 * h);
    const Real slope = length > 0 ? (2 * h * radial + r * d.y()) / length : 0;
    if (-d.y() >= slope) return add_disc(f, r, -h, false, kDisc);
    if (slope < 0.5 || !(radial > 0)) return take_support(c, d, f); // the apex, or a rim too steep for a line
    add_corner(f, {r * d.x() / radial, -h, r * d.z() / radial}, 2 * kDisc);
    add_corner(f, {0, h, 0}, 2 * kDisc + 1);
}

// Of the faces that reach the furthest vertex the one that faces d most
void face_of_hull(const Convex& c, const Vec3& d, ContactFace& f) {
    const HullShape& h = *c.hull_data;
    const SupportPoint top = support(c, d);
    const Real reach = d.dot(top.x), slack = 1e-9 * (top.x - vec(h.vertices[0])).cwiseAbs().maxCoeff();
    int best = -1;
    Real most = 0;
    for (int i = 0; i < int(h.face_normal.size()); ++i) {
        const Real facing = vec(h.face_normal[i]).dot(d);
        if (facing <= most) continue;
        bool reaches = false;
        for (int k = h.face_begin[i]; k < h.face_begin[i + 1] && !reaches; ++k)
            reaches = h.face_vertex[k] == top.id || d.dot(vec(h.vertices[h.face_vertex[k]])) >= reach - slack;
        if (reaches) most = facing, best = i;
    }
    if (best < 0) return take_support(c, d, f);
    f.normal = vec(h.face_normal[best]);
    const int begin = h.face_begin[best], size = h.face_begin[best + 1] - begin,
              count = std::min(size, kFaceCorners);
    for (int i = 0; i < count; ++i) {
        const int v = h.face_vertex[begin + int(std::int64_t(i) * size / count)];
        add_corner(f, vec(h.vertices[v]), v);
    }
}

} // namespace

void find_contact_face(const Convex& c, const Vec3& d, ContactFace& f) {
    f.count = 0;
    switch (c.core) {
    case Convex::segment:
        return face_of_segment(c, d, f);
    case Convex::triangle:
        return face_of_triangle(c, d, f);
    case Convex::box:
        return face_of_box(c, d, f);
    case Convex::cylinder:
        return face_of_cylinder(c, d, f);
    case Convex::cone:
        return face_of_cone(c, d, f);
    case Convex::hull:
        return face_of_hull(c, d, f);
    default:
        return take_support(c, d, f);
    }
}

} // namespace sinew
