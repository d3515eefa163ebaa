#include "geometry/stuffing.h"
#include "geometry/distance_grid.h"
#include "geometry/stuffing_lattice.h"
#include "geometry/tet_manifold.h"
#include "geometry/triangle_tree.h"
#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sinew {

namespace {
constexpr int kBlock = 8; // cubes per side of a block that may be skipped at once

struct Cut {
    int a, b; // lattice points, a < b
    bool is_long = false;
    bool gone = false; // an end has been warped
    Real t = 0;        // place a + t (b - a)
    Vec3 x;            // [m]
};

struct Stuffing {
    const Parallel& parallel;
    const DistanceFunction& distance;
    const StuffingSettings& settings;
    StuffingLattice lattice;
    std::vector<Cut> cuts;                      // sorted by (a, b)
    std::vector<int> cut_begin, cut_of;         // per lattice point with cuts (see `touched`) its cuts
    std::vector<int> touched;                   // lattice points with cuts, ascending
    std::unordered_map<int, Vec3> warped;       // lattice point -> new place
    std::unordered_map<std::uint64_t, int> cut; // edge -> cut
};

std::uint64_t edge_key(int a, int b) { return std::uint64_t(std::min(a, b)) << 32 | std::uint32_t(std::max(a, b)); }

// samples the cubes [lo, hi), or fills them with one sign where the surface is too far away to reach any of them
void sample_block(const DistanceFunction& distance, Real lipschitz, StuffingLattice& l, const std::array<int, 3>& lo,
                  const std::array<int, 3>& hi) {
    const LatticePoint first{lo[0], lo[1], lo[2], 0}, last{hi[0] - 1, hi[1] - 1, hi[2] - 1, 1};
    const int side = std::max({hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]});
    if (side > 1 && std::isfinite(lipschitz)) {
        const Vec3 a = lattice_position(l, first), b = lattice_position(l, last);
        const Real d = distance(0.5 * (a + b));
        if (std::abs(d) > lipschitz * 0.5 * (b - a).norm() * (1 + 1e-9)) {
            for (int k = lo[2]; k < hi[2]; ++k)
                for (int j = lo[1]; j < hi[1]; ++j)
                    for (int i = lo[0]; i < hi[0]; ++i)
                        for (int kind = 0; kind < 2; ++kind) {
                            const int id = lattice_id(l, {i, j, k, kind});
                            l.side[id] = d < 0 ? 1 : -1;
                            l.distance[id] = float(d < 0 ? -1 : 1);
                        }
            return;
        }
    }
    if (side > 2) {
        for (int part = 0; part < 8; ++part) {
            std::array<int, 3> from, to;
            bool empty = false;
            for (int x = 0; x < 3; ++x) {
                const int middle = lo[x] + side / 2;
                from[x] = part >> x & 1 ? middle : lo[x];
                to[x] = part >> x & 1 ? hi[x] : std::min(middle, hi[x]);
                empty = empty || from[x] >= to[x];
            }
            if (!empty) sample_block(distance, lipschitz, l, from, to);
        }
        return;
    }
    for (int k = lo[2]; k < hi[2]; ++k)
        for (int j = lo[1]; j < hi[1]; ++j)
            for (int i = lo[0]; i < hi[0]; ++i)
                for (int kind = 0; kind < 2; ++kind) {
                    const LatticePoint p{i, j, k, kind};
                    const Real d = distance(lattice_position(l, p));
                    l.side[lattice_id(l, p)] = d < 0 ? 1 : d > 0 ? -1 : 0;
                    l.distance[lattice_id(l, p)] = float(std::clamp(d / l.cell, -4.0, 4.0));
                }
}

