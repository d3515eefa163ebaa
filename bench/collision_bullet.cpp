// Bullet: btDbvt in single precision. Built by inserting one leaf after the other; the only way to move its
// leaves is `update`, which takes each out and puts it in again.
#include "collision_peers.h"
#include <BulletCollision/BroadphaseCollision/btDbvt.h>

namespace sinew::bench {

namespace {

struct Collector final : btDbvt::ICollide {
    Keep keep = nullptr;
    const void* data = nullptr;
    bool self = false;
    std::vector<Pair>* out = nullptr;
    void Process(const btDbvtNode* a, const btDbvtNode* b) override {
        int i = a->dataAsInt, j = b->dataAsInt;
        if (self && j < i) std::swap(i, j);
        if (!keep || keep(data, i, j)) out->push_back({i, j});
    }
};

btVector3 vector_of(const Real3& x) { return {btScalar(x.x), btScalar(x.y), btScalar(x.z)}; }
btDbvtVolume volume_of(const Soup& s, std::size_t i) {
    btVector3 lo = vector_of(s.x[s.triangles[i][0]]), hi = lo;
    for (int k = 1; k < 3; ++k) {
        const btVector3 p = vector_of(s.x[s.triangles[i][k]]);
        lo.setMin(p);
        hi.setMax(p);
    }
    return btDbvtVolume::FromMM(lo, hi);
}

struct BulletTree final : TreePeer {
    btDbvt tree;
    std::vector<btDbvtNode*> leaves;
    Soup soup;
    void load(const Soup& s) override { soup = s; }
    void build() override {
        tree.clear();
        leaves.resize(soup.triangles.size());
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            leaves[i] = tree.insert(volume_of(soup, i), nullptr);
            leaves[i]->dataAsInt = int(i);
        }
    }
    void refit() override {
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            btDbvtVolume volume = volume_of(soup, i);
            tree.update(leaves[i], volume);
        }
    }
    void self_pairs(Keep keep, const void* data, std::vector<Pair>& out) override {
        Collector c;
        c.keep = keep, c.data = data, c.self = true, c.out = &out;
        out.clear();
        tree.collideTT(tree.m_root, tree.m_root, c);
    }
    void tree_pairs(TreePeer& other, Keep keep, const void* data, std::vector<Pair>& out) override {
        Collector c;
        c.keep = keep, c.data = data, c.out = &out;
        out.clear();
        tree.collideTT(tree.m_root, static_cast<BulletTree&>(other).tree.m_root, c);
    }
};

} // namespace

std::unique_ptr<TreePeer> make_bullet_tree() { return std::make_unique<BulletTree>(); }

} // namespace sinew::bench
