#include "core/units.h"
#include <gtest/gtest.h>
#include <numbers>

using namespace sinew;
using Outcome = QuantityResult::Status;

TEST(units, quantities_become_si_numbers) {
    const double pi = std::numbers::pi;
    const struct {
        const char *text, *unit;
        double value;
    } cases[] = {
        {"3 mm", "m", 0.003},
        {"3mm", "m", 0.003},
        {"-2.5e1 cm", "m", -0.25},
        {"  7 km ", "m", 7000},
        {"1 in", "m", 0.0254},
        {"2 ft", "m", 0.6096},
        {"1 µm", "m", 1e-6},
        {"1 um", "m", 1e-6},
        {"1 lb", "kg", 0.45359237},
        {"20 g", "kg", 0.02},
        {"1 t", "kg", 1000},
        {"1.2 MPa", "Pa", 1.2e6},
        {"1 psi", "Pa", 6894.757293168361},
        {"1 bar", "Pa", 1e5},
        {"400 N", "N", 400},
        {"2 kN", "kg m/s^2", 2000},
        {"5 N*m", "J", 5},
        {"5 N m", "J", 5},
        {"5 N·m", "J", 5},
        {"180 deg/s", "rad/s", pi},
        {"60 rpm", "rad/s", 2 * pi},
        {"90 deg", "rad", pi / 2},
        {"90°", "rad", pi / 2},
        {"0.5 turn", "rad", pi},
        {"3 1/s", "rad/s", 3},
        {"3 1/s", "Hz", 3},
        {"50 Hz", "1/s", 50},
        {"2 kHz", "Hz", 2000},
        {"9.81 m/s^2", "m/s^2", 9.81},
        {"9.81 m/s²", "m/s^2", 9.81},
        {"9.81 m s⁻²", "m/s^2", 9.81},
        {"1 m s^-2", "m/s^2", 1},
        {"1 g/cm^3", "kg/m^3", 1000},
        {"1 g/cm³", "kg/m^3", 1000},
        {"150 gsm", "kg/m^2", 0.15},
        {"36 km/h", "m/s", 10},
        {"2 min", "s", 120},
        {"1 h", "s", 3600},
        {"20 ms", "s", 0.02},
        {"50 %", "", 0.5},
        {"50%", "", 0.5},
        {"3", "m", 3},
        {"1 mPa*s", "Pa*s", 1e-3},
        {"1 cP", "Pa*s", 1e-3},
        {"1 kg/(m s)", "Pa*s", 1},
        {"2 N/(m/s)", "N*s/m", 2},
        {"10 W", "kg*m^2/s^3", 10},
        {"300 K", "K", 300},
        {"72 mN/m", "N/m", 0.072},
        {"1 kJ", "J", 1000},
        {"2 L", "m^3", 2e-3},
        {"5 N*m/deg", "N*m/rad", 5 * 180 / pi},
        {"5 N*m", "N*m/rad", 5},
        {"12 lb", "*", 5.44310844},
        {"150 den", "kg/m", 150e-3 / 9000},
        {"10 tex", "kg/m", 1e-5},
        {"1 lbf", "N", 4.4482216152605},
    };
    for (const auto& c : cases) {
        const QuantityResult r = parse_quantity(c.text, c.unit);
        EXPECT_EQ(r.status, Outcome::ok) << c.text << ": " << r.message;
        EXPECT_NEAR(r.value, c.value, 1e-15 * std::abs(c.value) * 4) << c.text; // a few roundings
    }
}

TEST(units, decimal_prefixes_give_the_nearest_double) {
    EXPECT_EQ(parse_quantity("7 cm", "m").value, 0.07);
    EXPECT_EQ(parse_quantity("1.1 mm", "m").value, 0.0011);
    EXPECT_EQ(parse_quantity("1 g/cm^3", "kg/m^3").value, 1000);
    EXPECT_EQ(parse_quantity("35 %", "").value, 0.35);
}

TEST(units, wrong_dimensions_say_what_was_given_what_is_expected_and_give_examples) {
    QuantityResult r = parse_quantity("3 kg", "m");
    EXPECT_EQ(r.status, Outcome::wrong);
    EXPECT_EQ(r.message, "wrong unit: this is a mass (kg), expected is a length (m)");
    EXPECT_NE(r.allowed.find("3 mm"), std::string::npos);
    EXPECT_EQ(parse_quantity("10 deg", "").status, Outcome::wrong); // degrees are no plain numbers
    EXPECT_EQ(parse_quantity("10 deg/s", "1/s").status, Outcome::wrong);
    EXPECT_EQ(parse_quantity("3 m", "").status, Outcome::wrong);
    r = parse_quantity("3 Hz", "rad/s");
    EXPECT_NE(r.message.find("Hz counts turns"), std::string::npos);
    r = parse_quantity("3 m^2*kg^3", "K");
    EXPECT_NE(r.message.find("m^2 kg^3"), std::string::npos);
}

TEST(units, unknown_units_name_the_nearest_one) {
    EXPECT_EQ(parse_quantity("3 KG", "kg").nearest, "kg");
    EXPECT_EQ(parse_quantity("3 degs", "rad").nearest, "deg");
    EXPECT_NE(parse_quantity("3 parsec", "m").message.find("unknown unit \"parsec\""), std::string::npos);
    for (const char* bad : {"3 m^", "3 m^99", "3 m/", "3 (m", "3 m)", "3 m^^2", "3 m^2^2", "3 m^1.5",
                            "3 mm + 1", "1e308 km", "3 m**", "3 1/", "3 m⁻"})
        EXPECT_NE(parse_quantity(bad, "m").status, Outcome::ok) << bad;
    EXPECT_NE(parse_quantity("3 mm + 1", "m").message.find("vars"), std::string::npos);
    EXPECT_EQ(parse_unit(std::string(100000, '(')).ok, false);
    EXPECT_EQ(parse_unit("m^9*m^9*m^9").ok, false);
}

TEST(units, expressions_are_not_quantities) {
    for (const char* text :
         {"3/h", "2*pi", "i*run", "-i", "3 + 4", "", "m", "3/4", "(3)", "3*m", "-", ".", "2^3", "3>2"})
        EXPECT_EQ(parse_quantity(text, "*").status, Outcome::not_quantity) << text;
}
