#include "model/visit.h"
#include "core/hash.h"
#include "model/way.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

struct Hasher {
    Hash h;
    void operator()(const char* name, double value) { add(h, std::string_view(name)), add(h, value); }
    void operator()(const char* name, std::int64_t value) {
        add(h, std::string_view(name));
        add(h, std::uint64_t(value));
    }
    template <class T> void operator()(const char* name, const std::vector<T>& a) {
        // states without animated obstacles keep the hash they had before there were any
        if (a.empty() && std::string_view(name).starts_with("animated.")) return;
        add(h, std::string_view(name));
        add(h, std::span<const T>(a));
    }
    void operator()(const char* name, const std::vector<NamedValues>& arrays) {
        add(h, std::string_view(name));
        for (const NamedValues& a : arrays) {
            add(h, std::string_view(a.name));
            add(h, std::span<const double>(a.values));
        }
    }
};

bool finite(double a) { return std::isfinite(a); }
bool finite(const Real3& a) { return finite(a.x) && finite(a.y) && finite(a.z); }
bool finite(const Real4& a) { return finite(a.w) && finite(a.x) && finite(a.y) && finite(a.z); }

// 0 a is 0 for every number and no number otherwise; four sums that do not wait for each other. States are
// looked at after every step, and this took a tenth of a step of 210 boxes one value at a time.
bool all_finite(const double* a, std::size_t n) {
    double sum[4] = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) sum[k] += 0 * a[i + k];
    for (; i < n; ++i) sum[0] += 0 * a[i];
    return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

struct FiniteCheck {
    const Model& model;
    NotFinite found{};

    // owner of entry i of an array named "point.x"
    void report(std::string_view name, int i) {
        found.array = name;
        found.index = i;
        const auto owner = [&](const std::vector<int>& object, Range Object::*range) {
            if (i >= int(object.size())) return;
            const Object& o = model.objects[object[i]];
            found.object = o.name;
            found.index = i - (o.*range).begin;
        };
        if (name.starts_with("point.")) owner(model.point.object, &Object::points);
        if (name.starts_with("frame.")) owner(model.frame.object, &Object::frames);
        if (name.starts_with("scalar.")) owner(model.scalar.object, &Object::scalars);
        if (name.starts_with("animated.")) owner(model.animated.object, &Object::animated);
    }
    template <class T> void operator()(const char* name, const std::vector<T>& a) {
        if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Real3> || std::is_same_v<T, Real4>) {
            static_assert(sizeof(T) % sizeof(double) == 0);
            if (all_finite(reinterpret_cast<const double*>(a.data()),
                           a.size() * (sizeof(T) / sizeof(double))))
                return;
            for (std::size_t i = 0; i < a.size() && found.array.empty(); ++i)
                if (!finite(a[i])) report(name, int(i));
        }
    }
    void operator()(const char* name, const std::vector<NamedValues>& arrays) {
        for (const NamedValues& a : arrays) {
            if (all_finite(a.values.data(), a.values.size())) continue;
            for (std::size_t i = 0; i < a.values.size() && found.array.empty(); ++i)
                if (!finite(a.values[i])) report(std::string(name) + "." + a.name, int(i));
        }
    }
    void operator()(const char* name, double value) {
        if (found.array.empty() && !finite(value)) report(name, 0);
    }
    void operator()(const char*, std::int64_t) {}
};

struct Bytes {
    std::size_t total = 0;
    template <class T> void operator()(const char*, const std::vector<T>& a) { total += a.size() * sizeof(T); }
    void operator()(const char*, const std::vector<NamedValues>& arrays) {
        for (const NamedValues& a : arrays) total += a.values.size() * sizeof(double);
    }
    template <class T> void operator()(const char*, const T&) { total += sizeof(T); }
};

// sizes of arrays by what their entries belong to: the part of the name before the dot
struct SizeCheck {
    const Model& model;
    std::string error{};

    // entries of arrays with that name, -1 = of their own
    int expected(std::string_view name) const {
        if (name.starts_with("point.")) return point_count(model);
        if (name.starts_with("frame.")) return frame_count(model);
        if (name.starts_with("scalar.")) return scalar_count(model);
        if (name.starts_with("animated.")) return animated_count(model);
        if (name == "surface.thickness" || name == "surface.object") return int(model.surface.vertices.size());
        return -1;
    }
    static bool may_be_empty(std::string_view name) {
        return name == "point.field" || name == "point.alive" || name == "point.age" || name == "point.id";
    }
    template <class T> void operator()(const char* name, const std::vector<T>& a) {
        const int size = expected(name);
        if (!error.empty() || size < 0 || int(a.size()) == size || (a.empty() && may_be_empty(name))) return;
        error = fmt::format("{} has {} entries, not {}", name, a.size(), size);
    }
    void operator()(const char* name, const std::vector<NamedValues>& arrays) {
        if (std::string_view(name) != "attributes") return;
        for (const NamedValues& a : arrays)
            if (error.empty() && int(a.values.size()) != point_count(model) * a.components)
                error = fmt::format("attribute {} has {} values, not {} for each of {} points", a.name, a.values.size(), a.components,
                                    point_count(model));
    }
    template <class T> void operator()(const char*, const T&) {}
};

} // namespace

