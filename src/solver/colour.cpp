#include "solver/colour.h"
#include <algorithm>
#include <bit>

namespace sinew {

namespace {

constexpr int kWords = 4; // 256 colours; elements beyond are serial
constexpr int kMost = 64 * kWords;

// first colour that no unknown of the element has, kMost = none
template <class Ids> int first_free(const Ids& ids, std::span<const unsigned char> held, std::vector<std::uint64_t>& used) {
    for (int word = 0; word < kWords; ++word) {
        std::uint64_t taken = 0;
        for (int id : ids)
            if (id >= 0 && !held[id]) taken |= used[std::size_t(id) * kWords + word];
        if (~taken) return 64 * word + std::countr_one(taken);
    }
    return kMost;
}

template <class IdsOf> void colour_all(int elements, int unknown_count, std::span<const unsigned char> held, const IdsOf& ids_of, Colours& out) {
    if (out.used.size() != std::size_t(unknown_count) * kWords) out.used.assign(std::size_t(unknown_count) * kWords, 0);
    out.colour.resize(elements);
    int most = -1;
    bool serial = false;
    for (int e = 0; e < elements; ++e) {
        const std::span<const int> ids = ids_of(e);
        const int c = first_free(ids, held, out.used);
        out.colour[e] = c;
        if (c == kMost) {
            serial = true;
            continue;
        }
        most = std::max(most, c);
        for (int id : ids)
            if (id >= 0 && !held[id]) out.used[std::size_t(id) * kWords + c / 64] |= std::uint64_t(1) << (c % 64);
    }
    // only what was touched is set back: contacts are few beside all unknowns
    for (int e = 0; e < elements; ++e)
        for (int id : ids_of(e))
            if (id >= 0) std::fill_n(out.used.begin() + std::ptrdiff_t(id) * kWords, kWords, 0);
    const int colours = most + 1 + serial;
    out.last_is_serial = serial;
    out.begin.assign(colours + 1, 0);
    for (int& c : out.colour) {
        if (c == kMost) c = colours - 1;
        ++out.begin[c + 1];
    }
    for (int c = 0; c < colours; ++c) out.begin[c + 1] += out.begin[c];
    out.order.resize(elements);
    // begin[c] walks to the end of colour c and is set back afterwards
    for (int e = 0; e < elements; ++e) out.order[out.begin[out.colour[e]]++] = e;
    for (int c = colours; c > 0; --c) out.begin[c] = out.begin[c - 1];
    out.begin[0] = 0;
}

} // namespace

void colour_elements(std::span<const int> unknowns, int width, int unknown_count, std::span<const unsigned char> held, Colours& out) {
    const int elements = width > 0 ? int(unknowns.size()) / width : 0;
    colour_all(elements, unknown_count, held, [&](int e) { return unknowns.subspan(std::size_t(e) * width, width); }, out);
}

void colour_elements(std::span<const int> begin, std::span<const int> unknowns, int unknown_count,
                     std::span<const unsigned char> held, Colours& out) {
    colour_all(int(begin.size()) - 1, unknown_count, held,
               [&](int e) { return unknowns.subspan(begin[e], begin[e + 1] - begin[e]); }, out);
}

} // namespace sinew