void sample_lattice(Stuffing& s) {
    StuffingLattice& l = s.lattice;
    const std::size_t count = 2 * std::size_t(l.size[0]) * l.size[1] * l.size[2];
    l.side.assign(count, -1);
    l.distance.assign(count, 1);
    std::array<int, 3> blocks;
    for (int x = 0; x < 3; ++x) blocks[x] = (l.size[x] + kBlock - 1) / kBlock;
    parallel_for(s.parallel, blocks[0] * blocks[1] * blocks[2], 4, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) {
            const std::array<int, 3> at{b % blocks[0], b / blocks[0] % blocks[1], b / blocks[0] / blocks[1]};
            std::array<int, 3> lo, hi;
            for (int x = 0; x < 3; ++x) {
                lo[x] = at[x] * kBlock;
                hi[x] = std::min(lo[x] + kBlock, l.size[x]);
            }
            sample_block(s.distance, s.settings.lipschitz, l, lo, hi);
        }
    });
    // the solid lies in the box, the outermost layer is outside: no tetrahedron is missing beyond the lattice
    for (int id = 0; id < int(count); ++id) {
        const LatticePoint p = lattice_point(l, id);
        const std::array<int, 3> at{p.i, p.j, p.k};
        for (int x = 0; x < 3; ++x)
            if (at[x] == 0 || at[x] == l.size[x] - 1) l.side[id] = -1;
    }
}

// Zero of d between a and b by false position with halved weights (Illinois), to 1e-5 of a cell.
void place_cut(const Stuffing& s, Cut& c) {
    const LatticePoint a = lattice_point(s.lattice, c.a), b = lattice_point(s.lattice, c.b);
    const Vec3 xa = lattice_position(s.lattice, a), xb = lattice_position(s.lattice, b);
    Real t0 = 0, t1 = 1, d0 = s.lattice.distance[c.a], d1 = s.lattice.distance[c.b];
    if (!(d0 * d1 < 0)) d0 = -(d1 = s.lattice.side[c.a]); // bound by the layer around the box
    for (int iteration = 0, last = 0; iteration < 30; ++iteration) {
        c.t = std::clamp(t0 - d0 * (t1 - t0) / (d1 - d0), t0, t1);
        c.x = xa + c.t * (xb - xa);
        const Real d = s.distance(c.x) / s.lattice.cell;
        if (std::abs(d) < 1e-5 || t1 - t0 < 1e-6) return;
        if ((d < 0) == (d0 < 0)) {
            t0 = c.t, d0 = d;
            if (last == -1) d1 *= 0.5;
            last = -1;
        } else {
            t1 = c.t, d1 = d;
            if (last == 1) d0 *= 0.5;
            last = 1;
        }
    }
}

void find_cuts(Stuffing& s) {
    const StuffingLattice& l = s.lattice;
    for (int id = 0; id < int(l.side.size()); ++id) {
        if (l.side[id] == 0) continue;
        const LatticePoint p = lattice_point(l, id);
        for (int d = 0; d < kDirections; ++d) {
            const LatticePoint q = lattice_neighbor(p, d);
            if (!in_lattice(l, q)) continue;
            const int other = lattice_id(l, q);
            if (other > id && l.side[id] * l.side[other] < 0) s.cuts.push_back({.a = id, .b = other, .is_long = d < 6, .x = Vec3::Zero()});
        }
    }
    std::sort(s.cuts.begin(), s.cuts.end(), [](const Cut& x, const Cut& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    parallel_for(s.parallel, int(s.cuts.size()), 256, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) place_cut(s, s.cuts[i]);
    });
    // cuts of each lattice point
    std::vector<std::array<int, 2>> at;
    for (int i = 0; i < int(s.cuts.size()); ++i) {
        at.push_back({s.cuts[i].a, i});
        at.push_back({s.cuts[i].b, i});
        s.cut.emplace(edge_key(s.cuts[i].a, s.cuts[i].b), i);
    }
    std::sort(at.begin(), at.end());
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (i == 0 || at[i][0] != at[i - 1][0]) {
            s.touched.push_back(at[i][0]);
            s.cut_begin.push_back(int(i));
        }
        s.cut_of.push_back(at[i][1]);
    }
    s.cut_begin.push_back(int(at.size()));
}

