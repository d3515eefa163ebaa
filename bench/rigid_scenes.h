// Scenes of rigid bodies for the comparison with other engines, as plain numbers: y up, gravity 9.81 m/s^2 down, friction
// 0.6 of every pair, no restitution, no damping, steps of 1/60 s.
#pragma once
#include "sinew/types.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinew::bench {

struct BenchBody {
    bool is_box = true;
    Real3 half{0.5, 0.5, 0.5}; // [m] sphere: radius in x
    double mass = 1;           // [kg] 0 = held
    Pose pose;
};
struct BenchJoint { // ball joint
    int a = 0, b = 0;
    Real3 at; // [m] world
};
struct RigidScene {
    std::string name;
    std::vector<BenchBody> bodies; // held ones first
    std::vector<BenchJoint> joints;
    double friction = 0.6;
    bool collides = true;
};
// pyramid20 (any base), heap1000 (k^3 boxes and balls between walls), massstack (1:1000)
RigidScene make_pyramid(int base);
RigidScene make_heap(int k, std::uint32_t seed = 12345);
RigidScene make_mass_stack();
// chain100: links that start level and at rest, from the origin; chain20heavy: hanging, 1000 kg below; links do not collide
RigidScene make_chain(int links);
RigidScene make_heavy_chain(int links);
// k^3 dolls of ten bodies and nine ball joints each, let fall on the ground; with a seed other than 0 each up to 1 cm from its place
RigidScene make_ragdolls(int k, std::uint32_t seed = 0);

struct RigidEngine {
    virtual ~RigidEngine() = default;
    virtual void step(double dt) = 0;
    virtual Pose pose(int body) const = 0;
    virtual std::string note() const { return {}; }
};
struct RigidEngineEntry {
    const char* name;
    std::unique_ptr<RigidEngine> (*make)(const RigidScene&, int threads, std::string& why); // none: it cannot, and why
};
std::span<const RigidEngineEntry> rigid_engines(); // the first is our own
std::unique_ptr<RigidEngine> make_bullet(const RigidScene&, int threads, std::string& why);
std::unique_ptr<RigidEngine> make_ode(const RigidScene&, int threads, std::string& why);
std::unique_ptr<RigidEngine> make_mujoco(const RigidScene&, int threads, std::string& why);

// The same measures for all engines, of the poses alone.
struct RigidQuality {
    double drift = 0;            // [m] largest horizontal distance from the start
    double moved = 0;            // [m] largest distance from the start
    double deepest = 0, mean = 0; // [m] penetration of overlapping pairs
    int pairs = 0;
    double top = 0;              // [m] highest centre
    double joint = 0;            // [m] largest distance of the two sides of a joint
    double stretch = 0;          // [m] those of all joints together
};
RigidQuality measure_quality(const RigidScene&, std::span<const Pose>);

} // namespace sinew::bench
