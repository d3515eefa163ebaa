// Plain public types: standard C++ only, so that a user's compiler flags cannot change their layout.
// Inside src/, core/math.h maps them onto Eigen's fixed-size types at no cost.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

using Real = double;

struct Real3 {
    double x = 0, y = 0, z = 0;
    double& operator[](int i) { return (&x)[i]; }
    double operator[](int i) const { return (&x)[i]; }
    bool operator==(const Real3&) const = default;
};
struct Real4 { // quaternion, scalar first; default is the identity rotation
    double w = 1, x = 0, y = 0, z = 0;
    bool operator==(const Real4&) const = default;
};
struct Real33 { // row major
    std::array<double, 9> m{1, 0, 0, 0, 1, 0, 0, 0, 1};
    double& operator()(int r, int c) { return m[3 * r + c]; }
    double operator()(int r, int c) const { return m[3 * r + c]; }
    bool operator==(const Real33&) const = default;
};
struct Pose {
    Real3 position;
    Real4 rotation;
};

// What is wrong with an input, and where. Empty members do not apply.
struct Error {
    std::string file;
    int line = 0, column = 0; // 1-based, 0 = unknown
    std::string path;         // path in the file: objects.sheet.edge
    std::string value;        // the offending value as written
    std::string message;      // what is wrong
    std::string allowed;      // what is allowed
    std::string nearest;      // nearest known word, for misspelt names
};
std::string to_string(const Error&); // file:line:column: path = value: message (allowed: ...; did you mean "..."?)

template <class T> struct Result {
    std::optional<T> value;
    std::vector<Error> errors;
    explicit operator bool() const { return value.has_value(); }
};

enum class LogLevel { debug, info, warning, error };
enum class Status { ok, stopped, failed };

// Everything a call may use from its surroundings; there are no globals. Different contexts may work at once.
struct Context {
    int threads = 0; // worker threads, 0 = all this process may use (affinity and cgroup limits)
    std::function<void(LogLevel, std::string_view)> log; // empty = silent
    // the user's own job system: runs task(0) ... task(count-1) in any order, returns when all are done; empty = oneTBB
    std::function<void(int count, const std::function<void(int)>& task)> parallel_for;
};

} // namespace sinew
