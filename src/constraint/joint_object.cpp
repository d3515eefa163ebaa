#include "constraint/joint_object.h"
#include "constraint/attach_place.h"
#include "constraint/attach_point.h"
#include "constraint/joint_drive.h"
#include "constraint/joint_limit.h"
#include "model/visit.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {

namespace {

struct PlaceRows {
    std::string_view row;
    int count; // rows that keep places; the others keep directions
};
constexpr PlaceRows kPlaceRows[] = {
    {"joint_ball", 3},   {"joint_hinge", 3},  {"joint_universal", 3}, {"joint_weld", 3},     {"joint_slider", 2},
    {"joint_planar", 1}, {"joint_line", 2},   {"joint_distance", 1},  {"joint_cylindrical", 2},
    {"joint_limit_slide", 2}, {"joint_limit_length", 2}, {"joint_limit_swing", 0}, {"joint_limit_twist", 0}, {"joint_limit_cardan", 0},
};

bool is_drive_table(const Table& t) { return t.row->name.substr(0, 12) == "joint_drive_"; }

Evaluation evaluation_of_state(const Model& m, const State& s) {
    Evaluation ev;
    ev.x = s.point.x.data(), ev.v = s.point.v.data(), ev.x_now = ev.x;
    ev.p = s.frame.p.data(), ev.q = s.frame.q.data(), ev.frame_v = s.frame.v.data(), ev.frame_w = s.frame.w.data();
    ev.s = s.scalar.s.data(), ev.ds = s.scalar.ds.data();
    ev.alive = s.point.alive.empty() ? nullptr : s.point.alive.data();
    ev.memory = &s.memory;
    ev.fields = m.fields.get();
    ev.t = s.time;
    return ev;
}

Stencil<0, 2> stencil_of(const Table& t, const State& s, int e) {
    Stencil<0, 2> out;
    for (int i = 0; i < 2; ++i) {
        const int f = t.stencil[2 * e + i];
        out.p[i] = vec(s.frame.p[f]);
        out.q[i] = quat(s.frame.q[f]);
    }
    return out;
}

// forces of the rows of one table in the last step, null = the solver has no multipliers
const Real* find_row_forces(const Table& t, const State& s) {
    constexpr std::string_view head = "force."; // of the row's name; compared in parts, since motors may ask in every step
    for (const NamedValues& a : s.memory) {
        const std::string_view name = a.name;
        if (name.starts_with(head) && name.substr(head.size()) == t.row->name)
            return a.values.size() == std::size_t(t.count()) * t.row->rows ? a.values.data() : nullptr;
    }
    return nullptr;
}

// generalised force of one element on its 12 unknowns
VecN<12> element_force(const Table& t, const Evaluation& ev, const Real* rows, int e) {
    VecN<12> f = VecN<12>::Zero();
    if (rows) {
        std::array<Real, 6> c;
        std::array<Real, 72> j;
        t.row->constraint(t, ev, e, e + 1, c.data(), j.data());
        for (int r = 0; r < t.row->rows; ++r)
            for (int k = 0; k < 12; ++k) f[k] += j[12 * r + k] * rows[e * t.row->rows + r];
        return f;
    }
    if (t.row->gradient) {
        t.row->gradient(t, ev, e, e + 1, f.data());
        f = -f;
    } else if (t.row->force) {
        t.row->force(t, ev, e, e + 1, f.data());
    }
    return f;
}

template <class F> void for_each_joint_element(const Model& m, F&& f) {
    if (!m.elements) return;
    for (const Table& t : m.elements->constraints)
        if (is_joint_table(t))
            for (int e = 0; e < t.count(); ++e) f(t, e);
}

} // namespace

bool is_joint_table(const Table& t) { return t.row->name.starts_with("joint_"); }
const JointAnchor& joint_anchor(const Table& t, int e) {
    return *reinterpret_cast<const JointAnchor*>(t.data.data() + std::size_t(e) * t.row->data_size);
}

int joint_coordinate(const Table& t, int e) {
    const std::byte* data = reinterpret_cast<const std::byte*>(t.data.data()) + std::size_t(e) * t.row->data_size;
    if (is_drive_table(t)) return int(reinterpret_cast<const DriveParams*>(data)->coordinate);
    if (t.row->name.starts_with("joint_limit_")) return int(reinterpret_cast<const JointLimit<void>::Params*>(data)->coordinate);
    return 0;
}

bool is_joint(const Model& m, int object) {
    const Object& o = m.objects[object];
    if (!o.alive || o.points.count() || o.frames.count()) return false;
    bool found = false;
    for_each_joint_element(m, [&](const Table& t, int e) { found = found || t.object[e] == object; });
    return found;
}

