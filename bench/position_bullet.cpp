// Bullet's soft body: links of position projection at full stiffness, no damping, bending links over two edges for cloth;
// bars are the edges of their tetrahedra as links.
#include "position_scenes.h"
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

namespace sinew::bench {

namespace {

struct BulletSoft final : SoftEngine {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
    std::unique_ptr<btSoftBody> body;

    BulletSoft(const SoftScene& s, int iterations) {
        world.setGravity(btVector3(0, btScalar(-9.81), 0));
        world.getWorldInfo().m_gravity = world.getGravity();
        std::vector<btVector3> x;
        std::vector<btScalar> mass;
        for (const Real3& p : s.x) x.emplace_back(btScalar(p.x), btScalar(p.y), btScalar(p.z));
        for (std::size_t i = 0; i < s.x.size(); ++i) mass.push_back(s.fixed[i] ? 0 : btScalar(s.mass[i]));
        body = std::make_unique<btSoftBody>(&world.getWorldInfo(), int(x.size()), x.data(), mass.data());
        btSoftBody::Material* material = body->appendMaterial();
        material->m_kLST = 1;
        for (const auto& e : s.edges) body->appendLink(e[0], e[1], material);
        if (s.tets.empty()) body->generateBendingConstraints(2, material);
        body->m_cfg.kDP = 0;
        body->m_cfg.piterations = iterations;
        body->m_cfg.collisions = 0;
        body->setActivationState(DISABLE_DEACTIVATION);
        body->randomizeConstraints();
        world.addSoftBody(body.get());
    }
    ~BulletSoft() override { world.removeSoftBody(body.get()); }
    void step(double dt) override { world.stepSimulation(btScalar(dt), 0); }
    void positions(std::vector<Real3>& x) const override {
        x.resize(body->m_nodes.size());
        for (int i = 0; i < body->m_nodes.size(); ++i) {
            const btVector3& p = body->m_nodes[i].m_x;
            x[i] = {p.x(), p.y(), p.z()};
        }
    }
    std::string note() const override { return "bullet " + std::to_string(body->m_links.size()) + " links"; }
};

} // namespace

std::unique_ptr<SoftEngine> make_bullet_soft(const SoftScene& s, int iterations) { return std::make_unique<BulletSoft>(s, iterations); }

} // namespace sinew::bench
