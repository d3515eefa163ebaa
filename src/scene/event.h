// What happens during a run:  { when it happens, what happens }
//   "at": time [s]  ("every": period, "until": time)     or     "when": condition over measurements, t,
//   frame, vars "once": true    a condition counts the first time only; otherwise each time it becomes true
//   "set": { "hero/*.motor": "off", "fields.gust.velocity": [1, 0, 0], "gravity": 1.62 }    live parameters by object or
//   pattern, or of a section (scene/live.h) "release": "cape.collar" or a list    attachments: all of an object, or those of one of its
//   vertex groups
//   "spawn": { "ball": { "kind": "sphere", ... } }    objects that come (scene/spawn.h)
//   "remove": "ball" or a list    objects that go, by name or pattern
#pragma once
#include "core/read.h"
#include "sinew/scene.h"

namespace sinew {

struct EventSet {
    std::string target;    // object pattern, or "fields.name"
    std::string parameter; // may have dots: air.drag
    Value value;
};
struct EventRelease {
    std::string target; // object pattern
    std::string group;  // empty = all of its attachments
};
struct Event {
    double at = 0;               // [s] if `when` is empty
    double every = 0, until = 0; // [s] 0 = no repetition; infinity = no end
    std::string when;            // condition, compiled when the measurements are known
    bool once = false;
    std::vector<EventSet> sets;
    std::vector<EventRelease> releases;
    Value spawn;                 // objects by name; null = none
    std::vector<std::string> removes; // object patterns
    Place place;
    std::string path;
};

// "gravity", "materials", "contact[0]": a part of the scene that is no object
bool names_section(std::string_view target);

// the members of "set"
bool parse_sets(const Value&, std::string_view path, Event& out, std::vector<Error>&);

bool parse_event(const Value&, const Scope&, std::string_view path, Event& out, std::vector<Error>&);

// Symbols that take every well-formed name of a measurement for known: object.x, hero/hips.y, energy. Checks
// the form of a condition before the measurements are known; objects are the names that may stand before the
// dot.
bool check_condition(std::string_view text, const Scope&, const Value& at, std::string_view path,
                     std::vector<Error>&);

} // namespace sinew
