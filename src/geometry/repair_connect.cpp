// Which faces continue each other across an edge, their common orientation, and the fans around each vertex.
#include "geometry/bounds.h"
#include "geometry/repair_mesh.h"
#include "geometry/topology.h"
#include "geometry/triangle_tree.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace sinew {

namespace {
constexpr Real kPillowVolume = 1e-13; // volume over diagonal^3 that is rounding: a pillow of two equal faces has no outside

struct Link { // two sides glued together; q.face = -1: a side left alone at a crowded edge
    RepairSide p, q;
};

void reverse_face(RepairFace& f) {
    std::reverse(f.vertex.begin(), f.vertex.end());
    std::reverse(f.uv.begin(), f.uv.end());
}

// Faces reached from each other across `links` agree; the lowest face of a part stays as it is.
std::vector<char> find_reversed(const RepairWork& w, const std::vector<Link>& links) {
    std::vector<std::vector<std::pair<int, bool>>> neighbor(w.faces.size()); // face, must differ
    for (const Link& l : links) {
        neighbor[l.p.face].push_back({l.q.face, l.p.forward == l.q.forward});
        neighbor[l.q.face].push_back({l.p.face, l.p.forward == l.q.forward});
    }
    std::vector<char> seen(w.faces.size(), 0), reversed(w.faces.size(), 0);
    std::vector<int> queue;
    for (int start = 0; start < int(w.faces.size()); ++start) {
        if (seen[start] || !w.faces[start].alive) continue;
        seen[start] = 1;
        queue.assign(1, start);
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const int from = queue[i];
            for (auto [to, differs] : neighbor[from])
                if (!seen[to]) seen[to] = 1, reversed[to] = reversed[from] != char(differs), queue.push_back(to);
        }
    }
    return reversed;
}

std::vector<Link> regular_links(const std::vector<RepairSide>& sides) {
    std::vector<Link> links;
    for (std::size_t i = 0, j = 0; i < sides.size(); i = j) {
        for (j = i; j < sides.size() && sides[j].a == sides[i].a && sides[j].b == sides[i].b;) ++j;
        if (j - i == 2 && sides[i].face != sides[i + 1].face) links.push_back({sides[i], sides[i + 1]});
    }
    return links;
}

// Faces whose patch (faces joined by edges of two) has a border: a fin, a sheet.
std::vector<char> find_sheets(const RepairWork& w, const std::vector<RepairSide>& sides, const std::vector<Link>& links) {
    std::vector<int> root(w.faces.size());
    std::iota(root.begin(), root.end(), 0);
    for (const Link& l : links) join_roots(root, l.p.face, l.q.face);
    std::vector<char> open(w.faces.size(), 0), sheet(w.faces.size(), 0);
    for (std::size_t i = 0, j = 0; i < sides.size(); i = j) {
        for (j = i; j < sides.size() && sides[j].a == sides[i].a && sides[j].b == sides[i].b;) ++j;
        if (j - i == 1) open[find_root(root, sides[i].face)] = 1;
    }
    for (int f = 0; f < int(w.faces.size()); ++f) sheet[f] = open[find_root(root, f)];
    return sheet;
}