// One after the other in order of ids: a warp takes cuts away from its neighbours, which may save them from warping.
void warp_lattice(Stuffing& s) {
    for (std::size_t n = 0; n < s.touched.size(); ++n) {
        const int id = s.touched[n];
        int nearest = -1;
        Real best = 0;
        for (int k = s.cut_begin[n]; k < s.cut_begin[n + 1]; ++k) {
            const Cut& c = s.cuts[s.cut_of[k]];
            const Real part = c.a == id ? c.t : 1 - c.t;
            if (c.gone || !(part < (c.is_long ? s.settings.alpha_long : s.settings.alpha_short))) continue;
            const Real length = part * (c.is_long ? 1 : std::sqrt(0.75));
            if (nearest < 0 || length < best) nearest = s.cut_of[k], best = length;
        }
        if (nearest < 0) continue;
        s.warped.emplace(id, s.cuts[nearest].x);
        s.lattice.side[id] = 0;
        for (int k = s.cut_begin[n]; k < s.cut_begin[n + 1]; ++k) s.cuts[s.cut_of[k]].gone = true;
    }
}

// Output points are made when a tetrahedron first names them.
struct Filler {
    Stuffing& s;
    TetMesh& out;
    std::vector<int> point_of;                  // per lattice point, -1 = not used yet
    std::vector<int> point_of_cut;              // per cut likewise
    std::array<LatticePoint, 4> p{};            // corners of the tetrahedron in hand: inside, on the surface, outside
    std::array<int, 4> id{};
    bool odd = false; // the sorted corners are an odd permutation: tetrahedra come out mirrored
};

int corner(Filler& f, int i) {
    int& point = f.point_of[f.id[i]];
    if (point < 0) {
        point = int(f.out.points.size());
        const auto w = f.s.warped.find(f.id[i]);
        f.out.points.push_back(real3(w != f.s.warped.end() ? w->second : lattice_position(f.s.lattice, f.p[i])));
    }
    return point;
}
int cut_point(Filler& f, int i, int j) {
    const int c = f.s.cut.at(edge_key(f.id[i], f.id[j]));
    int& point = f.point_of_cut[c];
    if (point < 0) {
        point = int(f.out.points.size());
        f.out.points.push_back(real3(f.s.cuts[c].x));
    }
    return point;
}
void emit(Filler& f, int a, int b, int c, int d) {
    if (f.odd) std::swap(c, d);
    f.out.tets.push_back({a, b, c, d});
}

bool is_long(const Filler& f, int i, int j) { return f.p[i].kind == f.p[j].kind; }
// How the face (p, q, n), p and q inside, n outside, is split: true = from p to the cut of (q, n), false = from q to the
// cut of (p, n). The diagonal ends at the cut of the long edge; without one, p and q differ along one axis and the
// number of coordinates in which q exceeds n decides, which is one less for p.
bool splits_from(const Filler& f, int p, int q, int n) {
    if (is_long(f, p, n)) return false;
    if (is_long(f, q, n)) return true;
    int above = 0;
    for (int axis = 0; axis < 3; ++axis) above += f.p[q].doubled(axis) > f.p[n].doubled(axis);
    return above % 2 == 1;
}

// Prism with triangles p and q, p_i above q_i; d[i] = the quadrilateral (i, i + 1) is split from p_i to q_(i+1), not
// from q_i to p_(i+1). Not all d are equal: then two diagonals meet at some p_i.
void emit_prism(Filler& f, const std::array<int, 3>& p, const std::array<int, 3>& q, const std::array<bool, 3>& d) {
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (!d[i] || d[k]) continue;
        emit(f, p[i], q[i], q[j], q[k]);
        if (d[j]) {
            emit(f, p[i], p[j], p[k], q[k]);
            emit(f, p[i], p[j], q[k], q[j]);
        } else {
            emit(f, p[i], p[j], p[k], q[j]);
            emit(f, p[i], q[j], p[k], q[k]);
        }
        return;
    }
}

