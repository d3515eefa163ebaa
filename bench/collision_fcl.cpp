// FCL: BVHModel of AABB nodes in double, its default split by the mean, its own recursions; only the test of
// a leaf pair is replaced by writing the pair down.
#include "collision_peers.h"
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/utility.h>
#include <fcl/narrowphase/detail/traversal/collision/bvh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/traversal_recurse.h>

namespace sinew::bench {

namespace {

using Model = fcl::BVHModel<fcl::AABBd>;

struct Traversal final : fcl::detail::BVHCollisionTraversalNode<fcl::AABBd> {
    Keep keep = nullptr;
    const void* data = nullptr;
    bool self = false;
    std::vector<Pair>* out = nullptr;
    void leafTesting(int b1, int b2) const override {
        int i = model1->getBV(b1).primitiveId(), j = model2->getBV(b2).primitiveId();
        if (self && j < i) std::swap(i, j);
        if (!keep || keep(data, i, j)) out->push_back({i, j});
    }
    bool canStop() const override { return false; }
};

struct FclTree final : TreePeer {
    std::unique_ptr<Model> model;
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    void load(const Soup& s) override {
        points.clear();
        triangles.clear();
        for (const Real3& x : s.x) points.emplace_back(x.x, x.y, x.z);
        for (const auto& t : s.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    }
    void build() override {
        model = std::make_unique<Model>();
        model->beginModel(int(triangles.size()), int(points.size()));
        model->addSubModel(points, triangles);
        model->endModel();
    }
    void refit() override {
        model->beginReplaceModel();
        model->replaceSubModel(points);
        model->endReplaceModel(true, true);
    }
    void self_pairs(Keep keep, const void* data, std::vector<Pair>& out) override {
        Traversal t;
        t.model1 = t.model2 = model.get();
        t.keep = keep, t.data = data, t.self = true, t.out = &out;
        out.clear();
        fcl::detail::selfCollisionRecurse<double>(&t, 0, nullptr);
    }
    void tree_pairs(TreePeer& other, Keep keep, const void* data, std::vector<Pair>& out) override {
        Traversal t;
        t.model1 = model.get(), t.model2 = static_cast<FclTree&>(other).model.get();
        t.keep = keep, t.data = data, t.out = &out;
        out.clear();
        fcl::detail::collisionRecurse<double>(&t, 0, 0, nullptr);
    }
};

} // namespace

std::unique_ptr<TreePeer> make_fcl_tree() { return std::make_unique<FclTree>(); }

} // namespace sinew::bench
