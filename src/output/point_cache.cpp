#include "output/point_cache.h"
#include "output/bytes.h"
#include "output/world.h"
#include <algorithm>
#include <exception>

namespace sinew {

Errors PointCache::open(const std::string& path) {
    try {
        *this = PointCache();
        if (Errors e = open_to_read(path, file); !e.empty()) return e;
        std::uint64_t size = 0;
        if (Errors e = file_size(file, size); !e.empty()) return e;
        is_pc2 = has_pc2_magic(file);
        return is_pc2 ? open_pc2(size, *this) : open_mdd(size, *this);
    } catch (const std::exception& e) {
        return {file_error(path, std::string("cannot read: ") + e.what())};
    }
}

Errors PointCache::read(int sample, std::vector<Real3>& out) const {
    if (sample < 0 || sample >= sample_count)
        return {file_error(file.path, "the point cache has no sample " + std::to_string(sample))};
    const std::uint64_t size = std::uint64_t(point_count) * 12;
    try {
        Bytes bytes(static_cast<std::size_t>(size));
        if (Errors e = read_at(file, data_offset + std::uint64_t(sample) * size, bytes); !e.empty()) return e;
        ByteReader reader{bytes};
        out.resize(std::size_t(point_count));
        for (Real3& x : out)
            for (int c = 0; c < 3; ++c) {
                const float value = reader.number<float>();
                x[c] = is_pc2 ? value : reverse_bytes(value);
            }
        return {};
    } catch (const std::exception& e) {
        return {file_error(file.path, std::string("cannot read: ") + e.what())};
    }
}

Errors PointCacheExporter::open(const std::string& path, const SnapshotLayout& given) {
    layout = given;
    parts.clear();
    frames.clear();
    times.clear();
    const auto has_points = [](const SnapshotObject& o) { return o.point_count > 0; };
    const std::ptrdiff_t count = std::count_if(layout.objects.begin(), layout.objects.end(), has_points);
    if (count == 0) return {file_error(path, "no object to write has vertices")};
    for (std::size_t i = 0; i < layout.objects.size(); ++i) {
        const SnapshotObject& o = layout.objects[i];
        if (!has_points(o)) continue;
        parts.push_back({o.name, count == 1 ? path : object_path(path, o.name), i, o.point_count, {}});
        for (std::size_t k = 0; k + 1 < parts.size(); ++k)
            if (parts[k].path == parts.back().path)
                return {file_error(parts[k].path, "two objects would be written to the same file")};
        if (Errors e = begin_file(parts.back()); !e.empty()) return e;
        if (Errors e = parts.back().file.release(); !e.empty()) return e;
    }
    return {};
}

// an interrupted run has no point caches, because they are finished by close()
Errors PointCacheExporter::resume(const std::string& path, const SnapshotLayout& given, int last_frame) {
    if (Errors e = open(path, given); !e.empty()) return e;
    std::vector<Real3> x;
    for (Part& part : parts) {
        PointCache cache;
        if (Errors e = cache.open(part.path); !e.empty()) {
            e[0].message +=
                "; the cache of a run that was not ended cleanly is made from its recording by convert";
            return e;
        }
        if (cache.point_count != part.point_count)
            return {file_error(part.path, "cannot continue: the file has another number of points")};
        std::vector<int> numbers;
        std::vector<double> seconds;
        for (int s = 0; s < cache.sample_count && frame_of(cache, s) <= last_frame; ++s) {
            if (Errors e = cache.read(s, x); !e.empty()) return e;
            if (Errors e = part.file.write(encode(x)); !e.empty()) return e;
            numbers.push_back(frame_of(cache, s));
            seconds.push_back(cache.times.empty() ? 0.0 : cache.times[std::size_t(s)]);
        }
        if (&part != &parts[0] && numbers != frames)
            return {
                file_error(part.path, "cannot continue: the file has other frames than the first object's")};
        frames = numbers;
        times = seconds;
        if (Errors e = part.file.release(); !e.empty()) return e;
    }
    return {};
}

Errors PointCacheExporter::change_layout(const SnapshotLayout& given) {
    Errors errors;
    for (Part& part : parts) {
        const auto found = std::find_if(given.objects.begin(), given.objects.end(),
                                        [&](const SnapshotObject& o) { return o.name == part.name; });
        Error error = file_error(part.path, "");
        error.path = "objects." + part.name;
        if (found == given.objects.end())
            error.message = "the object disappears during the run";
        else if (found->point_count != part.point_count)
            error.message = "its number of vertices changes during the run";
        else
            part.object = std::size_t(found - given.objects.begin());
        if (error.message.empty()) continue;
        error.message += ", which " + std::string(format()) + " cannot hold";
        errors.push_back(error);
    }
    for (const SnapshotObject& o : given.objects) {
        const bool known =
            std::any_of(parts.begin(), parts.end(), [&](const Part& p) { return p.name == o.name; });
        if (known || o.point_count == 0) continue;
        Error error = file_error("", "the object appears during the run, which " + std::string(format()) +
                                         " cannot hold; leave it out by naming the objects to write");
        error.path = "objects." + o.name;
        errors.push_back(error);
    }
    layout = given;
    return errors;
}

Errors PointCacheExporter::write(const Snapshot& s) {
    for (Part& part : parts) {
        const std::vector<Real3> x =
            make_world_positions(layout.objects[part.object], s.objects[part.object]);
        if (Errors e = part.file.write(encode(x)); !e.empty()) return e;
        // so that hundreds of objects need no more descriptors than one
        if (parts.size() > 16)
            if (Errors e = part.file.release(); !e.empty()) return e;
    }
    frames.push_back(s.frame);
    times.push_back(s.time);
    return {};
}

Errors PointCacheExporter::close() {
    Errors errors;
    for (Part& part : parts) add_errors(errors, finish_file(part));
    parts.clear();
    return errors;
}

} // namespace sinew
