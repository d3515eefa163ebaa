#include "model/copy_state.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kCopyGrain = 65536; // bytes

template <class T> void copy(const Parallel& p, const std::vector<T>& from, std::vector<T>& to) {
    if (to.capacity() < from.size()) to.reserve(from.size() + from.size() / 8); // one more body must not allocate all anew each time
    if (from.size() * sizeof(T) < 4 * kCopyGrain) {
        to = from;
        return;
    }
    to.resize(from.size());
    parallel_for(p, int(from.size()), kCopyGrain / int(sizeof(T)), [&](int begin, int end) {
        std::copy(from.begin() + begin, from.begin() + end, to.begin() + begin);
    });
}

void copy_named(const Parallel& p, const std::vector<NamedValues>& from, std::string_view except, std::vector<NamedValues>& to) {
    to.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (to[k].name != from[k].name) to[k].name = from[k].name, to[k].values.clear();
        to[k].components = from[k].components;
        if (from[k].name != except) copy(p, from[k].values, to[k].values);
    }
}

} // namespace

template <class T> static void fit(const std::vector<T>& from, std::vector<T>& to) {
    if (to.size() > from.size()) to.resize(from.size());
    to.insert(to.end(), from.begin() + std::ptrdiff_t(to.size()), from.end());
}

static void fit_named(const std::vector<NamedValues>& from, std::vector<NamedValues>& to) {
    to.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k)
        if (to[k].name != from[k].name) to[k] = from[k];
        else to[k].components = from[k].components, fit(from[k].values, to[k].values);
}

void fit_state(const State& from, State& to) {
    std::array<const void*, 64> source;
    std::size_t n = 0;
    visit(from, [&](const char*, const auto& x) { source.at(n++) = &x; });
    n = 0;
    visit(to, [&](const char*, auto& x) {
        using X = std::remove_cvref_t<decltype(x)>;
        const X& other = *static_cast<const X*>(source.at(n++));
        if constexpr (std::is_same_v<X, std::vector<NamedValues>>) fit_named(other, x);
        else if constexpr (requires { x.size(); x[0]; } && !std::is_same_v<X, std::string>) fit(other, x);
        else x = other;
    });
}

// both visits name the same members in the same order
void copy_state(const Parallel& p, const State& from, State& to, std::string_view except) {
    std::array<const void*, 64> source;
    std::size_t n = 0;
    visit(from, [&](const char*, const auto& x) { source.at(n++) = &x; });
    n = 0;
    visit(to, [&](const char*, auto& x) {
        using X = std::remove_cvref_t<decltype(x)>;
        const X& other = *static_cast<const X*>(source.at(n++));
        if constexpr (std::is_same_v<X, std::vector<NamedValues>>) copy_named(p, other, except, x);
        else if constexpr (requires { x.size(); }) copy(p, other, x);
        else x = other;
    });
}

} // namespace sinew