void fill_tetrahedron(Filler& f, const std::array<LatticePoint, 4>& corners) {
    const StuffingLattice& l = f.s.lattice;
    std::array<int, 4> order{0, 1, 2, 3}, side;
    for (int i = 0; i < 4; ++i) side[i] = l.side[lattice_id(l, corners[i])];
    const int inside = int(std::count(side.begin(), side.end(), 1)), outside = int(std::count(side.begin(), side.end(), -1));
    if (inside == 0) return;
    // inside first, outside last; each exchange mirrors the tetrahedron
    f.odd = false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j + 1 < 4 - i; ++j)
            if (side[order[j]] < side[order[j + 1]]) {
                std::swap(order[j], order[j + 1]);
                f.odd = !f.odd;
            }
    for (int i = 0; i < 4; ++i) {
        f.p[i] = corners[order[i]];
        f.id[i] = lattice_id(l, f.p[i]);
    }
    if (outside == 0) {
        const int a = corner(f, 0), b = corner(f, 1), c = corner(f, 2);
        emit(f, a, b, c, corner(f, 3));
    } else if (inside == 1) {
        std::array<int, 4> v{corner(f, 0)};
        for (int i = 1; i < 4; ++i) v[i] = side[order[i]] == 0 ? corner(f, i) : cut_point(f, 0, i);
        emit(f, v[0], v[1], v[2], v[3]);
    } else if (inside == 2 && outside == 1) {
        const int p = corner(f, 0), q = corner(f, 1), z = corner(f, 2), a = cut_point(f, 0, 3), b = cut_point(f, 1, 3);
        if (splits_from(f, 0, 1, 3)) {
            emit(f, p, q, z, b);
            emit(f, p, b, z, a);
        } else {
            emit(f, p, q, z, a);
            emit(f, a, q, z, b);
        }
    } else if (inside == 2) {
        const bool first = splits_from(f, 0, 1, 2), third = !splits_from(f, 0, 1, 3);
        const std::array<int, 3> p{corner(f, 0), cut_point(f, 0, 2), cut_point(f, 0, 3)};
        const std::array<int, 3> q{corner(f, 1), cut_point(f, 1, 2), cut_point(f, 1, 3)};
        emit_prism(f, p, q, {first, !first, third});
    } else {
        const std::array<int, 3> p{corner(f, 0), corner(f, 1), corner(f, 2)};
        const std::array<int, 3> q{cut_point(f, 0, 3), cut_point(f, 1, 3), cut_point(f, 2, 3)};
        emit_prism(f, p, q, {splits_from(f, 0, 1, 3), splits_from(f, 1, 2, 3), splits_from(f, 2, 0, 3)});
    }
}

// Each tetrahedron has one long edge between corners of cubes: four around each such edge.
void fill_lattice(Stuffing& s, TetMesh& out) {
    const StuffingLattice& l = s.lattice;
    Filler f{s, out, std::vector<int>(l.side.size(), -1), std::vector<int>(s.cuts.size(), -1)};
    static constexpr int kAround[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};
    for (int k = 1; k + 1 < l.size[2]; ++k)
        for (int j = 1; j + 1 < l.size[1]; ++j)
            for (int i = 1; i + 1 < l.size[0]; ++i)
                for (int axis = 0; axis < 3; ++axis) {
                    const LatticePoint p{i, j, k, 0}, q = lattice_neighbor(p, 2 * axis + 1);
                    for (int n = 0; n < 4; ++n) {
                        std::array<LatticePoint, 2> c;
                        for (int m = 0; m < 2; ++m) {
                            const int* around = kAround[(n + m) % 4];
                            std::array<int, 3> at{i, j, k};
                            at[(axis + 1) % 3] += around[0];
                            at[(axis + 2) % 3] += around[1];
                            c[m] = {at[0], at[1], at[2], 1};
                        }
                        fill_tetrahedron(f, {p, q, c[0], c[1]});
                    }
                }
}

std::vector<Error> check_settings(const Aabb& box, const StuffingSettings& s) {
    std::vector<Error> errors;
    const auto bad = [&](const char* path, Real value, const char* message, const char* allowed) {
        errors.push_back({.path = path, .value = std::to_string(value), .message = message, .allowed = allowed});
    };
    if (!(s.cell > 0) || !std::isfinite(s.cell)) bad("cell", s.cell, "not a length", "> 0");
    if (!(s.alpha_long >= 0 && s.alpha_long < 0.5)) bad("alpha_long", s.alpha_long, "out of range", "[0, 0.5)");
    if (!(s.alpha_short >= 0 && s.alpha_short < 0.5)) bad("alpha_short", s.alpha_short, "out of range", "[0, 0.5)");
    if (!(s.offset >= 0 && s.offset <= 1)) bad("offset", s.offset, "out of range", "[0, 1]");
    if (is_empty(box) || !box.lo.allFinite() || !box.hi.allFinite()) errors.push_back({.message = "there is nothing to fill"});
    return errors;
}
} // namespace

