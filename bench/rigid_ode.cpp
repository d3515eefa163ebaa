// ODE at its defaults: QuickStep with 20 iterations, ERP 0.2, CFM 1e-10, at most 8 contacts per pair.
#include "rigid_scenes.h"
#include <ode/ode.h>

namespace sinew::bench {

namespace {

struct Ode final : RigidEngine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    std::vector<dBodyID> bodies; // null = held
    std::vector<Pose> held;
    double friction;
    bool collides;

    explicit Ode(const RigidScene& s) : friction(s.friction), collides(s.collides) {
        dInitODE2(0);
        world = dWorldCreate();
        space = dHashSpaceCreate(nullptr);
        contacts = dJointGroupCreate(0);
        dWorldSetGravity(world, 0, -9.81, 0);
        dWorldSetERP(world, 0.2);
        dWorldSetCFM(world, 1e-10);
        dWorldSetQuickStepNumIterations(world, 20);
        for (const BenchBody& b : s.bodies) {
            const dGeomID geom = b.is_box ? dCreateBox(space, 2 * b.half.x, 2 * b.half.y, 2 * b.half.z) : dCreateSphere(space, b.half.x);
            dBodyID body = nullptr;
            if (b.mass > 0) {
                body = dBodyCreate(world);
                dMass mass;
                if (b.is_box) dMassSetBoxTotal(&mass, b.mass, 2 * b.half.x, 2 * b.half.y, 2 * b.half.z);
                else dMassSetSphereTotal(&mass, b.mass, b.half.x);
                dBodySetMass(body, &mass);
                dGeomSetBody(geom, body);
            }
            const dQuaternion q{b.pose.rotation.w, b.pose.rotation.x, b.pose.rotation.y, b.pose.rotation.z};
            dGeomSetPosition(geom, b.pose.position.x, b.pose.position.y, b.pose.position.z);
            dGeomSetQuaternion(geom, q);
            bodies.push_back(body);
            held.push_back(b.pose);
        }
        for (const BenchJoint& j : s.joints) {
            const dJointID joint = dJointCreateBall(world, nullptr);
            dJointAttach(joint, bodies[j.a], bodies[j.b]);
            dJointSetBallAnchor(joint, j.at.x, j.at.y, j.at.z);
        }
    }
    ~Ode() override {
        dJointGroupDestroy(contacts);
        dSpaceDestroy(space);
        dWorldDestroy(world);
        dCloseODE();
    }
    static void near(void* data, dGeomID a, dGeomID b) {
        Ode& self = *static_cast<Ode*>(data);
        const dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
        if (!x && !y) return;
        dContact contact[8];
        const int n = dCollide(a, b, 8, &contact[0].geom, sizeof(dContact));
        for (int i = 0; i < n; ++i) {
            contact[i].surface.mode = dContactApprox1;
            contact[i].surface.mu = self.friction;
            dJointAttach(dJointCreateContact(self.world, self.contacts, &contact[i]), x, y);
        }
    }
    void step(double dt) override {
        if (collides) dSpaceCollide(space, this, near);
        dWorldQuickStep(world, dt);
        dJointGroupEmpty(contacts);
    }
    Pose pose(int i) const override {
        if (!bodies[i]) return held[i];
        const dReal *p = dBodyGetPosition(bodies[i]), *q = dBodyGetQuaternion(bodies[i]);
        return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
    }
};

} // namespace

std::unique_ptr<RigidEngine> make_ode(const RigidScene& s, int, std::string&) { return std::make_unique<Ode>(s); }

} // namespace sinew::bench
