#include "scene/vars.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/units.h"
#include "scene/names.h"
#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sinew {

namespace {

enum class VarProgress { fresh, open, done };

struct VarEvaluation {
    const Value& object;
    std::string_view path;
    Scope scope; // grows as values become known
    std::vector<Error>& errors;
    std::unordered_map<std::string_view, int> index;
    std::vector<VarProgress> state;
    std::vector<double> value;
};

// names of the same set that the text of member i uses; quantities and numbers use none
std::vector<int> find_dependencies(const VarEvaluation& e, int i) {
    std::vector<int> found;
    const Value& v = e.object.members[std::size_t(i)].value;
    if (v.kind != Value::Kind::text ||
        parse_quantity(v.text, "*").status != QuantityResult::Status::not_quantity)
        return found;
    Symbols symbols;
    symbols.resolve = [&](std::string_view name) -> std::optional<Symbol> {
        const auto it = e.index.find(name);
        if (it != e.index.end()) found.push_back(it->second);
        return it != e.index.end() ? std::optional<Symbol>(Symbol{0, 0}) : std::nullopt;
    };
    compile_expression(v.text, symbols);
    return found;
}

void evaluate_member(VarEvaluation& e, int i) {
    const Member& m = e.object.members[std::size_t(i)];
    if (!read_number(m.value, "*", e.scope, join_path(e.path, m.key), e.value[std::size_t(i)], e.errors))
        e.value[std::size_t(i)] = kBrokenVar;
    add_constant(e.scope.symbols, m.key, e.value[std::size_t(i)]);
    e.state[std::size_t(i)] = VarProgress::done;
}

void report_cycle(VarEvaluation& e, const std::vector<int>& stack, int back) {
    std::string cycle;
    for (auto it = std::find(stack.begin(), stack.end(), back); it != stack.end(); ++it)
        cycle += e.object.members[std::size_t(*it)].key + " -> ";
    const Member& m = e.object.members[std::size_t(back)];
    e.errors.push_back(make_error(m.value, join_path(e.path, m.key),
                                  "vars refer to each other in a circle: " + cycle + m.key));
}

} // namespace

Vars evaluate_vars(const Value& object, const Scope& outer, std::string_view path,
                   std::vector<Error>& errors) {
    Vars result;
    if (object.kind != Value::Kind::object) {
        errors.push_back(
            make_error(object, path,
                       "an object { name: number } is expected, not " + std::string(kind_name(object.kind))));
        return result;
    }
    VarEvaluation e{object,
                    path,
                    make_scope(outer, {}),
                    errors,
                    {},
                    std::vector<VarProgress>(object.members.size()),
                    std::vector<double>(object.members.size(), kBrokenVar)};
    for (std::size_t i = 0; i < object.members.size(); ++i) {
        const Member& m = object.members[i];
        check_symbol(m, join_path(path, m.key), errors);
        e.index.emplace(m.key, int(i));
    }
    // depth first with a stack of our own: chains may be long
    std::vector<int> stack;
    for (int first = 0; first < int(object.members.size()) && errors.size() < kEnoughErrors; ++first) {
        if (e.state[std::size_t(first)] == VarProgress::fresh) stack.push_back(first);
        while (!stack.empty()) {
            const int i = stack.back();
            if (e.state[std::size_t(i)] == VarProgress::open || e.state[std::size_t(i)] == VarProgress::done) {
                if (e.state[std::size_t(i)] == VarProgress::open) evaluate_member(e, i);
                stack.pop_back();
                continue;
            }
            e.state[std::size_t(i)] = VarProgress::open;
            for (const int d : find_dependencies(e, i)) {
                if (e.state[std::size_t(d)] == VarProgress::open) {
                    std::vector<int> open; // the chain that is open now
                    for (const int k : stack)
                        if (e.state[std::size_t(k)] == VarProgress::open) open.push_back(k);
                    report_cycle(e, open, d);
                    e.state[std::size_t(d)] = VarProgress::done;
                    add_constant(e.scope.symbols, object.members[std::size_t(d)].key, kBrokenVar);
                } else if (e.state[std::size_t(d)] == VarProgress::fresh)
                    stack.push_back(d);
            }
        }
    }
    for (std::size_t i = 0; i < object.members.size(); ++i)
        result.emplace_back(object.members[i].key, e.value[i]);
    return result;
}

} // namespace sinew
