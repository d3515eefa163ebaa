#include "core/expression.h"
#include "core/random.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

static Symbols test_symbols() {
    Symbols s;
    add_slot(s, "t", 0);
    add_slot(s, "x", 1);
    add_slot(s, "y", 2);
    add_slot(s, "hero/hips.y", 3);
    add_constant(s, "rise", 0.17);
    add_constant(s, "a", 12);
    add_constant(s, "b", 4);
    s.resolve = [](std::string_view name) -> std::optional<Symbol> {
        if (name == "sheet.point[12].x") return Symbol{4, 0};
        if (name == "step/0.y") return Symbol{5, 0};
        return std::nullopt;
    };
    return s;
}
static Expression compiled(std::string_view text) {
    auto r = compile_expression(text, test_symbols(), 7);
    for (const auto& e : r.errors) ADD_FAILURE() << text << " at " << e.column << ": " << e.message;
    return r.value ? *r.value : make_expression(NAN);
}
static const double kSlots[] = {0.5, 2, 3, -1.75, 10, 20};
static double value(std::string_view text) { return evaluate(compiled(text), kSlots); }

TEST(expression, arithmetic_follows_the_usual_precedence) {
    const struct {
        const char* text;
        double value;
    } cases[] = {
        {"1 + 2*3", 7},
        {"(1+2)*3", 9},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"2^-1", 0.5},
        {"--3", 3},
        {"+3", 3},
        {"8/4/2", 1},
        {"1-2-3", -4},
        {"!0", 1},
        {"!3", 0},
        {"1<2", 1},
        {"2<=2", 1},
        {"1>2", 0},
        {"2>=3", 0},
        {"1==1", 1},
        {"1!=1", 0},
        {"1 || 0 && 0", 1},
        {"0 ? 1 : 2 ? 3 : 4", 3},
        {"1 ? 2 : 3", 2},
        {"1 < 2 == 1", 1},
        {"1+1 < 3 && 2 > 1", 1},
        {".5 + 5e-1", 1},
        {"2*pi", 2 * M_PI},
        {"e", M_E},
        {"true + false", 1},
    };
    for (const auto& c : cases) EXPECT_EQ(value(c.text), c.value) << c.text;
}

TEST(expression, functions_have_their_values) {
    const struct {
        const char* text;
        double value;
    } cases[] = {
        {"sin(t)", std::sin(0.5)},
        {"cos(t)", std::cos(0.5)},
        {"tan(t)", std::tan(0.5)},
        {"asin(t)", std::asin(0.5)},
        {"acos(t)", std::acos(0.5)},
        {"atan(x)", std::atan(2.0)},
        {"atan2(y, x)", std::atan2(3.0, 2.0)},
        {"tanh(t)", std::tanh(0.5)},
        {"sqrt(x)", std::sqrt(2.0)},
        {"exp(t)", std::exp(0.5)},
        {"log(x)", std::log(2.0)},
        {"log10(1000)", 3},
        {"abs(-x)", 2},
        {"sign(-x)", -1},
        {"sign(0)", 0},
        {"floor(-t)", -1},
        {"ceil(t)", 1},
        {"round(2.5)", 3},
        {"round(-2.5)", -3},
        {"min(3, 1, 2)", 1},
        {"max(1, 3, 2)", 3},
        {"clamp(5, 0, 1)", 1},
        {"clamp(-5, 0, 1)", 0},
        {"clamp(t, 0, 1)", 0.5},
        {"step(1, 0.5)", 0},
        {"step(1, 1)", 1},
        {"smoothstep(0, 1, t)", 0.5},
        {"smoothstep(0, 1, 2)", 1},
        {"smoothstep(1, 1, 2)", 1},
        {"mix(1, 3, t)", 2},
        {"mod(7, 3)", 1},
        {"mod(-1, 3)", 2},
        {"hypot(3, 4)", 5},
        {"hypot(2, 3, 6)", 7},
        {"pow(2, 10)", 1024},
    };
    for (const auto& c : cases) EXPECT_DOUBLE_EQ(value(c.text), c.value) << c.text;
}

TEST(expression, names_are_the_longest_ones_that_are_known) {
    EXPECT_EQ(value("hero/hips.y < -1.5"), 1);
    EXPECT_EQ(value("a/b"), 3); // no name a/b: division
    EXPECT_EQ(value("a/2"), 6);
    EXPECT_EQ(value("a/2.5"), 4.8);
    EXPECT_EQ(value("a/2e1"), 0.6);
    EXPECT_EQ(value("a/sqrt(4)"), 6);
    EXPECT_EQ(value("step/0.y/b"), 5);
    EXPECT_EQ(value("sheet.point[12].x*2"), 20);
    EXPECT_EQ(value("hero/hips.y/t"), -3.5);
    EXPECT_EQ(value("a/hero/hips.y"), 12 / -1.75);
    EXPECT_EQ(value("a/(b)"), 3);
}

