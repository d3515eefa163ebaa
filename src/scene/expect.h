// What a run must show:  { when to look, "measurement": what is expected, ... }
//   when:  "at": time [s] | "start" | "end" (default)    "frame": number    "every": "frame" | "step", which
//   may be
//          bounded by "after", "before" [s]; a bound alone means every frame
//   what:  a number: equal to it    { "about": a, "within": w }   w absolute, or relative as "2 %"
//          { "min": a }  { "max": b }  { "equals": c }, also together
// The numbers may have units and may be expressions of vars, t and frame, so that a closed form can be
// written down:
//   { "every": "frame", "ball.y": { "about": "5 - 9.81*t^2/2", "within": "1 mm" } }
#pragma once
#include "core/read.h"
#include "sinew/scene.h"

namespace sinew {

struct Expectation { // one measurement
    enum class When { end, at, frames, steps };
    When when = When::end;
    double at = 0;                // [s]
    Value moment;                 // `at` or `frame` as written, null = neither
    std::string moment_path;
    double after = 0, before = 0; // [s] bounds for frames and steps, inclusive; before: infinity = none
    std::string measure;          // "sheet.center.y", "intersections", "hero/*.y"
    bool has_about = false, has_min = false, has_max = false, has_equals = false;
    Signal about, within, min, max, equals; // of t, frame
    bool relative = false;                  // within is a share of |about|
    Place place;
    std::string path; // "expect[2].sheet.center.y"
};

// adds one Expectation per measurement
bool parse_expect(const Value&, const Scope&, const SceneTime&, std::string_view path,
                  std::vector<Expectation>& out, std::vector<Error>&);

// empty if the measured value is as expected, otherwise a sentence with both numbers, to be put after what was measured
std::string check_expectation(const Expectation&, double measured, double t, double frame);

} // namespace sinew
