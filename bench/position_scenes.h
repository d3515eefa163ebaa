// Cloth and bars for sinew-bench position, as plain numbers, and the quality of a result from positions alone, by one code
// for all engines.
#pragma once
#include "sinew/types.h"
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace sinew::bench {

struct SoftScene {
    std::string name;
    std::vector<Real3> x;                    // [m]
    std::vector<double> mass;                // [kg]
    std::vector<unsigned char> fixed;
    std::vector<std::array<int, 2>> edges;
    std::vector<std::array<int, 3>> triangles;
    std::vector<std::array<int, 4>> hinges;  // apex, edge, edge, apex (geometry/dihedral.h)
    std::vector<std::array<int, 4>> tets;
};
// N x N points, side 2 m, 1 kg in all, alternating diagonals, first row fixed, horizontal; `columns`: a strip of it, 0 = all
SoftScene make_soft_cloth(int n, int columns = 0);
// 41 x 8 x 8 points in 10 x 1.5 x 1.5 m, five tetrahedra per cell, 1 kg per point, one end fixed
SoftScene make_soft_bar();

struct SoftEngine {
    virtual ~SoftEngine() = default;
    virtual void step(double dt) = 0;
    virtual void positions(std::vector<Real3>&) const = 0;
    virtual std::string note() const { return {}; }
};

enum class Bend { springs, hinges };
struct OwnSettings {
    int substeps = 1, iterations = 1, threads = 1;
    bool chains = true;
    double relaxation = 0, tolerance = 0; // tolerance: iterations are made only where a row is violated by more
    Bend bend = Bend::springs;
    std::string method = "gauss_seidel", directions = "current";
};
std::unique_ptr<SoftEngine> make_own_soft(const SoftScene&, const OwnSettings&);
// the same model by `newton`, `parts` of each step
std::unique_ptr<SoftEngine> make_newton_soft(const SoftScene&, int parts, double tolerance);
#ifdef SINEW_HAVE_BULLET
std::unique_ptr<SoftEngine> make_bullet_soft(const SoftScene&, int iterations);
#endif

struct Stretch {
    double largest = 0, mean = 0; // of |l/L - 1| over the edges
};
Stretch measure_stretch(const SoftScene&, const std::vector<Real3>& x);
Real3 center_of_mass(const SoftScene&, const std::vector<Real3>& x);
// [J] kinetic and gravitational energy of the free points half way between two states dt apart, gravity 9.81 m/s^2 along -y from the start
double energy_without_strain(const SoftScene&, const std::vector<Real3>& before, const std::vector<Real3>& x, double dt);
double energy_of_fall(const SoftScene&, double height); // [J] of the free points
double lowest_point(const std::vector<Real3>& x);

} // namespace sinew::bench
