#include "energy/spring_batch.h"
#include "core/simd.h"
#include "energy/spring.h"
#include "energy/spring_strain.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kFewest = 256;         // springs; below, packing gains nothing
constexpr int kLargestChunk = 16384; // points: 400 KB of forces, fits the second-level cache
constexpr int kSmallestChunk = 256;
constexpr int kChunks = 16; // wanted at least, so that threads have something to share

struct Packed { // a < b
    int a, b;
    Real stiffness, damping, rest;
};

// chunk length by the number of points only: the same for any number of threads
int chunk_points(int points) {
    const int wanted = std::clamp(points / kChunks, kSmallestChunk, kLargestChunk);
    return (wanted + kSpringTile - 1) / kSpringTile * kSpringTile;
}

// all axial springs; false if one has an end that may be absent
bool collect(const Model& m, std::vector<Packed>& out) {
    static_assert(sizeof(Spring::Data) == sizeof(SpringStrain::Data),
                  "both are stiffness, damping, rest length");
    for (const Table& t : m.elements->energies) {
        if (!is_axial_spring(*t.row)) continue;
        for (int e = 0; e < t.count(); ++e) {
            const int a = t.stencil[2 * e], b = t.stencil[2 * e + 1];
            if (a < 0 || b < 0 || ((m.point.flags[a] | m.point.flags[b]) & kPooled)) return false;
            const Spring::Data& d = ElementsOf<Spring>::data_of(t, e);
            out.push_back({std::min(a, b), std::max(a, b), d.stiffness, d.damping, d.rest_length});
        }
    }
    return true;
}

// order by tile, then b - a, then a, then as found
void sort_springs(int points, std::vector<Packed>& springs, std::vector<int>& tile_begin) {
    const int tiles = chunk_count(points, kSpringTile);
    tile_begin.assign(tiles + 1, 0);
    for (const Packed& s : springs) ++tile_begin[s.a / kSpringTile + 1];
    for (int t = 0; t < tiles; ++t) tile_begin[t + 1] += tile_begin[t];
    std::vector<Packed> sorted(springs.size());
    std::vector<int> cursor(tile_begin.begin(), tile_begin.end() - 1);
    for (const Packed& s : springs) sorted[cursor[s.a / kSpringTile]++] = s;
    for (int t = 0; t < tiles; ++t)
        std::stable_sort(sorted.begin() + tile_begin[t], sorted.begin() + tile_begin[t + 1],
                         [](const Packed& p, const Packed& q) {
                             return p.b - p.a != q.b - q.a ? p.b - p.a < q.b - q.a : p.a < q.a;
                         });
    springs.swap(sorted);
}

struct Packer {
    SpringBatch& batch;
    const SpringChunk* chunk = nullptr;

    bool owns(int point) const { return point >= chunk->begin && point < chunk->end; }
    int to_a(int a) const { return 3 * (owns(a) ? a % kSpringTile : kSpringTile); }
    int to_b(int b) const { return 3 * (owns(b) ? b - chunk->begin : batch.chunk_points); }

    void begin_tile(int point) {
        batch.tiles.push_back({point, int(batch.runs.size()), int(batch.ones.size()),
                               int(batch.damper_runs.size()), int(batch.damper_ones.size())});
    }
    void add(std::span<const Packed> springs) {
        for (std::size_t i = 0; i < springs.size();) {
            if (starts_run(springs.subspan(i))) {
                add_run(springs.data() + i);
                i += 4;
            } else
                add_one(springs[i++]);
        }
    }
    // four springs of the tile between consecutive points; second ends beyond the chunk fall into the spare
    // points
    static bool starts_run(std::span<const Packed> s) {
        if (s.size() < 4) return false;
        for (int j = 1; j < 4; ++j)
            if (s[j].a != s[0].a + j || s[j].b != s[0].b + j) return false;
        return true;
    }
    void add_run(const Packed* s) {
        SpringRun r{3 * s->a, 3 * s->b, to_a(s->a), to_b(s->b), {}, {}};
        DamperRun d{r.a, r.b, r.to_a, r.to_b, {}};
        bool damped = false;
        for (int j = 0; j < 4; ++j) {
            r.stiffness[j] = s[j].stiffness;
            r.rest[j] = s[j].rest;
            d.damping[j] = s[j].damping;
            damped = damped || s[j].damping != 0;
        }
        batch.runs.push_back(r);
        if (damped) batch.damper_runs.push_back(d);
    }
    void add_one(const Packed& s) {
        batch.ones.push_back({3 * s.a, 3 * s.b, to_a(s.a), to_b(s.b), s.stiffness, s.rest});
        if (s.damping != 0) batch.damper_ones.push_back({3 * s.a, 3 * s.b, to_a(s.a), to_b(s.b), s.damping});
    }
};

