// The parameters of a struct, listed once: parsing, checking, writing, documentation and schema follow from
// it.
//
//   struct Params { double stiffness = 1e3; std::string model = "linear"; };
//   template <class V> static void fields(Params& p, V&& v) {
//       v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "axial stiffness"});
//       v("model", p.model, Field{.allowed = {"linear", "cubic"}, .doc = "force law"});
//   }
//   FieldList list = list_fields<Spring>(params);            // Spring::fields; or collect_fields(...) for
//   any callable read_fields(list, object, scope, "objects.rope", errors);
//
// Only the collector is a template; everything after it works on FieldRef, a name with a type tag and a
// pointer, which stays valid as long as the struct does. Numbers may be written with units or as expressions
// of constants.
#pragma once
#include "core/read.h"

namespace sinew {

// Designated initialisers follow this order.
struct Field {
    std::optional<double> min,
        max; // of a number, of each component, of a constant signal; inclusive unless ...
    bool min_exclusive = false, max_exclusive = false;
    int least_count = 0, most_count = -1;  // items of a list, -1 = no limit
    std::vector<std::string_view> allowed; // words of a text; empty = any
    std::string_view unit;                 // SI unit in which the member is stored, "" = dimensionless
    bool required = false;
    bool live = false; // may be changed while the simulation runs
    std::string_view doc;
};

enum class FieldType {
    real,     // double
    integer,  // int
    boolean,  // bool
    text,     // std::string
    real3,    // Real3
    real2,    // std::array<double, 2>
    integer2, // std::array<int, 2>
    reals,    // std::vector<double>
    integers, // std::vector<int>
    texts,    // std::vector<std::string>
    real3s,   // std::vector<Real3>
    signal,   // Signal
    signal3,  // Signal3
    value     // Value, read by its owner
};

struct FieldRef {
    std::string_view name; // literal
    FieldType type = FieldType::real;
    void* member = nullptr;
    Field info;
    bool given = false; // set by read_fields: the document says something about it
};
// the member itself; T as f.type says
template <class T> T& member_of(const FieldRef& f) { return *static_cast<T*>(f.member); }
struct FieldList {
    std::vector<FieldRef> fields;
};

inline FieldType field_type(const double&) { return FieldType::real; }
inline FieldType field_type(const int&) { return FieldType::integer; }
inline FieldType field_type(const bool&) { return FieldType::boolean; }
inline FieldType field_type(const std::string&) { return FieldType::text; }
inline FieldType field_type(const Real3&) { return FieldType::real3; }
inline FieldType field_type(const std::array<double, 2>&) { return FieldType::real2; }
inline FieldType field_type(const std::array<int, 2>&) { return FieldType::integer2; }
inline FieldType field_type(const std::vector<double>&) { return FieldType::reals; }
inline FieldType field_type(const std::vector<int>&) { return FieldType::integers; }
inline FieldType field_type(const std::vector<std::string>&) { return FieldType::texts; }
inline FieldType field_type(const std::vector<Real3>&) { return FieldType::real3s; }
inline FieldType field_type(const Signal&) { return FieldType::signal; }
inline FieldType field_type(const Signal3&) { return FieldType::signal3; }
inline FieldType field_type(const Value&) { return FieldType::value; }

struct FieldCollector {
    FieldList& list;
    template <class T> void operator()(std::string_view name, T& member, Field info) const {
        static_assert(!std::is_const_v<T>);
        list.fields.push_back({name, field_type(member), &member, std::move(info), false});
    }
};
template <class Owner> FieldList list_fields(typename Owner::Params& params) {
    FieldList list;
    Owner::fields(params, FieldCollector{list});
    return list;
}
template <class F> FieldList collect_fields(F&& visit) { // visit(FieldCollector)
    FieldList list;
    visit(FieldCollector{list});
    return list;
}

// Reads the members of `object` into the fields; fields that are not mentioned keep their values. All errors
// at once: unknown names, wrong types, units, ranges, missing required ones. other_keys are names that
// somebody else reads. Returns true if nothing was wrong.
bool read_fields(FieldList&, const Value& object, const Scope&, std::string_view path, std::vector<Error>&,
                 std::span<const std::string_view> other_keys = {});
bool read_field(FieldRef&, const Value&, const Scope&, std::string_view path,
                std::vector<Error>&); // one of them

// All fields in SI, so that reading the result gives the same struct; infinite numbers (no limit) are left
// out.
Value write_fields(const FieldList&);
Value write_field(const FieldRef&);

// Markdown table rows: | name | type | unit | default | range | meaning |
std::string document_fields(const FieldList&);
inline constexpr std::string_view kFieldTableHead =
    "| name | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n";
Value schema_fields(const FieldList&,
                    std::span<const std::string_view> other_keys = {}); // JSON Schema of the object
Value schema_field(const FieldRef&);

FieldRef* find_field(FieldList&, std::string_view name); // null if absent
std::string describe_range(const Field&);                // ">= 0 N/m", "0 < value <= 1", ""

} // namespace sinew
