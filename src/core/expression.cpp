#include "core/expression.h"
#include "core/expression_op.h"
#include "core/random.h"
#include <algorithm>
#include <cmath>

namespace sinew {

using Op = ExpressionOp;

void add_constant(Symbols& s, std::string_view name, double value) {
    s.names.insert_or_assign(std::string(name), Symbol{-1, value});
}
void add_slot(Symbols& s, std::string_view name, int slot) {
    s.names.insert_or_assign(std::string(name), Symbol{slot, 0});
}

Expression make_expression(double constant) {
    Expression e;
    e.code.push_back({Op::constant, 0, 0, constant});
    return e;
}

bool is_constant(const Expression& e) { return e.slot_count == 0; }

bool uses_slot(const Expression& e, int slot) {
    return std::any_of(e.code.begin(), e.code.end(),
                       [&](const Instruction& i) { return i.op == Op::slot && i.slot == slot; });
}

bool uses_gauges(const Expression& e) { return e.slot_count > kFirstGauge; }

static double smooth(double t) { return t * t * (3 - 2 * t); }

double apply_op(Op op, const double* a, int count, std::uint64_t seed) {
    switch (op) {
    case Op::constant:
    case Op::slot:
        return 0; // handled by the loops below
    case Op::negate:
        return -a[0];
    case Op::logical_not:
        return a[0] == 0;
    case Op::add:
        return a[0] + a[1];
    case Op::subtract:
        return a[0] - a[1];
    case Op::multiply:
        return a[0] * a[1];
    case Op::divide:
        return a[0] / a[1];
    case Op::power:
        return std::pow(a[0], a[1]);
    case Op::less:
        return a[0] < a[1];
    case Op::less_equal:
        return a[0] <= a[1];
    case Op::greater:
        return a[0] > a[1];
    case Op::greater_equal:
        return a[0] >= a[1];
    case Op::equal:
        return a[0] == a[1];
    case Op::not_equal:
        return a[0] != a[1];
    case Op::logical_and:
        return a[0] != 0 && a[1] != 0;
    case Op::logical_or:
        return a[0] != 0 || a[1] != 0;
    case Op::select:
        return a[0] != 0 ? a[1] : a[2];
    case Op::sin:
        return std::sin(a[0]);
    case Op::cos:
        return std::cos(a[0]);
    case Op::tan:
        return std::tan(a[0]);
    case Op::asin:
        return std::asin(a[0]);
    case Op::acos:
        return std::acos(a[0]);
    case Op::atan:
        return std::atan(a[0]);
    case Op::atan2:
        return std::atan2(a[0], a[1]);
    case Op::tanh:
        return std::tanh(a[0]);
    case Op::sqrt:
        return std::sqrt(a[0]);
    case Op::exp:
        return std::exp(a[0]);
    case Op::log:
        return std::log(a[0]);
    case Op::log10:
        return std::log10(a[0]);
    case Op::abs:
        return std::abs(a[0]);
    case Op::sign:
        return (a[0] > 0) - (a[0] < 0);
    case Op::floor:
        return std::floor(a[0]);
    case Op::ceil:
        return std::ceil(a[0]);
    case Op::round:
        return std::round(a[0]);
    case Op::min:
        return a[1] < a[0] ? a[1] : a[0];
    case Op::max:
        return a[1] > a[0] ? a[1] : a[0];
    case Op::clamp:
        return a[0] < a[1] ? a[1] : a[0] > a[2] ? a[2] : a[0];
    case Op::step:
        return a[1] >= a[0];
    case Op::smoothstep:
        if (!(a[0] < a[1] || a[0] > a[1])) return a[2] >= a[0]; // no width: a step
        return smooth(std::clamp((a[2] - a[0]) / (a[1] - a[0]), 0.0, 1.0));
    case Op::mix:
        return a[0] + (a[1] - a[0]) * a[2];
    case Op::mod:
        return a[0] - a[1] * std::floor(a[0] / a[1]);
    case Op::hypot:
        return std::hypot(a[0], a[1]);
    case Op::noise:
        return value_noise(a, count, seed, nullptr);
    }
    return 0;
}

static void smoothstep_slopes(const double* a, double* slope) {
    const double width = a[1] - a[0], t = (a[2] - a[0]) / width;
    if (!(t > 0 && t < 1)) return; // flat outside; also when there is no width
    const double s = 6 * t * (1 - t) / width;
    slope[0] = s * (t - 1);
    slope[1] = -s * t;
    slope[2] = s;
}

void apply_op_slopes(Op op, const double* a, int count, std::uint64_t seed, double f, double* slope) {
    slope[0] = slope[1] = slope[2] = 0; // comparisons, logic, step, floor, ... are flat
    const auto set = [&](double d0, double d1 = 0, double d2 = 0) {
        slope[0] = d0;
        slope[1] = d1;
        slope[2] = d2;
    };
    switch (op) {
    case Op::negate:
        return set(-1);
    case Op::add:
        return set(1, 1);
    case Op::subtract:
        return set(1, -1);
    case Op::multiply:
        return set(a[1], a[0]);
    case Op::divide:
        return set(1 / a[1], -f / a[1]);
    case Op::power: // the exponent's part is defined for positive bases only; 0^b stays 0 for b > 0
        return set(a[1] == 0 ? 0 : a[1] * std::pow(a[0], a[1] - 1), a[0] == 0 ? 0 : f * std::log(a[0]));
    case Op::select:
        return a[0] != 0 ? set(0, 1, 0) : set(0, 0, 1);
    case Op::sin:
        return set(std::cos(a[0]));
    case Op::cos:
        return set(-std::sin(a[0]));
    case Op::tan:
        return set(1 + f * f);
    case Op::asin:
        return set(1 / std::sqrt(1 - a[0] * a[0]));
    case Op::acos:
        return set(-1 / std::sqrt(1 - a[0] * a[0]));
    case Op::atan:
        return set(1 / (1 + a[0] * a[0]));
    case Op::atan2: {
        const double r2 = a[0] * a[0] + a[1] * a[1];
        return set(a[1] / r2, -a[0] / r2);
    }
    case Op::tanh:
        return set(1 - f * f);
    case Op::sqrt:
        return set(0.5 / f);
    case Op::exp:
        return set(f);
    case Op::log:
        return set(1 / a[0]);
    case Op::log10:
        return set(0.43429448190325183 / a[0]);
    case Op::abs:
        return set((a[0] > 0) - (a[0] < 0));
    case Op::min:
        return a[1] < a[0] ? set(0, 1) : set(1, 0);
    case Op::max:
        return a[1] > a[0] ? set(0, 1) : set(1, 0);
    case Op::clamp:
        return a[0] < a[1] ? set(0, 1, 0) : a[0] > a[2] ? set(0, 0, 1) : set(1);
    case Op::smoothstep:
        return smoothstep_slopes(a, slope);
    case Op::mix:
        return set(1 - a[2], a[2], a[1] - a[0]);
    case Op::mod:
        return set(1, -std::floor(a[0] / a[1]));
    case Op::hypot:
        return f == 0 ? set(0) : set(a[0] / f, a[1] / f);
    case Op::noise:
        value_noise(a, count, seed, slope);
        return;
    default:
        return;
    }
}

double value_noise(const double* a, int count, std::uint64_t seed, double* slope) {
    std::int64_t cell[3] = {0, 0, 0};
    double fade[3] = {0, 0, 0}, dfade[3] = {0, 0, 0};
    for (int k = 0; k < count; ++k) {
        if (!(std::abs(a[k]) < 1e15)) return a[k] - a[k]; // beyond: 0, NaN stays NaN
        const double floor = std::floor(a[k]), t = a[k] - floor;
        cell[k] = std::int64_t(floor);
        fade[k] = t * t * t * (t * (6 * t - 15) + 10);
        dfade[k] = 30 * t * t * (t - 1) * (t - 1);
    }
    double value = 0, d[3] = {0, 0, 0};
    for (int corner = 0; corner < 1 << count; ++corner) {
        std::uint64_t h = seed;
        for (int k = 0; k < 3; ++k) h = mix64((h + kGolden64) ^ std::uint64_t(cell[k] + (corner >> k & 1)));
        double weight = 2 * unit_double(h) - 1, part[3] = {weight, weight, weight};
        for (int k = 0; k < count; ++k) {
            const bool high = corner >> k & 1;
            const double w = high ? fade[k] : 1 - fade[k];
            weight *= w;
            for (int i = 0; i < count; ++i) part[i] *= i == k ? (high ? dfade[k] : -dfade[k]) : w;
        }
        value += weight;
        for (int i = 0; i < count; ++i) d[i] += part[i];
    }
    if (slope)
        for (int i = 0; i < count; ++i) slope[i] = d[i];
    return value;
}

static double read_slot(std::span<const double> slots, std::span<const double> gauges, int slot) {
    if (slot >= kFirstGauge) slots = gauges, slot -= kFirstGauge;
    return std::size_t(slot) < slots.size() ? slots[std::size_t(slot)] : 0;
}

double evaluate(const Expression& e, std::span<const double> slots, std::span<const double> gauges) {
    double stack[kExpressionStack + 1];
    int top = 0; // numbers on the stack
    for (const Instruction& i : e.code) {
        if (i.op == Op::constant) {
            stack[top++] = i.constant;
        } else if (i.op == Op::slot) {
            stack[top++] = read_slot(slots, gauges, i.slot);
        } else {
            top -= i.argument_count;
            stack[top] = apply_op(i.op, stack + top, i.argument_count, e.seed);
            ++top;
        }
    }
    return top ? stack[0] : 0;
}

ValueGradient evaluate_gradient(const Expression& e, std::span<const double> slots,
                                std::span<const int> with_respect_to, std::span<const double> gauges) {
    double value[kExpressionStack + 1];
    double gradient[kExpressionStack + 1][3];
    int top = 0;
    const int directions = std::min(3, int(with_respect_to.size()));
    for (const Instruction& i : e.code) {
        if (i.op == Op::constant || i.op == Op::slot) {
            value[top] = i.op == Op::constant ? i.constant : read_slot(slots, gauges, i.slot);
            for (int k = 0; k < 3; ++k)
                gradient[top][k] =
                    i.op == Op::slot && k < directions && with_respect_to[std::size_t(k)] == i.slot ? 1 : 0;
            ++top;
            continue;
        }
        top -= i.argument_count;
        const double f = apply_op(i.op, value + top, i.argument_count, e.seed);
        double slope[3], sum[3] = {0, 0, 0};
        apply_op_slopes(i.op, value + top, i.argument_count, e.seed, f, slope);
        for (int a = 0; a < i.argument_count; ++a)
            for (int k = 0; k < 3; ++k) // an argument that does not vary, or does not count, must not bring in 0 * infinity
                if (slope[a] != 0 && gradient[top + a][k] != 0) sum[k] += slope[a] * gradient[top + a][k];
        value[top] = f;
        for (int k = 0; k < 3; ++k) gradient[top][k] = sum[k];
        ++top;
    }
    ValueGradient r;
    if (top) {
        r.value = value[0];
        for (int k = 0; k < 3; ++k) r.gradient[k] = gradient[0][k];
    }
    return r;
}

} // namespace sinew
