#include "solver/position_rows.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kDualRowGrain = 256; // per chunk of a loop over elements

int block_width(const Dofs& dofs, int block) { return block < 0 ? 3 : dofs.block_size(block); }

void add_group(int rows, int width, Bound bound, Real limit, DualRows& r) {
    r.row_begin.push_back(r.row_begin.back() + rows);
    r.block_begin.push_back(int(r.block.size()));
    r.value_begin.push_back(r.value_begin.back() + rows * width);
    r.diagonal_begin.push_back(r.diagonal_begin.back() + rows * rows);
    r.bound.push_back(bound);
    r.limit.push_back(limit);
}

void add_table_groups(const Dofs& dofs, const DualTable& t, Real h, Real damping_time, DualRows& r) {
    const ElementRow& row = *t.table->row;
    std::array<int, 32> blocks;
    for (int e = 0; e < t.table->count(); ++e) {
        const int count = element_blocks(*t.table, e, dofs, blocks.data());
        r.block.insert(r.block.end(), blocks.begin(), blocks.begin() + count);
        const Bound bound = t.is_constraint ? row.bound(*t.table, e) : Bound::equality;
        const bool velocity = t.view->level(*t.table, e) == Level::velocity;
        add_group(t.view->rows, row.dofs, bound, t.is_constraint && row.limit ? row.limit(*t.table, e) : 0, r);
        const Real rho = velocity ? 0 : damping_time_of(t, e, damping_time);
        for (int k = 0; k < t.view->rows; ++k) {
            r.alpha.push_back((velocity ? h : 1) * t.view->compliance(*t.table, e));
            r.rho.push_back(rho);
            r.velocity.push_back(velocity);
        }
    }
}

void add_contact_groups(const Dofs& dofs, const PositionContacts& all, const PositionContactOptions& o, DualRows& r) {
    const Bound bound = o.friction == FrictionSet::cone ? Bound::cone
                        : o.friction == FrictionSet::box ? Bound::box
                                                             : Bound::cylinder;
    const bool rubs = o.friction != FrictionSet::post && o.friction != FrictionSet::none;
    for (const PositionContact& c : all.contacts) {
        int width = 0;
        for (int k = 0; k < c.sides; ++k) {
            const int body = all.sides[c.side + k].body;
            if (body < dofs.points) {
                r.block.push_back(dofs.point_block(body));
                width += 3;
            } else {
                r.block.push_back(dofs.frame_block(body - dofs.points));
                r.block.push_back(dofs.frame_block(body - dofs.points) + 1);
                width += 6;
            }
        }
        add_group(3, width, bound, rubs ? c.friction : 0, r);
        for (int k = 0; k < 3; ++k) {
            r.alpha.push_back(k == 0 ? o.compliance : 0);
            r.rho.push_back(k == 0 ? o.damping_time : 0);
            r.velocity.push_back(k > 0);
        }
    }
}

// incidence: per block its groups and the column of its part
void build_parts(const Dofs& dofs, DualRows& r) {
    r.part_begin.assign(dofs.blocks() + 1, 0);
    for (int b : r.block)
        if (b >= 0) ++r.part_begin[b + 1];
    for (int b = 0; b < dofs.blocks(); ++b) r.part_begin[b + 1] += r.part_begin[b];
    r.part_group.resize(r.part_begin.back());
    r.part_column.resize(r.part_begin.back());
    for (int g = 0; g < r.group_count(); ++g) {
        int column = 0;
        for (int i = r.block_begin[g]; i < r.block_begin[g + 1]; ++i) {
            const int b = r.block[i];
            if (b >= 0) {
                r.part_group[r.part_begin[b]] = g;
                r.part_column[r.part_begin[b]++] = column;
            }
            column += block_width(dofs, b);
        }
    }
    for (int b = dofs.blocks(); b > 0; --b) r.part_begin[b] = r.part_begin[b - 1];
    r.part_begin[0] = 0;
}

} // namespace

