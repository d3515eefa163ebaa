// Islands: bodies that can move and are joined by touches or groups of rows. Held bodies join nothing.
#pragma once
#include "core/parallel.h"
#include "solver/velocity_build.h"
#include "solver/velocity_solve.h"

namespace sinew {

struct Islands {
    std::vector<int> body_begin{0}, body;   // CSR, bodies ascending; islands by their first body
    std::vector<int> group_begin{0}, group; // CSR, groups ascending; filled by list_groups
    std::vector<int> touch_begin{0}, touch; // CSR, touches ascending
    struct Facts {
        Real mass_ratio = 1;                // largest of two bodies that move and act on each other
        bool pairs = true;                  // no touch has more bodies than two
        bool bounces = false;               // some touch has restitution
        bool bounded = false;               // some rows of joints are one-sided or limited
        bool joints = false;                // there are rows of joints
        bool springs = false;               // there are stiff springs (velocity_links.h)
        bool tree = true;                   // joints close no loop
        int branches = 0;                   // most joints at one body that moves
        int links = 0;                      // pairs of bodies that move and touch or share a joint
        int held = 0;                       // bodies that move and touch something held, once for each
    };
    std::vector<Facts> facts;
    std::vector<int> root, number;          // per body: union-find, island or -1
    std::vector<int> loop_root;             // union-find of joints alone
    std::vector<int> touch_island;          // per touch, -1 = none
    std::vector<std::uint8_t> again;        // per touch: the one before is of the same two bodies
    std::vector<std::array<int, 2>> edge;   // per touch: its bodies that move, -1 = none or again
    struct Part {                           // of a piece of the touches in one island
        Facts facts;
        int touches = 0;
    };
    std::vector<Part> parts;                // pieces x islands
    std::vector<int> joints;                // per body: how many
    int count() const { return int(body_begin.size()) - 1; }
    IslandView view(int i) const {
        return {std::span(body).subspan(body_begin[i], body_begin[i + 1] - body_begin[i]),
                std::span(group).subspan(group_begin[i], group_begin[i + 1] - group_begin[i])};
    }
};
// From all touches and the groups that are there (joints). Bodies without either form no island.
void build_islands(const Parallel&, const Model&, const Contacts&, const TouchList&, const RowProblem&, Islands&);
// The groups of each island, once those of touches are there.
void list_groups(const RowProblem&, Islands&);
// An island as a pile along the mean acceleration of its bodies; all 0 where nothing has a size or nothing pulls.
struct Pile {
    Real layers = 0; // bodies over each other: its height by their size
    Real size = 0;   // [m] edge of cubes of the bodies' inertia, mean
    Real pull = 0;   // [m/s^2] mean acceleration
};
Pile find_pile(const Model&, const RowProblem&, const IslandView&, const std::vector<Vec3>& acceleration);
// Islands of the groups alone.
void build_islands(const RowProblem&, Islands&);

} // namespace sinew
