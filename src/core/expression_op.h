// The instructions of compiled expressions: each takes up to three numbers and gives one.
#pragma once
#include "core/expression.h"

namespace sinew {

enum class ExpressionOp : std::uint16_t {
    constant,
    slot,
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    select,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    tanh,
    sqrt,
    exp,
    log,
    log10,
    abs,
    sign,
    floor,
    ceil,
    round,
    min,
    max,
    clamp,
    step,
    smoothstep,
    mix,
    mod,
    hypot,
    noise,
};

inline constexpr int kExpressionStack = 64; // deeper expressions are refused when compiled

double apply_op(ExpressionOp, const double* a, int count, std::uint64_t seed);
// partial derivatives of apply_op with value f
void apply_op_slopes(ExpressionOp, const double* a, int count, std::uint64_t seed, double f, double* slope);
// value noise at a point of `count` coordinates; slope may be null
double value_noise(const double* a, int count, std::uint64_t seed, double* slope);

} // namespace sinew
