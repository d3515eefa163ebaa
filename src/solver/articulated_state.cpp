#include "solver/articulated_state.h"
#include "model/visit.h"
#include "solver/articulated_joint.h"
#include <algorithm>

namespace sinew {

constexpr std::string_view kCoordinates = "articulated.q", kSpeeds = "articulated.qd";

void resize_state(const Forest& f, ForestState& s) {
    s.q.resize(f.q_count);
    s.qd.assign(f.v_count, 0);
    for (const Link& l : f.links) set_zero(l.kind, s.q.data() + l.q_begin);
    s.bases.resize(f.base_frames.size());
    s.motion.assign(f.links.size(), {});
    s.factor.resize(f.links.size());
    s.force.assign(f.links.size(), Vec6::Zero());
    s.work.assign(f.links.size(), Vec6::Zero());
}

void read_bases(const Forest& f, const FrameState& frames, std::span<BaseMotion> bases) {
    for (std::size_t i = 0; i < f.base_frames.size(); ++i) {
        const int frame = f.base_frames[i];
        BaseMotion& b = bases[i];
        b.p = vec(frames.p[frame]);
        b.q = quat(frames.q[frame]);
        b.v << vec(frames.v[frame]), vec(frames.w[frame]);
        b.a.setZero();
    }
}

void retract_links(const Forest& f, Range links, const Real* q, const Real* d, Real* q_out) {
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        retract_joint(l.kind, q + l.q_begin, d + l.v_begin, q_out + l.q_begin);
    }
}

void write_frames(const Forest& f, Range links, const LinkMotion* motion, FrameState& frames) {
    for (int i = links.begin; i < links.end; ++i) {
        const int frame = f.links[i].frame;
        const LinkMotion& m = motion[i];
        frames.p[frame] = real3(m.p);
        frames.q[frame] = real4(m.q);
        frames.v[frame] = real3(m.v.head<3>());
        frames.w[frame] = real3(m.v.tail<3>());
    }
}

void write_coordinates(const Forest& f, const ForestState& s, State& next) {
    auto& q = memory_array(next, kCoordinates, f.q_count);
    q.assign(s.q.begin(), s.q.end());
    auto& qd = memory_array(next, kSpeeds, f.v_count);
    qd.assign(s.qd.begin(), s.qd.end());
}

namespace {

bool has_pose(const LinkMotion& m, const FrameState& frames, int i) {
    return frames.p[i] == real3(m.p) && frames.q[i] == real4(m.q);
}
bool has_velocity(const LinkMotion& m, const FrameState& frames, int i) {
    return frames.v[i] == real3(m.v.head<3>()) && frames.w[i] == real3(m.v.tail<3>());
}

// coordinates nearest to the poses, each link on the fitted pose of its parent
void fit_poses(const Forest& f, Range links, const FrameState& frames, ForestState& s) {
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        Vec3 p = Vec3::Zero();
        Quat q = Quat::Identity();
        if (l.parent >= 0) p = s.motion[l.parent].p, q = s.motion[l.parent].q;
        else if (l.base >= 0) p = s.bases[l.base].p, q = s.bases[l.base].q;
        const Quat axes_a = q * l.a.axes, own = quat(frames.q[l.frame]);
        const Vec3 o_a = p + q * l.a.at, o_b = vec(frames.p[l.frame]) + own * l.b.at;
        fit_joint(l.kind, (axes_a.conjugate() * own * l.b.axes).normalized(), axes_a.conjugate() * (o_b - o_a),
                  s.q.data() + l.q_begin);
        compute_positions(f, {i, i + 1}, s.bases, s.q.data(), s.motion.data());
    }
}

