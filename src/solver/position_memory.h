// What schemes of two steps remember of points. It belongs to the state they left: points that were moved, kicked or born since are
// strangers and begin anew.
// In State.memory, per point: three numbers of the scheme, x and v; then h.
#pragma once
#include "core/math.h"
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

inline constexpr const char* kAcceleration = "position.acceleration"; // [m/s^2] newmark
inline constexpr const char* kBackward = "position.backward";         // [m/s] (x - x before)/h, verlet

inline constexpr const char* kMode = "position.mode";                 // of power iteration (DualScratch), and its number of rows

std::size_t kept_numbers(const Model&);
// The three numbers of each point, zero for strangers; `strangers` is empty if there are none. Points without inverse mass are none.
// Returns the h of the sub-steps they come from, 0 if there are no such numbers.
Real recall_numbers(const Model&, const State& now, const char* name, const std::vector<Real>& point_inverse,
                    std::vector<Real3>& out, std::vector<unsigned char>& strangers);
void keep_numbers(const Model&, const char* name, const std::vector<Real3>&, Real h, State&);

// The mode of the largest eigenvalue, where power iteration goes on from (spec U079).
void recall_mode(const State& now, std::vector<Real>& mode, Real& rows);
void keep_mode(const std::vector<Real>& mode, Real rows, State&);

} // namespace sinew
