// FCL: double precision, its default solver (libccd) with signed distances; contacts by fcl::collide. Its
// capsules, cylinders and cones stand along z, ours along y.
#include "narrow.h"
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

namespace sinew::bench {

namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

Geometry geometry_of(const ShapeStore& store, const Shape& s) {
    switch (s.kind) {
    case Shape::sphere:
        return std::make_shared<fcl::Sphered>(s.size.x);
    case Shape::capsule:
        return std::make_shared<fcl::Capsuled>(s.size.x, 2 * s.size.y);
    case Shape::box:
        return std::make_shared<fcl::Boxd>(2 * s.size.x, 2 * s.size.y, 2 * s.size.z);
    case Shape::cylinder:
        return std::make_shared<fcl::Cylinderd>(s.size.x, 2 * s.size.y);
    case Shape::cone:
        return std::make_shared<fcl::Coned>(s.size.x, 2 * s.size.y);
    default:
        break;
    }
    const HullShape& h = store.hulls[s.data];
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    for (const Real3& v : h.vertices) vertices->emplace_back(v.x, v.y, v.z);
    auto faces = std::make_shared<std::vector<int>>();
    const int count = int(h.face_begin.size()) - 1;
    for (int f = 0; f < count; ++f) {
        faces->push_back(h.face_begin[f + 1] - h.face_begin[f]);
        for (int k = h.face_begin[f]; k < h.face_begin[f + 1]; ++k) faces->push_back(h.face_vertex[k]);
    }
    return std::make_shared<fcl::Convexd>(vertices, count, faces);
}

fcl::Transform3d transform_of(const Shape& s, const Pose& p) {
    fcl::Transform3d t = fcl::Transform3d::Identity();
    const fcl::Quaterniond q(p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
    const bool along_z = s.kind == Shape::capsule || s.kind == Shape::cylinder || s.kind == Shape::cone;
    const double half = std::sqrt(0.5);
    t.linear() = (along_z ? q * fcl::Quaterniond(half, -half, 0, 0) : q).toRotationMatrix();
    t.translation() = fcl::Vector3d(p.position.x, p.position.y, p.position.z);
    return t;
}

struct Pair {
    fcl::CollisionObjectd a, b;
};

struct Fcl final : NarrowPeer {
    std::vector<Pair> pairs;

    Fcl(const ShapeStore& store, const std::vector<NarrowPair>& from) {
        for (const NarrowPair& p : from)
            pairs.push_back({fcl::CollisionObjectd(geometry_of(store, p.a), transform_of(p.a, p.pose_a)),
                             fcl::CollisionObjectd(geometry_of(store, p.b), transform_of(p.b, p.pose_b))});
    }
    const char* name() const override { return "FCL"; }
    double tolerance() const override { return 1e-6; } // its default for both distances and depths
    NarrowAnswer answer(int i) override {
        fcl::DistanceRequestd request(true, true);
        fcl::DistanceResultd result;
        NarrowAnswer out;
        try {
            out.distance = fcl::distance(&pairs[i].a, &pairs[i].b, request, result);
        } catch (const std::exception&) {
            return out;
        }
        out.on_a = result.nearest_points[0], out.on_b = result.nearest_points[1];
        const Vec3 between = out.on_b - out.on_a;
        out.found = std::isfinite(out.distance) && between.norm() > 0;
        if (out.found) out.normal = (out.distance < 0 ? -1.0 : 1.0) * between.normalized();
        return out;
    }
    NarrowManifold manifold(int i) override {
        const fcl::CollisionRequestd request(8, true);
        fcl::CollisionResultd result;
        NarrowManifold out;
        try {
            fcl::collide(&pairs[i].a, &pairs[i].b, request, result);
        } catch (const std::exception&) {
            return out;
        }
        for (std::size_t k = 0; k < result.numContacts(); ++k) {
            const fcl::Contactd& c = result.getContact(k);
            out.normal = c.normal;
            out.points.push_back({c.pos, -c.penetration_depth});
        }
        return out;
    }
    double distance(int i) override {
        fcl::DistanceRequestd request(true, true);
        fcl::DistanceResultd result;
        try {
            return fcl::distance(&pairs[i].a, &pairs[i].b, request, result);
        } catch (const std::exception&) {
            return std::numeric_limits<double>::quiet_NaN(); // its expanding polytope gives up by an
                                                             // exception
        }
    }
    int contact(int i, double& deepest) override {
        const fcl::CollisionRequestd request(8, true);
        fcl::CollisionResultd result;
        deepest = 1e9;
        try {
            fcl::collide(&pairs[i].a, &pairs[i].b, request, result);
        } catch (const std::exception&) {
            return 0;
        }
        for (std::size_t k = 0; k < result.numContacts(); ++k)
            deepest = std::min(deepest, -result.getContact(k).penetration_depth);
        return int(result.numContacts());
    }
};

} // namespace

std::unique_ptr<NarrowPeer> make_narrow_fcl(const ShapeStore& store, const std::vector<NarrowPair>& pairs) {
    return std::make_unique<Fcl>(store, pairs);
}

} // namespace sinew::bench