// Sorted by angle around the edge; a backward side followed by a forward one bounds a wedge of material. Faces of solids
// choose first, so that a fin inside a solid does not open it.
void link_around_edge(const RepairWork& w, const RepairSide* begin, const RepairSide* end, const std::vector<char>& sheet,
                      std::vector<Link>& links, std::vector<Link>& alone) {
    struct Spoke {
        Real angle;
        const RepairSide* side;
    };
    const Vec3 a = vec(w.rest.positions[begin->a]), b = vec(w.rest.positions[begin->b]);
    const Vec3 e = (b - a).normalized(), x = e.unitOrthogonal(), y = e.cross(x);
    std::vector<Spoke> spokes;
    for (const RepairSide* s = begin; s != end; ++s) {
        const Vec3 u = face_area(w, w.faces[s->face]).cross(s->forward ? e : Vec3(-e));
        spokes.push_back({std::atan2(u.dot(y), u.dot(x)), s});
    }
    std::sort(spokes.begin(), spokes.end(), [](const Spoke& p, const Spoke& q) {
        return std::tie(p.angle, p.side->forward, p.side->face) < std::tie(q.angle, q.side->forward, q.side->face);
    });
    const auto pair_up = [&](std::vector<Spoke>& list) {
        for (bool found = true; found && list.size() > 1;) {
            found = false;
            for (std::size_t i = 0; i < list.size() && !found; ++i) {
                const std::size_t j = (i + 1) % list.size();
                if (list[i].side->forward || !list[j].side->forward || list[i].side->face == list[j].side->face) continue;
                links.push_back({*list[i].side, *list[j].side});
                list.erase(list.begin() + std::ptrdiff_t(std::max(i, j)));
                list.erase(list.begin() + std::ptrdiff_t(std::min(i, j)));
                found = true;
            }
        }
    };
    std::vector<Spoke> solid, left;
    for (const Spoke& s : spokes) (sheet[s.side->face] ? left : solid).push_back(s);
    pair_up(solid);
    left.insert(left.end(), solid.begin(), solid.end());
    std::sort(left.begin(), left.end(), [](const Spoke& p, const Spoke& q) {
        return std::tie(p.angle, p.side->forward, p.side->face) < std::tie(q.angle, q.side->forward, q.side->face);
    });
    pair_up(left);
    spokes = std::move(left);
    for (const Spoke& s : spokes) alone.push_back({*s.side, {-1, -1, -1, -1, false}});
}

struct LinkedPart { // faces linked together
    std::vector<int> faces;
    bool closed = true;
    Real volume = 0; // [m^3] signed
    Aabb box;
    int container = -1; // outermost closed part around it
};

std::vector<LinkedPart> find_parts(const RepairWork& w, const std::vector<Link>& links) {
    std::vector<int> root(w.faces.size()), open_sides(w.faces.size(), 0);
    std::iota(root.begin(), root.end(), 0);
    for (int f = 0; f < int(w.faces.size()); ++f) open_sides[f] = int(w.faces[f].vertex.size());
    for (const Link& l : links) {
        join_roots(root, l.p.face, l.q.face);
        --open_sides[l.p.face], --open_sides[l.q.face];
        if (l.p.forward == l.q.forward) open_sides[l.p.face] += 1; // a twisted part has no inside
    }
    std::vector<LinkedPart> parts;
    std::vector<int> index(w.faces.size(), -1);
    for (int f = 0; f < int(w.faces.size()); ++f) {
        if (!w.faces[f].alive) continue;
        int& at = index[find_root(root, f)];
        if (at < 0) at = int(parts.size()), parts.push_back({});
        LinkedPart& p = parts[at];
        p.faces.push_back(f);
        p.closed = p.closed && open_sides[f] == 0;
        for (int v : w.faces[f].vertex) p.box = merge(p.box, Vec3(vec(w.rest.positions[v])));
    }
    for (LinkedPart& p : parts)
        for (int f : p.faces) {
            const auto& v = w.faces[f].vertex;
            const auto at = [&](std::size_t i) { return Vec3(vec(w.rest.positions[w.cluster[v[i]]]) - p.box.lo); };
            for (std::size_t i = 1; p.closed && i + 1 < v.size(); ++i) p.volume += at(0).dot(at(i).cross(at(i + 1))) / 6;
        }
    return parts;
}

TriangleShape part_shape(const RepairWork& w, const LinkedPart& p) {
    TriangleShape s;
    for (int f : p.faces) {
        const auto& v = w.faces[f].vertex;
        for (std::size_t i = 1; i + 1 < v.size(); ++i) {
            const int n = int(s.vertices.size());
            for (int k : {v[0], v[i], v[i + 1]}) s.vertices.push_back(w.rest.positions[k]);
            s.triangles.push_back({n, n + 1, n + 2});
        }
    }
    return s;
}