void compute_joint_loads(const Model& m, const State& s, std::vector<JointLoad>& out) {
    out.assign(m.objects.size(), {});
    if (!m.elements) return;
    const Evaluation ev = evaluation_of_state(m, s);
    for (const Table& t : m.elements->constraints) {
        if (!is_joint_table(t)) continue;
        const Real* rows = find_row_forces(t, s);
        for (int e = 0; e < t.count(); ++e) {
            const VecN<12> f = element_force(t, ev, rows, e);
            const Vec3 r = quat(s.frame.q[t.stencil[2 * e + 1]]) * vec(joint_anchor(t, e).local[1]);
            JointLoad& load = out[t.object[e]];
            load.force += f.segment<3>(6);
            load.torque += f.segment<3>(9) - r.cross(f.segment<3>(6));
        }
    }
}

JointReading read_joint(const Model& m, const State& s, int object) {
    JointReading out;
    const Evaluation ev = evaluation_of_state(m, s);
    for_each_joint_element(m, [&](const Table& t, int e) {
        if (t.object[e] != object) return;
        const JointPlace at = place_joint(joint_anchor(t, e), stencil_of(t, s, e));
        JointTerm term;
        const auto read = [&](Real& to) { to = term.c; };
        slide_term(at, 0, 0, term), read(out.slide);
        twist_term(at, 0, 0, term), read(out.twist);
        swing_term(at, 0, term), read(out.swing);
        length_term(at, 0, term), read(out.length);
        if (m.objects[object].kind == "planar") {
            slide_term(at, 1, 0, term), read(out.slide);
            slide_term(at, 2, 0, term), read(out.second_slide);
        } else if (m.objects[object].kind == "universal") {
            cardan_term(at, 0, 0, 0, term), read(out.twist);
            cardan_term(at, 1, 0, 0, term), read(out.second_twist);
        }
        if (is_drive_table(t)) return;
        int places = t.row->rows;
        for (const PlaceRows& p : kPlaceRows)
            if (p.row == t.row->name) places = p.count;
        std::array<Real, 6> c;
        t.row->constraint(t, ev, e, e + 1, c.data(), nullptr);
        const bool one_sided = t.row->bound(t, e) == Bound::lower;
        for (int r = 0; r < t.row->rows; ++r) {
            const Real off = one_sided ? std::max(0.0, -c[r]) : std::abs(c[r]);
            Real& worst = r < places ? out.error : out.angle_error;
            worst = std::max(worst, off);
        }
    });
    return out;
}

std::vector<BrokenJoint> find_broken_joints(const Model& m, const State& s) {
    std::vector<BrokenJoint> out;
    bool any = false;
    for_each_joint_element(m, [&](const Table& t, int e) {
        any = any || joint_anchor(t, e).breaks_force < 1e300 || joint_anchor(t, e).breaks_torque < 1e300;
    });
    if (!any) return out;
    std::vector<JointLoad> loads;
    compute_joint_loads(m, s, loads);
    for_each_joint_element(m, [&](const Table& t, int e) {
        const JointLoad& load = loads[t.object[e]];
        const Real force = load.force.norm(), torque = load.torque.norm();
        if (force > joint_anchor(t, e).breaks_force || torque > joint_anchor(t, e).breaks_torque)
            out.push_back({t.object[e], force, torque});
    });
    std::sort(out.begin(), out.end(), [](const BrokenJoint& a, const BrokenJoint& b) { return a.object < b.object; });
    out.erase(std::unique(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.object == b.object; }), out.end());
    return out;
}

namespace {

struct PinData {
    int group = 0;
    Real breaks_at = 1e300;
};
PinData pin_data(const Table& t, int e) {
    const auto read = [&](const auto& d) { return PinData{int(d.group), d.breaks_at}; };
    const auto* data = t.data.data() + std::size_t(e) * t.row->data_size;
    if (t.row->name == AttachPoint::name) return read(*reinterpret_cast<const AttachPoint::Data*>(data));
    if (t.row->name == AttachPlace::name) return read(*reinterpret_cast<const AttachPlace::Data*>(data));
    return {};
}

} // namespace

int attachment_of(const Table& t, int e) { return pin_data(t, e).group; }

std::vector<std::pair<int, Real>> find_broken_attachments(const Model& m, const State& s) {
    std::map<int, std::pair<Real, Real>> groups; // sum of forces, what it bears
    const Evaluation ev = evaluation_of_state(m, s);
    for (const Table& t : m.elements->constraints) {
        if (t.row->name != AttachPoint::name && t.row->name != AttachPlace::name) continue;
        const Real* rows = find_row_forces(t, s);
        for (int e = 0; e < t.count(); ++e) {
            const PinData d = pin_data(t, e);
            if (!(d.breaks_at < 1e300)) continue;
            VecN<15> g; // of the point itself first
            t.row->gradient(t, ev, e, e + 1, g.data());
            const Real force = rows ? Eigen::Map<const Vec3>(rows + 3 * e).norm() : g.head<3>().norm();
            auto& group = groups[d.group];
            group.first += force, group.second = d.breaks_at;
        }
    }
    std::vector<std::pair<int, Real>> out;
    for (const auto& [group, load] : groups)
        if (load.first > load.second) out.push_back({group, load.first});
    return out;
}

