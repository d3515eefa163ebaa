// Contacts, limits, motors and loops of link trees, through the rows of the velocity solver (velocity_problem.h).
//
// A row that pushes one link moves the whole tree: W J^T of a free body becomes H^-1 J^T, found in linear time per row
// (add_response). The rows are the same ones, with every link of the tree as a side: J is zero on most of them, the response
// on none, and the methods of velocity_solve.h need not know.
//
// Rows that nothing bounds (loops that close a tree, springs, motors without a limit) are solved directly, in clusters of
// trees that they join:
//   (J_L H^-1 J_L^T + softness) p_L = -(J_L v + bias)
// and eliminated from all others, whose responses become Y - Y_L (K_L + softness)^-1 J_L Y. So a four-bar linkage in contact
// keeps its loop exactly in every sweep. Redundant rows (planar loops in space have three) are found and left out.
#pragma once
#include "linalg/pivoted_cholesky.h"
#include "solver/articulated_state.h"
#include "solver/velocity_build.h"
#include "solver/velocity_solve.h"

namespace sinew {

struct DirectRow {
    int group = 0, row = 0;            // of the plain problem; row counted within the group
    bool hard = false;                 // keeps a position, without softness
};
// Trees joined by direct rows, or one tree alone.
struct Cluster {
    std::vector<int> links;
    std::vector<DirectRow> rows;
    std::vector<Lever> response;       // rows x links: H^-1 J^T of each direct row
    std::vector<Real> matrix, right;   // rows x rows; rows
    std::vector<Real> natural, natural_hard; // J W J^T of each row if its bodies were free
    PivotedCholesky all, hard;         // all rows; those that keep positions
    std::vector<int> hard_rows;
};

struct LinkRows {
    RowProblem plain;                  // rows with the bodies they name
    RowProblem coupled;                // those that are swept, with all links of their clusters
    std::vector<int> group_of;         // coupled group -> plain group
    std::vector<std::uint8_t> held;    // per group of the constraints: kept by the coordinates themselves
    std::vector<std::uint8_t> asleep;  // per group of the plain problem: its trees sleep, it keeps its impulse; empty = none
    int first_frame = 0;               // body of frame 0
    std::vector<int> link_of_body;     // -1 = not a link
    std::vector<int> cluster_of, place_of; // per link
    std::vector<int> tree_root;        // union-find of trees
    std::vector<Cluster> clusters;     // the first cluster_count are in use
    int cluster_count = 0;
    std::vector<Vec6> impulse;         // per link, of one pass
    std::vector<Vec6> change;          // per link, of velocity
    std::vector<Real> qd;              // scratch and result of a pass
    std::vector<int> sides;
    std::vector<Real> part;            // the hard part of a cluster's matrix
};

// From rows.plain (bodies and groups filled) to clusters, their factors and the coupled rows. `constraints` are those that
// plain's groups came from.
void couple_rows(const Forest&, const ForestState&, const Rows& constraints, const Dofs&, LinkRows&);

// What the swept impulses in coupled.impulse come to together with the direct rows, from the smooth step's end (motion.v
// in the state, qd_free): impulse per link, speeds qd, velocities of coupled's bodies.
void settle_rows(const Forest&, const ForestState&, std::span<const Real> qd_free, LinkRows&);

// Displacement of all speeds that takes back the errors of the hard rows, whose values are in plain.c: added to `way`.
void add_position_step(const Forest&, const ForestState&, LinkRows&, std::span<Real> way);

} // namespace sinew