void build_dual_rows(const Model& m, const PositionProblem& p, const PositionContacts& contacts, const PositionContactOptions& o,
                     Real damping_time, DualRows& r) {
    const Dofs dofs = dofs_of(m);
    r.row_begin.assign(1, 0), r.block_begin.assign(1, 0), r.value_begin.assign(1, 0), r.diagonal_begin.assign(1, 0);
    r.block.clear(), r.alpha.clear(), r.rho.clear(), r.bound.clear(), r.velocity.clear(), r.limit.clear(), r.table_group.clear();
    for (const DualTable& t : p.tables) {
        r.table_group.push_back(r.group_count());
        add_table_groups(dofs, t, o.h, damping_time, r);
    }
    r.table_group.push_back(r.group_count());
    r.contact_group = r.group_count();
    add_contact_groups(dofs, contacts, o, r);
    r.jacobian.assign(r.value_begin.back(), 0);
    r.c.assign(r.row_count(), 0);
    r.rate.assign(r.row_count(), 0);
    r.lambda.assign(r.row_count(), 0);
    r.diagonal.assign(r.diagonal_begin.back(), 0);
    build_parts(dofs, r);
}

Real row_velocity(const Dofs& dofs, const DualRows& r, int g, int k, const DualState& s) {
    const Real* j = r.jacobian.data() + r.value_begin[g] + k * r.width_of(g);
    Real sum = 0;
    for (int i = r.block_begin[g]; i < r.block_begin[g + 1]; ++i) {
        const int b = r.block[i], width = block_width(dofs, b);
        if (b >= 0) {
            if (b < dofs.points) sum += Eigen::Map<const Vec3>(j).dot(vec(s.v[b]));
            else if (b < dofs.points + 2 * dofs.frames) {
                const int f = (b - dofs.points) / 2;
                sum += Eigen::Map<const Vec3>(j).dot((b - dofs.points) % 2 ? vec(s.frame_w[f]) : vec(s.frame_v[f]));
            } else sum += j[0] * s.ds[b - dofs.points - 2 * dofs.frames];
        }
        j += width;
    }
    return sum;
}

// W y on one block
static Vec3 weigh(const Dofs& dofs, const PositionProblem& p, int block, const Vec3& y) {
    if (block < dofs.points) return p.point_inverse[block] * y;
    const int f = (block - dofs.points) / 2;
    return (block - dofs.points) % 2 ? Vec3(p.frame_inverse_inertia[f] * y) : Vec3(p.frame_inverse[f] * y);
}

Real row_response(const Dofs& dofs, const PositionProblem& p, const DualRows& r, int g, int k) {
    const Real* j = r.jacobian.data() + r.value_begin[g] + k * r.width_of(g);
    Real sum = 0;
    for (int i = r.block_begin[g]; i < r.block_begin[g + 1]; ++i) {
        const int b = r.block[i], width = block_width(dofs, b);
        if (b >= 0) {
            if (width == 1) sum += p.scalar_inverse[b - dofs.points - 2 * dofs.frames] * j[0] * j[0];
            else sum += Eigen::Map<const Vec3>(j).dot(weigh(dofs, p, b, Eigen::Map<const Vec3>(j)));
        }
        j += width;
    }
    return sum;
}

void move_row(const Dofs& dofs, const PositionProblem& p, const DualRows& r, int g, int k, Real force, const DualState& s, Real reach,
              Real kick) {
    const Real* j = r.jacobian.data() + r.value_begin[g] + k * r.width_of(g);
    for (int i = r.block_begin[g]; i < r.block_begin[g + 1]; ++i) {
        const int b = r.block[i], width = block_width(dofs, b);
        if (b >= 0 && width == 1) {
            const int at = b - dofs.points - 2 * dofs.frames;
            const Real d = p.scalar_inverse[at] * force * j[0];
            s.s[at] += reach * d, s.ds[at] += kick * d;
        } else if (b >= 0) {
            const Vec3 d = weigh(dofs, p, b, force * Eigen::Map<const Vec3>(j));
            if (b < dofs.points) {
                vec(s.x[b]) += reach * d;
                vec(s.v[b]) += kick * d;
            } else {
                const int f = (b - dofs.points) / 2;
                const bool turns = (b - dofs.points) % 2;
                if (!turns) vec(s.p[f]) += reach * d, vec(s.frame_v[f]) += kick * d;
                else {
                    if (reach != 0) s.q[f] = real4((exp_rotation(reach * d) * quat(s.q[f])).normalized());
                    vec(s.frame_w[f]) += kick * d;
                }
            }
        }
        j += width;
    }
}

