#include "output/animation.h"
#include "geometry/read_mesh.h"
#include "output/point_cache.h"
#include "output/recording.h"
#include "output/world.h"
#include <algorithm>
#include <cmath>
#include <filesystem>

namespace sinew {
namespace {

Errors check_samples(const std::string& path, const std::vector<double>& times, int point_count) {
    if (point_count <= 0) return {file_error(path, "the animation has no vertices")};
    if (times.empty()) return {file_error(path, "the animation has no samples")};
    for (std::size_t i = 1; i < times.size(); ++i)
        if (!(times[i] > times[i - 1]))
            return {file_error(path, "the times of the animation do not grow at sample " + std::to_string(i))};
    return {};
}

Errors check_positions(const std::string& path, const std::vector<Real3>& x, int point_count) {
    if (int(x.size()) != point_count)
        return {file_error(path, "has " + std::to_string(x.size()) + " vertices where the first sample has " +
                                     std::to_string(point_count))};
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::isfinite(x[i].x) && std::isfinite(x[i].y) && std::isfinite(x[i].z)))
            return {file_error(path, "vertex " + std::to_string(i) + " is not finite")};
    return {};
}

struct CacheAnimation final : Animation {
    PointCache cache;
    Errors open(const AnimationRequest& r) {
        if (Errors e = cache.open(r.file); !e.empty()) return e;
        point_count = cache.point_count;
        if (point_count <= 0) return check_samples(r.file, times, point_count);
        if (cache.is_pc2)
            for (int k = 0; k < cache.sample_count; ++k)
                times.push_back((cache.start_frame + k * cache.frame_step - r.first_frame) / r.fps);
        else times = cache.times;
        return check_samples(r.file, times, point_count);
    }
    Errors read(int sample, std::vector<Real3>& out) override {
        if (Errors e = cache.read(sample, out); !e.empty()) return e;
        return check_positions(cache.file.path, out, point_count);
    }
};

struct RecordingAnimation final : Animation {
    RecordingReader reader;
    Snapshot snapshot;
    std::string object;

    // index of the object in the layout at hand, -1 = it is not there
    int find_object() const {
        const auto& all = reader.layout.objects;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].name == object) return int(i);
        return -1;
    }
    Errors open(const AnimationRequest& r) {
        if (Errors e = reader.open(r.file); !e.empty()) return e;
        std::string names;
        object = r.object;
        int with_vertices = 0;
        for (const SnapshotObject& o : reader.layout.objects) {
            if (o.point_count == 0) continue;
            names += (names.empty() ? "" : ", ") + o.name;
            if (r.object.empty()) object = o.name;
            ++with_vertices;
        }
        Error error = file_error(r.file, "");
        error.allowed = names;
        error.value = r.object;
        if (r.object.empty() && with_vertices != 1) error.message = "the recording has several objects: name one by `object`";
        else if (find_object() < 0) error.message = "the recording has no such object";
        if (with_vertices == 0) error.message = "the recording has no object with vertices";
        if (!error.message.empty()) return {error};
        const SnapshotObject& o = reader.layout.objects[std::size_t(find_object())];
        point_count = o.point_count;
        polygon_begin = o.polygon_begin;
        polygon_vertex = o.polygon_vertex;
        for (const RecordingFrame& f : reader.frames) times.push_back(f.time);
        return check_samples(r.file, times, point_count);
    }
    Errors read(int sample, std::vector<Real3>& out) override {
        if (Errors e = reader.read(sample, snapshot); !e.empty()) return e;
        const int index = find_object();
        if (index < 0) return {file_error(reader.file.path, object + " disappears during the recording")};
        const SnapshotObject& o = reader.layout.objects[std::size_t(index)];
        const SnapshotObjectFrame& f = snapshot.objects[std::size_t(index)];
        if (o.point_count != point_count || (!o.rigid && int(f.position.size()) != point_count))
            return {file_error(reader.file.path, "the number of vertices of " + object + " changes during the recording")};
        out = make_world_positions(o, f);
        return check_positions(reader.file.path, out, point_count);
    }
};

// One mesh file per frame.
struct SequenceAnimation final : Animation {
    std::vector<std::string> files;
    std::string object;

