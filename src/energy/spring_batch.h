// Packed axial springs (tables `spring` and `spring_strain`) for explicit steps of large systems: the fast
// path beside the gather of assemble.h, which stays as the oracle.
//   d = x_b - x_a,  l = |d|,  w = v_b - v_a
//   f_a += s d,  f_b -= s d,   s = k (l - L)/l  spring,   s = c (d . w)/l^2  damper
//
// Layout. Springs are sorted by tiles of kSpringTile first points (a < b) and inside a tile by b - a, then a.
// Four springs whose ends are four consecutive points each form a run: their positions are 12 numbers in a
// row, so AVX2 needs no gather, and grids, ropes and lattices are nearly all runs. Every other spring is a
// `one` and goes through scalar code.
//
// Threads. Points are cut into chunks; a chunk holds every spring with an end in it, so a spring between two
// chunks is evaluated twice (5 % of a 1000 x 1000 cloth) and chunks need nothing from each other. Forces go
// to two small arrays: those on first ends, one tile long, and those on second ends, one chunk long. As
// springs come in the order of their first ends, the points of a tile are complete as soon as the tile is
// evaluated: the caller takes them while they are in the nearest cache. The order of additions at a point
// depends on the model only, not on threads or SIMD.
#pragma once
#include "core/parallel.h"
#include "model/element.h"

namespace sinew {

inline constexpr int kSpringTile = 64; // points; 128 costs 5 % more on the large cloth, 256 10 %

// Ends are offsets in reals (3 times the point). to_a and to_b: where forces go in the arrays of the tile and
// the chunk; ends outside of the chunk go to four spare points behind them.
struct SpringRun {
    int a, b, to_a, to_b;
    Real stiffness[4], rest[4]; // [N/m], [m]
};
struct SpringOne {
    int a, b, to_a, to_b;
    Real stiffness, rest;
};
struct DamperRun {
    int a, b, to_a, to_b;
    Real damping[4]; // [N s/m]
};
struct DamperOne {
    int a, b, to_a, to_b;
    Real damping;
};

struct SpringTile {
    int point;                            // first of its points
    int run, one, damper_run, damper_one; // begin of its entries; they end where those of the next tile begin
};
struct SpringChunk {
    int begin = 0, end = 0;           // points
    int tile_begin = 0, tile_end = 0; // tiles before `begin` hold springs that reach into the chunk
};
struct SpringBatch {
    int chunk_points = 0; // a multiple of kSpringTile
    bool avx2 = false;    // which code runs; the bits are the same
    std::vector<SpringChunk> chunks;
    std::vector<SpringTile> tiles; // one more than there are
    std::vector<SpringRun> runs;
    std::vector<SpringOne> ones;
    std::vector<DamperRun> damper_runs;
    std::vector<DamperOne> damper_ones;
};

// Forces of the tile and of the chunk at hand, one such memory per worker.
struct SpringForces {
    std::vector<Real> first, second;
};

bool is_axial_spring(const ElementRow&);

// Packs all axial springs of the model. False, and an empty batch, if there are too few to be worth it or if
// an end may be absent in some states (a pooled particle): the gather takes them then.
bool build_spring_batch(const Model&, SpringBatch&);
void build_spring_forces(const SpringBatch&, int workers, std::vector<SpringForces>&);

// Adds the forces of the springs of tile t to those on first ends (the tile) and on second ends (the chunk).
void add_tile_forces(const SpringBatch&, int t, const Real3* x, const Real3* v, Real* first, Real* second);

// take(begin, end, f_first, f_second) for each tile of points of the chunk: the force on point begin + i is
// the sum of the i-th triples.
template <class F>
void for_each_spring_tile(const SpringBatch& batch, int c, const Real3* x, const Real3* v, SpringForces& f,
                          F&& take) {
    const SpringChunk& chunk = batch.chunks[c];
    f.second.assign(f.second.size(), 0.0);
    for (int t = chunk.tile_begin; t < chunk.tile_end; ++t) {
        f.first.assign(f.first.size(), 0.0);
        add_tile_forces(batch, t, x, v, f.first.data(), f.second.data());
        const int begin = batch.tiles[t].point,
                  end = begin + kSpringTile < chunk.end ? begin + kSpringTile : chunk.end;
        if (begin >= chunk.begin)
            take(begin, end, f.first.data(), f.second.data() + 3 * (begin - chunk.begin));
    }
}

// f = spring forces (3 reals per point), zero where there is no spring
void compute_spring_forces(const Parallel&, const SpringBatch&, const Real3* x, const Real3* v,
                           std::vector<SpringForces>&, Real* f);

} // namespace sinew