namespace {

void refresh_contact(const Dofs& dofs, const PositionContacts& all, const PositionContactOptions& o, const DualState& to, bool jacobian,
                     int i, DualRows& r) {
    const PositionContact& c = all.contacts[i];
    const int g = r.contact_group + i, row = r.row_begin[g], width = r.width_of(g);
    const ContactState at = contact_state(all, c, to, dofs.points);
    const ContactFrame frame = contact_frame(real3(c.n));
    const std::array<Vec3, 3> axis{c.n, vec(frame.t0), vec(frame.t1)};
    const Vec3 slip = at.velocity - c.n.dot(at.velocity) * c.n;
    r.c[row] = at.gap;
    if (r.bound[g] == Bound::cone && o.de_saxce) r.c[row] += o.h * r.limit[g] * slip.norm();
    r.c[row] += r.rho[row] * c.n.dot(at.velocity);
    for (int k = 1; k < 3; ++k) r.c[row + k] = o.h * axis[k].dot(at.velocity);
    if (!jacobian) return;
    Real* j = r.jacobian.data() + r.value_begin[g];
    int column = 0;
    for (int k = 0; k < c.sides; ++k) {
        const ContactSide& side = all.sides[c.side + k];
        for (int a = 0; a < 3; ++a) Eigen::Map<Vec3>(j + a * width + column) = side.weight * axis[a];
        column += 3;
        if (side.body < dofs.points) continue;
        const Vec3 arm = quat(to.q[side.body - dofs.points]) * side.local;
        for (int a = 0; a < 3; ++a) Eigen::Map<Vec3>(j + a * width + column) = side.weight * arm.cross(axis[a]);
        column += 3;
    }
}

} // namespace

void refresh_dual_rows(const Parallel& parallel, const Dofs& dofs, const PositionProblem& p, const PositionContacts& contacts,
                       const PositionContactOptions& o, const Evaluation& ev, const DualState& to, bool jacobian, Real h, DualRows& r) {
    for (std::size_t k = 0; k < p.tables.size(); ++k) {
        const DualTable& t = p.tables[k];
        const int first = r.table_group[k], rows = t.view->rows;
        const bool rated = t.is_constraint && t.table->row->rate;
        const Evaluation at = evaluation_for(p, *t.table, ev);
        parallel_for(parallel, t.table->count(), kDualRowGrain, [&](int begin, int end) {
            const int row = r.row_begin[first + begin];
            t.view->evaluate(*t.table, at, begin, end, r.c.data() + row,
                             jacobian ? r.jacobian.data() + r.value_begin[first + begin] : nullptr);
            if (rated) t.table->row->rate(*t.table, ev, begin, end, r.rate.data() + row);
            for (int i = row; i < row + rows * (end - begin); ++i) {
                if (!r.velocity[i] && r.rho[i] == 0) continue;
                const Real u = row_velocity(dofs, r, first + begin + (i - row) / rows, (i - row) % rows, to);
                if (r.velocity[i]) r.c[i] = h * (u - r.rate[i]);
                else r.c[i] += r.rho[i] * (u - r.rate[i]);
            }
        });
    }
    parallel_for(parallel, int(contacts.contacts.size()), kDualRowGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) refresh_contact(dofs, contacts, o, to, jacobian, i, r);
    });
}

void build_diagonal(const Parallel& parallel, const Dofs& dofs, const PositionProblem& p, const RowReach& reach, DualRows& r) {
    parallel_for(parallel, r.group_count(), kDualRowGrain, [&](int begin, int end) {
        for (int g = begin; g < end; ++g) {
            const int rows = r.rows_of(g), width = r.width_of(g);
            Real* d = r.diagonal.data() + r.diagonal_begin[g];
            std::fill(d, d + rows * rows, 0.0);
            const Real* j = r.jacobian.data() + r.value_begin[g];
            int column = 0;
            for (int i = r.block_begin[g]; i < r.block_begin[g + 1]; ++i) {
                const int b = r.block[i], size = block_width(dofs, b);
                const Real share = b >= 0 && r.incidence ? r.part_begin[b + 1] - r.part_begin[b] : 1;
                if (b >= 0)
                    for (int a = 0; a < rows; ++a) {
                        if (size == 1) {
                            const Real w = share * p.scalar_inverse[b - dofs.points - 2 * dofs.frames] * j[a * width + column];
                            for (int k = 0; k < rows; ++k) d[a * rows + k] += w * j[k * width + column];
                            continue;
                        }
                        const Vec3 w = share * weigh(dofs, p, b, Eigen::Map<const Vec3>(j + a * width + column));
                        for (int k = 0; k < rows; ++k) d[a * rows + k] += w.dot(Eigen::Map<const Vec3>(j + k * width + column));
                    }
                column += size;
            }
            for (int a = 0; a < rows; ++a) {
                const int row = r.row_begin[g] + a;
                for (int k = 0; k < rows; ++k) d[a * rows + k] *= reach.of(r, row);
                d[a * rows + a] += r.alpha[row];
            }
        }
    });
}