// Closed parts in no other part are turned outwards and take what is inside them along.
void turn_outwards(RepairWork& w, std::vector<LinkedPart>& parts, std::vector<char>& reversed) {
    std::vector<int> order;
    for (int i = 0; i < int(parts.size()); ++i)
        if (parts[i].closed) order.push_back(i);
    const auto diagonal = [&](int i) { return (parts[i].box.hi - parts[i].box.lo).squaredNorm(); };
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return diagonal(i) > diagonal(j); });
    std::vector<int> outer; // parts without container, largest first
    for (int i : order) {
        for (int o : outer) {
            const LinkedPart &p = parts[i], &q = parts[o];
            if (!contains(q.box, p.box.lo) || !contains(q.box, p.box.hi) || diagonal(i) == diagonal(o)) continue;
            const Real n = winding_number_exact(part_shape(w, q), vec(w.rest.positions[w.faces[p.faces[0]].vertex[0]]));
            if (std::abs(n) < 0.5) continue;
            parts[i].container = o;
            break;
        }
        if (parts[i].container < 0) outer.push_back(i);
    }
    for (const LinkedPart& p : parts) {
        const LinkedPart& judge = p.container >= 0 ? parts[p.container] : p;
        const Real size = (judge.box.hi - judge.box.lo).norm();
        if (!p.closed || judge.volume >= -kPillowVolume * size * size * size) continue;
        for (int f : p.faces) reverse_face(w.faces[f]), reversed[f] ^= 1;
    }
}

// Corners of all faces, numbered through, and which of them hang together.
struct Fans {
    std::vector<int> base; // first corner of each face
    std::vector<int> fan;  // union-find over corners
    std::vector<int> home; // per fan its vertex, -1 = none yet
    std::vector<int> owner; // per input vertex the fan that has it
};
template <class F> void for_each_corner(const RepairWork& w, const Fans& s, F&& f) {
    for (std::size_t face = 0; face < w.faces.size(); ++face)
        for (std::size_t i = 0; w.faces[face].alive && i < w.faces[face].vertex.size(); ++i)
            f(face, i, s.base[face] + int(i));
}

Fans join_corners(const RepairOptions& o, const RepairWork& w, const std::vector<Link>& links) {
    Fans s;
    s.base.assign(w.faces.size() + 1, 0);
    for (std::size_t f = 0; f < w.faces.size(); ++f) s.base[f + 1] = s.base[f] + int(w.faces[f].vertex.size());
    s.fan.resize(s.base.back());
    std::iota(s.fan.begin(), s.fan.end(), 0);
    const auto corner_at = [&](const RepairSide& side, int cluster) { // corner of the side's face at one of its two ends
        const int n = int(w.faces[side.face].vertex.size()), next = (side.corner + 1) % n;
        return s.base[side.face] + (w.cluster[w.faces[side.face].vertex[side.corner]] == cluster ? side.corner : next);
    };
    for (const Link& l : links)
        for (int v : {l.p.a, l.p.b}) join_roots(s.fan, corner_at(l.p, v), corner_at(l.q, v));
    if (o.split) return s;
    // one vertex per cluster
    std::vector<int> first(w.cluster.size(), -1);
    for_each_corner(w, s, [&](std::size_t f, std::size_t i, int corner) {
        int& c = first[w.cluster[w.faces[f].vertex[i]]];
        if (c < 0) c = corner;
        join_roots(s.fan, c, corner);
    });
    return s;
}

// Wishes (fan, input vertex), granted in ascending order: first the cluster's lowest vertex goes to the fan that names it,
// then any free one.
void grant_vertices(const RepairWork& w, Fans& s) {
    s.home.assign(s.fan.size(), -1);
    s.owner.assign(w.cluster.size(), -1);
    for (int pass = 0; pass < 2; ++pass)
        for_each_corner(w, s, [&](std::size_t f, std::size_t i, int corner) {
            const int root = find_root(s.fan, corner), v = w.faces[f].vertex[i];
            if (s.home[root] >= 0 || s.owner[v] >= 0 || (pass == 0 && w.cluster[v] != v)) return;
            s.home[root] = v;
            s.owner[v] = root;
        });
}

