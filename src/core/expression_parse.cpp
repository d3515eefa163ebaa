// From text to instructions: precedence climbing, with limits on length, nesting and stack depth.
#include "core/expression_op.h"
#include "core/nearest.h"
#include "core/utf8.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace sinew {
namespace {

using Op = ExpressionOp;

constexpr std::size_t kMaxText = 10000;
constexpr int kMaxDepth = 60; // of brackets, signs and powers

struct Function {
    std::string_view name;
    Op op;
    int least, most; // arguments
};
constexpr int kMany = 20; // of min, max, hypot: compiled as a chain of pairs
constexpr Function kFunctions[] = {
    {"sin", Op::sin, 1, 1},     {"cos", Op::cos, 1, 1},         {"tan", Op::tan, 1, 1},
    {"asin", Op::asin, 1, 1},   {"acos", Op::acos, 1, 1},       {"atan", Op::atan, 1, 1},
    {"atan2", Op::atan2, 2, 2}, {"tanh", Op::tanh, 1, 1},       {"sqrt", Op::sqrt, 1, 1},
    {"exp", Op::exp, 1, 1},     {"log", Op::log, 1, 1},         {"log10", Op::log10, 1, 1},
    {"abs", Op::abs, 1, 1},     {"sign", Op::sign, 1, 1},       {"floor", Op::floor, 1, 1},
    {"ceil", Op::ceil, 1, 1},   {"round", Op::round, 1, 1},     {"min", Op::min, 2, kMany},
    {"max", Op::max, 2, kMany}, {"clamp", Op::clamp, 3, 3},     {"step", Op::step, 2, 2},
    {"mix", Op::mix, 3, 3},     {"hypot", Op::hypot, 2, kMany}, {"smoothstep", Op::smoothstep, 3, 3},
    {"mod", Op::mod, 2, 2},     {"pow", Op::power, 2, 2},       {"noise", Op::noise, 1, 3},
};

struct Operator {
    std::string_view text;
    Op op;
    int precedence;
};
constexpr Operator kOperators[] = {
    // longer ones first
    {"||", Op::logical_or, 1}, {"&&", Op::logical_and, 2},   {"==", Op::equal, 3},   {"!=", Op::not_equal, 3},
    {"<=", Op::less_equal, 4}, {">=", Op::greater_equal, 4}, {"<", Op::less, 4},     {">", Op::greater, 4},
    {"+", Op::add, 5},         {"-", Op::subtract, 5},       {"*", Op::multiply, 6}, {"/", Op::divide, 6},
};

struct Compiler {
    std::string_view text;
    const Symbols* symbols;
    std::size_t at = 0;
    int depth = 0, stack = 0;
    bool broken = false; // uses a constant that is no number: it has an error of its own, and one mistake is told once
    Expression out;
    std::vector<ExpressionError> errors;
};

bool fail_compiling(Compiler& c, std::size_t at, std::string message, std::string allowed = {},
                    std::string nearest = {}) {
    int column = 1;
    for (std::size_t i = 0; i < at && i < c.text.size(); ++i) column += !utf8_continues(c.text[i]);
    c.errors.push_back({column, std::move(message), std::move(allowed), std::move(nearest), {}});
    return false;
}

bool emit(Compiler& c, Op op, int arguments, int slot = 0, double constant = 0) {
    c.out.code.push_back({op, std::uint16_t(arguments), slot, constant});
    c.stack += 1 - arguments;
    if (c.stack > kExpressionStack)
        return fail_compiling(c, c.at, "expression too complicated", "fewer brackets or arguments");
    return true;
}

bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool digit(char c) { return c >= '0' && c <= '9'; }

char peek_past_space(Compiler& c) {
    while (c.at < c.text.size() && (c.text[c.at] == ' ' || c.text[c.at] == '\t' || c.text[c.at] == '\n'))
        ++c.at;
    return c.at < c.text.size() ? c.text[c.at] : '\0';
}

bool parse_expression(Compiler& c);
bool parse_unary(Compiler& c);

std::vector<std::string> known_names(const Compiler& c) {
    std::vector<std::string> names;
    for (const Symbols* s = c.symbols; s; s = s->outer)
        for (const auto& n : s->names) names.push_back(n.first);
    for (const char* n : {"pi", "e", "true", "false"})
        if (std::find(names.begin(), names.end(), n) == names.end()) names.emplace_back(n);
    return names;
}

bool find_symbol(const Compiler& c, std::string_view name, Symbol& out) {
    for (const Symbols* s = c.symbols; s; s = s->outer) {
        if (const auto it = s->names.find(name); it != s->names.end()) {
            out = it->second;
            return true;
        }
        if (s->resolve)
            if (const auto found = s->resolve(name)) {
                out = *found;
                return true;
            }
    }
    out.slot = -1;
    if (name == "pi")
        out.value = 3.14159265358979323846;
    else if (name == "e")
        out.value = 2.71828182845904523536;
    else if (name == "true")
        out.value = 1;
    else if (name == "false")
        out.value = 0;
    else
        return false;
    return true;
}

bool parse_call(Compiler& c, std::size_t start, std::string_view name) {
    const Function* f = nullptr;
    for (const Function& k : kFunctions)
        if (k.name == name) f = &k;
    if (!f) {
        std::vector<std::string> names;
        for (const Function& k : kFunctions) names.emplace_back(k.name);
        fail_compiling(c, start, "unknown function \"" + shorten_utf8(name, 40) + '"', list_words(names),
                       find_nearest(name, names));
    }
    ++c.at; // the bracket
    int count = 0;
    const bool chain = f && f->most == kMany;
    if (peek_past_space(c) != ')')
        for (;;) {
            if (!parse_expression(c)) return false;
            ++count;
            if (chain && count >= 2 && !emit(c, f->op, 2)) return false;
            if (peek_past_space(c) != ',') break;
            ++c.at;
        }
    if (peek_past_space(c) != ')') return fail_compiling(c, c.at, "a closing bracket is expected here", ") or ,");
    ++c.at;
    if (!f) { // go on, so that more errors are found
        c.stack += 1 - count;
        return true;
    }
    if (count < f->least || count > f->most) {
        std::string allowed = std::to_string(f->least);
        if (f->most != f->least) allowed += " to " + std::to_string(f->most);
        return fail_compiling(c, start, std::string(name) + " does not take " + std::to_string(count) + " arguments",
                              allowed + " arguments");
    }
    return chain || emit(c, f->op, count);
}

// end of the component of letters and digits that starts at i
std::size_t component_end(std::string_view s, std::size_t i) {
    while (i < s.size() && (letter(s[i]) || digit(s[i]))) ++i;
    return i;
}

bool parse_name(Compiler& c) {
    const std::size_t start = c.at;
    // where the name could end: after each component
    std::vector<std::size_t> ends{component_end(c.text, start)};
    for (;;) {
        const std::size_t i = ends.back();
        std::size_t end = i;
        if (i + 1 < c.text.size() && (c.text[i] == '.' || c.text[i] == '/')) {
            end = component_end(c.text, i + 1);
            if (end == i + 1) break;
        } else if (i < c.text.size() && c.text[i] == '[') {
            end = i + 1;
            while (end < c.text.size() && (digit(c.text[end]) || c.text[end] == '.')) ++end;
            if (end == i + 1 || end >= c.text.size() || c.text[end] != ']') break;
            ++end;
        } else
            break;
        ends.push_back(end);
    }
    c.at = ends[0];
    if (ends.size() == 1 && peek_past_space(c) == '(') return parse_call(c, start, c.text.substr(start, ends[0] - start));
    // the longest one that is known
    for (std::size_t k = ends.size(); k-- > 0;) {
        Symbol s;
        if (!find_symbol(c, c.text.substr(start, ends[k] - start), s)) continue;
        c.at = ends[k];
        c.broken = c.broken || (s.slot < 0 && std::isnan(s.value));
        if (s.slot < 0) return emit(c, Op::constant, 0, 0, s.value);
        c.out.slot_count = std::max(c.out.slot_count, s.slot + 1);
        return emit(c, Op::slot, 0, s.slot);
    }
    const std::string_view first = c.text.substr(start, ends[0] - start);
    const std::vector<std::string> names = known_names(c);
    const std::string_view whole = c.text.substr(start, ends.back() - start);
    std::string nearest = find_nearest(whole, names);
    if (nearest.empty()) nearest = find_nearest(first, names);
    c.at = ends.back();
    fail_compiling(c, start, "unknown name \"" + shorten_utf8(whole, 60) + '"', list_words(names), nearest);
    c.errors.back().unknown = whole;
    return emit(c, Op::constant, 0); // go on, so that more errors are found
}

bool parse_number(Compiler& c) {
    double number = 0;
    const char* begin = c.text.data() + c.at;
    const auto [end, error] = std::from_chars(begin, c.text.data() + c.text.size(), number);
    if (error == std::errc::invalid_argument) return fail_compiling(c, c.at, "a number is expected here");
    if (error != std::errc()) return fail_compiling(c, c.at, "number out of the range of double precision");
    c.at += std::size_t(end - begin);
    if (c.at < c.text.size() && (letter(c.text[c.at]) || c.text[c.at] == '.'))
        return fail_compiling(c, c.at, "an operator is expected after the number",
                              "2*pi; a quantity with a unit stands alone: \"3 mm\"");
    return emit(c, Op::constant, 0, 0, number);
}

bool parse_primary(Compiler& c) {
    const char p = peek_past_space(c);
    if (p == '(') {
        const std::size_t open = c.at++;
        if (!parse_expression(c)) return false;
        if (peek_past_space(c) != ')') return fail_compiling(c, open, "a bracket is not closed", ")");
        ++c.at;
        return true;
    }
    if (digit(p) || p == '.') return parse_number(c);
    if (letter(p)) return parse_name(c);
    if (p == '\0') return fail_compiling(c, c.at, "the expression ends where a value is expected");
    return fail_compiling(c, c.at,
                          "a value is expected here, found \"" + shorten_utf8(c.text.substr(c.at, 12), 4) + '"',
                          "numbers, names, functions, ( )");
}

bool parse_power(Compiler& c) {
    if (!parse_primary(c)) return false;
    if (peek_past_space(c) != '^') return true;
    ++c.at;
    return parse_unary(c) && emit(c, Op::power, 2);
}

bool parse_unary(Compiler& c) {
    const char p = peek_past_space(c);
    if (++c.depth > kMaxDepth) return fail_compiling(c, c.at, "expression nested too deeply");
    bool ok;
    if (p == '-' || p == '!' || p == '+') {
        ++c.at;
        ok = parse_unary(c) && (p == '+' || emit(c, p == '-' ? Op::negate : Op::logical_not, 1));
    } else
        ok = parse_power(c);
    --c.depth;
    return ok;
}

const Operator* find_operator(Compiler& c) {
    const char p = peek_past_space(c);
    if (p == '\0') return nullptr;
    for (const Operator& o : kOperators)
        if (c.text.substr(c.at).starts_with(o.text)) return &o;
    return nullptr;
}

bool parse_binary(Compiler& c, int lowest) {
    if (!parse_unary(c)) return false;
    int compared = 0; // precedence of the comparison before, if any
    while (const Operator* o = find_operator(c)) {
        if (o->precedence < lowest) return true;
        if (o->precedence == 4 && compared == 4)
            return fail_compiling(c, c.at, "comparisons cannot be chained", "a < b && b < c");
        compared = o->precedence;
        c.at += o->text.size();
        if (!parse_binary(c, o->precedence + 1) || !emit(c, o->op, 2)) return false;
    }
    return true;
}

bool parse_expression(Compiler& c) {
    if (++c.depth > kMaxDepth) return fail_compiling(c, c.at, "expression nested too deeply");
    bool ok = parse_binary(c, 1);
    if (ok && peek_past_space(c) == '?') {
        ++c.at;
        ok = parse_expression(c);
        if (ok && peek_past_space(c) != ':')
            ok = fail_compiling(c, c.at, "a colon is expected here", "condition ? value : other value");
        if (ok) {
            ++c.at;
            ok = parse_expression(c) && emit(c, Op::select, 3);
        }
    }
    --c.depth;
    return ok;
}

void explain_rest(Compiler& c) {
    const std::string_view rest = c.text.substr(c.at);
    const char p = rest[0];
    if (p == '=')
        fail_compiling(c, c.at, "one = alone is no operator", "==");
    else if (p == '&' || p == '|')
        fail_compiling(c, c.at, "single & and | are no operators", "&&, ||");
    else if (p == '%')
        fail_compiling(c, c.at, "% is no operator", "mod(a, b)");
    else
        fail_compiling(c, c.at, "an operator is expected here, found \"" + shorten_utf8(rest.substr(0, 40), 10) + '"',
                       "+ - * / ^ < <= > >= == != && || ?:");
}

} // namespace

ExpressionResult compile_expression(std::string_view text, const Symbols& symbols, std::uint64_t seed) {
    Compiler c;
    c.text = text;
    c.symbols = &symbols;
    ExpressionResult r;
    if (text.size() > kMaxText)
        fail_compiling(c, 0, "expression too long", "at most " + std::to_string(kMaxText) + " characters");
    else if (parse_expression(c) && peek_past_space(c) != '\0')
        explain_rest(c);
    else if (c.errors.empty() && c.at < text.size())
        fail_compiling(c, c.at, "the character 0 is not allowed");
    r.errors = std::move(c.errors);
    if (!r.errors.empty() || c.broken) return r; // broken: neither value nor errors
    c.out.seed = seed;
    if (c.out.slot_count == 0) c.out.code = {{Op::constant, 0, 0, evaluate(c.out, {})}}; // fold
    c.out.text = text;
    r.value = std::move(c.out);
    return r;
}

} // namespace sinew
