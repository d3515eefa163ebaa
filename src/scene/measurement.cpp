#include "scene/measurement.h"
#include "constraint/joint_object.h"
#include "core/math.h"
#include "core/nearest.h"
#include "geometry/writhe.h"
#include "model/element.h"
#include "scene/intersection_count.h"
#include "scene/names.h"
#include "sinew/scene.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace sinew {

namespace {

struct QuantityWord {
    std::string_view word;
    Quantity quantity;
    bool vector; // needs .x, .y or .z
};
constexpr QuantityWord kWords[] = {
    {"center", Quantity::center, true},       {"min", Quantity::min, true},
    {"max", Quantity::max, true},             {"velocity", Quantity::velocity, true},
    {"speed", Quantity::speed, false},        {"kinetic", Quantity::kinetic, false},
    {"mass", Quantity::mass, false},          {"alive", Quantity::alive, false},
    {"momentum", Quantity::momentum, true},   {"angular_momentum", Quantity::angular_momentum, true},
    {"stretch", Quantity::stretch, false},    {"spin", Quantity::spin, true},
    {"body_spin", Quantity::body_spin, true}, {"rotation", Quantity::rotation, true},
    {"writhe", Quantity::writhe, false},      {"intersections", Quantity::intersections, false},
};

constexpr QuantityWord kJointWords[] = {
    {"force", Quantity::joint_force, true},          {"force", Quantity::joint_force_size, false},
    {"torque", Quantity::joint_torque, true},        {"torque", Quantity::joint_torque_size, false},
    {"angle", Quantity::joint_angle, false},         {"slide", Quantity::joint_slide, false},
    {"swing", Quantity::joint_swing, false},         {"length", Quantity::joint_length, false},
    {"second_angle", Quantity::joint_second_angle, false}, {"second_slide", Quantity::joint_second_slide, false},
    {"joint_error", Quantity::joint_error, false},   {"joint_angle_error", Quantity::joint_angle_error, false},
};

int find_component(std::string_view text, bool with_w) {
    static constexpr std::string_view xyz = "xyz", wxyz = "wxyz";
    if (text.size() != 1) return -1;
    const std::size_t at = (with_w ? wxyz : xyz).find(text[0]);
    return at == std::string_view::npos ? -1 : int(at);
}

bool parse_word(std::string_view text, std::span<const QuantityWord> words, Measurement& out) {
    for (const QuantityWord& w : words) {
        if (!w.vector && text == w.word) return out.quantity = w.quantity, out.component = 0, true;
        if (w.vector && text.size() == w.word.size() + 2 && text.starts_with(w.word) && text[w.word.size()] == '.') {
            out.quantity = w.quantity;
            out.component = find_component(text.substr(w.word.size() + 1), w.quantity == Quantity::rotation);
            return out.component >= 0;
        }
    }
    return false;
}

// what stands after the object's name: "center.y", "y", "point[3].velocity.x"
bool parse_object_quantity(std::string_view text, int point_count, Measurement& out) {
    if ((out.component = find_component(text, false)) >= 0) return out.quantity = Quantity::center, true;
    if (text.starts_with("point[")) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) return false;
        const auto [end, error] = std::from_chars(text.data() + 6, text.data() + close, out.index);
        if (error != std::errc{} || end != text.data() + close) return false;
        if (out.index < 0) out.index += point_count;
        if (out.index < 0 || out.index >= point_count) return false;
        std::string_view rest = text.substr(close + 1);
        if (!rest.starts_with(".")) return false;
        rest.remove_prefix(1);
        if (rest == "radius") return out.quantity = Quantity::point_radius, true;
        out.quantity = Quantity::point;
        if (rest.starts_with("velocity.")) {
            out.quantity = Quantity::point_velocity;
            rest.remove_prefix(9);
        }
        return (out.component = find_component(rest, false)) >= 0;
    }
    return parse_word(text, kWords, out);
}

std::vector<std::string> report_names() {
    std::vector<std::string> names;
    visit_numbers(Report{}, [&](const char* name, const char*, double) { names.emplace_back(name); });
    names.emplace_back("intersections"); // counted when asked for, no number of the report
    return names;
}

