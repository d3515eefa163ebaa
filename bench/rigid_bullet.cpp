// Bullet at its defaults: sequential impulses, 10 iterations, split impulse, one step of the given length.
#include "rigid_scenes.h"
#include <btBulletDynamicsCommon.h>
#include <cmath>

namespace sinew::bench {

namespace {

struct Bullet final : RigidEngine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;

    explicit Bullet(const RigidScene& s) {
        world.setGravity(btVector3(0, -9.81, 0));
        for (const BenchBody& b : s.bodies) {
            if (b.is_box) shapes.push_back(std::make_unique<btBoxShape>(btVector3(b.half.x, b.half.y, b.half.z)));
            else shapes.push_back(std::make_unique<btSphereShape>(btScalar(b.half.x)));
            btVector3 inertia(0, 0, 0);
            if (b.mass > 0) shapes.back()->calculateLocalInertia(btScalar(b.mass), inertia);
            btRigidBody::btRigidBodyConstructionInfo info(btScalar(b.mass), nullptr, shapes.back().get(), inertia);
            const Real3& p = b.pose.position;
            const Real4& q = b.pose.rotation;
            info.m_startWorldTransform = btTransform(btQuaternion(q.x, q.y, q.z, q.w), btVector3(p.x, p.y, p.z));
            info.m_friction = btScalar(std::sqrt(s.friction)); // a pair takes the product
            bodies.push_back(std::make_unique<btRigidBody>(info));
            bodies.back()->setActivationState(DISABLE_DEACTIVATION);
            if (s.collides) world.addRigidBody(bodies.back().get());
            else world.addRigidBody(bodies.back().get(), 1, 0);
        }
        for (const BenchJoint& j : s.joints) {
            const btVector3 at(j.at.x, j.at.y, j.at.z);
            const auto local = [&](int b) { return bodies[b]->getWorldTransform().inverse() * at; };
            joints.push_back(std::make_unique<btPoint2PointConstraint>(*bodies[j.a], *bodies[j.b], local(j.a), local(j.b)));
            world.addConstraint(joints.back().get());
        }
    }
    ~Bullet() override {
        for (auto& j : joints) world.removeConstraint(j.get());
        for (auto& b : bodies) world.removeRigidBody(b.get());
    }
    void step(double dt) override { world.stepSimulation(btScalar(dt), 0); }
    Pose pose(int i) const override {
        const btTransform& t = bodies[i]->getWorldTransform();
        const btQuaternion q = t.getRotation();
        return {{t.getOrigin().x(), t.getOrigin().y(), t.getOrigin().z()}, {q.w(), q.x(), q.y(), q.z()}};
    }
};

} // namespace

std::unique_ptr<RigidEngine> make_bullet(const RigidScene& s, int, std::string&) { return std::make_unique<Bullet>(s); }

} // namespace sinew::bench