// speeds after the impulses that make the frames' velocities obey the joints
void fit_velocities(const Forest& f, Range links, const FrameState& frames, ForestState& s) {
    if (factor_inertia(f, links, s.motion.data(), nullptr, s.factor.data()) >= 0) return; // the step will say so
    for (int i = links.begin; i < links.end; ++i) {
        const Link& l = f.links[i];
        // relative to a tree that is carried by its base with all joints locked
        Vec6 carried = Vec6::Zero();
        if (l.parent >= 0) carried = s.motion[l.parent].v;
        else if (l.base >= 0) carried = s.bases[l.base].v;
        carried.head<3>() += carried.tail<3>().cross(s.motion[i].r);
        s.motion[i].v = carried;
        s.force[i] << l.mass * (vec(frames.v[l.frame]) - carried.head<3>()),
            s.motion[i].inertia * (vec(frames.w[l.frame]) - carried.tail<3>());
    }
    for (int i = links.begin; i < links.end; ++i)
        std::fill_n(s.qd.data() + f.links[i].v_begin, f.links[i].v_count, 0.0);
    add_responses(f, links, s.motion.data(), s.factor.data(), s.force.data(), s.qd.data(), s.work.data());
}

} // namespace

void kick_bases(const Forest& f, const FrameState& frames, ForestState& s) {
    for (const Range links : f.trees) {
        const int base = f.links[links.begin].base;
        if (base < 0) continue;
        Vec6 v;
        v << vec(frames.v[f.base_frames[base]]), vec(frames.w[f.base_frames[base]]);
        if (v == s.bases[base].v) continue;
        if (factor_inertia(f, links, s.motion.data(), nullptr, s.factor.data()) >= 0) continue; // the step will say so
        for (int i = links.begin; i < links.end; ++i) { // with all joints locked the change would be carried to every link
            const Link& l = f.links[i];
            Vec6 change = l.parent >= 0 ? s.force[l.parent] : Vec6(v - s.bases[base].v);
            change.head<3>() += change.tail<3>().cross(s.motion[i].r);
            s.force[i] = change;
        }
        for (int i = links.begin; i < links.end; ++i) {
            const Vec6 change = s.force[i];
            s.force[i] << -f.links[i].mass * change.head<3>(), -(s.motion[i].inertia * change.tail<3>());
        }
        add_responses(f, links, s.motion.data(), s.factor.data(), s.force.data(), s.qd.data(), s.work.data());
    }
    read_bases(f, frames, s.bases);
    for (const Range links : f.trees)
        if (f.links[links.begin].base >= 0)
            compute_velocities(f, links, s.bases, s.q.data(), s.qd.data(), s.motion.data());
}

void read_coordinates(const Parallel& parallel, const Forest& f, const State& now, ForestState& s) {
    const auto *q = find_memory(now, kCoordinates), *qd = find_memory(now, kSpeeds);
    if (q && int(q->size()) == f.q_count) s.q = *q;
    else
        for (const Link& l : f.links) set_zero(l.kind, s.q.data() + l.q_begin);
    if (qd && int(qd->size()) == f.v_count) s.qd = *qd;
    else std::fill(s.qd.begin(), s.qd.end(), 0.0);
    read_bases(f, now.frame, s.bases);
    parallel_for(parallel, int(f.trees.size()), 16, [&](int begin, int end) {
        for (int t = begin; t < end; ++t) {
            const Range links = f.trees[t];
            compute_positions(f, links, s.bases, s.q.data(), s.motion.data());
            bool poses = true, velocities = true;
            for (int i = links.begin; i < links.end; ++i) poses = poses && has_pose(s.motion[i], now.frame, f.links[i].frame);
            if (!poses) fit_poses(f, links, now.frame, s);
            compute_velocities(f, links, s.bases, s.q.data(), s.qd.data(), s.motion.data());
            for (int i = links.begin; i < links.end; ++i)
                velocities = velocities && has_velocity(s.motion[i], now.frame, f.links[i].frame);
            if (velocities) continue;
            fit_velocities(f, links, now.frame, s);
            compute_velocities(f, links, s.bases, s.q.data(), s.qd.data(), s.motion.data());
        }
    });
}

} // namespace sinew
