#include "output/select.h"
#include "core/nearest.h"
#include "output/check.h"
#include <algorithm>
#include <exception>
#include <set>

namespace sinew {

// Greedy matching with one place to fall back to (the last star): linear for ordinary patterns, at worst
// |pattern| * |name|, never exponential.
bool matches(std::string_view pattern, std::string_view name) {
    std::size_t p = 0, n = 0, star = std::string_view::npos, star_n = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_n = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p, ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++star_n;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return matches(p, name); });
}

bool wants_frame(const ExporterSettings& settings, int first_frame, int frame) {
    if (frame < settings.first || frame > settings.last) return false;
    return (std::int64_t(frame) - first_frame) % settings.every == 0;
}

std::optional<int> find_last_wanted(const ExporterSettings& settings, int first_frame, int frame) {
    const std::int64_t end = std::min(frame, settings.last), every = settings.every;
    const std::int64_t past = ((end - first_frame) % every + every) % every;
    if (end - past < std::max(first_frame, settings.first)) return std::nullopt;
    return int(end - past);
}

Errors check_kept(const std::string& path, const ExporterSettings& settings, int first_frame, int frame, std::optional<int> last_kept) {
    const std::optional<int> wanted = find_last_wanted(settings, first_frame, frame);
    if (!wanted || !last_kept || *last_kept >= *wanted) return {};
    Error error = file_error(path, "cannot continue: it ends at frame " + std::to_string(*last_kept) + ", the checkpoint is at " +
                                       std::to_string(frame) + ", and what is between is lost");
    error.allowed = "--overwrite begins anew, `sinew run` of the checkpoint goes on in another folder";
    return {error};
}

namespace {

bool is_all(const std::vector<std::string>& patterns) {
    return std::find(patterns.begin(), patterns.end(), "*") != patterns.end();
}

struct Selection final : Exporter {
    ExporterSettings settings;
    std::unique_ptr<Exporter> inner;
    std::string path;
    SnapshotLayout layout;      // as given
    SnapshotLayout chosen;      // what the inner exporter sees, only if not everything is chosen
    std::vector<int> objects;   // chosen object -> object
    bool everything = true;     // all objects
    std::set<std::string> seen; // field and number names met so far, to report patterns without a match
    std::optional<int> last_frame;
    bool wrote = false; // a frame, since open or resume
    Snapshot reduced;

    Errors choose(const SnapshotLayout& given) {
        if (Errors e = check_layout(given); !e.empty()) return located(e);
        layout = given;
        everything = is_all(settings.objects);
        if (everything) return {};
        objects.clear();
        chosen = SnapshotLayout{given.scene_name, given.fps, given.first_frame, given.up, given.camera, given.look, {}};
        for (std::size_t i = 0; i < given.objects.size(); ++i) {
            if (!matches_any(settings.objects, given.objects[i].name)) continue;
            objects.push_back(int(i));
            chosen.objects.push_back(given.objects[i]);
        }
        return {};
    }
    Errors unmatched_objects() const {
        Errors errors;
        std::vector<std::string> names;
        for (const SnapshotObject& o : layout.objects) names.push_back(o.name);
        for (const std::string& pattern : settings.objects) {
            if (pattern == "*" ||
                std::any_of(names.begin(), names.end(), [&](auto& n) { return matches(pattern, n); }))
                continue;
            Error error = file_error(path, "no object has this name");
            error.path = "objects";
            error.value = pattern;
            error.allowed = list_words(names, 10);
            error.nearest = find_nearest(pattern, names);
            errors.push_back(error);
        }
        return errors;
    }
    Errors located(Errors errors) const {
        for (Error& e : errors)
            if (e.file.empty()) e.file = path;
        return errors;
    }
    // no exception leaves an exporter
    template <class F> Errors guarded(F&& f) const {
        try {
            return located(f());
        } catch (const std::exception& e) {
            return {file_error(path, std::string("cannot write: ") + e.what())};
        }
    }
    const SnapshotLayout& shown() const { return everything ? layout : chosen; }

    Errors begin(const std::string& to, const SnapshotLayout& given) {
        path = to;
        seen.clear();
        last_frame.reset();
        wrote = false;
        if (Errors e = choose(given); !e.empty()) return e;
        return unmatched_objects();
    }
    Errors open(const std::string& to, const SnapshotLayout& given) override {
        if (Errors e = begin(to, given); !e.empty()) return e;
        return guarded([&] { return inner->open(to, shown()); });
    }
    Errors resume(const std::string& to, const SnapshotLayout& given, int frame) override {
        if (Errors e = begin(to, given); !e.empty()) return e;
        last_frame = frame;
        return guarded([&] { return inner->resume(to, shown(), frame); });
    }
    Errors change_layout(const SnapshotLayout& given) override {
        if (Errors e = choose(given); !e.empty()) return e;
        return guarded([&] { return inner->change_layout(shown()); });
    }

    void remember_names(const Snapshot& s) {
        for (const SnapshotObjectFrame& o : s.objects)
            for (const SnapshotField& f : o.fields) seen.insert(f.name);
        for (const auto& [name, value] : s.numbers) seen.insert(name.substr(0, name.find(" [")));
    }
    void reduce(const Snapshot& s) {
        reduced.frame = s.frame;
        reduced.time = s.time;
        reduced.numbers = s.numbers;
        reduced.objects.resize(shown().objects.size());
        const bool all_fields = is_all(settings.fields);
        for (std::size_t i = 0; i < reduced.objects.size(); ++i) {
            const SnapshotObjectFrame& from = s.objects[everything ? i : std::size_t(objects[i])];
            SnapshotObjectFrame& to = reduced.objects[i];
            to.pose = from.pose;
            to.position = from.position;
            to.alive = from.alive;
            to.id = from.id;
            to.fields.clear();
            for (const SnapshotField& f : from.fields)
                if (all_fields || matches_any(settings.fields, f.name)) to.fields.push_back(f);
        }
    }
    Errors write(const Snapshot& s) override {
        if (Errors e = check_snapshot(layout, s); !e.empty()) return located(e);
        if (!wants_frame(settings, layout.first_frame, s.frame)) return {};
        if (last_frame && s.frame <= *last_frame) {
            Error error = file_error(path, "frames must be written with growing numbers");
            error.value = std::to_string(s.frame);
            error.allowed = "greater than " + std::to_string(*last_frame);
            return {error};
        }
        last_frame = s.frame;
        wrote = true;
        remember_names(s);
        if (everything && is_all(settings.fields)) return guarded([&] { return inner->write(s); });
        reduce(s);
        return guarded([&] { return inner->write(reduced); });
    }
    Errors close() override {
        Errors errors = guarded([&] { return inner->close(); });
        // a misspelt field is noticed only now, because fields may appear late
        for (const std::string& pattern : settings.fields) {
            const bool found =
                std::any_of(seen.begin(), seen.end(), [&](auto& n) { return matches(pattern, n); });
            if (pattern == "*" || found || !wrote) continue;
            Error error = file_error(path, "no object has a field of this name");
            error.path = "fields";
            error.value = pattern;
            const std::vector<std::string> names(seen.begin(), seen.end());
            error.allowed = list_words(names, 10);
            error.nearest = find_nearest(pattern, names);
            errors.push_back(error);
        }
        return errors;
    }
};
} // namespace

std::unique_ptr<Exporter> make_selection(const ExporterSettings& settings, std::unique_ptr<Exporter> inner) {
    auto selection = std::make_unique<Selection>();
    selection->settings = settings;
    selection->inner = std::move(inner);
    return selection;
}

} // namespace sinew
