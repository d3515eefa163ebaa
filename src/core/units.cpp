#include "core/units.h"
#include "core/nearest.h"
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

namespace sinew {
namespace {

struct UnitSymbol {
    std::string_view name;
    double factor;
    std::array<std::int8_t, 5> power; // m kg s K rad
    bool prefixes;
};

// inch, pound and foot by definition (1959), pound-force and psi with standard gravity 9.80665 m/s²
constexpr UnitSymbol kSymbols[] = {
    {"m", 1, {1}, true},
    {"g", 1e-3, {0, 1}, true},
    {"s", 1, {0, 0, 1}, true},
    {"K", 1, {0, 0, 0, 1}, true},
    {"rad", 1, {0, 0, 0, 0, 1}, true},
    {"N", 1, {1, 1, -2}, true},
    {"Pa", 1, {-1, 1, -2}, true},
    {"J", 1, {2, 1, -2}, true},
    {"W", 1, {2, 1, -3}, true},
    {"Hz", 1, {0, 0, -1}, true},
    {"L", 1e-3, {3}, true},
    {"l", 1e-3, {3}, true},
    {"bar", 1e5, {-1, 1, -2}, true},
    {"P", 0.1, {-1, 1, -1}, true},
    {"St", 1e-4, {2, 0, -1}, true},
    {"tex", 1e-6, {-1, 1}, true},
    {"den", 1e-3 / 9000, {-1, 1}, false},
    {"gsm", 1e-3, {-2, 1}, false},
    {"t", 1e3, {0, 1}, false},
    {"dyn", 1e-5, {1, 1, -2}, false},
    {"kgf", 9.80665, {1, 1, -2}, false},
    {"atm", 101325, {-1, 1, -2}, false},
    {"psi", 4.4482216152605 / (0.0254 * 0.0254), {-1, 1, -2}, false},
    {"in", 0.0254, {1}, false},
    {"ft", 0.3048, {1}, false},
    {"yd", 0.9144, {1}, false},
    {"mi", 1609.344, {1}, false},
    {"lb", 0.45359237, {0, 1}, false},
    {"oz", 0.45359237 / 16, {0, 1}, false},
    {"lbf", 4.4482216152605, {1, 1, -2}, false},
    {"min", 60, {0, 0, 1}, false},
    {"h", 3600, {0, 0, 1}, false},
    {"day", 86400, {0, 0, 1}, false},
    {"mph", 0.44704, {1, 0, -1}, false},
    {"kph", 1 / 3.6, {1, 0, -1}, false},
    {"deg", std::numbers::pi / 180, {0, 0, 0, 0, 1}, false},
    {"°", std::numbers::pi / 180, {0, 0, 0, 0, 1}, false},
    {"turn", 2 * std::numbers::pi, {0, 0, 0, 0, 1}, false},
    {"rev", 2 * std::numbers::pi, {0, 0, 0, 0, 1}, false},
    {"rpm", 2 * std::numbers::pi / 60, {0, 0, -1, 0, 1}, false},
    {"%", 0.01, {}, false},
};

struct Prefix {
    std::string_view name;
    double factor;
};
constexpr Prefix kPrefixes[] = {{"T", 1e12}, {"G", 1e9},  {"M", 1e6},  {"k", 1e3},   {"h", 1e2},
                                {"da", 10},  {"d", 0.1},  {"c", 0.01}, {"m", 1e-3},  {"u", 1e-6},
                                {"µ", 1e-6}, {"μ", 1e-6}, {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}};

struct Named { // dimensions with a name, and examples for messages
    std::string_view unit, name, examples;
};
constexpr Named kNamed[] = {
    {"", "a number without unit", "0.5, \"50 %\""},
    {"m", "a length", "0.03, \"3 mm\", \"2 in\""},
    {"m^2", "an area", "\"2 cm^2\", 0.5"},
    {"m^3", "a volume", "\"2 L\", \"5 cm^3\""},
    {"kg", "a mass", "1.5, \"20 g\", \"2 lb\""},
    {"s", "a time", "0.5, \"20 ms\", \"2 min\""},
    {"K", "a temperature", "293, \"5 mK\""},
    {"rad", "an angle", "1.57, \"90 deg\", \"0.5 turn\""},
    {"m/s", "a speed", "1.5, \"3 mm/s\", \"50 km/h\""},
    {"m/s^2", "an acceleration", "9.81, \"9.81 m/s^2\""},
    {"rad/s", "an angular speed", "3.14, \"180 deg/s\", \"60 rpm\""},
    {"rad/s^2", "an angular acceleration", "\"90 deg/s^2\""},
    {"1/s", "a rate or frequency", "50, \"50 Hz\", \"3 1/s\""},
    {"N", "a force", "400, \"400 N\", \"2 kN\""},
    {"Pa", "a pressure or modulus", "1e6, \"1.2 MPa\", \"30 psi\""},
    {"J", "an energy or torque", "5, \"5 J\", \"5 N*m\""},
    {"N*m/rad", "an angular stiffness", "5, \"5 N*m/rad\""},
    {"N*m*s/rad", "an angular damping", "0.1, \"0.1 N*m*s/rad\""},
    {"W", "a power", "5, \"5 W\""},
    {"N/m", "a stiffness per length or surface tension", "1000, \"1 kN/m\", \"72 mN/m\""},
    {"N*s/m", "a damping coefficient", "0.1, \"0.1 N*s/m\""},
    {"kg/m^3", "a density", "1000, \"1 g/cm^3\""},
    {"kg/m^2", "a mass per area", "0.15, \"150 g/m^2\""},
    {"kg/m", "a mass per length", "0.01, \"10 g/m\""},
    {"kg*m^2", "a moment of inertia", "0.1, \"0.1 kg*m^2\""},
    {"Pa*s", "a viscosity", "1e-3, \"1 mPa*s\""},
    {"m^2/s", "a kinematic viscosity", "1e-6, \"1 mm^2/s\""},
    {"N/m^3", "a force per volume", "9810, \"9.81 kN/m^3\""},
    {"1/m", "a number per length", "100, \"1 1/cm\""},
};

// a * factor^exponent. Factors such as 0.01 are not exact in binary but their inverse is: dividing by 100
// makes "7 cm" the double nearest to 0.07, multiplying by 0.01 does not.
double scale(double a, double factor, int exponent) {
    const double inverse = 1 / factor;
    if (factor < 1 && inverse == std::round(inverse)) {
        factor = inverse;
        exponent = -exponent;
    }
    return exponent < 0 ? a / std::pow(factor, -exponent) : a * std::pow(factor, exponent);
}

void multiply(Unit& a, const Unit& b, int exponent) {
    a.factor = scale(a.factor, b.factor, exponent);
    for (int i = 0; i < 5; ++i) a.power[i] = std::int8_t(a.power[i] + b.power[i] * exponent);
    a.hertz = a.hertz || b.hertz;
}

bool find_unit_symbol(std::string_view name, Unit& out) {
    for (const UnitSymbol& s : kSymbols)
        if (s.name == name) {
            out = {s.factor, s.power, s.name == "Hz"};
            return true;
        }
    for (const Prefix& p : kPrefixes) {
        if (!name.starts_with(p.name)) continue;
        for (const UnitSymbol& s : kSymbols)
            if (s.prefixes && s.name == name.substr(p.name.size())) {
                out = {p.factor * s.factor, s.power, s.name == "Hz"};
                return true;
            }
    }
    return false;
}

std::string nearest_symbol(std::string_view name) {
    for (const UnitSymbol& s : kSymbols) // wrong case first: "Mm" aside, this is what is usually wrong
        if (edit_distance(name, s.name) == 0) return std::string(s.name);
    std::vector<std::string> known;
    for (const UnitSymbol& s : kSymbols) known.emplace_back(s.name);
    for (const char* common : {"mm", "cm", "km", "kg", "ms", "kN", "kPa", "MPa", "GPa", "kJ", "kW", "kHz"})
        known.emplace_back(common);
    return find_nearest(name, known);
}

struct UnitParser {
    std::string_view text;
    std::size_t at = 0;
    std::string message, nearest;
    bool take(std::string_view s) {
        if (!text.substr(at).starts_with(s)) return false;
        at += s.size();
        return true;
    }
};

constexpr std::string_view kSuperscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

bool parse_exponent(UnitParser& p, int& exponent) {
    exponent = 1;
    bool negative = false, any = false;
    int value = 0;
    if (p.take("^") || p.take("**")) {
        negative = p.take("-");
        while (p.at < p.text.size() && p.text[p.at] >= '0' && p.text[p.at] <= '9' && value < 100) {
            value = value * 10 + (p.text[p.at++] - '0');
            any = true;
        }
    } else {
        const std::size_t start = p.at;
        negative = p.take("⁻");
        for (bool found = true; found && value < 100;) {
            found = false;
            for (int d = 0; d < 10; ++d)
                if (p.take(kSuperscripts[d])) {
                    value = value * 10 + d;
                    any = found = true;
                    break;
                }
        }
        if (!any && p.at == start) return true; // no exponent at all
    }
    if (!any || value > 9) {
        p.message = "the exponent of a unit must be a whole number from -9 to 9";
        return false;
    }
    exponent = negative ? -value : value;
    return true;
}

bool name_character(std::string_view text, std::size_t i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%') return true;
    for (std::string_view s : {"µ", "μ", "°"})
        if (text.substr(i).starts_with(s) || (i > 0 && text.substr(i - 1).starts_with(s))) return true;
    return false;
}

bool parse_factor(UnitParser& p, int depth, Unit& out);

bool parse_product(UnitParser& p, int depth, Unit& out) {
    for (bool first = true, divide = false;; first = false) {
        while (p.take(" ")) {
        }
        if (!first) {
            divide = false;
            if (p.take("/"))
                divide = true;
            else if (!p.take("*") && !p.take("·") && (p.at >= p.text.size() || p.text[p.at] == ')'))
                return true;
            while (p.take(" ")) {
            }
        }
        Unit f;
        int exponent = 1;
        if (!parse_factor(p, depth, f) || !parse_exponent(p, exponent)) return false;
        multiply(out, f, divide ? -exponent : exponent);
        for (std::int8_t power : out.power)
            if (power > 20 || power < -20) {
                p.message = "the exponents of this unit are too large";
                return false;
            }
    }
}

bool parse_factor(UnitParser& p, int depth, Unit& out) {
    if (p.take("(")) {
        if (depth >= 8) {
            p.message = "too many brackets in a unit";
            return false;
        }
        if (!parse_product(p, depth + 1, out)) return false;
        if (p.take(")")) return true;
        p.message = "a bracket of this unit is not closed";
        return false;
    }
    if (p.take("1")) return true;
    const std::size_t start = p.at;
    while (p.at < p.text.size() && name_character(p.text, p.at)) ++p.at;
    const std::string_view name = p.text.substr(start, p.at - start);
    if (name.empty()) {
        p.message = "a unit is expected after \"" + std::string(p.text.substr(0, start)) + '"';
        return false;
    }
    if (find_unit_symbol(name, out)) return true;
    p.message = "unknown unit \"" + std::string(name.substr(0, 40)) + '"';
    p.nearest = nearest_symbol(name);
    return false;
}

const Named* find_named(const Unit& u) {
    for (const Named& n : kNamed)
        if (parse_unit(n.unit).unit.power == u.power) return &n;
    return nullptr;
}

std::string_view trim(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
    return s;
}

// number at the start of text; rest = what follows
bool split_number(std::string_view text, double& number, std::string_view& rest) {
    std::string_view s = text;
    const bool negative = s.starts_with("-");
    if (s.starts_with("-") || s.starts_with("+")) s.remove_prefix(1);
    if (s.empty() || !((s[0] >= '0' && s[0] <= '9') || s[0] == '.')) return false;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), number);
    if (error != std::errc()) return false;
    if (negative) number = -number;
    rest = s.substr(std::size_t(end - s.data()));
    return true;
}

} // namespace