struct ObjectSums {
    Real mass = 0, kinetic = 0;
    Vec3 moment = Vec3::Zero(), momentum = Vec3::Zero(), angular = Vec3::Zero(), place = Vec3::Zero(), drift = Vec3::Zero();
    Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
    int count = 0;
};

void add_body(Real mass, const Vec3& x, const Vec3& v, ObjectSums& s) {
    s.mass += mass;
    s.kinetic += 0.5 * mass * v.squaredNorm();
    s.moment += mass * x;
    s.momentum += mass * v;
    s.angular += x.cross(mass * v);
    s.place += x;
    s.drift += v;
    s.low = s.low.cwiseMin(x);
    s.high = s.high.cwiseMax(x);
    ++s.count;
}

ObjectSums sum_object(const Model& m, const State& s, const Object& o) {
    ObjectSums sums;
    for (int i = o.points.begin; i < o.points.end; ++i)
        if (s.point.alive.empty() || s.point.alive[i])
            add_body(m.point.mass[i], vec(s.point.x[i]), vec(s.point.v[i]), sums);
    for (int i = o.frames.begin; i < o.frames.end; ++i) {
        const Quat q = quat(s.frame.q[i]);
        const Vec3 w = vec(s.frame.w[i]), spin = q * (mat(m.frame.inertia[i]) * (q.conjugate() * w));
        add_body(m.frame.mass[i], vec(s.frame.p[i]), vec(s.frame.v[i]), sums);
        if (m.frame.mass[i] > 0) sums.angular += spin, sums.kinetic += 0.5 * w.dot(spin);
    }
    return sums;
}

bool is_membrane(const ElementRow& row) {
    return row.name.substr(0, 4) == "tri_" && row.points == 3 && (row.views & (kValue | kConstraint));
}

// of the edges of triangles
Real membrane_stretch(const Model& m, const State& s, const Table& t, int object) {
    Real worst = 0;
    for (int e = 0; e < t.count(); ++e)
        for (int i = 0; i < 3 && t.object[e] == object; ++i) {
            const int a = t.stencil[3 * e + i], b = t.stencil[3 * e + (i + 1) % 3];
            const Real rest = (vec(m.point.rest[b]) - vec(m.point.rest[a])).norm();
            if (rest > 0) worst = std::max(worst, std::abs((vec(s.point.x[b]) - vec(s.point.x[a])).norm() / rest - 1));
        }
    return worst;
}

// of the line through the object's points in their order: rods and chains; 0 for what has triangles
Real find_writhe(const Model& m, const State& s, const Object& o) {
    if (o.edges.count() == 0 || o.triangles.count() > 0) return 0;
    const bool closed = m.surface.edges[o.edges.end - 1][1] == m.surface.edges[o.edges.begin][0];
    return compute_writhe(std::span(s.point.x).subspan(o.points.begin, o.points.count()), closed);
}

Real find_stretch(const Model& m, const State& s, int object) {
    Real worst = 0;
    if (!m.elements) return 0;
    for (const auto* tables : {&m.elements->energies, &m.elements->constraints})
        for (const Table& t : *tables) {
            if (t.row->frames || t.row->scalars) continue;
            if (is_membrane(*t.row)) worst = std::max(worst, membrane_stretch(m, s, t, object));
            if (t.row->points != 2) continue;
            for (int e = 0; e < t.count(); ++e) {
                if (t.object[e] != object) continue;
                const int a = t.stencil[2 * e], b = t.stencil[2 * e + 1];
                const Real rest = (vec(m.point.rest[b]) - vec(m.point.rest[a])).norm();
                if (rest > 0) worst = std::max(worst, std::abs((vec(s.point.x[b]) - vec(s.point.x[a])).norm() / rest - 1));
            }
        }
    return worst;
}

Real body_number(const Measurement& q, const State& s, const Object& o) {
    if (o.frames.count() == 0) return 0;
    const int i = o.frames.begin;
    if (q.quantity == Quantity::rotation) return (&s.frame.q[i].w)[q.component];
    const Vec3 w = vec(s.frame.w[i]);
    return q.quantity == Quantity::spin ? w[q.component] : (quat(s.frame.q[i]).conjugate() * w)[q.component];
}