// ---- motors

static DriveParams& drive_of(Table& t, int e) {
    return *reinterpret_cast<DriveParams*>(t.data.data() + std::size_t(e) * t.row->data_size);
}

bool is_motor_element(const Table& t, int e) {
    return is_drive_table(t) && reinterpret_cast<const DriveParams*>(t.data.data() + std::size_t(e) * t.row->data_size)->servant != 0;
}

bool has_turn_target(const Table& t, int e, const Evaluation& at) {
    const auto& d = *reinterpret_cast<const DriveParams*>(t.data.data() + std::size_t(e) * t.row->data_size);
    const auto* memory = at.memory ? find_element_memory(*at.memory, t.row->name) : nullptr;
    if (d.servant == 0 || !memory || (*memory)[std::size_t(e) * t.row->memory_size + kCommanded] == 0) return vec(d.turn) != Vec3::Zero();
    for (int r = 0; r < t.row->rows; ++r)
        if ((*memory)[std::size_t(e) * t.row->memory_size + kPosition + 2 * r] != 0) return true;
    return false;
}

bool has_motor(const Model& m, int object) {
    bool found = false;
    for_each_joint_element(m, [&](const Table& t, int e) {
        found = found || (t.object[e] == object && is_motor_element(t, e));
    });
    return found;
}

static Real DriveParams::*find_number(std::string_view parameter) {
    static constexpr std::pair<std::string_view, Real DriveParams::*> kNumbers[] = {
        {"speed", &DriveParams::speed},         {"position", &DriveParams::rest},   {"limit", &DriveParams::limit},
        {"stiffness", &DriveParams::stiffness}, {"damping", &DriveParams::damping}, {"on", &DriveParams::off}};
    for (const auto& [name, member] : kNumbers)
        if (name == parameter) return member;
    return nullptr;
}
bool is_motor_number(std::string_view parameter) { return parameter != "on" && find_number(parameter); }

// "on" switches all motors of a joint, numbers go to its first one; of all rotation: about the joint's axis
static void set_number(Table& t, int e, std::string_view parameter, Real value, Real DriveParams::*member) {
    DriveParams& d = drive_of(t, e);
    if (parameter == "on") d.off = Real(value == 0);
    else if (d.order > 0) return;
    else if (t.row->rows == 3 && member == &DriveParams::rest) d.turn = real3(quat(d.anchor.axes[0]) * Vec3(value, 0, 0));
    else if (t.row->rows == 3 && member == &DriveParams::speed) d.spin = real3(quat(d.anchor.axes[0]) * Vec3(value, 0, 0));
    else d.*member = value;
}

bool set_motor(Model& m, int object, std::string_view parameter, Real value) {
    Real DriveParams::*member = find_number(parameter);
    if (!member || !has_motor(m, object)) return false;
    auto tables = std::make_shared<Tables>(*m.elements);
    for (Table& t : tables->constraints)
        for (int e = 0; is_drive_table(t) && e < t.count(); ++e)
            if (t.object[e] == object && drive_of(t, e).servant != 0) set_number(t, e, parameter, value, member);
    m.elements = std::move(tables);
    ++m.values_revision;
    return true;
}

// the number-th target that the input has for the joint
static const MotorTarget* find_target(const Model& m, const Input& input, int joint, int number) {
    for (const MotorTarget& target : input.motors)
        if (target.joint.index == joint && m.objects[joint].generation == target.joint.generation && number-- == 0) return &target;
    return nullptr;
}

void command_motors(const Model& m, const Input& input, State& s) {
    if (input.motors.empty() || !m.elements) return;
    register_elements(*m.elements, s);
    for (const Table& t : m.elements->constraints) {
        if (!is_drive_table(t)) continue;
        std::vector<double>& memory = element_memory(s, *t.row);
        for (int e = 0; e < t.count(); ++e) {
            const auto& d = *reinterpret_cast<const DriveParams*>(t.data.data() + std::size_t(e) * t.row->data_size);
            if (d.servant == 0) continue;
            double* at = memory.data() + std::size_t(e) * t.row->memory_size;
            for (int r = 0; r < t.row->rows; ++r)
                if (const MotorTarget* target = find_target(m, input, t.object[e], int(d.order) + r))
                    at[kCommanded] = 1, at[kPosition + 2 * r] = target->position, at[kSpeed + 2 * r] = target->velocity;
        }
    }
}

} // namespace sinew
