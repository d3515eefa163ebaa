// Mass properties from a closed mesh by the divergence theorem (spec P, section 3.5; Blow and Binstock 2004).
// For each triangle (a, b, c), counter-clockwise outward, s = a + b + c, D = a . (b x c):
//   V += D / 6     c1 += D / 24 s     C += D / 120 (a a^T + b b^T + c c^T + s s^T)        V, integral of x,
//   of x x^T centre = c1 / V,  C_c = C - V centre centre^T,  I = rho (tr(C_c) Id - C_c)
// The origin is first moved to the middle of the bounding box: about a far origin the sums cancel (relative
// error eps * (offset / size)^5 in C against eps here).
#include "geometry/mass.h"
#include "core/math.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"

namespace sinew {

namespace {
constexpr Real kFlatVolume = 1e-14; // volume below this share of the box diagonal cubed is rounding of a flat body

Result<MassProperties> fail_weighing(std::string value, std::string message, std::string allowed = {}) {
    Result<MassProperties> r;
    Error e;
    e.value = std::move(value);
    e.message = std::move(message);
    e.allowed = std::move(allowed);
    r.errors.push_back(std::move(e));
    return r;
}

struct Moments {
    Real volume = 0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
};

Moments integrate(const PolygonMesh& mesh, const Vec3& origin) {
    Moments m;
    for (const auto& t : triangulate(mesh).triangles) {
        const Vec3 a = vec(mesh.positions[t[0]]) - origin, b = vec(mesh.positions[t[1]]) - origin,
                   c = vec(mesh.positions[t[2]]) - origin, s = a + b + c;
        const Real D = a.dot(b.cross(c));
        m.volume += D / 6;
        m.first += D / 24 * s;
        m.second += D / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
    return m;
}

// Diagonal inertia about a centre on the y axis.
MassProperties diagonal_mass(Real volume, Real density, Real center_y, const Vec3& inertia) {
    MassProperties r;
    r.volume = volume;
    r.mass = density * volume;
    r.center = {0, center_y, 0};
    r.inertia = real33(inertia.asDiagonal());
    r.principal_inertia = real3(inertia);
    return r;
}
} // namespace

Result<MassProperties> mass_properties(const PolygonMesh& mesh, Real density) {
    if (!(density > 0) || !std::isfinite(density))
        return fail_weighing(std::to_string(density), "the density must be positive and finite", "> 0 kg/m^3");
    const std::vector<Error> invalid = validate_mesh(mesh);
    if (!invalid.empty()) {
        Result<MassProperties> r;
        r.errors = invalid;
        return r;
    }
    const MeshCheck check = check_mesh(mesh);
    if (!bounds_volume(check)) {
        const std::string why = polygon_count(mesh) == 0 ? "it has no polygons" : describe(check);
        return fail_weighing({}, std::string("the mesh does not bound a volume: ") + why,
                    "a closed, consistently oriented mesh");
    }
    const Bounds box = compute_bounds(mesh);
    const Vec3 origin = vec(box.min) + 0.5 * (vec(box.max) - vec(box.min));
    const Moments m = integrate(mesh, origin);
    const Real size = (vec(box.max) - vec(box.min)).norm();
    if (!std::isfinite(m.second.sum()) || !std::isfinite(size * size * size))
        return fail_weighing({}, "the mesh is too large for its mass to be computed");
    if (m.volume < -kFlatVolume * size * size * size)
        return fail_weighing(std::to_string(m.volume), "the volume is negative: the polygons face inwards",
                    "polygons counter-clockwise seen from outside");
    if (!(m.volume > kFlatVolume * size * size * size))
        return fail_weighing(std::to_string(m.volume), "the mesh has no volume");
    // central moments
    MassProperties r;
    r.volume = m.volume;
    r.mass = density * m.volume;
    const Vec3 center = m.first / m.volume;
    r.center = real3(origin + center);
    const Mat3 second = m.second - m.volume * center * center.transpose();
    r.inertia = real33(density * (second.trace() * Mat3::Identity() - second));
    diagonalise(r.inertia, r.principal_inertia, r.principal_frame);
    // a self-crossing surface may have volume and no inertia
    const Real3& p = r.principal_inertia;
    const Real sum = p.x + p.y + p.z, largest = std::max({p.x, p.y, p.z});
    if (!(std::min({p.x, p.y, p.z}) > 0) || sum - largest < largest * (1 - 1e-9))
        return fail_weighing({}, "the inertia is not that of a body: the surface crosses itself");
    Result<MassProperties> result;
    result.value = r;
    return result;
}

MassProperties box_mass(const Real3& size, Real density) {
    const Real volume = size.x * size.y * size.z, m = density * volume;
    const Vec3 q = vec(size).cwiseAbs2();
    return diagonal_mass(volume, density, 0, m / 12 * Vec3(q.y() + q.z(), q.x() + q.z(), q.x() + q.y()));
}

MassProperties sphere_mass(Real radius, Real density) {
    const Real volume = 4 * kPi / 3 * radius * radius * radius;
    return diagonal_mass(volume, density, 0, Vec3::Constant(0.4 * density * volume * radius * radius));
}

MassProperties capsule_mass(Real radius, Real length, Real density) {
    const Real r2 = radius * radius, tube = kPi * r2 * length, ball = 4 * kPi / 3 * r2 * radius;
    const Real mt = density * tube, mb = density * ball;
    // half balls: centre of mass 3/8 r beyond the flat side
    const Real axial = mt * r2 / 2 + mb * 0.4 * r2;
    const Real across = mt * (r2 / 4 + length * length / 12) +
                        mb * (0.4 * r2 + length * length / 4 + 0.375 * radius * length);
    return diagonal_mass(tube + ball, density, 0, Vec3(across, axial, across));
}

MassProperties cylinder_mass(Real radius, Real height, Real density) {
    const Real r2 = radius * radius, volume = kPi * r2 * height, m = density * volume;
    const Real across = m * (3 * r2 + height * height) / 12;
    return diagonal_mass(volume, density, 0, Vec3(across, m * r2 / 2, across));
}

MassProperties cone_mass(Real radius, Real height, Real density) {
    const Real r2 = radius * radius, volume = kPi / 3 * r2 * height, m = density * volume;
    const Real across = m * (3 * r2 / 20 + 3 * height * height / 80);
    return diagonal_mass(volume, density, -height / 4, Vec3(across, 0.3 * m * r2, across));
}

// With r_i the centre of part i in the common axes and R_i its rotation:
//   m = sum m_i,   c = sum m_i r_i / m,   I = sum R_i I_i R_i^T + m_i (|d|^2 - d d^T),   d = r_i - c
MassProperties join_mass(std::span<const MassProperties> parts, std::span<const Pose> poses) {
    MassProperties r;
    Vec3 first = Vec3::Zero();
    const auto center_of = [&](std::size_t i) { return Vec3(vec(poses[i].position) + quat(poses[i].rotation) * vec(parts[i].center)); };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        r.volume += parts[i].volume;
        r.mass += parts[i].mass;
        first += parts[i].mass * center_of(i);
    }
    const Vec3 center = first / r.mass;
    Mat3 inertia = Mat3::Zero();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Mat3 R = quat(poses[i].rotation).toRotationMatrix();
        const Vec3 d = center_of(i) - center;
        inertia += R * mat(parts[i].inertia) * R.transpose() + parts[i].mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    }
    r.center = real3(center);
    r.inertia = real33(0.5 * (inertia + inertia.transpose())); // rounding must not leave it unsymmetric
    diagonalise(r.inertia, r.principal_inertia, r.principal_frame);
    return r;
}

