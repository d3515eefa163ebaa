// MuJoCo at its defaults: Newton's method, pyramidal cone, 100 iterations at most; contacts of time constant 2 dt at least.
#include "core/math.h"
#include "rigid_scenes.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <mujoco/mujoco.h>

namespace sinew::bench {

namespace {

struct Mujoco final : RigidEngine {
    mjModel* model = nullptr;
    mjData* data = nullptr;
    std::vector<int> body;

    Mujoco(const RigidScene& s, std::string& why) {
        std::string xml = "<mujoco><option timestep=\"0.016666666666666666\" gravity=\"0 -9.81 0\"/>"
                          // room for 10 contacts a body of 4 rows each; by default its stack grows with the square of that
                          "<size nconmax=\"" + std::to_string(10 * s.bodies.size()) + "\" njmax=\"" +
                          std::to_string(40 * s.bodies.size()) + "\" nstack=\"100000000\"/><worldbody>";
        for (std::size_t i = 0; i < s.bodies.size(); ++i) {
            const BenchBody& b = s.bodies[i];
            const Real3& p = b.pose.position;
            const Real4& q = b.pose.rotation;
            const std::string size = b.is_box ? fmt::format("{} {} {}", b.half.x, b.half.y, b.half.z) : fmt::format("{}", b.half.x);
            xml += fmt::format("<body name=\"b{}\" pos=\"{} {} {}\" quat=\"{} {} {} {}\">{}<geom type=\"{}\" size=\"{}\" {} "
                               "friction=\"{} 0.005 0.0001\" solref=\"0.0333333 1\"{}/></body>",
                               i, p.x, p.y, p.z, q.w, q.x, q.y, q.z, b.mass > 0 ? "<freejoint/>" : "", b.is_box ? "box" : "sphere",
                               size, b.mass > 0 ? fmt::format("mass=\"{}\"", b.mass) : std::string(), s.friction,
                               s.collides ? "" : " contype=\"0\" conaffinity=\"0\"");
        }
        xml += "</worldbody><equality>";
        for (const BenchJoint& j : s.joints) { // anchor in the frame of the first body
            const Pose& a = s.bodies[j.a].pose;
            const Vec3 local = quat(a.rotation).conjugate() * (vec(j.at) - vec(a.position));
            xml += fmt::format("<connect body1=\"b{}\" body2=\"b{}\" anchor=\"{} {} {}\"/>", j.a, j.b, local.x(), local.y(), local.z());
        }
        xml += "</equality></mujoco>";
        char error[1000] = "";
        mjVFS* files = new mjVFS;
        mj_defaultVFS(files);
        if (mj_makeEmptyFileVFS(files, "scene.xml", int(xml.size()) + 1) == 0)
            std::memcpy(files->filedata[mj_findFileVFS(files, "scene.xml")], xml.c_str(), xml.size() + 1);
        model = mj_loadXML("scene.xml", files, error, sizeof error);
        mj_deleteVFS(files);
        delete files;
        if (!model) {
            why = error;
            std::replace(why.begin(), why.end(), '\n', ' ');
            return;
        }
        data = mj_makeData(model);
        for (std::size_t i = 0; i < s.bodies.size(); ++i) body.push_back(mj_name2id(model, mjOBJ_BODY, fmt::format("b{}", i).c_str()));
        mj_forward(model, data);
    }
    ~Mujoco() override {
        if (data) mj_deleteData(data);
        if (model) mj_deleteModel(model);
    }
    void step(double) override {
        mj_step(model, data);
    }
    Pose pose(int i) const override {
        const mjtNum *p = data->xpos + 3 * body[i], *q = data->xquat + 4 * body[i];
        return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
    }
};

} // namespace

std::unique_ptr<RigidEngine> make_mujoco(const RigidScene& s, int, std::string& why) {
    auto engine = std::make_unique<Mujoco>(s, why);
    if (!engine->data) return nullptr;
    return engine;
}

} // namespace sinew::bench
