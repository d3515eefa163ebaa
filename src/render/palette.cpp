#include "render/palette.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

static constexpr int kBits = 6, kSide = 1 << kBits;
// squared differences weighted by roughly how the eye weighs sRGB channels
static constexpr double kWeight[3] = {2, 4, 3};

static int bin_of(int r, int g, int b) { return ((r >> 2) * kSide + (g >> 2)) * kSide + (b >> 2); }

ColorHistogram make_histogram() { return ColorHistogram(kSide * kSide * kSide); }

void add_color(ColorHistogram& h, const std::uint8_t* c) {
    ColorBin& bin = h[bin_of(c[0], c[1], c[2])];
    ++bin.count;
    bin.r += c[0];
    bin.g += c[1];
    bin.b += c[2];
}

namespace {

struct Sample {
    double c[3], weight;
};
struct Box {
    int begin, end;   // range of samples
    int axis = 0;     // along which it would be split
    double error = 0; // weighted squared error along that axis
};

} // namespace

static Box measure_box(const std::vector<Sample>& s, int begin, int end) {
    Box box{begin, end};
    for (int a = 0; a < 3; ++a) {
        double w = 0, m = 0, q = 0;
        for (int i = begin; i < end; ++i) {
            w += s[i].weight;
            m += s[i].weight * s[i].c[a];
            q += s[i].weight * s[i].c[a] * s[i].c[a];
        }
        const double error = w > 0 ? kWeight[a] * (q - m * m / w) : 0;
        if (error > box.error) box.error = error, box.axis = a;
    }
    return box;
}

// Sorts the box along its axis and finds the cut that leaves the least squared error in both parts.
static int cut_box(std::vector<Sample>& s, const Box& box) {
    const int a = box.axis;
    std::stable_sort(s.begin() + box.begin, s.begin() + box.end,
                     [a](const Sample& p, const Sample& q) { return p.c[a] < q.c[a]; });
    double weight = 0, sum = 0;
    for (int i = box.begin; i < box.end; ++i) weight += s[i].weight, sum += s[i].weight * s[i].c[a];
    // least error = largest sum of (part's sum)^2 / (part's weight)
    double best = -1, w = 0, m = 0;
    int cut = box.begin + 1;
    for (int i = box.begin; i + 1 < box.end; ++i) {
        w += s[i].weight;
        m += s[i].weight * s[i].c[a];
        const double gain = m * m / w + (sum - m) * (sum - m) / (weight - w);
        if (s[i].c[a] < s[i + 1].c[a] && gain > best) best = gain, cut = i + 1;
    }
    return cut;
}

static double distance2(const double* a, const double* b) {
    double d = 0;
    for (int k = 0; k < 3; ++k) d += kWeight[k] * (a[k] - b[k]) * (a[k] - b[k]);
    return d;
}

// Lloyd: assign to the nearest centre, move centres to the mean
static void refine_centres(const std::vector<Sample>& samples, std::vector<std::array<double, 3>>& centres) {
    for (int round = 0; round < 6; ++round) {
        std::vector<std::array<double, 4>> sums(centres.size(), {0, 0, 0, 0});
        for (const Sample& s : samples) {
            std::size_t nearest = 0;
            double least = 1e300;
            for (std::size_t i = 0; i < centres.size(); ++i) {
                const double d = distance2(s.c, centres[i].data());
                if (d < least) least = d, nearest = i;
            }
            for (int k = 0; k < 3; ++k) sums[nearest][k] += s.weight * s.c[k];
            sums[nearest][3] += s.weight;
        }
        for (std::size_t i = 0; i < centres.size(); ++i)
            for (int k = 0; k < 3 && sums[i][3] > 0; ++k) centres[i][k] = sums[i][k] / sums[i][3];
    }
}