std::uint64_t hash(const State& s) {
    Hasher h;
    visit(s, h);
    return h.h.value;
}

bool equal(const State& a, const State& b) { return hash(a) == hash(b); }

NotFinite find_not_finite(const Model& m, const State& s) {
    FiniteCheck check{m};
    visit(s, check);
    return check.found;
}

std::size_t memory_bytes(const State& s) {
    Bytes b;
    visit(s, b);
    return b.total;
}

std::size_t memory_bytes(const Model& m) {
    Bytes b;
    visit(m, b);
    return b.total;
}

// ways lead to what is there, and from parents to children
static std::string find_way_error(const Model& m) {
    const int count = m.ways ? int(m.ways->all.size()) : 0;
    for (int k = 0; k < count; ++k) {
        const Way& w = m.ways->all[std::size_t(k)];
        if (w.parent < -1 || w.parent >= k) return fmt::format("way {} has the parent {}", k, w.parent);
        if (w.frame < -1 || w.frame >= frame_count(m)) return fmt::format("way {} has the frame {} of {}", k, w.frame, frame_count(m));
        if (w.object < -1 || w.object >= int(m.objects.size())) return fmt::format("way {} has the object {} of {}", k, w.object, m.objects.size());
    }
    const auto leads = [&](const auto& x) { return x.way >= -1 && x.way < count; };
    const bool all = std::ranges::all_of(m.emitters, leads) && std::ranges::all_of(m.sinks, leads);
    return all ? "" : fmt::format("emitters or sinks have ways beyond the {} that there are", count);
}

std::string find_size_error(const Model& m, const State& s) {
    SizeCheck check{m};
    visit(m, check);
    visit(s, check);
    const auto within = [&](const Object& o, const char* what, const Range& r, std::size_t size) {
        if (check.error.empty() && (r.begin < 0 || r.begin > r.end || std::size_t(r.end) > size))
            check.error = fmt::format("{} of '{}' are {} to {} of {}", what, o.name, r.begin, r.end, size);
    };
    for (const Object& o : m.objects) {
        within(o, "points", o.points, m.point.mass.size());
        within(o, "frames", o.frames, m.frame.mass.size());
        within(o, "scalars", o.scalars, m.scalar.mass.size());
        within(o, "animated vertices", o.animated, m.animated.object.size());
        within(o, "surface vertices", o.surface, m.surface.vertices.size());
        within(o, "edges", o.edges, m.surface.edges.size());
        within(o, "triangles", o.triangles, m.surface.triangles.size());
    }
    return check.error.empty() ? find_way_error(m) : check.error;
}

void copy_all_but_motion(const State& from, State& to) {
    to.time = from.time;
    to.step = from.step;
    to.point.alive = from.point.alive;
    to.point.age = from.point.age;
    to.point.id = from.point.id;
    to.frame = from.frame;
    to.scalar = from.scalar;
    to.animated = from.animated;
    to.attributes = from.attributes;
    to.memory = from.memory;
}

std::vector<double>& memory_array(State& s, std::string_view name, std::size_t size) {
    for (NamedValues& a : s.memory)
        if (a.name == name) {
            if (a.values.size() != size) a.values.resize(size);
            return a.values;
        }
    s.memory.push_back({std::string(name), 1, std::vector<double>(size, 0.0)});
    return s.memory.back().values;
}

const std::vector<double>* find_memory(const State& s, std::string_view name) {
    for (const NamedValues& a : s.memory)
        if (a.name == name) return &a.values;
    return nullptr;
}

Id find(const Model& m, std::string_view name) {
    // Objects are some hundred bytes: one line of each, that of its name, fetched ahead. Among thousands this is most of what a spawn takes.
    constexpr std::size_t kAhead = 16;
    const std::size_t count = m.objects.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + kAhead < count) __builtin_prefetch(&m.objects[i + kAhead]);
        const Object& o = m.objects[i];
        if (o.name == name && o.alive) return {int(i), o.generation};
    }
    return {};
}

} // namespace sinew
