// Elements of points, four to a batch, as the sweeps of position projection (position_pack.h) see them. Nothing but plain
// arrays and a table of loops: a source compiled for AVX2 must share no inline function with the others.
// The four elements of a batch share no point that moves. Lanes without an element have the points of another and no mass.
#pragma once

namespace sinew {

inline constexpr int kLanes = 4;
inline constexpr int kLongestChain = 256; // links

struct alignas(32) Lane4 {
    double v[kLanes];
};
// C = |x_j - x_i| - L; three cache lines, one of which is written
struct alignas(64) LinkBatch {
    int i[kLanes], j[kLanes]; // three times the point: where it begins in memory
    Lane4 rest;          // [m]
    Lane4 w_i, w_j;      // [1/kg]
    Lane4 alpha;         // [m/N]
    Lane4 lambda;        // [N]
};
// What methods that follow residuals keep of a batch of links: rows s n, residuals and directions, all in the scale s of the link
struct alignas(64) LinkRow {
    Lane4 row[kLanes];   // [x y z 0] per link
    Lane4 residual, direction;
};
// C = s (phi(theta) - rest), stencil of geometry/dihedral.h
struct alignas(64) HingeBatch {
    int id[4][kLanes];
    Lane4 scale, rest, alpha;
    Lane4 w[4];
    Lane4 lambda;
};
// C = K s, s_i = 1/2 (|e_i|^2 - |E_i|^2) of the edge opposite corner i (energy/tri.h)
struct alignas(64) TriangleBatch {
    int id[3][kLanes];
    Lane4 rows[9];       // K, column-major
    Lane4 rest2[3];      // [m^2]
    Lane4 alpha;
    Lane4 w[3];
    Lane4 lambda[3];
};
// C = L^T (e11, e22, e33, 2 e23, 2 e13, 2 e12), e Green's strain, L Hooke's factor times sqrt(V): 11 21 22 32 33, shear
struct alignas(64) StrainBatch {
    int id[4][kLanes];
    Lane4 inverse[9];    // [1/m] of the edges at rest, column-major
    Lane4 factor[6];
    Lane4 alpha;
    Lane4 w[4];
    Lane4 lambda[6];
};
// C = (a |F|, b (det F - r)): stable neo-Hookean
struct alignas(64) NeohookeanBatch {
    int id[4][kLanes];
    Lane4 inverse[9];
    Lane4 shear, bulk, rest;
    Lane4 alpha;
    Lane4 w[4];
    Lane4 lambda[2];
};

// A contact of up to four points (position_contact.h): gap Phi = offset + n . g, g = outside + sum of weight x
struct alignas(64) ContactBatch {
    int id[4][kLanes];
    Lane4 weight[4], w[4];     // w = 0: no such side, or it is held
    Lane4 n[3], outside[3], drive[3];
    Lane4 offset, friction;    // friction 0: none within the loop
    Lane4 normal, tangential[3]; // [N]
    int contact[kLanes];       // -1 = lane without one
};
struct ContactNumbers {
    double h = 0, relaxation = 1;
    double compliance = 0, damping_time = 0;
    bool cone = false, de_saxce = false; // otherwise friction is within the cylinder
    double* x = nullptr;
    double* v = nullptr;
};

// What one sweep needs of Sweep (model/dual.h)
struct BatchNumbers {
    double reach = 0, kick = 0;
    double omega = 1;          // relaxation, times the stiffness factor
    double soft = 1;           // of compliance in the response: 0 = ignored
    double feedback = 1;       // of alpha lambda in the error
    double damping_time = 0;   // [s] of rows that have less of their own
    double* x = nullptr;       // [m] three per point
    double* v = nullptr;       // [m/s]
    const Lane4* rho = nullptr; // [s] per batch, null = none has its own
    bool velocities = false;   // take part and are moved along
    bool first = false;        // multipliers begin at zero
    double beta = 0;           // Jacobi: of the change before
    double* push = nullptr;    // [N] Jacobi: three per point, forces of the changes; residuals: six, of residual and direction
    double step = 0;           // residuals: along the direction, of the iteration before
    const double* way = nullptr; // residuals: three per point, W times the force of the direction
    // rows of the start in place of those at the positions:
    const Lane4* directions = nullptr; // links, chains, Jacobi: [x y z 0] per link
    const double* start = nullptr;     // residuals: positions there, three per point
};
enum class HingeAngle { theta, tangent, sine };

// Each runs over the batches [begin, end). Errors: the largest |C + feedback alpha lambda| times `unit` (null = 1).
struct BatchLoops {
    void (*links)(LinkBatch*, int begin, int end, const BatchNumbers&);
    void (*chain)(LinkBatch*, int count, const BatchNumbers&); // batches of which each lane goes on where the last one ended
    void (*hinges)(HingeAngle, HingeBatch*, int begin, int end, const BatchNumbers&);
    void (*triangles)(TriangleBatch*, int begin, int end, const BatchNumbers&);
    void (*strains)(StrainBatch*, int begin, int end, const BatchNumbers&);
    void (*neohookeans)(NeohookeanBatch*, int begin, int end, const BatchNumbers&);
    void (*contacts)(ContactBatch*, int begin, int end, const ContactNumbers&);
    // Jacobi (position_jacobi.h): nothing moves, forces of the changes are added to `push`. `change`: of the iteration before, and after it
    void (*relax_links)(LinkBatch*, Lane4* change, int begin, int end, const BatchNumbers&);
    void (*link_directions)(const LinkBatch*, Lane4* out, int begin, int end, const double* x); // from i to j, four per batch
    // sums of r times change, and of r times the change that it alone would make
    void (*link_slope)(const LinkBatch*, const Lane4* change, int begin, int end, const BatchNumbers&, double* sums);
    // Residuals (position_residual.h): residual, rows and pushes at the positions, sums r.r and r alpha r; then direction and products; last
    // multipliers. Sums of a call are those of its batches.
    void (*link_residuals)(LinkBatch*, LinkRow*, int begin, int end, const BatchNumbers&, double* sums);
    void (*link_products)(const LinkBatch*, LinkRow*, int begin, int end, const BatchNumbers&, double* sums);
    void (*link_finish)(LinkBatch*, const LinkRow*, int begin, int end, const BatchNumbers&);
    double (*link_error)(const LinkBatch*, const Lane4* unit, int begin, int end, const BatchNumbers&);
    double (*hinge_error)(HingeAngle, const HingeBatch*, int begin, int end, const BatchNumbers&);
    double (*triangle_error)(const TriangleBatch*, int begin, int end, const BatchNumbers&);
    double (*strain_error)(const StrainBatch*, int begin, int end, const BatchNumbers&);
    double (*neohookean_error)(const NeohookeanBatch*, int begin, int end, const BatchNumbers&);
};
extern const BatchLoops kBatchLoopsPlain, kBatchLoopsAvx2;

} // namespace sinew
