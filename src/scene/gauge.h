// Gauges: measurements (scene/measurement.h) in numbers of a scene that are evaluated between steps,
//   "motor": { "speed": "-4*(rail.slide - 1)" },  "velocity": ["-0.5*ball.x", 0, 0],  "strength": "2*pendulum.y"
// A gauge is read from the state at the start of a step and holds during it: feedback with a delay of one step. Of what is gone or has
// nothing alive the last value stays. They are functions of the state alone, so that a run that is continued reads the same; the state
// remembers those of its last step (kGaugeMemory), since fields were told these and targets move from there.
// Numbers of the report (energy, penetration, ...) are known after a step only, and counting intersections costs more than a step: neither is
// a gauge.
#pragma once
#include "core/read.h"
#include "scene/measurement.h"
#include "sinew/scene.h"
#include <unordered_set>

namespace sinew {

struct Gauge {
    Measurement measurement;
    int generation = 0; // of the object
};

// What the expressions of a scene ask for, collected while they are read: then there is no model yet that could answer.
struct GaugeRequest {
    std::string name;   // as written
    std::string within; // "hero/" of an object of the prefab instance hero: names there are looked for first
    Value at;
    std::string path;
};
struct GaugeRequests {
    const Scene* scene = nullptr;          // null: every name with a dot is taken for one
    std::vector<GaugeRequest> asked{};
    std::unordered_set<std::string> names{}; // of objects and joints, and the beginnings of these up to slashes; made when something asks
};
// for the expressions of the object or entry of this name; the requests must outlive it
FindGauge find_gauge_for(GaugeRequests&, std::string_view owner);
// an error, if it is none
bool check_gauge(const Measurement&, const Value& at, std::string_view path, std::vector<Error>&);
// In the order of the requests. wrong: objects with errors of their own, whose measurements are no further errors.
std::vector<Gauge> resolve_gauges(const GaugeRequests&, const Model&, const std::vector<std::string>& wrong, std::vector<Error>&);

// Their values in this state.
void read_gauges(const std::vector<Gauge>&, const Model&, const State&, std::vector<double>& out);

} // namespace sinew
