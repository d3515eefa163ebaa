// A tree of plain values as a scene file holds them: JSON with // and /* */ comments and trailing commas.
// Every value knows where it was written, so that errors can say so. Numbers keep the text they were written
// as, so that a document is written back without loss (1.50 stays 1.50).
#pragma once
#include "sinew/types.h"
#include <memory>

namespace sinew {

struct Place {
    std::shared_ptr<const std::string> file; // null = made by the program
    int line = 0, column = 0;                // 1-based, column in characters; 0 = unknown
};

struct Member;
struct Value {
    enum class Kind { null, boolean, number, text, array, object };
    Kind kind = Kind::null;
    bool boolean = false;
    double number = 0;           // finite
    std::string text;            // text, or a number as written (empty = shortest form of `number`)
    std::vector<Value> items;    // array
    std::vector<Member> members; // object, in the order written, keys unique
    Place place;
    bool
    operator==(const Value&) const; // ignores places and how a number is written; order of members matters
};
struct Member {
    std::string key;
    Value value;
    Place place; // of the key
};

Value make_null();
Value make_boolean(bool);
Value make_number(double);
Value make_text(std::string_view);
Value make_array(std::vector<Value> items = {});
Value make_object(std::vector<Member> members = {});
const Value* find(const Value& object, std::string_view key); // null if absent or no object
Value* find(Value& object, std::string_view key);
Value& set(Value& object, std::string_view key, Value value); // replaces in place or appends
bool erase(Value& object, std::string_view key);
std::string_view kind_name(Value::Kind); // "null" "boolean" "number" "text" "array" "object"

inline constexpr int kMaxNesting = 200; // deeper documents are refused, so that no stack can overflow

// All errors that can be told apart at once; linear in the length of the text.
Result<Value> parse_value(std::string_view text, std::string_view file_name);
// indent 0 = everything on one line; otherwise one member per line, short arrays and objects on one line
std::string write_value(const Value&, int indent = 2);
std::string write_number(double); // shortest text that reads back to the same double
// the value on one line, cut to `limit` characters with "..." (for messages)
std::string summarise(const Value&, int limit = 60);

} // namespace sinew
