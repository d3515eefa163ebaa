#include "solver/articulated_kkt.h"
#include "linalg/block6.h"

namespace sinew {

static Mat6 shift(const Vec3& r) {
    Mat6 x = Mat6::Identity();
    x.topRightCorner<3, 3>() = -skew(r);
    return x;
}

bool solve_maximal(const Forest& f, std::span<const BaseMotion> bases, std::span<const LinkMotion> motion,
                   std::span<const Vec6> force, MaximalTree& t, std::span<Vec6> a, std::span<Vec6> joint) {
    const int n = int(f.links.size());
    TreeMatrix& h = t.matrix;
    h.parent.resize(2 * n), h.size.resize(2 * n), h.diagonal.resize(2 * n), h.coupling.resize(2 * n);
    t.held.resize(n), t.x.resize(2 * n);
    for (int i = 0; i < n; ++i) {
        const Link& l = f.links[i];
        const LinkMotion& m = motion[i];
        const int rows = 6 - l.v_count;
        t.held[i] = complement(m.s, l.v_count);
        const auto held = t.held[i].leftCols(rows);
        // joint: zero block, tied to the parent's body by +N^T X (the row is -J)
        h.parent[2 * i] = l.parent < 0 ? -1 : 2 * l.parent + 1;
        h.size[2 * i] = rows;
        h.diagonal[2 * i].setZero();
        h.coupling[2 * i].setZero();
        const Mat6 x = shift(m.r);
        if (l.parent >= 0) h.coupling[2 * i].topRows(rows) = held.transpose() * x;
        Vec6 c = m.c;
        if (l.parent < 0 && l.base >= 0) c += x * bases[l.base].a;
        t.x[2 * i].head(rows) = -held.transpose() * c;
        // body: inertia, tied to its joint by -N
        h.parent[2 * i + 1] = 2 * i;
        h.size[2 * i + 1] = 6;
        Mat6& inertia = h.diagonal[2 * i + 1];
        inertia.setZero();
        inertia.topLeftCorner<3, 3>().diagonal().setConstant(l.mass);
        inertia.bottomRightCorner<3, 3>() = m.inertia;
        h.coupling[2 * i + 1].leftCols(rows) = -held;
        const Vec3 w = m.v.tail<3>();
        t.x[2 * i + 1] = force[i];
        t.x[2 * i + 1].tail<3>() -= w.cross(m.inertia * w);
    }
    if (factor_tree(h) >= 0) return false;
    solve_tree(h, t.x);
    for (int i = 0; i < n; ++i) {
        const int rows = h.size[2 * i];
        a[i] = t.x[2 * i + 1];
        joint[i] = t.held[i].leftCols(rows) * t.x[2 * i].head(rows);
    }
    return true;
}

} // namespace sinew
