// Quantities with units: "3 mm", "-180 deg/s", "1.2 MPa", "800 kg/m^3", "9.81 m/s²"  ->  numbers in SI.
//
// quantity = number [space] unit            the unit starts with a letter, °, %, or "1/"
// unit     = factor { (* | · | space | /) factor }        "/" divides by the next factor only
// factor   = ( name | "1" | "(" unit ")" ) [ ^integer | superscript digits ]
// name     = [prefix] symbol; an exact symbol wins over prefix + symbol (min = minute, ft = foot)
//
// Angles: rad is a dimension of its own here, so that degrees are never taken for plain numbers. Where
// radians are expected a quantity without them is accepted too (1/s for rad/s), except Hz, which counts
// turns.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinew {

struct Unit {
    double factor = 1;                  // value in SI = factor * number
    std::array<std::int8_t, 5> power{}; // of m, kg, s, K, rad
    bool hertz = false;                 // contains Hz: cycles, not radians
};

struct UnitResult {
    bool ok = false;
    Unit unit;
    std::string message, nearest; // what is wrong, nearest known unit
};
UnitResult parse_unit(std::string_view text);                 // "" and "1" are dimensionless
bool same_dimension(const Unit& given, const Unit& expected); // angles as above
std::string describe_dimension(const Unit&);                  // "length (m)", "m^2 kg^-1"

struct QuantityResult {
    enum class Status { ok, not_quantity, wrong };
    Status status = Status::not_quantity; // not_quantity: no number followed by a unit; may be an expression
    double value = 0;                     // SI
    std::string message, allowed, nearest;
};
// expected: SI unit of the place, "" = dimensionless, "*" = any dimension. A bare number counts as SI.
QuantityResult parse_quantity(std::string_view text, std::string_view expected);

} // namespace sinew
