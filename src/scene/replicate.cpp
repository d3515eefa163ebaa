#include "scene/replicate.h"
#include "core/error.h"
#include "core/fields.h"
#include "scene/names.h"
#include <algorithm>

namespace sinew {
namespace {

struct Replicate {
    std::vector<int> count;         // one to three
    std::vector<std::string> index; // names of the indices
    Value at, rotate;
};

std::vector<Value> as_list(const Value& v) { return v.kind == Value::Kind::array ? v.items : std::vector<Value>{v}; }

bool read_counts(const Value& count, const Scope& scope, const std::string& path, std::vector<int>& out, std::vector<Error>& errors) {
    const std::vector<Value> counts = as_list(count);
    if (counts.empty() || counts.size() > 3) {
        errors.push_back(make_error(count, path, "one to three numbers are expected"));
        return false;
    }
    bool ok = true;
    double total = 1;
    for (const Value& c : counts) {
        FieldRef field{"count", FieldType::integer, &out.emplace_back(0), Field{.min = 0}, false};
        ok &= read_field(field, c, scope, path, errors);
        total *= out.back();
    }
    if (!ok || total <= kMaxObjects) return ok;
    errors.push_back(make_error(count, path, "too many replicas", "at most " + std::to_string(kMaxObjects)));
    return false;
}

bool read_indices(const Value& index, const std::string& path, std::vector<std::string>& out, std::vector<Error>& errors) {
    const std::vector<Value> names = as_list(index);
    if (names.size() != out.size()) {
        errors.push_back(make_error(index, path, "as many names as counts are expected"));
        return false;
    }
    bool ok = true;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (!read_text(names[k], path, out[k], errors)) return false;
        ok &= check_symbol({out[k], names[k], names[k].place}, path, errors);
        if (std::find(out.begin(), out.begin() + std::ptrdiff_t(k), out[k]) == out.begin() + std::ptrdiff_t(k)) continue;
        errors.push_back(make_error(names[k], path, "two indices have this name", "different names"));
        ok = false;
    }
    return ok;
}

bool read_replicate(const Value& v, const Scope& scope, const std::string& path, Replicated how, Replicate& r, std::vector<Error>& errors) {
    Value count, index;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("count", count, Field{.required = true});
        f("index", index, Field{});
        if (how == Replicated::unplaced) return;
        f("at", r.at, Field{});
        f("rotate", r.rotate, Field{});
    });
    if (!read_fields(list, v, scope, path, errors)) return false;
    const bool ok = read_counts(count, scope, join_path(path, "count"), r.count, errors);
    r.index = {"i", "j", "k"};
    r.index.resize(std::min<std::size_t>(3, r.count.size()));
    if (!ok || !find(v, "index")) return ok;
    return read_indices(index, join_path(path, "index"), r.index, errors);
}

} // namespace

bool make_replicas(Expander& e, const Value& replicate, const Vars& vars, const std::string& path, Replicated how, long long cost,
                   const std::function<void(Replica)>& make) {
    Replicate r;
    if (!read_replicate(replicate, make_scope(e.globals, vars), path, how, r, e.errors)) return false;
    int total = 1;
    for (const int c : r.count) total *= c;
    for (int n = 0; n < total && !has_too_many_errors(e) && spend_values(e, cost, replicate); ++n) {
        // the last index runs fastest
        std::vector<int> index(r.count.size());
        for (std::size_t k = r.count.size(), left = std::size_t(n); k-- > 0; left /= std::size_t(r.count[k]))
            index[k] = int(left % std::size_t(r.count[k]));
        Replica replica{{}, vars, {}};
        for (std::size_t k = 0; k < index.size(); ++k) {
            replica.vars.emplace_back(r.index[k], index[k]);
            replica.suffix += '/' + std::to_string(index[k]);
        }
        const Scope indexed = make_scope(e.globals, replica.vars);
        bool ok = true;
        if (r.at.kind != Value::Kind::null)
            ok &= read_real3(r.at, "m", indexed, path + ".at", replica.offset.pose.position, e.errors);
        if (r.rotate.kind != Value::Kind::null)
            ok &= read_rotation(r.rotate, indexed, path + ".rotate", replica.offset.pose.rotation, e.errors);
        if (!ok) return false; // the next one would be wrong in the same way
        make(std::move(replica));
    }
    return true;
}

bool fill_name(const Value& text, const Scope& scope, const std::string& path, std::string& out, std::vector<Error>& errors) {
    std::string name;
    if (!read_text(text, path, name, errors)) return false;
    const auto fail = [&](const char* message) {
        errors.push_back(make_error(text, path, message, R"(names such as "link/{i + 1}")"));
        return false;
    };
    std::string filled;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t open = name.find_first_of("{}", at);
        filled += name.substr(at, open - at);
        if (open == std::string::npos) break;
        if (name[open] == '}') return fail("a brace is closed that was not opened");
        const std::size_t close = name.find('}', open);
        if (close == std::string::npos) return fail("a brace is not closed");
        int number = 0;
        if (!read_integer(text_at(std::string_view(name).substr(open + 1, close - open - 1), text.place), scope, path, number, errors)) return false;
        filled += std::to_string(number);
        at = close + 1;
    }
    out = std::move(filled);
    return true;
}

} // namespace sinew