// a copy of vertex v in all its attributes and groups; returns its index
int copy_vertex(RepairWork& w, int v) {
    const int copy = vertex_count(w.rest);
    w.rest.positions.push_back(w.rest.positions[v]);
    for (VertexAttribute& a : w.rest.attributes)
        for (int k = 0; k < a.components; ++k) a.values.push_back(a.values[std::size_t(v) * a.components + k]);
    w.vertex_source.push_back(w.vertex_source[v]);
    w.cluster.push_back(w.cluster[v]);
    for (auto& [name, members] : w.rest.vertex_groups)
        if (std::binary_search(members.begin(), members.end(), v)) members.push_back(copy);
    return copy;
}

// Corners around a vertex that hang together through links are one fan and get one vertex: the lowest input vertex among
// its corners that no other fan has taken, or a new one.
void assign_fans(const RepairOptions& o, RepairWork& w, const std::vector<Link>& links) {
    Fans s = join_corners(o, w, links);
    const int before = vertex_count(w.rest);
    grant_vertices(w, s);
    for_each_corner(w, s, [&](std::size_t f, std::size_t i, int corner) {
        const int root = find_root(s.fan, corner), v = w.faces[f].vertex[i];
        if (s.home[root] < 0) {
            s.home[root] = copy_vertex(w, v);
            w.report.split_vertices.push_back(w.vertex_source[v]);
        }
        w.faces[f].vertex[i] = s.home[root];
    });
    // segments follow the vertices of their place
    std::vector<int> kept(w.cluster.size(), -1);
    for (int v = 0; v < before; ++v)
        if (s.owner[v] >= 0 && kept[w.cluster[v]] < 0) kept[w.cluster[v]] = v;
    for (auto& segment : w.rest.segments)
        for (int& end : segment)
            if (s.owner[end] < 0) end = kept[w.cluster[end]] >= 0 ? kept[w.cluster[end]] : w.cluster[end];
}

// An edge with several pairs of faces can survive because both its ends have one fan only: a new vertex in the middle for
// every pair but the first makes them different edges. Its faces get one corner more.
void cut_surviving_edges(RepairWork& w, const std::vector<Link>& links) {
    std::vector<std::pair<std::array<int, 2>, const Link*>> edges;
    for (const Link& l : links) {
        const auto& v = w.faces[l.p.face].vertex;
        const int a = v[l.p.corner], b = v[(l.p.corner + 1) % v.size()];
        edges.push_back({{std::min(a, b), std::max(a, b)}, &l});
    }
    std::stable_sort(edges.begin(), edges.end(), [](const auto& p, const auto& q) { return p.first < q.first; });
    for (std::size_t i = 1; i < edges.size(); ++i) {
        if (edges[i].first != edges[i - 1].first) continue;
        const auto [a, b] = edges[i].first;
        const int middle = vertex_count(w.rest);
        w.rest.positions.push_back(real3((vec(w.rest.positions[a]) + vec(w.rest.positions[b])) / 2));
        for (VertexAttribute& t : w.rest.attributes)
            for (int k = 0; k < t.components; ++k)
                t.values.push_back((t.values[std::size_t(a) * t.components + k] + t.values[std::size_t(b) * t.components + k]) / 2);
        w.vertex_source.push_back(w.vertex_source[a]);
        w.cluster.push_back(middle);
        for (const RepairSide* s : {&edges[i].second->p, &edges[i].second->q}) {
            if (s->face < 0) continue;
            RepairFace& f = w.faces[s->face];
            const auto n = f.vertex.size();
            for (std::size_t k = 0; k < n; ++k)
                if (std::min(f.vertex[k], f.vertex[(k + 1) % n]) == a && std::max(f.vertex[k], f.vertex[(k + 1) % n]) == b) {
                    const int u0 = f.uv[k], u1 = f.uv[(k + 1) % n];
                    int uv = -1;
                    if (u0 >= 0 && u1 >= 0) {
                        uv = int(w.rest.uv.size());
                        w.rest.uv.push_back({(w.rest.uv[u0][0] + w.rest.uv[u1][0]) / 2, (w.rest.uv[u0][1] + w.rest.uv[u1][1]) / 2});
                    }
                    f.vertex.insert(f.vertex.begin() + std::ptrdiff_t(k) + 1, middle);
                    f.uv.insert(f.uv.begin() + std::ptrdiff_t(k) + 1, uv);
                    break;
                }
        }
    }
}
} // namespace

