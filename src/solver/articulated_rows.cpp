#include "solver/articulated_rows.h"
#include "geometry/topology.h"
#include <algorithm>
#include <numeric>

namespace sinew {

namespace {

// rows whose pivot is below this part of their own are sums of others; rounding of the responses is near
// 1e-14
constexpr Real kRedundant = 1e-10;

Vec6 spatial(const Lever& l) {
    Vec6 out;
    out << l.linear, l.angular;
    return out;
}

bool is_direct(const RowGroup& g) { return g.set == RowSet::free; }
bool is_held(const LinkRows& r, const RowGroup& g) {
    return g.set != RowSet::contact && g.source >= 0 && g.source < int(r.held.size()) && r.held[g.source];
}

// neither kept by the coordinates nor asleep
bool acts(const LinkRows& r, std::size_t group) {
    return !is_held(r, r.plain.groups[group]) && (r.asleep.empty() || !r.asleep[group]);
}

void map_bodies(const Forest& f, const Dofs& dofs, LinkRows& r) {
    r.first_frame = dofs.points;
    r.link_of_body.assign(r.plain.body_count(), -1);
    for (std::size_t i = 0; i < f.links.size(); ++i) r.link_of_body[dofs.points + f.links[i].frame] = int(i);
}

// trees that a direct row joins belong to one cluster; clusters in the order of their first tree
void build_clusters(const Forest& f, LinkRows& r) {
    r.tree_root.resize(f.trees.size());
    std::iota(r.tree_root.begin(), r.tree_root.end(), 0);
    for (std::size_t i = 0; i < r.plain.groups.size(); ++i) {
        const RowGroup& g = r.plain.groups[i];
        if (!is_direct(g) || !acts(r, i)) continue;
        int first = -1;
        for (int s = 0; s < g.sides; ++s) {
            const int link = r.link_of_body[r.plain.body[g.side + s]];
            if (link < 0) continue;
            const int root = find_root(r.tree_root, f.links[link].tree);
            if (first < 0) first = root;
            else if (root != first) r.tree_root[std::max(root, first)] = std::min(root, first), first = std::min(root, first);
        }
    }
    r.cluster_of.assign(f.links.size(), -1);
    r.place_of.resize(f.links.size());
    r.cluster_count = 0;
    for (std::size_t t = 0; t < f.trees.size(); ++t) {
        const int root = find_root(r.tree_root, int(t));
        int c = root == int(t) ? r.cluster_count++ : r.cluster_of[f.trees[root].begin];
        if (root == int(t)) {
            if (int(r.clusters.size()) < r.cluster_count) r.clusters.emplace_back();
            r.clusters[c].links.clear();
            r.clusters[c].rows.clear();
        }
        for (int i = f.trees[t].begin; i < f.trees[t].end; ++i) {
            r.cluster_of[i] = c;
            r.place_of[i] = int(r.clusters[c].links.size());
            r.clusters[c].links.push_back(i);
        }
    }
}

int cluster_of_group(const LinkRows& r, const RowGroup& g) {
    for (int s = 0; s < g.sides; ++s) {
        const int link = r.link_of_body[r.plain.body[g.side + s]];
        if (link >= 0) return r.cluster_of[link];
    }
    return -1;
}

// out (one per link of cluster c) += response to a unit impulse of the row
void add_row_response(const Forest& f, const ForestState& s, LinkRows& r, const RowGroup& g, int k, int c, Lever* out) {
    for (int side = 0; side < g.sides; ++side) {
        const int link = r.link_of_body[r.plain.body[g.side + side]];
        if (link < 0 || r.cluster_of[link] != c) continue;
        const Vec6 push = spatial(r.plain.jacobian[g.lever + k * g.sides + side]);
        const Range links = f.trees[f.links[link].tree];
        add_response(f, links, s.motion.data(), s.factor.data(), link, push, nullptr, r.qd.data(), r.change.data());
        for (int i = links.begin; i < links.end; ++i) {
            out[r.place_of[i]].linear += r.change[i].head<3>();
            out[r.place_of[i]].angular += r.change[i].tail<3>();
        }
    }
}

// J of a plain row times velocities of the links of cluster c, one per place
Real row_times(const LinkRows& r, const RowGroup& g, int k, int c, const Lever* velocity) {
    Real sum = 0;
    for (int side = 0; side < g.sides; ++side) {
        const int link = r.link_of_body[r.plain.body[g.side + side]];
        if (link < 0 || r.cluster_of[link] != c) continue;
        const Lever& j = r.plain.jacobian[g.lever + k * g.sides + side];
        const Lever& v = velocity[r.place_of[link]];
        sum += j.linear.dot(v.linear) + j.angular.dot(v.angular);
    }
    return sum;
}

// J W J^T of the row if its bodies were free
Real natural_size(const RowProblem& q, const RowGroup& g, int k) {
    Real sum = q.softness[g.row + k];
    for (int side = 0; side < g.sides; ++side) {
        const int body = q.body[g.side + side];
        const Lever& j = q.jacobian[g.lever + k * g.sides + side];
        sum += q.inverse_mass[body] * j.linear.squaredNorm() + j.angular.dot(q.inverse_inertia[body] * j.angular);
    }
    return sum;
}

void factor_cluster(const Forest& f, const ForestState& s, LinkRows& r, int index) {
    Cluster& c = r.clusters[index];
    const int n = int(c.rows.size()), width = int(c.links.size());
    c.response.assign(std::size_t(n) * width, Lever{Vec3::Zero(), Vec3::Zero()});
    c.matrix.resize(std::size_t(n) * n);
    c.right.resize(n);
    for (int i = 0; i < n; ++i)
        add_row_response(f, s, r, r.plain.groups[c.rows[i].group], c.rows[i].row, index,
                         c.response.data() + std::size_t(i) * width);
    c.hard_rows.clear();
    c.natural.resize(n);
    c.natural_hard.clear();
    for (int i = 0; i < n; ++i) {
        const RowGroup& g = r.plain.groups[c.rows[i].group];
        for (int j = 0; j < n; ++j)
            c.matrix[i + std::size_t(n) * j] =
                row_times(r, g, c.rows[i].row, index, c.response.data() + std::size_t(j) * width);
        c.natural[i] = natural_size(r.plain, g, c.rows[i].row);
        if (c.rows[i].hard) c.hard_rows.push_back(i), c.natural_hard.push_back(c.natural[i]);
    }
    const int hard = int(c.hard_rows.size());
    r.part.resize(std::size_t(hard) * hard);
    for (int j = 0; j < hard; ++j)
        for (int i = 0; i < hard; ++i)
            r.part[i + std::size_t(hard) * j] = c.matrix[c.hard_rows[i] + std::size_t(n) * c.hard_rows[j]];
    factor_pivoted(r.part, hard, kRedundant, c.natural_hard, c.hard);
    for (int i = 0; i < n; ++i) {
        const RowGroup& g = r.plain.groups[c.rows[i].group];
        c.matrix[i + std::size_t(n) * i] += r.plain.softness[g.row + c.rows[i].row];
    }
    factor_pivoted(c.matrix, n, kRedundant, c.natural, c.all);
}

// takes out of a response what the direct rows of the cluster would answer
void project_response(LinkRows& r, int index, Lever* response) {
    Cluster& c = r.clusters[index];
    const int n = int(c.rows.size()), width = int(c.links.size());
    if (n == 0) return;
    for (int i = 0; i < n; ++i)
        c.right[i] = row_times(r, r.plain.groups[c.rows[i].group], c.rows[i].row, index, response);
    solve_pivoted(c.all, c.right);
    for (int i = 0; i < n; ++i) {
        const Lever* y = c.response.data() + std::size_t(i) * width;
        for (int k = 0; k < width; ++k) {
            response[k].linear -= c.right[i] * y[k].linear;
            response[k].angular -= c.right[i] * y[k].angular;
        }
    }
}

// Which sides of a coupled group a body of the plain one became.
struct CoupledSides {
    std::array<int, 16> cluster, first; // clusters of the group and their first sides
    int count = 0;
    int find(int c) const {
        int i = 0;
        while (i < count && cluster[i] != c) ++i;
        return i;
    }
};

// held bodies first, then all links of each cluster
void find_coupled_sides(const Forest& f, LinkRows& r, const RowGroup& from, CoupledSides& out) {
    r.sides.clear();
    for (int side = 0; side < from.sides; ++side) {
        const int body = r.plain.body[from.side + side], link = r.link_of_body[body];
        if (link < 0) r.sides.push_back(body);
        else if (out.find(r.cluster_of[link]) == out.count) out.cluster[out.count++] = r.cluster_of[link];
    }
    for (int i = 0; i < out.count; ++i) {
        out.first[i] = int(r.sides.size());
        for (int link : r.clusters[out.cluster[i]].links) r.sides.push_back(r.first_frame + f.links[link].frame);
    }
}

void fill_coupled_row(const Forest& f, const ForestState& s, LinkRows& r, const RowGroup& from, const CoupledSides& sides, int k,
                      const RowGroup& g) {
    Lever* j = r.coupled.jacobian.data() + g.lever + k * g.sides;
    Lever* y = r.coupled.response.data() + g.lever + k * g.sides;
    int held = 0;
    for (int side = 0; side < from.sides; ++side) {
        const int link = r.link_of_body[r.plain.body[from.side + side]];
        const int at = link < 0 ? held++ : sides.first[sides.find(r.cluster_of[link])] + r.place_of[link];
        j[at] = r.plain.jacobian[from.lever + k * from.sides + side];
    }
    for (int i = 0; i < sides.count; ++i) {
        add_row_response(f, s, r, from, k, sides.cluster[i], y + sides.first[i]);
        project_response(r, sides.cluster[i], y + sides.first[i]);
    }
    for (auto member : {&RowProblem::c, &RowProblem::drive, &RowProblem::bias, &RowProblem::softness, &RowProblem::impulse})
        (r.coupled.*member)[g.row + k] = (r.plain.*member)[from.row + k];
}

// Rows along which the trees cannot move at all, as that of a contact at a joint's own point: what is left of
// J H^-1 J^T is rounding, and an impulse found with it anything. They are left out; so is a contact that
// cannot move along its normal, since joints and contact share its force as they like.
void leave_out_held(const LinkRows& r, const RowGroup& from, const RowGroup& g, RowProblem& q) {
    const auto is_held = [&](int k) {
        return q.block[g.block + k * g.rows + k] + q.softness[g.row + k] <
               kRedundant * natural_size(r.plain, from, k);
    };
    const bool whole = g.set == RowSet::contact && is_held(0);
    for (int k = 0; k < g.rows; ++k) {
        if (!whole && !is_held(k)) continue;
        q.impulse[g.row + k] = 0;
        std::fill_n(q.response.begin() + g.lever + k * g.sides, g.sides, Lever{Vec3::Zero(), Vec3::Zero()});
        for (int l = 0; l < g.rows; ++l)
            q.block[g.block + k * g.rows + l] = q.block[g.block + l * g.rows + k] = 0;
    }
}

void add_coupled(const Forest& f, const ForestState& s, LinkRows& r, int plain_group) {
    const RowGroup from = r.plain.groups[plain_group];
    CoupledSides sides;
    find_coupled_sides(f, r, from, sides);
    RowGroup& g = add_group(r.coupled, from.rows, r.sides);
    g.set = from.set, g.friction = from.friction, g.rolling = from.rolling, g.torsion = from.torsion;
    g.limit = from.limit, g.restitution = from.restitution, g.gap = from.gap, g.source = from.source;
    for (int k = 0; k < g.rows; ++k) fill_coupled_row(f, s, r, from, sides, k, g);
    for (int k = 0; k < g.rows; ++k)
        for (int l = 0; l < g.rows; ++l) {
            const Lever *j = r.coupled.jacobian.data() + g.lever + k * g.sides,
                        *y = r.coupled.response.data() + g.lever + l * g.sides;
            Real sum = 0;
            for (int side = 0; side < g.sides; ++side)
                sum += j[side].linear.dot(y[side].linear) + j[side].angular.dot(y[side].angular);
            r.coupled.block[g.block + k * g.rows + l] = sum;
        }
    leave_out_held(r, from, g, r.coupled);
    r.group_of.push_back(plain_group);
}

// p_L of one cluster into c.right: -(K + softness)^-1 (J_L v + drive + bias), v of coupled's bodies
void solve_direct_rows(LinkRows& r, Cluster& c) {
    for (std::size_t i = 0; i < c.rows.size(); ++i) {
        const RowGroup& g = r.plain.groups[c.rows[i].group];
        const int k = c.rows[i].row;
        Real rate = r.plain.drive[g.row + k] + r.plain.bias[g.row + k];
        for (int side = 0; side < g.sides; ++side) {
            const int body = r.plain.body[g.side + side];
            const Lever& j = r.plain.jacobian[g.lever + k * g.sides + side];
            rate += j.linear.dot(r.coupled.v[body]) + j.angular.dot(r.coupled.w[body]);
        }
        c.right[i] = -rate;
    }
    solve_pivoted(c.all, c.right);
}

// impulse of a row on its links
void add_link_impulse(LinkRows& r, const RowGroup& g, int k, Real p) {
    for (int side = 0; side < g.sides; ++side) {
        const int link = r.link_of_body[r.plain.body[g.side + side]];
        if (link >= 0) r.impulse[link] += p * spatial(r.plain.jacobian[g.lever + k * g.sides + side]);
    }
}

// qd and velocities of the links from the impulses on them
void apply_impulses(const Forest& f, const ForestState& s, std::span<const Real> qd_free, LinkRows& r) {
    std::copy(qd_free.begin(), qd_free.end(), r.qd.begin());
    for (const Range links : f.trees)
        add_responses(f, links, s.motion.data(), s.factor.data(), r.impulse.data(), r.qd.data(), r.change.data());
    for (std::size_t i = 0; i < f.links.size(); ++i) {
        const int body = r.first_frame + f.links[i].frame;
        r.coupled.v[body] = s.motion[i].v.head<3>() + r.change[i].head<3>();
        r.coupled.w[body] = s.motion[i].v.tail<3>() + r.change[i].tail<3>();
    }
}

} // namespace

void couple_rows(const Forest& f, const ForestState& s, const Rows& constraints, const Dofs& dofs, LinkRows& r) {
    r.qd.resize(f.v_count);
    r.impulse.resize(f.links.size());
    r.change.resize(f.links.size());
    map_bodies(f, dofs, r);
    build_clusters(f, r);
    for (std::size_t i = 0; i < r.plain.groups.size(); ++i) {
        const RowGroup& g = r.plain.groups[i];
        const int c = is_direct(g) && acts(r, i) ? cluster_of_group(r, g) : -1;
        if (c < 0) continue;
        for (int k = 0; k < g.rows; ++k) {
            const bool hard = constraints.level[g.source] == Level::position && r.plain.softness[g.row + k] == 0;
            r.clusters[c].rows.push_back({int(i), k, hard});
        }
    }
    for (int c = 0; c < r.cluster_count; ++c) factor_cluster(f, s, r, c);
    clear_rows(r.coupled);
    r.coupled.dt = r.plain.dt;
    r.coupled.v = r.plain.v, r.coupled.w = r.plain.w;
    r.coupled.inverse_mass = r.plain.inverse_mass;
    r.coupled.inverse_inertia = r.plain.inverse_inertia;
    r.group_of.clear();
    for (std::size_t i = 0; i < r.plain.groups.size(); ++i)
        if (!is_direct(r.plain.groups[i]) && acts(r, i)) add_coupled(f, s, r, int(i));
}

void settle_rows(const Forest& f, const ForestState& s, std::span<const Real> qd_free, LinkRows& r) {
    for (Vec6& i : r.impulse) i.setZero();
    for (std::size_t i = 0; i < r.asleep.size(); ++i) { // what carries those asleep
        const RowGroup& g = r.plain.groups[i];
        for (int k = 0; r.asleep[i] && k < g.rows; ++k) add_link_impulse(r, g, k, r.plain.impulse[g.row + k]);
    }
    for (std::size_t i = 0; i < r.group_of.size(); ++i) {
        const RowGroup& swept = r.coupled.groups[i];
        for (int k = 0; k < swept.rows; ++k)
            add_link_impulse(r, r.plain.groups[r.group_of[i]], k, r.coupled.impulse[swept.row + k]);
    }
    apply_impulses(f, s, qd_free, r);
    bool direct = false;
    for (int i = 0; i < r.cluster_count; ++i) {
        Cluster& c = r.clusters[i];
        if (c.rows.empty()) continue;
        direct = true;
        solve_direct_rows(r, c);
        for (std::size_t k = 0; k < c.rows.size(); ++k) {
            const RowGroup& g = r.plain.groups[c.rows[k].group];
            r.plain.impulse[g.row + c.rows[k].row] = c.right[k];
            add_link_impulse(r, g, c.rows[k].row, c.right[k]);
        }
    }
    if (direct) apply_impulses(f, s, qd_free, r);
}

void add_position_step(const Forest& f, const ForestState& s, LinkRows& r, std::span<Real> way) {
    for (Vec6& i : r.impulse) i.setZero();
    for (int i = 0; i < r.cluster_count; ++i) {
        Cluster& c = r.clusters[i];
        const int n = int(c.hard_rows.size());
        if (n == 0) continue;
        for (int k = 0; k < n; ++k) {
            const DirectRow& row = c.rows[c.hard_rows[k]];
            c.right[k] = -r.plain.c[r.plain.groups[row.group].row + row.row];
        }
        solve_pivoted(c.hard, std::span(c.right).first(n));
        for (int k = 0; k < n; ++k) {
            const DirectRow& row = c.rows[c.hard_rows[k]];
            add_link_impulse(r, r.plain.groups[row.group], row.row, c.right[k]);
        }
    }
    for (const Range links : f.trees)
        add_responses(f, links, s.motion.data(), s.factor.data(), r.impulse.data(), way.data(), r.change.data());
}

} // namespace sinew
