// A number of the scene that may vary with time (and, for named fields, with place): a constant or an
// expression.
#pragma once
#include "core/expression.h"
#include "sinew/types.h"

namespace sinew {

struct Signal {
    double constant = 0;   // SI; used when the expression is empty
    Expression expression; // empty code = constant; its text is what the scene says
};
struct Signal3 {
    Signal x, y, z;
};

inline bool is_constant(const Signal& s) { return s.expression.code.empty(); }
inline bool is_constant(const Signal3& s) { return is_constant(s.x) && is_constant(s.y) && is_constant(s.z); }
inline bool uses_gauges(const Signal& s) { return uses_gauges(s.expression); }
inline bool uses_gauges(const Signal3& s) { return uses_gauges(s.x) || uses_gauges(s.y) || uses_gauges(s.z); }
inline double evaluate(const Signal& s, std::span<const double> slots, std::span<const double> gauges = {}) {
    return is_constant(s) ? s.constant : evaluate(s.expression, slots, gauges);
}
inline Real3 evaluate(const Signal3& s, std::span<const double> slots, std::span<const double> gauges = {}) {
    return {evaluate(s.x, slots, gauges), evaluate(s.y, slots, gauges), evaluate(s.z, slots, gauges)};
}
inline Signal make_signal(double constant) { return {constant, {}}; }
inline Signal3 make_signal3(const Real3& constant) {
    return {make_signal(constant.x), make_signal(constant.y), make_signal(constant.z)};
}

} // namespace sinew
