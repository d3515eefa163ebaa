// Arithmetic expressions of scene files, compiled once to a flat list of instructions for a stack machine.
//
//   expression = condition [ "?" expression ":" expression ]
//   operators, loosest first:  ||   &&   == !=   < <= > >=   + -   * /   unary - + !   ^ (to the right, -2^2
//   = -4) functions: sin cos tan asin acos atan atan2(y,x) tanh sqrt exp log log10 abs sign floor ceil round
//   min(..) max(..)
//              clamp(x,low,high) step(edge,x) smoothstep(a,b,x) mix(a,b,t) mod(a,b) hypot(..) pow(a,b)
//              noise(x[,y[,z]])
//   constants: pi e true false; comparisons and logic give 1 or 0; both sides of && || ?: are evaluated
//
// Names are looked up in the caller's Symbols. A name may hold dots, slashes and [index] (hero/hips.y,
// step/0.y, sheet.point[12].x), written without spaces. `a/b.y` is read as the longest beginning that the
// symbols know (a/b.y, then a/b, then a); what follows is an operator, so that `a/b` with known a and b, and
// no name a/b, divides.
//
// A text in the place of a number is first tried as quantity with unit ("3 mm", core/units.h), then as
// expression; units cannot be used inside an expression.
//
// noise is value noise: random numbers in [-1, 1] at whole-numbered points, blended by 6t^5 - 15t^4 + 10t^3
// (Perlin 2002), so that value, slope and curvature are continuous; the seed is given when compiling.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

// Slots from here on are gauges, numbers of the running scene (scene/gauge.h): evaluate reads them from a span of their own.
inline constexpr int kFirstGauge = 1 << 16;

struct Symbol {
    int slot = -1;    // index into the slots given to evaluate, or -1: constant
    double value = 0; // if constant
};
struct Symbols {
    std::map<std::string, Symbol, std::less<>> names;
    const Symbols* outer = nullptr; // asked for names not in the map; must outlive this
    std::function<std::optional<Symbol>(std::string_view name)> resolve; // asked last; may be empty
};
void add_constant(Symbols&, std::string_view name, double value);
void add_slot(Symbols&, std::string_view name, int slot);

enum class ExpressionOp : std::uint16_t; // expression_op.h
struct Instruction {
    ExpressionOp op;
    std::uint16_t argument_count;
    std::int32_t slot; // of a variable
    double constant;
};
struct Expression {
    std::vector<Instruction> code; // in order of evaluation; empty = 0
    int slot_count = 0;            // slots needed: 1 + largest used
    std::uint64_t seed = 0;        // of noise
    std::string text;              // as written
};

struct ExpressionError {
    int column = 0; // 1-based character in the text
    std::string message, allowed, nearest;
    std::string unknown{}; // the name that nothing has, if that is the error
};
struct ExpressionResult {
    std::optional<Expression> value;
    std::vector<ExpressionError> errors;
};
ExpressionResult compile_expression(std::string_view text, const Symbols&, std::uint64_t seed = 0);
Expression make_expression(double constant);

bool is_constant(const Expression&); // no slot is read
bool uses_slot(const Expression&, int slot);
bool uses_gauges(const Expression&);

// No allocation, no recursion. Slots and gauges beyond their spans read as 0.
double evaluate(const Expression&, std::span<const double> slots, std::span<const double> gauges = {});

struct ValueGradient {
    double value = 0;
    double gradient[3] = {0, 0, 0};
};
// value and derivatives with respect to up to three slots, by forward-mode differentiation; at kinks (abs at
// 0, equal arguments of min) the derivative from one side
ValueGradient evaluate_gradient(const Expression&, std::span<const double> slots,
                                std::span<const int> with_respect_to, std::span<const double> gauges = {});

} // namespace sinew
