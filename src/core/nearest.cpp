#include "core/nearest.h"
#include <algorithm>
#include <array>
#include <cstdlib>

namespace sinew {

static constexpr std::size_t kLongest =
    64; // longer words are not compared: no name is, and the cost is quadratic

static constexpr std::size_t kMostWords = 5000; // of a scene with very many names only the first are compared

static char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

static bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

int edit_distance(std::string_view a, std::string_view b) {
    a = a.substr(0, kLongest);
    b = b.substr(0, kLongest);
    // three rows of the table: the one before last is needed for swaps
    std::array<std::array<int, kLongest + 1>, 3> row{};
    for (std::size_t j = 0; j <= b.size(); ++j) row[0][j] = int(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto& now = row[i % 3];
        const auto &last = row[(i + 2) % 3], &before = row[(i + 1) % 3];
        now[0] = int(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
    }
    return row[a.size() % 3][b.size()];
}

std::string find_nearest(std::string_view word, std::span<const std::string> known) {
    if (word.empty() || word.size() > kLongest) return {};
    const std::string* best = nullptr;
    int best_distance = 0;
    for (const std::string& k : known.first(std::min(known.size(), kMostWords))) {
        if (k.empty() || k.size() > kLongest) continue;
        const int limit = std::max(1, int(std::max(word.size(), k.size())) / 3);
        const std::size_t common = std::min(word.size(), k.size());
        const bool beginning =
            common >= 3 && same_letters(word.substr(0, common), std::string_view(k).substr(0, common));
        if (!beginning && std::abs(int(word.size()) - int(k.size())) > limit)
            continue; // at least as far as that
        int distance = edit_distance(word, k);
        if (distance > limit && !beginning) continue;
        if (beginning) distance = std::min(distance, limit);
        if (word.size() == 1 && distance > 0 && lower(word[0]) != lower(k[0]))
            continue; // "x" is not near "y"
        if (!best || distance < best_distance) {
            best = &k;
            best_distance = distance;
        }
    }
    return best ? *best : std::string();
}

std::string list_words(std::span<const std::string> words, int limit) {
    std::string s;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (int(i) == limit) return s + ", ...";
        if (i) s += ", ";
        s += words[i];
    }
    return s;
}

} // namespace sinew