UnitResult parse_unit(std::string_view text) {
    UnitResult r;
    text = trim(text);
    if (text.empty()) {
        r.ok = true;
        return r;
    }
    UnitParser p{text};
    r.ok = parse_product(p, 0, r.unit);
    if (r.ok && p.at < text.size()) {
        r.ok = false;
        p.message = "unexpected \"" + std::string(text.substr(p.at, 20)) + "\" in a unit";
    }
    r.message = std::move(p.message);
    r.nearest = std::move(p.nearest);
    return r;
}

bool same_dimension(const Unit& given, const Unit& expected) {
    for (int i = 0; i < 4; ++i)
        if (given.power[i] != expected.power[i]) return false;
    if (given.power[4] == expected.power[4]) return true;
    return given.power[4] == 0 && !given.hertz; // 1/s for rad/s
}

std::string describe_dimension(const Unit& u) {
    if (const Named* n = find_named(u))
        return std::string(n->name) + (n->unit.empty() ? "" : " (" + std::string(n->unit) + ")");
    static constexpr const char* base[] = {"m", "kg", "s", "K", "rad"};
    std::string s;
    for (int i = 0; i < 5; ++i)
        if (u.power[i]) {
            s += (s.empty() ? "" : " ") + std::string(base[i]);
            if (u.power[i] != 1) s += "^" + std::to_string(u.power[i]);
        }
    return s;
}

