// Elements without their types: what the loops of assembly, the support check, checkpoints and the tests see of an
// energy or a constraint. Each list entry (energy/list.h, constraint/list.h) becomes one ElementRow of function
// pointers in a small generated source file; one call per range of elements, never per element.
#pragma once
#include "core/math.h"
#include "model/dofs.h"
#include "model/rows.h"
#include "sinew/model.h"
#include "sinew/state.h"
#include <cstddef>
#include <memory>
#include <span>

namespace sinew {

struct FieldList; // core/fields.h
struct FieldSet;
struct Rng;
struct Table;

// Unknowns and circumstances at which elements are evaluated.
struct Evaluation {
    const Real3* x = nullptr;           // points
    const Real3* v = nullptr;           // point velocities (forces only)
    const Real3* x_now = nullptr;       // points at the start of the step
    const Real3* p = nullptr;           // frames
    const Real4* q = nullptr;
    const Real3* p_now = nullptr;       // frames at the start of the step; null = as they are
    const Real4* q_now = nullptr;
    const Real3* frame_v = nullptr;
    const Real3* frame_w = nullptr;
    const Real* s = nullptr;            // scalars
    const Real* ds = nullptr;
    const std::uint8_t* alive = nullptr; // points; null = all alive
    const std::vector<NamedValues>* memory = nullptr; // State.memory at the start of the step
    const FieldSet* fields = nullptr;
    Real t = 0;                         // [s] time at which potentials and fields are taken
    Real dt = 0;                        // [s] of the step, 0 outside of one
    Real elapsed = 0;                   // [s] implicit schemes: from x_now to x; 0 = forces are explicit, or outside of a step
    const Real3* animated = nullptr;    // animated vertices, where they are at time t
};

enum class Share { elastic, gravity, contact, field }; // where an energy is counted in the Report
// Of element Hessians to positive semi-definite. gauss_newton: of energies 1/2 k C^2 only k grad C grad C^T, without
// the curvature of C; entries of another form are clamped.
enum class Projection { none, clamp, absolute, gauss_newton };

// What an entry offers beyond value and gradient; solvers state what they need (Needs).
enum View : unsigned {
    kValue = 1,        // has a potential
    kForce = 2,        // has a force without potential
    kHessian = 4,
    kConstraint = 8,   // C, J, compliance
};

// What `prepare` may look at: the stencil at rest.
struct RestView {
    std::span<const Real3> x;           // [m]
    std::span<const Real> mass;         // [kg]
    std::span<const Real> frame_mass;   // [kg]
    Real3 gravity;                      // [m/s^2] of the scene
};

struct ElementRow {
    std::string_view name, doc;
    Share share = Share::elastic;
    int points = 0, frames = 0, scalars = 0;
    int stencil = 0;                    // points + frames + scalars
    int dofs = 0;                       // 3 points + 6 frames + scalars
    int rows = 0;                       // constraints: rows; energies: 0
    bool pair = false;                  // two points that act on each other through their difference: every element matrix
                                        // is [K -K; -K K], and only the 3 x 3 block K is written
    int matrix_size = 0;                // reals per element matrix: dofs^2, or 9 for a pair
    unsigned views = 0;                 // View bits
    bool explicit_force = false;        // the force is zero while Evaluation::elapsed > 0: it is in the potential there
    bool translation_invariant = false, rotation_invariant = false, zero_at_rest = false;
    std::size_t data_size = 0;          // bytes per element
    int memory_size = 0;                // reals per element kept in State.memory

    std::shared_ptr<void> (*make_params)() = nullptr;
    void (*describe)(void* params, FieldList&) = nullptr;
    void (*prepare)(const void* params, const RestView&, std::byte* data) = nullptr;

    // potentials: sum of values / element-major gradients (dofs each) / column-major Hessians (matrix_size each)
    Real (*value)(const Table&, const Evaluation&, int begin, int end) = nullptr;
    void (*gradient)(const Table&, const Evaluation&, int begin, int end, Real* out) = nullptr;
    void (*hessian)(const Table&, const Evaluation&, int begin, int end, Projection, Real* out) = nullptr;
    // forces without potential: f (dofs each), and df/dx, df/dv (matrix_size each)
    void (*force)(const Table&, const Evaluation&, int begin, int end, Real* out) = nullptr;
    void (*force_derivatives)(const Table&, const Evaluation&, int begin, int end, Real* dfdx, Real* dfdv) = nullptr;
    // after an accepted step: update the memory (memory_size reals each)
    void (*finish)(const Table&, const Evaluation&, int begin, int end, Real* memory) = nullptr;
    // solids: elements of the range that are turned inside out; null = cannot be
    int (*inverted)(const Table&, const Evaluation&, int begin, int end) = nullptr;
    // constraints: C (rows each) and J (rows x dofs each, row major); null J = only C
    void (*constraint)(const Table&, const Evaluation&, int begin, int end, Real* c, Real* jacobian) = nullptr;

    // constraints: sum over rows of lambda_r Hess C_r (matrix_size each), lambda with `rows` numbers per element
    void (*constraint_hessian)(const Table&, const Evaluation&, int begin, int end, const Real* lambda, Real* out) = nullptr;

    Real (*compliance)(const Table&, int element) = nullptr;
    Bound (*bound)(const Table&, int element) = nullptr;
    // constraints, each null = none: damping of a soft row [N s/m]; whether C or its rate is held; the rate dC/dt that is
    // wanted (rows each); the largest force of a box [N or N m]
    Real (*damping)(const Table&, int element) = nullptr;
    Level (*level)(const Table&, int element) = nullptr;
    void (*rate)(const Table&, const Evaluation&, int begin, int end, Real* out) = nullptr;
    Real (*limit)(const Table&, int element) = nullptr;

    // tests: a random valid element and state; `which` cycles through the degenerate cases that the entry names
    int sample_kinds = 1;
    void (*sample)(Rng&, int which, std::byte* data, Real3* x, Real3* p, Real4* q, Real* s) = nullptr;
};

// All elements of one entry.
struct Table {
    const ElementRow* row = nullptr;
    std::vector<int> stencil;           // row->stencil indices per element, -1 = absent
    std::vector<std::byte> data;        // row->data_size bytes per element
    std::vector<int> object;            // owner per element
    int count() const { return int(object.size()); }
};

// Whether elements can have a force without potential here.
inline bool has_force(const Table& t, const Evaluation& ev) { return t.row->force && !(t.row->explicit_force && ev.elapsed > 0); }
struct Tables {
    std::vector<Table> energies;        // one per entry of energy/list.h that is used
    std::vector<Table> constraints;     // one per entry of constraint/list.h that is used
};

// What the elements of a row keep across steps, element-major: the array "element.<row>" of State.memory; null = none.
const std::vector<double>* find_element_memory(const std::vector<NamedValues>& memory, std::string_view row);
std::vector<double>& element_memory(State&, const ElementRow&);
void register_elements(const Tables&, State&); // makes these arrays, zeros for elements that have none yet

// Finds the table of a row, adding it if there is none.
Table& table_of(std::vector<Table>&, const ElementRow&);
// Appends an element: prepares its data from params and the rest stencil.
void add_element(Table&, const void* params, std::span<const int> stencil, const RestView&, int object);

} // namespace sinew