void apply_transposed(const Parallel& parallel, const Dofs& dofs, const DualRows& r, std::span<const Real> z, std::span<Real> y) {
    parallel_for(parallel, dofs.blocks(), kGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) {
            const int size = dofs.block_size(b);
            Vec3 sum = Vec3::Zero();
            for (int i = r.part_begin[b]; i < r.part_begin[b + 1]; ++i) {
                const int g = r.part_group[i], rows = r.rows_of(g), width = r.width_of(g);
                const Real* j = r.jacobian.data() + r.value_begin[g] + r.part_column[i];
                for (int k = 0; k < rows; ++k)
                    for (int a = 0; a < size; ++a) sum[a] += j[k * width + a] * z[r.row_begin[g] + k];
            }
            for (int a = 0; a < size; ++a) y[dofs.block_offset(b) + a] = sum[a];
        }
    });
}

void apply_inverse_mass(const Parallel& parallel, const Dofs& dofs, const PositionProblem& p, std::span<Real> y) {
    parallel_for(parallel, dofs.blocks(), kGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) {
            Real* at = y.data() + dofs.block_offset(b);
            if (dofs.block_size(b) == 1) *at *= p.scalar_inverse[b - dofs.points - 2 * dofs.frames];
            else Eigen::Map<Vec3>{at} = weigh(dofs, p, b, Eigen::Map<const Vec3>(at));
        }
    });
}

void apply_rows(const Parallel& parallel, const Dofs& dofs, const DualRows& r, std::span<const Real> y, std::span<Real> out) {
    parallel_for(parallel, r.group_count(), kDualRowGrain, [&](int begin, int end) {
        for (int g = begin; g < end; ++g) {
            const int rows = r.rows_of(g), width = r.width_of(g);
            for (int k = 0; k < rows; ++k) {
                const Real* j = r.jacobian.data() + r.value_begin[g] + k * width;
                Real sum = 0;
                for (int i = r.block_begin[g]; i < r.block_begin[g + 1]; ++i) {
                    const int b = r.block[i], size = block_width(dofs, b);
                    if (b >= 0)
                        for (int a = 0; a < size; ++a) sum += j[a] * y[dofs.block_offset(b) + a];
                    j += size;
                }
                out[r.row_begin[g] + k] = sum;
            }
        }
    });
}

void move_all(const Parallel& parallel, const Dofs& dofs, const DualState& s, std::span<const Real> y, Real reach, Real kick) {
    parallel_for(parallel, dofs.points, kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            if (!(s.point_inverse[i] > 0)) continue;
            const Eigen::Map<const Vec3> d(y.data() + dofs.point_offset(i));
            vec(s.x[i]) += reach * d;
            vec(s.v[i]) += kick * d;
        }
    });
    for (int f = 0; f < dofs.frames; ++f) {
        if (!(s.frame_inverse[f] > 0)) continue;
        const Eigen::Map<const Vec3> d(y.data() + dofs.frame_offset(f)), turn(y.data() + dofs.frame_offset(f) + 3);
        vec(s.p[f]) += reach * d;
        vec(s.frame_v[f]) += kick * d;
        if (reach != 0) s.q[f] = real4((exp_rotation(reach * turn) * quat(s.q[f])).normalized());
        vec(s.frame_w[f]) += kick * turn;
    }
    for (int i = 0; i < dofs.scalars; ++i) {
        s.s[i] += reach * y[dofs.scalar_offset(i)];
        s.ds[i] += kick * y[dofs.scalar_offset(i)];
    }
}

} // namespace sinew
