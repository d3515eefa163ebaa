// The solver of velocity.cpp as its stages see it: settings, what a step works on, and the stages, which are in
//   velocity.cpp             the step as a list; rows, forces, solve, move
//   velocity_way.cpp         which islands sleep, and by which way each of the others is solved
//   velocity_stabilise.cpp   errors of positions taken back after the step, and rounds at its end
//   velocity_passage.cpp     what goes through something stops before it
#pragma once
#include "solver/velocity.h"
#include "collision/detect.h"
#include "collision/detect_shapes.h"
#include "collision/passage.h"
#include "solver/forces.h"
#include "solver/kinematics.h"
#include "solver/soft_step.h"
#include "solver/stage_clock.h"
#include "solver/velocity_impact.h"
#include "solver/velocity_islands.h"
#include "solver/velocity_links.h"
#include "solver/velocity_memory.h"
#include "solver/velocity_tree.h"

namespace sinew {

// tree: only joints, without loops and bounds, solved and moved on their own; soft: with contacts
// steady: contacts whose impulses of the step before still hold
enum class VelocityWay : std::uint8_t { asleep, soft, tree, direct, steady, iterative };

inline constexpr int kSoftSubsteps = 6, kMostSubsteps = 32;
inline constexpr Real kSpringPush = 0.01;   // softness of penetration of islands with springs, part of the diagonal: what lies between two bodies may have no room

// what may go through something (velocity_passage.cpp)
struct PassagePair {
    int a, b;                      // leaves
    Real time;                     // part of the step, see find_passage
    Real until_a = -1, until_b = -1; // for which it was found
};
struct Passages {
    std::vector<std::uint8_t> fast;   // per leaf
    std::vector<RigidMotion> motion;  // per leaf that is looked at
    std::vector<PassagePair> pairs;
    std::vector<int> joined;          // per body: the first one it is joined to, by whatever number of joints
    std::vector<Real> until;          // per body that is the first: part of the step it goes, and all joined to it
    std::vector<int> stopped_by;      // per body that is the first: the leaf it met
    std::vector<Real4> start;         // rotations of frames at the start of the sub-step, where the state that had them is the one that moves
    std::vector<std::vector<int>> workers; // triangles that may be met
};

struct VelocitySolver final : Solver {
    VelocitySettings settings;
    std::string stabilises;                // by settings, or what they leave to us
    ParallelPtr parallel;
    ForceScratch forces;
    Prescribed prescribed;
    std::vector<Real> f;
    Contacts found;
    DetectScratch obstacles;
    ShapeScratch shapes;
    SurfaceScratch surface_scratch;
    std::vector<Real3> surface;
    std::vector<std::uint8_t> analytic;    // per object
    Rows rows;                             // constraints
    bool fresh = false;                    // its numbers are those of the start of the step
    int topology = -1, values = -1;
    const void* tables = nullptr;
    RowProblem q, positions;
    Links links;
    TouchList list;
    Islands islands;
    std::vector<VelocityWay> way;                  // per island
    std::vector<std::uint8_t> unbalanced;  // per island: its impulses are to be found anew (velocity_steady.h)
    std::vector<std::uint8_t> wanted;      // per group: its numbers are needed
    std::vector<SolveResult> results;      // per island
    std::vector<SolveScratchPtr> workers;
    SoftScratch soft_scratch;
    SoftProblem soft;
    JointTreeScratch tree_scratch;
    std::vector<IslandView> trees;
    std::vector<Mat3> pull;                // [N m/rad] of bodies: what joints under tension resist a turn with
    std::vector<int> substeps;             // per island: so many that what joints pull swings stably
    std::vector<Vec3> linear, angular;     // accelerations of bodies
    std::vector<Vec3> shift, turn;         // displacements of bodies
    std::vector<Vec3> turned_by;           // [rad] rotation vectors of all that moved, any number of turns
    Passages passage;
    bool at_end = false;                   // rows are those of the end of the step (velocity_implicit.h)
    std::vector<Vec3> free_v, free_w, end_v, end_w;
    std::vector<std::uint8_t> still;       // per body: asleep
    std::vector<ContactForce> contact_forces;
    std::vector<ForcePiece> pieces;
    TouchScratch pairs;
    std::vector<Meeting> meetings;
    const State* before = nullptr;         // has the contacts of the sub-step before
    Report report;
    StageClock clock;
    Trace* trace = nullptr;

    Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace*) override;
    std::span<const ContactForce> contacts() const override { return contact_forces; }
    void drop_caches() override;

    bool detect(const Model&, const State&, Real h);
    void accelerate(const Model&, const Input&, const State&, Real h);
    void build_rows_of(const Model&, const State&, Real h);
    void fill_drives(const Model&, const State&, Real h);
    void fill_rows(const Model&, const State&, Real h);
    void divide(const Model&, const Input&, const State&);
    void find_steady();
    void add_groups(const Model&, const State&);
    VelocityWay find_way(int island) const;
    void choose_direct();
    void add_forces(Real h);
    void impact();
    void solve(const Model&, Real h, State&);
    void list_soft(VelocityWay, SoftProblem&) const;
    void solve_soft(const Model&, const State&, Real h);
    void solve_trees(const Model&, Real h, State&);
    void find_substeps(Real h);
    int find_pile_substeps(const Model&, Real h, int island) const;
    void add_bend();
    void move(const Model&, Real h, State&);
    void stabilise(const Model&, Real h, State&);
    Real find_errors(const Model&, const State& at, const BiasOptions&);
    Real take_back(const Model&, const State& at, State& to);
    void go_to_end(const Model&, const Input&, Real h, const State& start, State&);
    RigidMotion motion_of(const Model&, const ShapeLeaf&, Real h, const State&) const;
    bool stays_in_box(int leaf, const RigidMotion&) const;
    bool find_fast(const Model&, Real h, const State&);
    void list_passages(const Model&, Real h, const State&);
    void find_joined();
    bool stop_at(int body, Real time, int leaf);
    void stop_passages(const Model&, Real h, State&);
    void move_until(const Model&, int frame, State&);
    void sub_step(const Model&, const Input&, Real h, State&);
    BiasOptions bias_options() const;
    SolveOptions solve_options() const;
    int first_free(const RowGroup& g) const { // a body of the group that moves
        for (int k = 0; k < g.sides; ++k)
            if (q.inverse_mass[q.body[g.side + k]] > 0) return q.body[g.side + k];
        return q.body[g.side];
    }
    VelocityWay way_of(const RowGroup& g) const {
        const int i = islands.number[first_free(g)];
        return i < 0 ? VelocityWay::asleep : way[i];
    }
    const std::string& stabilisation() const { return stabilises; }
    bool follows() const { return settings.rounds <= 1; } // fast bodies on their way
};

} // namespace sinew