// An edge of more than two sides that is one edge of the input's own vertices too: not cut already.
static void find_crowded(const RepairWork& w, std::span<const RepairSide> sides, std::vector<std::array<int, 2>>& crowded) {
    std::vector<std::array<int, 2>> ends;
    for (const RepairSide& s : sides) {
        const auto& v = w.faces[s.face].vertex;
        const int p = v[s.corner], q = v[(s.corner + 1) % v.size()];
        ends.push_back({std::min(p, q), std::max(p, q)});
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t k = 2; k < ends.size(); ++k)
        if (ends[k] == ends[k - 2]) return crowded.push_back({w.vertex_source[ends[k][0]], w.vertex_source[ends[k][1]]});
}

// Where a side is in its face, and which way it runs.
static void find_corner(const RepairWork& w, RepairSide& s) {
    const int n = int(w.faces[s.face].vertex.size());
    for (int k = 0; k < n; ++k) {
        const int a = w.cluster[w.faces[s.face].vertex[k]], b = w.cluster[w.faces[s.face].vertex[(k + 1) % n]];
        if (std::min(a, b) == s.a && std::max(a, b) == s.b) s.corner = k, s.forward = a < b;
    }
}

void connect_faces(const RepairOptions& o, RepairWork& w) {
    std::vector<RepairSide> sides = build_sides(w);
    std::vector<Link> links = regular_links(sides);
    std::vector<char> reversed(w.faces.size(), 0);
    if (o.orient) {
        reversed = find_reversed(w, links);
        for (std::size_t f = 0; f < w.faces.size(); ++f)
            if (reversed[f]) reverse_face(w.faces[f]);
        sides = build_sides(w);
        links = regular_links(sides);
    }
    // edges with more than two sides: pairs that bound one wedge stay together
    w.report.unorientable_edges.clear();
    for (const Link& l : links)
        if (l.p.forward == l.q.forward) w.report.unorientable_edges.push_back({w.vertex_source[l.p.a], w.vertex_source[l.p.b]});
    std::vector<std::array<int, 2>> crowded;
    std::vector<Link> alone;
    const std::vector<char> sheet = find_sheets(w, sides, links);
    for (std::size_t i = 0, j = 0; i < sides.size(); i = j) {
        for (j = i; j < sides.size() && sides[j].a == sides[i].a && sides[j].b == sides[i].b;) ++j;
        if (j - i <= 2) continue;
        find_crowded(w, std::span(sides).subspan(i, j - i), crowded);
        link_around_edge(w, &sides[i], &sides[i] + (j - i), sheet, links, alone);
    }
    if (o.orient) {
        std::vector<LinkedPart> parts = find_parts(w, links);
        turn_outwards(w, parts, reversed);
        // corners moved when faces were turned over
        for (Link& l : links) find_corner(w, l.p), find_corner(w, l.q);
        for (Link& l : alone) find_corner(w, l.p);
    }
    for (std::size_t f = 0; f < w.faces.size(); ++f)
        if (reversed[f] && w.faces[f].alive) w.report.reversed.push_back(w.faces[f].source);
    if (o.split) w.report.split_edges.insert(w.report.split_edges.end(), crowded.begin(), crowded.end());
    assign_fans(o, w, links);
    links.insert(links.end(), alone.begin(), alone.end());
    if (o.split) cut_surviving_edges(w, links);
}

} // namespace sinew
