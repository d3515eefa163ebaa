// Bullet: single precision, btGjkPairDetector with btGjkEpaPenetrationDepthSolver; contacts by its own
// algorithms for each pair of shapes, from an empty manifold. Margins are zero, so that the shapes are the
// same as ours.
#include "narrow.h"
#include <btBulletCollisionCommon.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>

namespace sinew::bench {

namespace {

btTransform transform_of(const Pose& p) {
    return btTransform(btQuaternion(btScalar(p.rotation.x), btScalar(p.rotation.y), btScalar(p.rotation.z),
                                    btScalar(p.rotation.w)),
                       btVector3(btScalar(p.position.x), btScalar(p.position.y), btScalar(p.position.z)));
}

std::unique_ptr<btConvexShape> shape_of(const ShapeStore& store, const Shape& s) {
    const auto x = btScalar(s.size.x), y = btScalar(s.size.y), z = btScalar(s.size.z);
    std::unique_ptr<btConvexShape> shape;
    switch (s.kind) {
    case Shape::sphere:
        return std::make_unique<btSphereShape>(x);
    case Shape::capsule:
        return std::make_unique<btCapsuleShape>(x, 2 * y);
    case Shape::box:
        shape = std::make_unique<btBoxShape>(btVector3(x, y, z));
        break;
    case Shape::cylinder:
        shape = std::make_unique<btCylinderShape>(btVector3(x, y, x));
        break;
    case Shape::cone:
        shape = std::make_unique<btConeShape>(x, 2 * y);
        break;
    default: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (const Real3& v : store.hulls[s.data].vertices)
            hull->addPoint(btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)), false);
        hull->recalcLocalAabb();
        shape = std::move(hull);
    }
    }
    shape->setMargin(0);
    return shape;
}

Vec3 vec3(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

struct Pair {
    std::unique_ptr<btConvexShape> a, b;
    btCollisionObject object_a, object_b;
    btCollisionAlgorithm* algorithm = nullptr;
};

struct Bullet final : NarrowPeer {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDispatcherInfo info;
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;
    std::vector<std::unique_ptr<Pair>> pairs;

    Bullet(const ShapeStore& store, const std::vector<NarrowPair>& from) {
        for (const NarrowPair& p : from) {
            auto q = std::make_unique<Pair>();
            q->a = shape_of(store, p.a);
            q->b = shape_of(store, p.b);
            q->object_a.setCollisionShape(q->a.get());
            q->object_b.setCollisionShape(q->b.get());
            q->object_a.setWorldTransform(transform_of(p.pose_a));
            q->object_b.setWorldTransform(transform_of(p.pose_b));
            const btCollisionObjectWrapper a = wrap(q->object_a), b = wrap(q->object_b);
            q->algorithm = dispatcher.findAlgorithm(&a, &b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
            pairs.push_back(std::move(q));
        }
    }
    ~Bullet() override {
        for (const auto& p : pairs) {
            p->algorithm->~btCollisionAlgorithm();
            dispatcher.freeCollisionAlgorithm(p->algorithm);
        }
    }
    static btCollisionObjectWrapper wrap(const btCollisionObject& o) {
        return btCollisionObjectWrapper(nullptr, o.getCollisionShape(), &o, o.getWorldTransform(), -1, -1);
    }
    const char* name() const override { return "Bullet"; }
    // its expanding polytope stops when a new point is within 1e-4 of the nearest face; a few roundings to 24
    // bits
    double tolerance() const override { return 1.1e-4; }
    double distance(int i) override { return closest(i).m_distance; }
    btPointCollector closest(int i) {
        const Pair& p = *pairs[i];
        btGjkPairDetector gjk(p.a.get(), p.b.get(), &simplex, &depth);
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA = p.object_a.getWorldTransform();
        input.m_transformB = p.object_b.getWorldTransform();
        btPointCollector result;
        gjk.getClosestPoints(input, result, nullptr);
        return result;
    }
    NarrowAnswer answer(int i) override {
        const btPointCollector r = closest(i);
        NarrowAnswer out;
        out.found = r.m_hasResult && std::isfinite(r.m_distance) && r.m_normalOnBInWorld.length2() > 0.5;
        if (!out.found) return out;
        out.distance = r.m_distance;
        out.normal = -vec3(r.m_normalOnBInWorld).normalized();
        out.on_b = vec3(r.m_pointInWorld);
        out.on_a = out.on_b - out.distance * out.normal;
        return out;
    }
    NarrowManifold manifold(int i) override {
        double deepest;
        contact(i, deepest);
        NarrowManifold out;
        btManifoldArray manifolds;
        pairs[i]->algorithm->getAllContactManifolds(manifolds);
        for (int k = 0; k < manifolds.size(); ++k)
            for (int j = 0; j < manifolds[k]->getNumContacts(); ++j) {
                const btManifoldPoint& p = manifolds[k]->getContactPoint(j);
                // a manifold may have its bodies the other way round
                const bool swapped = manifolds[k]->getBody0() != &pairs[i]->object_a;
                out.normal = (swapped ? 1.0 : -1.0) * vec3(p.m_normalWorldOnB).normalized();
                out.points.push_back({0.5 * (vec3(p.m_positionWorldOnA) + vec3(p.m_positionWorldOnB)),
                                      double(p.getDistance())});
            }
        return out;
    }
    int contact(int i, double& deepest) override {
        Pair& p = *pairs[i];
        const btCollisionObjectWrapper a = wrap(p.object_a), b = wrap(p.object_b);
        btManifoldArray manifolds;
        p.algorithm->getAllContactManifolds(manifolds);
        for (int k = 0; k < manifolds.size(); ++k) manifolds[k]->clearManifold();
        btManifoldResult result(&a, &b);
        p.algorithm->processCollision(&a, &b, info, &result);
        manifolds.resize(0);
        p.algorithm->getAllContactManifolds(manifolds);
        int count = 0;
        deepest = 1e9;
        for (int k = 0; k < manifolds.size(); ++k)
            for (int j = 0; j < manifolds[k]->getNumContacts(); ++j, ++count)
                deepest = std::min(deepest, double(manifolds[k]->getContactPoint(j).getDistance()));
        return count;
    }
};

} // namespace

std::unique_ptr<NarrowPeer> make_narrow_bullet(const ShapeStore& store,
                                               const std::vector<NarrowPair>& pairs) {
    return std::make_unique<Bullet>(store, pairs);
}

} // namespace sinew::bench