QuantityResult parse_quantity(std::string_view text, std::string_view expected) {
    using Status = QuantityResult::Status;
    QuantityResult r;
    std::string_view rest;
    double number = 0;
    text = trim(text);
    if (!split_number(text, number, rest)) return r;
    rest = trim(rest);
    if (rest.empty()) {
        r.status = Status::ok;
        r.value = number;
        return r;
    }
    if (!name_character(rest, 0) && !rest.starts_with("1/")) return r;
    const UnitResult given = parse_unit(rest);
    r.status = Status::wrong;
    const UnitResult wanted = parse_unit(expected == "*" ? "" : expected);
    const Named* named = find_named(wanted.unit);
    if (expected != "*" && named) r.allowed = named->examples;
    if (!given.ok) {
        r.message = given.message;
        if (rest.find_first_of("+-<>=?&|!,") != std::string_view::npos)
            r.message += "; a quantity with a unit cannot be part of an expression (give it a name in vars)";
        r.nearest = given.nearest;
        return r;
    }
    if (expected != "*" && !same_dimension(given.unit, wanted.unit)) {
        r.message = "wrong unit: this is " + describe_dimension(given.unit) + ", expected is " +
                    describe_dimension(wanted.unit);
        if (given.unit.hertz && wanted.unit.power[4])
            r.message += "; Hz counts turns: write rpm, rad/s or deg/s";
        return r;
    }
    r.value = scale(number, given.unit.factor, 1);
    if (!std::isfinite(r.value)) {
        r.message = "number out of the range of double precision";
        return r;
    }
    r.status = Status::ok;
    return r;
}

} // namespace sinew
