#include "model/snapshot_of.h"
#include "core/math.h"
#include "linalg/svd3.h"
#include "model/element.h"
#include <Eigen/LU>
#include <algorithm>

namespace sinew {

// largest |s - 1| of the principal stretches s of a tetrahedron
static Real tet_strain(const Model& m, const State& s, const int* id) {
    Mat3 rest, now;
    for (int k = 0; k < 3; ++k) {
        rest.col(k) = vec(m.point.rest[id[k + 1]]) - vec(m.point.rest[id[0]]);
        now.col(k) = vec(s.point.x[id[k + 1]]) - vec(s.point.x[id[0]]);
    }
    const Vec3 stretch = compute_svd(now * rest.inverse()).sigma;
    return (stretch.array() - 1).abs().maxCoeff();
}

static void add_solid_strain(const Model& m, const State& s, const Table& t, std::vector<double>& strain) {
    strain.resize(point_count(m), 0.0);
    for (int e = 0; e < t.count(); ++e) {
        const int* id = t.stencil.data() + 4 * e;
        const Real now = tet_strain(m, s, id);
        for (int k = 0; k < 4; ++k) strain[id[k]] = std::max(strain[id[k]], now);
    }
}

// the same of a triangle: roots of the eigenvalues of C = F^T F, from the metrics of its edges, C = G_rest^-1 G up to similarity
static Real triangle_strain(const Model& m, const State& s, const int* id) {
    const auto metric = [&](const std::vector<Real3>& x) {
        const Vec3 a = vec(x[id[1]]) - vec(x[id[0]]), b = vec(x[id[2]]) - vec(x[id[0]]);
        Mat2 g;
        g << a.dot(a), a.dot(b), a.dot(b), b.dot(b);
        return g;
    };
    const Mat2 rest = metric(m.point.rest), now = metric(s.point.x);
    const Real det = rest.determinant();
    if (!(det > 0)) return 0;
    const Real trace = (rest(1, 1) * now(0, 0) - 2 * rest(0, 1) * now(0, 1) + rest(0, 0) * now(1, 1)) / det;
    const Real product = std::max(0.0, now.determinant() / det), root = std::sqrt(std::max(0.0, 0.25 * trace * trace - product));
    const Real large = std::sqrt(std::max(0.0, 0.5 * trace + root)), small = std::sqrt(std::max(0.0, 0.5 * trace - root));
    return std::max(std::abs(large - 1), std::abs(small - 1));
}

// membranes: elements of three points that know rotations and rest, or constraints of the three strains of a triangle
static bool is_membrane(const ElementRow& row) {
    return row.points == 3 && !row.frames && !row.scalars && row.zero_at_rest && (row.rotation_invariant || row.rows == 3);
}
// solids: elements of four points that may turn inside out, or constraints of the six strains of a tetrahedron
static bool is_solid(const ElementRow& row) { return row.points == 4 && (row.inverted || row.rows == 6); }
static void add_membrane_strain(const Model& m, const State& s, const Table& t, std::vector<double>& strain) {
    strain.resize(point_count(m), 0.0);
    for (int e = 0; e < t.count(); ++e) {
        const int* id = t.stencil.data() + 3 * e;
        const Real now = triangle_strain(m, s, id);
        for (int k = 0; k < 3; ++k) strain[id[k]] = std::max(strain[id[k]], now);
    }
}

// curvature binormal of a bend between two edges per mean length, 2 tan(angle/2)/l [1/m], as in discrete elastic rods
static Vec3 bend_of(const std::vector<Real3>& x, const int* id) {
    const Vec3 e = vec(x[id[1]]) - vec(x[id[0]]), f = vec(x[id[2]]) - vec(x[id[1]]);
    const Real length = 0.5 * (e.norm() + f.norm()), cosine = e.norm() * f.norm() + e.dot(f);
    return length > 0 && cosine > 0 ? Vec3(2 * e.cross(f) / (cosine * length)) : Vec3(Vec3::Zero());
}
// rods: strain of the outermost fibre by bending, radius times the change of curvature
static void add_rod_strain(const Model& m, const State& s, const Table& t, std::vector<double>& strain) {
    strain.resize(point_count(m), 0.0);
    for (int e = 0; e < t.count(); ++e) {
        const int* id = t.stencil.data() + 5 * std::size_t(e);
        if (id[0] < 0 || id[1] < 0 || id[2] < 0) continue;
        const int look = m.layout ? m.objects[m.point.object[id[1]]].snapshot : -1;
        if (look < 0) continue;
        const Real change = std::abs(bend_of(s.point.x, id).norm() - bend_of(m.point.rest, id).norm());
        strain[id[1]] = std::max(strain[id[1]], m.layout->objects[look].radius * change);
    }
}

// largest strain of the links, membranes, rods and solid elements at each point; empty if the model has none
static std::vector<double> point_strain(const Model& m, const State& s) {
    std::vector<double> strain;
    if (!m.elements) return strain;
    for (const auto* tables : {&m.elements->energies, &m.elements->constraints})
        for (const Table& t : *tables) {
            if (is_solid(*t.row)) add_solid_strain(m, s, t, strain);
            if (is_membrane(*t.row)) add_membrane_strain(m, s, t, strain);
            if (t.row->points == 3 && t.row->scalars == 2) add_rod_strain(m, s, t, strain);
            if (t.row->points != 2 || t.row->frames || t.row->scalars) continue;
            strain.resize(point_count(m), 0.0);
            for (int e = 0; e < t.count(); ++e) {
                const int a = t.stencil[2 * e], b = t.stencil[2 * e + 1];
                const Real rest = (vec(m.point.rest[b]) - vec(m.point.rest[a])).norm();
                if (!(rest > 0)) continue;
                const Real now = std::abs((vec(s.point.x[b]) - vec(s.point.x[a])).norm() / rest - 1);
                strain[a] = std::max(strain[a], now);
                strain[b] = std::max(strain[b], now);
            }
        }
    return strain;
}

static void add_fields(const State& s, const std::vector<double>& strain, Range p, SnapshotObjectFrame& out) {
    SnapshotField velocity{"velocity", 3, {}};
    for (int i = p.begin; i < p.end; ++i) velocity.values.insert(velocity.values.end(), {s.point.v[i].x, s.point.v[i].y, s.point.v[i].z});
    out.fields.push_back(std::move(velocity));
    const auto add = [&](const std::string& name, int n, const std::vector<double>& values) {
        const std::ptrdiff_t begin = std::ptrdiff_t(p.begin) * n, end = std::ptrdiff_t(p.end) * n;
        if (std::ptrdiff_t(values.size()) >= end) out.fields.push_back({name, n, {values.begin() + begin, values.begin() + end}});
    };
    add("strain", 1, strain);
    add("age", 1, s.point.age);
    for (const NamedValues& a : s.attributes) add(a.name, a.components, a.values);
}

// Vertices that follow points: x = sum of w_k x_k, and so with every field; the strain, which has no sign, by the positive weights.
static void carry(const SnapshotObject& look, SnapshotObjectFrame& f) {
    const std::size_t count = look.carriers.size();
    const auto carried = [&](const double* from, int n, bool positive, double* to) {
        for (std::size_t v = 0; v < count; ++v) {
            double sum = 0;
            std::array<double, 4> w = look.carriers[v].weight;
            for (double& a : w) sum += a = positive ? std::max(0.0, a) : a;
            for (int c = 0; c < n; ++c) {
                double value = 0;
                for (int k = 0; k < 4; ++k) value += w[k] * from[std::size_t(look.carriers[v].point[k]) * n + c];
                to[v * n + c] = positive ? value / sum : value;
            }
        }
    };
    std::vector<Real3> x(count);
    if (count) carried(&f.position[0].x, 3, false, &x[0].x);
    f.position = std::move(x);
    for (SnapshotField& field : f.fields) {
        std::vector<double> values(count * field.components);
        if (count) carried(field.values.data(), field.components, field.name == "strain", values.data());
        field.values = std::move(values);
    }
}

Snapshot snapshot_of(const Model& m, const State& s) {
    Snapshot out;
    out.time = s.time;
    out.objects.resize(m.layout ? m.layout->objects.size() : 0);
    const std::vector<double> strain = point_strain(m, s);
    for (const Object& o : m.objects) {
        if (o.snapshot < 0) continue;
        SnapshotObjectFrame& f = out.objects[o.snapshot];
        if (o.frames.count()) {
            f.pose = {s.frame.p[o.frames.begin], s.frame.q[o.frames.begin]};
            continue;
        }
        if (o.animated.count()) {
            f.position.assign(s.animated.x.begin() + o.animated.begin, s.animated.x.begin() + o.animated.end);
            SnapshotField velocity{"velocity", 3, {}};
            for (int i = o.animated.begin; i < o.animated.end; ++i)
                velocity.values.insert(velocity.values.end(), {s.animated.v[i].x, s.animated.v[i].y, s.animated.v[i].z});
            f.fields.push_back(std::move(velocity));
            continue;
        }
        f.position.assign(s.point.x.begin() + o.points.begin, s.point.x.begin() + o.points.end);
        if (!s.point.alive.empty() && o.points.count() && (m.point.flags[o.points.begin] & kPooled)) {
            f.alive.assign(s.point.alive.begin() + o.points.begin, s.point.alive.begin() + o.points.end);
            f.id.assign(s.point.id.begin() + o.points.begin, s.point.id.begin() + o.points.end);
        }
        add_fields(s, strain, o.points, f);
        if (const SnapshotObject& look = m.layout->objects[o.snapshot]; !look.carriers.empty()) carry(look, f);
    }
    for (const Object& o : m.objects) // what was removed is not to be seen
        if (!o.alive && o.snapshot >= 0) out.objects[o.snapshot].alive.assign(m.layout->objects[o.snapshot].point_count, 0);
    return out;
}

} // namespace sinew