Real joint_number(const Measurement& q, const Model& m, const State& s) {
    if (q.quantity <= Quantity::joint_torque_size) {
        static thread_local std::vector<JointLoad> loads; // motors may ask in every step
        compute_joint_loads(m, s, loads);
        const JointLoad& load = loads[q.object];
        switch (q.quantity) {
        case Quantity::joint_force: return load.force[q.component];
        case Quantity::joint_force_size: return load.force.norm();
        case Quantity::joint_torque: return load.torque[q.component];
        default: return load.torque.norm();
        }
    }
    const JointReading r = read_joint(m, s, q.object);
    switch (q.quantity) {
    case Quantity::joint_angle: return r.twist;
    case Quantity::joint_slide: return r.slide;
    case Quantity::joint_swing: return r.swing;
    case Quantity::joint_length: return r.length;
    case Quantity::joint_second_angle: return r.second_twist;
    case Quantity::joint_second_slide: return r.second_slide;
    case Quantity::joint_error: return r.error;
    default: return r.angle_error;
    }
}

} // namespace

MeasurementResult find_measurements(const Model& m, std::string_view name) {
    MeasurementResult out;
    if (!find(m, "objects")) name = without_objects(name);
    const std::vector<std::string> report = report_names();
    const std::string wanted = name == "energy" ? "energy.total" : std::string(name);
    if (wanted == "intersections") {
        out.found.push_back({wanted, Quantity::intersections, -1, 0, 0});
        return out;
    }
    if (const auto at = std::find(report.begin(), report.end(), wanted); at != report.end()) {
        out.found.push_back({wanted, Quantity::number, -1, 0, int(at - report.begin())});
        return out;
    }
    const std::size_t dot = name.find('.');
    std::vector<std::string> objects;
    for (const Object& o : m.objects) objects.push_back(o.name);
    const std::string object(name.substr(0, dot));
    const std::vector<int> matches = dot == std::string_view::npos ? std::vector<int>{} : match_names(object, objects);
    for (int k : matches) {
        Measurement q;
        q.object = k;
        q.name = objects[k] + std::string(name.substr(dot));
        const bool known = is_joint(m, k) ? parse_word(name.substr(dot + 1), kJointWords, q)
                                          : parse_object_quantity(name.substr(dot + 1), m.objects[k].points.count(), q);
        if (known) out.found.push_back(std::move(q));
    }
    if (!out.found.empty()) return out;
    const std::vector<std::string> known = measurement_names(m);
    out.problem = matches.empty() ? "no measurement or object of this name" : "the object has no measurement of this name";
    out.allowed = matches.empty() ? fmt::format("{}; object.measurement", fmt::join(report, ", "))
                                  : "x, y, z, center, min, max, velocity, momentum, angular_momentum, spin, body_spin, rotation "
                                    "(each with .x .y .z), speed, kinetic, mass, alive, stretch, writhe, intersections, point[i].x; of joints: force, torque (also .x .y .z), "
                                    "angle, slide, swing, length, second_angle, second_slide, joint_error, joint_angle_error";
    out.nearest = find_nearest(name, known);
    return out;
}