std::vector<Rgb8> build_palette(const ColorHistogram& h, int colors) {
    std::vector<Sample> samples;
    for (const ColorBin& bin : h) {
        if (!bin.count) continue;
        const double n = double(bin.count);
        samples.push_back({{bin.r / n, bin.g / n, bin.b / n}, std::sqrt(n)});
    }
    if (samples.empty()) return {Rgb8{0, 0, 0}};
    std::vector<Box> boxes{measure_box(samples, 0, int(samples.size()))};
    while (int(boxes.size()) < std::clamp(colors, 1, 255)) {
        auto worst = std::max_element(boxes.begin(), boxes.end(),
                                      [](const Box& a, const Box& b) { return a.error < b.error; });
        if (worst->error <= 1e-9 || worst->end - worst->begin < 2) break;
        const int cut = cut_box(samples, *worst), end = worst->end;
        *worst = measure_box(samples, worst->begin, cut);
        boxes.push_back(measure_box(samples, cut, end));
    }
    std::vector<std::array<double, 3>> centres;
    for (const Box& box : boxes) {
        std::array<double, 3> sum{};
        double weight = 0;
        for (int i = box.begin; i < box.end; ++i) {
            for (int k = 0; k < 3; ++k) sum[k] += samples[i].weight * samples[i].c[k];
            weight += samples[i].weight;
        }
        for (double& c : sum) c /= weight;
        centres.push_back(sum);
    }
    refine_centres(samples, centres);
    std::vector<Rgb8> palette;
    for (const auto& c : centres) {
        Rgb8 p;
        for (int k = 0; k < 3; ++k) p[k] = std::uint8_t(std::clamp(std::lround(c[k]), 0l, 255l));
        palette.push_back(p);
    }
    // sorted by brightness: neighbouring indices are similar colours, which deflate likes
    std::sort(palette.begin(), palette.end(), [](const Rgb8& a, const Rgb8& b) {
        const int la = 2 * a[0] + 4 * a[1] + 3 * a[2], lb = 2 * b[0] + 4 * b[1] + 3 * b[2];
        return la != lb ? la < lb : a < b;
    });
    palette.erase(std::unique(palette.begin(), palette.end()), palette.end());
    return palette;
}

PaletteMap make_palette_map(std::vector<Rgb8> palette) {
    return {std::move(palette), std::vector<std::int16_t>(kSide * kSide * kSide, -1)};
}

int find_color(PaletteMap& map, int r, int g, int b) {
    const int bin = bin_of(r, g, b);
    if (map.nearest[bin] >= 0) return map.nearest[bin];
    // centre of the bin stands for all its colours
    const double c[3] = {(r & ~3) + 1.5, (g & ~3) + 1.5, (b & ~3) + 1.5};
    double least = 1e300;
    int nearest = 0;
    for (std::size_t i = 0; i < map.palette.size(); ++i) {
        const Rgb8& p = map.palette[i];
        const double q[3] = {double(p[0]), double(p[1]), double(p[2])}, d = distance2(c, q);
        if (d < least) least = d, nearest = int(i);
    }
    return map.nearest[bin] = std::int16_t(nearest);
}

// Bayer's 8x8 matrix by bit interleaving, in (0, 1)
static double threshold(int x, int y) {
    int m = 0;
    for (int bit = 0; bit < 3; ++bit) {
        const int xb = (x >> bit) & 1, yb = (y >> bit) & 1;
        m |= ((xb ^ yb) << (2 * (2 - bit) + 1)) | (yb << (2 * (2 - bit)));
    }
    return (m + 0.5) / 64;
}

// First colour a: the nearest. Second colour b: the nearest to the pixel mirrored away from a. The pixel's
// projection onto the line a-b says how many of the pixels around should be b.
int find_color_dithered(PaletteMap& map, const std::uint8_t* c, int x, int y) {
    const int a = find_color(map, c[0], c[1], c[2]);
    int mirror[3];
    double error = 0;
    for (int k = 0; k < 3; ++k) {
        const int e = c[k] - map.palette[a][k];
        error += e * e;
        mirror[k] = std::clamp(c[k] + 2 * e, 0, 255);
    }
    if (error < 2) return a;
    const int b = find_color(map, mirror[0], mirror[1], mirror[2]);
    double along = 0, length = 0;
    for (int k = 0; k < 3; ++k) {
        const double d = double(map.palette[b][k]) - map.palette[a][k];
        along += d * (c[k] - map.palette[a][k]);
        length += d * d;
    }
    // far colours would show as dots
    if (length < 1 || length > 32 * 32) return a;
    return along / length > threshold(x, y) ? b : a;
}

} // namespace sinew
