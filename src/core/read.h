// Single values of a document: numbers, vectors and signals, with units, expressions over vars, and errors.
// A number may be given as number (SI), as text with unit ("3 mm"), or as expression of constants ("2*rise").
#pragma once
#include "core/signal.h"
#include "sinew/value.h"

namespace sinew {

// Asked for names that may be measurements: the number of the gauge, from 0 on. `at` and `path` are those of the text.
using FindGauge = std::function<std::optional<int>(std::string_view name, const Value& at, std::string_view path)>;
inline constexpr const char* kGaugePlaces = "motors: speed, position, target; motions: at, move, rotate; fields: velocity, scale, strength; "
                                            "events: set, when; expect";

// Names that expressions may use.
struct Scope {
    Symbols symbols;        // vars as constants; slots for what is known only later
    std::uint64_t seed = 0; // of noise
    FindGauge gauge{};      // empty: measurements are not known here
};
using Vars = std::vector<std::pair<std::string, double>>;
Scope make_scope(const Scope& outer, const Vars& vars); // vars on top of outer, which must outlive the result
Scope make_scope(const Vars& vars, std::span<const std::string_view> slots = {}, std::uint64_t seed = 0);

// slots of signals, in this order: of motions and forces; of named fields
inline constexpr std::string_view kTimeSlots[] = {"t", "frame"};
inline constexpr std::string_view kSpaceSlots[] = {"t", "frame", "x", "y", "z"};

// Each returns false and adds errors if the value is wrong; `out` then keeps what it had. unit: as in
// parse_quantity.
bool read_number(const Value&, std::string_view unit, const Scope&, std::string_view path, double& out,
                 std::vector<Error>&);
bool read_integer(const Value&, const Scope&, std::string_view path, int& out, std::vector<Error>&);
bool read_boolean(const Value&, const Scope&, std::string_view path, bool& out,
                  std::vector<Error>&); // also "on", "off"
bool read_text(const Value&, std::string_view path, std::string& out, std::vector<Error>&);
bool read_real3(const Value&, std::string_view unit, const Scope&, std::string_view path, Real3& out,
                std::vector<Error>&);
bool read_signal(const Value&, std::string_view unit, const Scope&, std::string_view path, Signal& out,
                 std::vector<Error>&);
bool read_signal3(const Value&, std::string_view unit, const Scope&, std::string_view path, Signal3& out,
                  std::vector<Error>&);
// an array with `count` items (-1 = any number)
bool check_array(const Value&, int count, std::string_view path, std::string_view of_what,
                 std::vector<Error>&);

Value to_value(const Signal&);
Value to_value(const Signal3&);
Value to_value(const Real3&);

} // namespace sinew