TEST(expression, constants_are_folded_and_slots_are_listed) {
    EXPECT_TRUE(is_constant(compiled("2*rise + sin(1)")));
    EXPECT_EQ(compiled("2*rise + sin(1)").code.size(), 1u);
    const Expression e = compiled("x + t");
    EXPECT_FALSE(is_constant(e));
    EXPECT_TRUE(uses_slot(e, 0));
    EXPECT_TRUE(uses_slot(e, 1));
    EXPECT_FALSE(uses_slot(e, 2));
    EXPECT_EQ(e.slot_count, 2);
    EXPECT_EQ(evaluate(e, {}), 0); // too few slots never read out of bounds
    EXPECT_EQ(evaluate(make_expression(3), {}), 3);
    EXPECT_EQ(evaluate(Expression{}, {}), 0);
}

TEST(expression, errors_name_the_place_what_is_known_and_the_nearest_name) {
    const struct {
        const char* text;
        int column;
        const char* fragment;
        const char* nearest;
    } cases[] = {
        {"1 + risr", 5, "unknown name \"risr\"", "rise"},
        {"2*hero/hipz.y", 3, "unknown name \"hero/hipz.y\"", "hero/hips.y"},
        {"3 * sqr(2)", 5, "unknown function \"sqr\"", "sqrt"},
        {"", 1, "ends where a value", ""},
        {"1 +", 4, "ends where a value", ""},
        {"(1 + 2", 1, "not closed", ""},
        {"sin(1", 6, "closing bracket", ""},
        {"sin(1, 2)", 1, "sin does not take 2", ""},
        {"min(1)", 1, "min does not take 1", ""},
        {"noise()", 1, "noise does not take 0", ""},
        {"1 2", 3, "an operator is expected", ""},
        {"2pi", 2, "an operator is expected after the number", ""},
        {"1 = 2", 3, "one = alone", ""},
        {"1 & 2", 3, "single &", ""},
        {"5 % 3", 3, "mod(a, b)", ""},
        {"0 < x < 1", 7, "cannot be chained", ""},
        {"1 ? 2", 6, "a colon is expected", ""},
        {"1e999", 1, "out of the range", ""},
        {"1 + * 2", 5, "a value is expected", ""},
        {")", 1, "a value is expected", ""},
        {"é + 1", 1, "unknown name", ""},
        {"1 + §", 5, "unknown name", ""},
        {"#", 1, "a value is expected", ""},
    };
    for (const auto& c : cases) {
        const auto r = compile_expression(c.text, test_symbols());
        ASSERT_FALSE(r.errors.empty()) << c.text;
        EXPECT_FALSE(r.value.has_value());
        EXPECT_EQ(r.errors[0].column, c.column) << c.text << ": " << r.errors[0].message;
        EXPECT_NE((r.errors[0].message + r.errors[0].allowed).find(c.fragment), std::string::npos)
            << c.text << ": " << r.errors[0].message;
        EXPECT_EQ(r.errors[0].nearest, c.nearest) << c.text;
    }
    EXPECT_EQ(compile_expression("risr + hipz", test_symbols()).errors.size(),
              2u); // all unknown names at once
    EXPECT_NE(compile_expression("q", test_symbols()).errors[0].allowed.find("rise"), std::string::npos);
    EXPECT_FALSE(compile_expression(std::string_view("1\0002", 3), test_symbols()).value.has_value());
}

TEST(expression, huge_and_deep_texts_are_refused_without_overflow) {
    for (const char* part : {"(", "-", "!", "1?", "2^", "sin(", "1+(", "a?1:"}) {
        std::string text;
        while (text.size() < 9000) text += part;
        EXPECT_FALSE(compile_expression(text + "1", test_symbols()).value.has_value()) << part;
    }
    EXPECT_FALSE(compile_expression(std::string(20000, '1'), test_symbols()).value.has_value());
    std::string sum = "x";
    for (int i = 0; i < 2000; ++i) sum += "+x";
    EXPECT_EQ(value(sum), 2 * 2001); // long but flat is fine
}