// springs that reach into a chunk from a chunk before it, by chunk, in order
void find_reaching(const std::vector<Packed>& springs, int length, int chunks, std::vector<int>& begin,
                   std::vector<Packed>& out) {
    const auto reaches = [&](const Packed& s) { return s.a / length != s.b / length; };
    begin.assign(chunks + 1, 0);
    for (const Packed& s : springs)
        if (reaches(s)) ++begin[s.b / length + 1];
    for (int c = 0; c < chunks; ++c) begin[c + 1] += begin[c];
    out.resize(begin.back());
    std::vector<int> cursor(begin.begin(), begin.end() - 1);
    for (const Packed& s : springs)
        if (reaches(s)) out[cursor[s.b / length]++] = s;
}

} // namespace

bool is_axial_spring(const ElementRow& row) {
    return row.name == Spring::name || row.name == SpringStrain::name;
}

bool build_spring_batch(const Model& m, SpringBatch& batch) {
    batch = {};
    std::vector<Packed> springs, reaching;
    if (!collect(m, springs) || springs.size() < kFewest) return false;
    const int points = point_count(m);
    std::vector<int> tile_begin, reaching_begin;
    sort_springs(points, springs, tile_begin);
    batch.avx2 = has_avx2();
    batch.chunk_points = chunk_points(points);
    const int chunks = chunk_count(points, batch.chunk_points);
    find_reaching(springs, batch.chunk_points, chunks, reaching_begin, reaching);
    batch.runs.reserve((springs.size() + reaching.size()) / 4);
    batch.chunks.resize(chunks);
    Packer packer{batch};
    for (int c = 0; c < chunks; ++c) {
        SpringChunk& chunk = batch.chunks[c];
        chunk = {c * batch.chunk_points, std::min(points, (c + 1) * batch.chunk_points),
                 int(batch.tiles.size()), 0};
        packer.chunk = &chunk;
        // tiles before the chunk, as far as they reach into it
        for (int i = reaching_begin[c]; i < reaching_begin[c + 1];) {
            int end = i;
            const int tile = reaching[i].a / kSpringTile;
            while (end < reaching_begin[c + 1] && reaching[end].a / kSpringTile == tile) ++end;
            packer.begin_tile(tile * kSpringTile);
            packer.add({reaching.data() + i, std::size_t(end - i)});
            i = end;
        }
        // its own tiles
        for (int point = chunk.begin; point < chunk.end; point += kSpringTile) {
            const int tile = point / kSpringTile, first = tile_begin[tile];
            packer.begin_tile(point);
            packer.add({springs.data() + first, std::size_t(tile_begin[tile + 1] - first)});
        }
        chunk.tile_end = int(batch.tiles.size());
    }
    packer.begin_tile(points);
    return true;
}

void build_spring_forces(const SpringBatch& batch, int workers, std::vector<SpringForces>& out) {
    out.resize(workers);
    for (SpringForces& f : out) {
        f.first.resize(3 * (kSpringTile + 4));
        f.second.resize(3 * std::size_t(batch.chunk_points + 4));
    }
}

} // namespace sinew