double evaluate(const Measurement& q, const Model& m, const State& s, const Report& r) {
    if (q.quantity == Quantity::number) {
        int k = 0;
        double value = 0;
        visit_numbers(r, [&](const char*, const char*, double v) {
            if (k++ == q.index) value = v;
        });
        return value;
    }
    if (q.quantity >= Quantity::joint_force) return joint_number(q, m, s);
    if (q.quantity == Quantity::intersections) return count_intersections(m, s, q.object);
    const Object& o = m.objects[q.object];
    const int c = q.component, point = o.points.begin + q.index;
    switch (q.quantity) {
    case Quantity::point: return s.point.x[point][c];
    case Quantity::point_velocity: return s.point.v[point][c];
    case Quantity::point_radius: return std::hypot(s.point.x[point].x, s.point.x[point].y);
    case Quantity::stretch: return find_stretch(m, s, q.object);
    case Quantity::writhe: return find_writhe(m, s, o);
    case Quantity::spin:
    case Quantity::body_spin:
    case Quantity::rotation: return body_number(q, s, o);
    default: break;
    }
    const ObjectSums sums = sum_object(m, s, o);
    const bool of_places = q.quantity == Quantity::center || q.quantity == Quantity::min || q.quantity == Quantity::max ||
                           q.quantity == Quantity::velocity || q.quantity == Quantity::speed;
    if (sums.count == 0 && of_places) return std::numeric_limits<double>::quiet_NaN();
    const Real n = std::max(1, sums.count);
    const Vec3 center = sums.mass > 0 ? Vec3(sums.moment / sums.mass) : Vec3(sums.place / n);
    const Vec3 velocity = sums.mass > 0 ? Vec3(sums.momentum / sums.mass) : Vec3(sums.drift / n);
    switch (q.quantity) {
    case Quantity::center: return center[c];
    case Quantity::min: return sums.low[c];
    case Quantity::max: return sums.high[c];
    case Quantity::velocity: return velocity[c];
    case Quantity::speed: return velocity.norm();
    case Quantity::kinetic: return sums.kinetic;
    case Quantity::mass: return sums.mass;
    case Quantity::alive: return sums.count;
    case Quantity::momentum: return sums.momentum[c];
    case Quantity::angular_momentum: return sums.angular[c];
    default: return 0;
    }
}

std::string measurement_unit(const Measurement& q) {
    switch (q.quantity) {
    case Quantity::number: break;
    case Quantity::center:
    case Quantity::min:
    case Quantity::max:
    case Quantity::point:
    case Quantity::joint_slide:
    case Quantity::joint_length:
    case Quantity::joint_second_slide:
    case Quantity::joint_error:
    case Quantity::point_radius: return "m";
    case Quantity::joint_force:
    case Quantity::joint_force_size: return "N";
    case Quantity::joint_torque:
    case Quantity::joint_torque_size: return "N m";
    case Quantity::joint_angle:
    case Quantity::joint_swing:
    case Quantity::joint_second_angle:
    case Quantity::joint_angle_error: return "rad";
    case Quantity::velocity:
    case Quantity::speed:
    case Quantity::point_velocity: return "m/s";
    case Quantity::kinetic: return "J";
    case Quantity::mass: return "kg";
    case Quantity::momentum: return "kg m/s";
    case Quantity::angular_momentum: return "kg m^2/s";
    case Quantity::spin:
    case Quantity::body_spin: return "rad/s";
    case Quantity::alive:
    case Quantity::stretch:
    case Quantity::writhe:
    case Quantity::intersections:
    case Quantity::rotation: return "";
    }
    int k = 0;
    std::string found;
    visit_numbers(Report{}, [&](const char*, const char* unit, double) {
        if (k++ == q.index) found = unit;
    });
    return found;
}

std::vector<std::string> measurement_names(const Model& m) {
    std::vector<std::string> names = report_names();
    for (const Object& o : m.objects)
        for (const QuantityWord& w : is_joint(m, int(&o - m.objects.data())) ? std::span<const QuantityWord>(kJointWords) : kWords)
            for (std::string_view c : {".x", ".y", ".z"}) {
                names.push_back(fmt::format("{}.{}{}", o.name, w.word, w.vector ? c : ""));
                if (!w.vector) break;
            }
    return names;
}

double measure_number(const Condition& c, const Model& m, const State& s, const Report& r, double frame) {
    std::array<double, kMostConditionSlots + 2> slots{s.time, frame};
    const std::size_t n = std::min(c.slots.size(), slots.size() - 2);
    for (std::size_t i = 0; i < n; ++i) slots[2 + i] = evaluate(c.slots[i], m, s, r);
    return evaluate(c.expression, std::span<const double>(slots.data(), 2 + n));
}

bool evaluate(const Condition& c, const Model& m, const State& s, const Report& r, double frame) {
    return measure_number(c, m, s, r, frame) != 0;
}

} // namespace sinew