TEST(expression, gradients_agree_with_finite_differences_for_every_function) {
    const char* texts[] = {
        "x+y",
        "x-y",
        "x*y",
        "x/y",
        "x^y",
        "x^2",
        "-x",
        "sin(x*y)",
        "cos(x-y)",
        "tan(x/3)",
        "asin(x/4)",
        "acos(y/4)",
        "atan(x*y)",
        "atan2(x, y)",
        "tanh(x-y)",
        "sqrt(x*y)",
        "exp(x-y)",
        "log(x*y)",
        "log10(x+y)",
        "abs(x-y)",
        "sign(x)*y",
        "floor(x*1.3)+y",
        "ceil(x*1.3)*y",
        "round(x*1.3)*y",
        "min(x, y)",
        "max(x, y*x, 3)",
        "clamp(x*y, 0, 5)",
        "clamp(x*y, y, 50)",
        "step(1, x)*y",
        "smoothstep(y, y+1+x, 2*y)",
        "smoothstep(0, 4, x)",
        "mix(x, y, x*y)",
        "mod(x*5.3, y)",
        "hypot(x, y)",
        "hypot(x, y, 3)",
        "pow(y, x)",
        "noise(x*1.7)",
        "noise(x*1.7, y*0.6)",
        "noise(x*1.7, y*0.6, x*y)",
        "x > y ? x*x : y^3",
        "(x < y) * x",
        "(x >= y && x != 3) + x",
        "(x <= y || x == y) * x*y",
        "!(x > y)*y",
    };
    Rng r{3, 0, 0};
    const int wrt[] = {1, 2};
    for (const char* text : texts) {
        const Expression e = compiled(text);
        for (int sample = 0; sample < 20; ++sample) {
            double slots[] = {0.5, draw_uniform(r, 0.5, 3), draw_uniform(r, 0.5, 3), 0, 0, 0};
            const ValueGradient g = evaluate_gradient(e, slots, wrt);
            EXPECT_EQ(g.value, evaluate(e, slots)) << text;
            for (int k = 0; k < 2; ++k) {
                const double h = 1e-5, x = slots[k + 1];
                slots[k + 1] = x + h;
                const double up = evaluate(e, slots);
                slots[k + 1] = x - h;
                const double down = evaluate(e, slots);
                slots[k + 1] = x;
                const double there = evaluate(e, slots);
                if (std::abs(up - 2 * there + down) > 1e-6) continue; // a jump or kink lies in between
                // central difference: h^2 f'''/6 and rounding 1e-16 f/h, f up to 30
                EXPECT_NEAR(g.gradient[k], (up - down) / (2 * h),
                            2e-7 * std::max(1.0, std::abs(g.gradient[k])))
                    << text << " " << k;
            }
            EXPECT_EQ(g.gradient[2], 0);
        }
    }
}

TEST(expression, gradients_do_not_turn_constant_parts_into_nan) {
    const double slots[] = {0, 0, 0};
    const int wrt[] = {1};
    EXPECT_EQ(evaluate_gradient(compiled("sqrt(t)*x + t^0.5"), slots, wrt).gradient[0], 0);
    EXPECT_EQ(evaluate_gradient(compiled("(x-1)^2"), slots, wrt).gradient[0],
              -2); // negative base, constant exponent
    EXPECT_EQ(evaluate_gradient(compiled("x^0"), slots, wrt).gradient[0], 0);
    EXPECT_EQ(evaluate_gradient(compiled("hypot(x, y)"), slots, wrt).gradient[0], 0);
    EXPECT_EQ(evaluate_gradient(compiled("x < 0 ? sqrt(x) : 2*x"), slots, wrt).gradient[0], 2); // nor what is not taken
}

TEST(expression, noise_is_smooth_seeded_bounded_and_zero_argument_is_consistent) {
    const Symbols s = test_symbols();
    const Expression a = *compile_expression("noise(x, y)", s, 1).value,
                     b = *compile_expression("noise(x, y)", s, 2).value,
                     one = *compile_expression("noise(x)", s, 1).value;
    double least = 1, most = -1, difference = 0;
    Rng r{1, 0, 0};
    for (int i = 0; i < 5000; ++i) {
        const double slots[] = {0, draw_uniform(r, -50, 50), draw_uniform(r, -50, 50)},
                     line[] = {0, slots[1], 0};
        const double v = evaluate(a, slots);
        least = std::min(least, v);
        most = std::max(most, v);
        difference = std::max(difference, std::abs(v - evaluate(b, slots)));
        EXPECT_DOUBLE_EQ(evaluate(one, line), evaluate(a, line));
    }
    EXPECT_GE(least, -1);
    EXPECT_LE(most, 1);
    EXPECT_LT(least, -0.7);
    EXPECT_GT(most, 0.7);
    EXPECT_GT(difference, 0.5);
    const double huge[] = {0, 1e300, -1e300};
    EXPECT_EQ(evaluate(a, huge), 0);
}