Result<TetMesh> stuff_distance(const Parallel& parallel, const Aabb& box, const DistanceFunction& distance,
                               const StuffingSettings& settings) {
    Result<TetMesh> result;
    result.errors = check_settings(box, settings);
    if (!result.errors.empty()) return result;
    const Real offset = settings.offset * settings.cell;
    const DistanceFunction grown = [&](const Vec3& p) { return distance(p) - offset; };
    Stuffing s{parallel, settings.offset > 0 ? grown : distance, settings, {}, {}, {}, {}, {}, {}, {}};
    // two layers around the box, one more for the offset: the outermost is outside whatever rounding does
    const int layers = settings.offset > 0 ? 3 : 2;
    const auto cubes = [&](int x) { return std::ceil((box.hi - box.lo)[x] / settings.cell) + 2 * layers + 1; };
    const Real points = 2 * cubes(0) * cubes(1) * cubes(2);
    if (!(points < Real(kStuffingPoints))) {
        result.errors.push_back({.path = "cell", .value = std::to_string(settings.cell), .message = "too small for this solid",
                                 .allowed = "at most 2^27 lattice points"});
        return result;
    }
    for (int x = 0; x < 3; ++x) s.lattice.size[x] = int(cubes(x));
    s.lattice.cell = settings.cell;
    s.lattice.origin = box.lo - Vec3::Constant(layers * settings.cell);
    sample_lattice(s);
    find_cuts(s);
    warp_lattice(s);
    TetMesh mesh;
    fill_lattice(s, mesh);
    if (mesh.tets.empty()) {
        result.errors.push_back({.path = "cell", .value = std::to_string(settings.cell), .message = "no lattice point lies inside",
                                 .allowed = "a smaller cell"});
        return result;
    }
    if (settings.manifold) separate_parts(mesh);
    result.value = std::move(mesh);
    return result;
}

Result<TetMesh> stuff_mesh(const Parallel& parallel, const TriangleShape& mesh, const StuffingSettings& settings) {
    Result<TetMesh> result;
    Aabb box;
    for (const Real3& v : mesh.vertices) {
        if (!vec(v).allFinite()) result.errors = {{.message = "not a finite number"}};
        box = merge(box, Vec3(vec(v)));
    }
    for (const std::array<int, 3>& t : mesh.triangles)
        for (int v : t)
            if (v < 0 || std::size_t(v) >= mesh.vertices.size()) result.errors = {{.message = "a triangle refers to a vertex that does not exist"}};
    if (mesh.triangles.empty()) result.errors = {{.message = "there are no triangles"}};
    if (!result.errors.empty()) return result;
    if (!is_closed(mesh)) {
        result.errors = {{.message = "the mesh is not closed: it bounds no volume", .allowed = "a closed, oriented mesh (sinew mesh repair)"}};
        return result;
    }
    // about a corner, so that far away little is lost: sum over triangles of det(a, b, c)/6
    Real volume = 0;
    const Vec3 origin = box.lo;
    for (const std::array<int, 3>& t : mesh.triangles) {
        const Vec3 a = vec(mesh.vertices[t[0]]) - origin, b = vec(mesh.vertices[t[1]]) - origin, c = vec(mesh.vertices[t[2]]) - origin;
        volume += a.dot(b.cross(c)) / 6;
    }
    if (volume < 0) {
        result.errors = {{.message = "the mesh is inside out: its triangles are clockwise seen from outside",
                          .allowed = "a closed mesh oriented outwards (sinew mesh repair)"}};
        return result;
    }
    const TriangleTree tree = build_triangle_tree(mesh);
    return stuff_distance(parallel, box, [&](const Vec3& p) {
        const Real d = find_closest(tree, mesh, p).distance;
        return winding_number(tree, mesh, p) > 0.5 ? -d : d;
    }, settings);
}

} // namespace sinew