MassProperties scale_mass(MassProperties p, Real mass) {
    const Real factor = mass / p.mass;
    p.mass = mass;
    for (Real& x : p.inertia.m) x *= factor;
    for (int k = 0; k < 3; ++k) p.principal_inertia[k] *= factor;
    return p;
}

// Cyclic Jacobi (Golub and Van Loan, section 8.5): small eigenvalues to full relative accuracy where the
// matrix allows, and rotations of at most 45 degrees, so that a nearly diagonal matrix keeps its axes and
// their order.
void diagonalise(const Real33& matrix, Real3& moments, Real4& rotation) {
    Mat3 a = mat(matrix), r = Mat3::Identity();
    for (int sweep = 0; sweep < 30; ++sweep) {
        bool changed = false;
        for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
            const Real off = a(p, q);
            if (std::abs(off) <= 1e-17 * std::sqrt(std::abs(a(p, p) * a(q, q)))) continue;
            changed = true;
            const Real theta = (a(q, q) - a(p, p)) / (2 * off);
            const Real t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(1, theta));
            const Real c = 1 / std::hypot(1, t), s = t * c;
            Mat3 g = Mat3::Identity();
            g(p, p) = g(q, q) = c;
            g(p, q) = s;
            g(q, p) = -s;
            a = (g.transpose() * a * g).eval();
            a(p, q) = a(q, p) = 0;
            r = (r * g).eval();
        }
        if (!changed) break;
    }
    moments = real3(a.diagonal());
    Quat q(r);
    q.normalize();
    rotation = real4(q.w() < 0 ? Quat(-q.coeffs()) : q);
}

} // namespace sinew