    // the vertices of one named object of the file, in the order of the file
    static bool choose_object(const std::string& name, PolygonMesh& mesh) {
        const auto group = std::find_if(mesh.polygon_groups.begin(), mesh.polygon_groups.end(), [&](const PolygonGroup& g) {
            return g.kind == PolygonGroupKind::object && g.name == name;
        });
        if (group == mesh.polygon_groups.end()) return false;
        std::vector<int> index(mesh.positions.size(), -1);
        for (int p : group->polygons)
            for (int k = mesh.polygon_begin[p]; k < mesh.polygon_begin[p + 1]; ++k) index[mesh.polygon_vertex[k]] = 0;
        PolygonMesh kept;
        for (std::size_t i = 0; i < index.size(); ++i)
            if (index[i] == 0) {
                index[i] = vertex_count(kept);
                kept.positions.push_back(mesh.positions[i]);
            }
        for (int p : group->polygons) {
            for (int k = mesh.polygon_begin[p]; k < mesh.polygon_begin[p + 1]; ++k)
                kept.polygon_vertex.push_back(index[mesh.polygon_vertex[k]]);
            kept.polygon_begin.push_back(int(kept.polygon_vertex.size()));
        }
        mesh = std::move(kept);
        return true;
    }
    Errors read_one(const std::string& path, PolygonMesh& out) const {
        Result<PolygonMesh> mesh = read_mesh(path);
        if (!mesh) return mesh.errors;
        if (!object.empty() && !choose_object(object, *mesh.value)) {
            Error error = file_error(path, "the file has no such object");
            error.value = object;
            return {error};
        }
        out = std::move(*mesh.value);
        return {};
    }
    Errors open(const AnimationRequest& r) {
        object = r.object;
        if (Errors e = find_files(r); !e.empty()) return e;
        PolygonMesh first;
        if (Errors e = read_one(files[0], first); !e.empty()) return e;
        point_count = vertex_count(first);
        polygon_begin = first.polygon_begin;
        polygon_vertex = first.polygon_vertex;
        return check_samples(r.file, times, point_count);
    }
    Errors find_files(const AnimationRequest& r) {
        namespace fs = std::filesystem;
        const fs::path path(r.file);
        const std::string name = path.filename().string();
        const std::size_t star = name.find('*');
        if (star == std::string::npos || name.find('*', star + 1) != std::string::npos || path.parent_path().string().find('*') != std::string::npos)
            return {file_error(r.file, "a sequence has one * in the file's name for the frame number")};
        const std::string before = name.substr(0, star), after = name.substr(star + 1);
        std::error_code failed;
        std::vector<std::pair<int, std::string>> found;
        const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
        for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
            const std::string file = it->path().filename().string();
            if (file.size() <= before.size() + after.size() || !file.starts_with(before) || !file.ends_with(after)) continue;
            const std::string digits = file.substr(before.size(), file.size() - before.size() - after.size());
            const std::size_t sign = digits[0] == '-' ? 1 : 0;
            if (digits.size() == sign || digits.size() > 9 || digits.find_first_not_of("0123456789", sign) != std::string::npos) continue;
            found.push_back({std::stoi(digits), it->path().string()});
        }
        if (found.empty()) return {file_error(r.file, "no file of this sequence: none has a number in place of the *")};
        std::sort(found.begin(), found.end());
        for (const auto& [frame, file] : found) {
            files.push_back(file);
            times.push_back((frame - r.first_frame) / r.fps);
        }
        return {};
    }
    Errors read(int sample, std::vector<Real3>& out) override {
        if (sample < 0 || std::size_t(sample) >= files.size())
            return {file_error(object, "the sequence has no sample " + std::to_string(sample))};
        PolygonMesh mesh;
        if (Errors e = read_one(files[std::size_t(sample)], mesh); !e.empty()) return e;
        out = std::move(mesh.positions);
        return check_positions(files[std::size_t(sample)], out, point_count);
    }
};

template <class A> Result<std::unique_ptr<Animation>> open_as(const AnimationRequest& r) {
    auto animation = std::make_unique<A>();
    if (Errors e = animation->open(r); !e.empty()) return {std::nullopt, std::move(e)};
    return {std::unique_ptr<Animation>(std::move(animation)), {}};
}

} // namespace

Result<std::unique_ptr<Animation>> open_animation(const AnimationRequest& r) {
    try {
        std::string extension = std::filesystem::path(r.file).extension().string();
        for (char& c : extension) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
        if (extension == ".obj" || extension == ".ply" || extension == ".stl") return open_as<SequenceAnimation>(r);
        if (extension == ".pc2" || extension == ".mdd") return open_as<CacheAnimation>(r);
        if (extension == ".sinew") return open_as<RecordingAnimation>(r);
        Error error = file_error(r.file, "not a known kind of animation");
        error.value = extension;
        error.allowed = ".pc2, .mdd, .sinew, .obj, .ply, .stl";
        return {std::nullopt, {error}};
    } catch (const std::exception& e) {
        return {std::nullopt, {file_error(r.file, std::string("cannot read: ") + e.what())}};
    }
}

} // namespace sinew
