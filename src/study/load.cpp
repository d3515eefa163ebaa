// Study files -> Study, with everything checked that can be without running.
#include "core/error.h"
#include "core/fields.h"
#include "core/nearest.h"
#include "study/run.h"
#include "study/verdict.h"
#include <algorithm>
#include <cmath>
#include <filesystem>

namespace sinew {

namespace {

constexpr std::uint64_t kMostStudyBytes = std::uint64_t(64) << 20; // of a study file

struct Raw { // the file's members that are read by hand
    Value scene, variants, sweep, record, plot, claims, race;
    int version = 1;
};

bool is_key(std::string_view text) { // what can stand in an expression
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    return std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

bool is_object(const Value& v, std::string_view path, const char* what, Errors& errors) {
    if (v.kind == Value::Kind::object && !v.members.empty()) return true;
    errors.push_back(make_error(v, path, "must be an object with members", what));
    return false;
}

void read_sets(const Value& sets, const std::string& path, StudyVariant& v, Errors& errors) {
    if (sets.kind == Value::Kind::null) return;
    if (sets.kind != Value::Kind::object) {
        errors.push_back(make_error(sets, path, "must be an object", R"({ "solvers.position.iterations": 20 })"));
        return;
    }
    for (const Member& m : sets.members) v.sets.push_back(m.key + "=" + write_value(m.value, 0));
}

void read_variants(const Value& value, Study& s, Errors& errors) {
    if (!is_object(value, "variants", R"({ "gs": { "title": "Gauss-Seidel", "set": { ... } }, ... })", errors)) return;
    for (const Member& m : value.members) {
        const std::string path = join_path("variants", m.key);
        if (!is_key(m.key) || m.key == "race") errors.push_back(make_error(m, path, "cannot be the name of a variant", "a-z, 0-9 and _, not race"));
        StudyVariant v;
        v.key = v.title = m.key;
        v.value = m.value;
        Value sets;
        FieldList list = collect_fields([&](auto f) {
            f("title", v.title, Field{.doc = "in plots"});
            f("set", sets, Field{.doc = "path: value, as in --set"});
            f("threads", v.threads, Field{.min = 0, .max = 1024, .doc = "0 = those of the study, in a race those of the race"});
        });
        read_fields(list, m.value, Scope{}, path, errors);
        read_sets(sets, path + ".set", v, errors);
        s.variants.push_back(std::move(v));
    }
}

void read_sweep(const Value& value, Study& s, Errors& errors) {
    if (value.kind == Value::Kind::null) return;
    s.sweep.value = value;
    FieldList list = collect_fields([&](auto f) {
        f("path", s.sweep.path, Field{.required = true, .doc = "what is set, as in --set"});
        f("values", s.sweep.values, Field{.least_count = 1, .required = true, .doc = "to these"});
        f("title", s.sweep.title, Field{.doc = "of the axis"});
    });
    read_fields(list, value, Scope{}, "sweep", errors);
    if (s.sweep.title.empty()) s.sweep.title = s.sweep.path;
}

void read_record(const Value& value, Study& s, Errors& errors) {
    Value columns;
    FieldList list = collect_fields([&](auto f) {
        f("every", s.record.every, Field{.allowed = {"frame", "iteration"}, .doc = "a row for each"});
        f("frames", s.record.frames, Field{.min = 1, .doc = "of every iteration: which frames"});
        f("columns", columns, Field{.required = true, .doc = "name [unit]: expression"});
    });
    if (!read_fields(list, value, Scope{}, "record", errors)) return;
    if (!is_object(columns, "record.columns", R"({ "error [m]": "constraint_error.sum" })", errors)) return;
    for (const Member& m : columns.members) {
        StudyColumn c;
        const std::size_t open = m.key.find(" [");
        c.name = m.key.substr(0, open);
        if (open != std::string::npos && m.key.back() == ']') c.unit = m.key.substr(open + 2, m.key.size() - open - 3);
        c.text = m.value;
        if (!is_key(c.name)) errors.push_back(make_error(m, join_path("record.columns", m.key), "cannot be the name of a column", "a-z, 0-9 and _, and a unit in brackets"));
        s.record.columns.push_back(std::move(c));
    }
}

void read_claims(const Value& value, Study& s, Errors& errors) {
    if (!check_array(value, -1, "claims", "claims", errors)) return;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
        StudyClaim c;
        Value show;
        FieldList list = collect_fields([&](auto f) {
            f("claim", c.text, Field{.required = true, .doc = "in words"});
            f("holds", c.holds, Field{.required = true, .doc = "expression of what is recorded"});
            f("show", show, Field{.doc = "further numbers: name: expression"});
            f("note", c.note, Field{.doc = "what there is to say about it"});
        });
        const std::string path = join_path("claims", int(i));
        if (!read_fields(list, value.items[i], Scope{}, path, errors)) continue;
        if (show.kind == Value::Kind::object)
            for (const Member& m : show.members) c.show.emplace_back(m.key, m.value);
        else if (show.kind != Value::Kind::null)
            errors.push_back(make_error(show, path + ".show", "must be an object of expressions"));
        s.claims.push_back(std::move(c));
    }
}

void read_race(const Value& value, Study& s, Errors& errors) {
    if (value.kind == Value::Kind::null) return;
    StudyRace& r = s.race;
    r.wanted = true;
    r.value = value;
    FieldList list = collect_fields([&](auto f) {
        f("reference", r.reference, Field{.required = true, .doc = "variant whose error is to be reached"});
        f("against", r.against, Field{.required = true, .doc = "variant that has to reach it"});
        f("raise", r.path, Field{.doc = "setting of it that is raised until it does; not where both differ in threads alone"});
        f("error", r.error, Field{.required = true, .doc = "column whose mean is compared"});
        f("most", r.most, Field{.min = 1, .max = 100000, .doc = "largest value tried"});
        f("least", r.least, Field{.min = 1, .max = 100000, .doc = "smallest value tried"});
        f("pairs", r.pairs, Field{.min = 1, .max = 1000, .doc = "of timed runs, in turn"});
        f("threads", r.threads, Field{.min = 1, .max = 1024, .doc = "of both, where they have none of their own"});
    });
    if (!read_fields(list, value, Scope{}, "race", errors)) return;
    std::vector<std::string> keys, columns;
    for (const StudyVariant& v : s.variants) keys.push_back(v.key);
    for (const StudyColumn& c : s.record.columns) columns.push_back(c.name);
    const auto check = [&](const char* member, const std::string& word, const std::vector<std::string>& known, const char* what) {
        const bool found = std::find(known.begin(), known.end(), word) != known.end();
        if (!found) errors.push_back(make_error(*find(value, member), join_path("race", member), what, list_words(known), find_nearest(word, known)));
        return found;
    };
    const bool has_reference = check("reference", r.reference, keys, "no variant of this name");
    const bool has_against = check("against", r.against, keys, "no variant of this name");
    check("error", r.error, columns, "no column of this name");
    if (!s.sweep.values.empty()) errors.push_back(make_error(value, "race", "a study with a sweep cannot have a race as well"));
    if (s.record.every != "frame") errors.push_back(make_error(value, "race", "needs a record of every frame"));
    if (!has_reference || !has_against) return; // whether they differ cannot be said of what is misspelt
    const auto sets_of_variant = [&](const std::string& key) {
        std::vector<std::string> sets;
        for (const StudyVariant& v : s.variants)
            if (v.key == key) sets = v.sets;
        std::sort(sets.begin(), sets.end());
        return sets;
    };
    // with a setting of its own one of them could win by doing less
    const bool alike = sets_of_variant(r.reference) == sets_of_variant(r.against);
    for (const char* member : {"raise", "most", "least"})
        if (const Value* given = find(value, member); given && alike)
            errors.push_back(make_error(*given, join_path("race", member), "variants that differ in threads alone race at equal settings", "no " + std::string(member)));
    if (r.path.empty() && !alike) errors.push_back(make_error(value, "race", "needs a setting to raise until the error is as small", R"("raise": "solvers.position.iterations")"));
}

void read_plot(const Value& value, Study& s, Errors& errors) {
    StudyPlot& p = s.plot;
    p.value = value;
    p.x = !s.sweep.values.empty() ? "sweep" : s.record.every == "iteration" ? "iteration" : "time";
    FieldList list = collect_fields([&](auto f) {
        f("x", p.x, Field{.allowed = {"time", "frame", "iteration", "sweep"}, .doc = "what goes to the right"});
        f("y", p.y, Field{.required = true, .doc = "column"});
        f("of", p.of, Field{.allowed = {"start", "end", "mean", "min", "max", "sum", "median", "rises"}, .doc = "over a run, where x is the sweep"});
        f("log", p.log, Field{.allowed = {"", "x", "y", "xy"}, .doc = "axes by powers of ten"});
        f("title", p.title, Field{.doc = "above it; default: the study's"});
        f("x_label", p.x_label, Field{.doc = "default: the name with its unit"});
        f("y_label", p.y_label, Field{.doc = "likewise"});
        f("variants", p.variants, Field{.doc = "curves; default: all"});
    });
    if (!read_fields(list, value, Scope{}, "plot", errors)) return;
    std::vector<std::string> columns, keys;
    for (const StudyColumn& c : s.record.columns) columns.push_back(c.name);
    for (const StudyVariant& v : s.variants) keys.push_back(v.key);
    if (find_column(s, p.y) < 0)
        errors.push_back(make_error(*find(value, "y"), "plot.y", "no column of this name", list_words(columns), find_nearest(p.y, columns)));
    for (const std::string& v : p.variants)
        if (std::find(keys.begin(), keys.end(), v) == keys.end())
            errors.push_back(make_error(*find(value, "variants"), "plot.variants", "no variant \"" + v + "\"", list_words(keys), find_nearest(v, keys)));
    const bool fits = p.x == "sweep" ? !s.sweep.values.empty() : p.x == "iteration" ? s.record.every == "iteration" : s.sweep.values.empty();
    if (!fits) errors.push_back(make_error(find(value, "x") ? *find(value, "x") : value, "plot.x", "is not what this study has", "sweep with a sweep, iteration with a record of iterations, otherwise time or frame"));
}

// the scene as a document, includes merged
void read_scene_of(const Value& value, Study& s, Errors& errors) {
    if (value.kind == Value::Kind::object) {
        s.scene = value;
        s.scene_file = s.file;
        return;
    }
    if (value.kind != Value::Kind::text) {
        errors.push_back(make_error(value, "scene", "must be a scene or the name of a scene file"));
        return;
    }
    s.scene_file = resolve_file(value);
    Result<Value> loaded = load_document(s.scene_file);
    if (loaded) s.scene = std::move(*loaded.value);
    for (Error& e : loaded.errors) // a file that is not there has no lines of its own
        errors.push_back(e.line > 0 ? std::move(e) : make_error(value, "scene", e.file + ": " + e.message));
}

// every variant compiles at every value of the sweep, and knows the columns
void check_runs(const Study& s, Errors& errors) {
    const std::vector<double> values = s.sweep.values.empty() ? std::vector<double>{0} : s.sweep.values;
    for (const StudyVariant& v : s.variants)
        for (double value : {values.front(), values.back()}) {
            const std::size_t before = errors.size();
            const std::optional<Compiled> compiled = compile_variant(s, sets_of(s, v, value), v.value, errors);
            if (!compiled || errors.size() > before) break;
            ColumnSet columns;
            for (const StudyColumn& c : s.record.columns)
                add_column(compiled->model, c.text, join_path("record.columns", c.name), s.record.every == "iteration", columns, errors);
        }
}

} // namespace

Result<Study> load_study(const std::string& file) {
    Result<Study> result;
    Bytes bytes;
    if (result.errors = read_file(file, kMostStudyBytes, bytes); !result.errors.empty()) return result;
    Result<Value> parsed = parse_value(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), file);
    if (!parsed) return result.errors = std::move(parsed.errors), result;
    Study s;
    s.file = file;
    s.name = std::filesystem::path(file).stem().stem().string();
    Raw raw;
    FieldList list = collect_fields([&](auto f) {
        f("study", raw.version, Field{.min = 1, .max = 1, .required = true, .doc = "version of the language of studies"});
        f("name", s.name, Field{.doc = "of the files it writes"});
        f("title", s.title, Field{.required = true, .doc = "one line"});
        f("source", s.source, Field{.doc = "where the claims are from"});
        f("text", s.text, Field{.doc = "what is simulated, and what was chosen"});
        f("threads", s.threads, Field{.min = 1, .max = 1024, .doc = "of all runs"});
        f("scene", raw.scene, Field{.required = true, .doc = "scene or file"});
        f("variants", raw.variants, Field{.required = true, .doc = "runs"});
        f("sweep", raw.sweep, Field{.doc = "each variant at several values"});
        f("record", raw.record, Field{.required = true, .doc = "numbers"});
        f("race", raw.race, Field{.doc = "time to equal error"});
        f("plot", raw.plot, Field{.required = true, .doc = "picture"});
        f("claims", raw.claims, Field{.required = true, .doc = "what is judged"});
    });
    Errors& errors = result.errors;
    if (read_fields(list, *parsed.value, Scope{}, "", errors)) {
        const Value* name = find(*parsed.value, "name");
        if (s.name.empty() || s.name.find_first_of("/\\") != std::string::npos)
            errors.push_back(make_error(name ? *name : *parsed.value, "name", "cannot be the name of files"));
        read_scene_of(raw.scene, s, errors);
        read_variants(raw.variants, s, errors);
        read_sweep(raw.sweep, s, errors);
        read_record(raw.record, s, errors);
        read_race(raw.race, s, errors);
        read_plot(raw.plot, s, errors);
        read_claims(raw.claims, s, errors);
        if (errors.empty()) check_claims(s, errors);
        if (s.scene.kind == Value::Kind::object && errors.empty()) check_runs(s, errors);
    }
    for (Error& e : errors)
        if (e.file.empty()) e.file = file;
    remove_duplicates(errors);
    if (errors.empty()) result.value = std::move(s);
    return result;
}

} // namespace sinew
