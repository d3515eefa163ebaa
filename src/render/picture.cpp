#include "render/picture.h"
#include "core/atomic_file.h"
#include "render/png.h"

namespace sinew {

Picture make_picture(int width, int height, std::array<std::uint8_t, 4> fill) {
    Picture p{width, height, {}};
    p.rgba.resize(std::size_t(4) * width * height);
    for (std::size_t i = 0; i < p.rgba.size(); ++i) p.rgba[i] = fill[i & 3];
    return p;
}

std::optional<Error> check_picture(const Picture& p) {
    Error error;
    error.value = std::to_string(p.width) + " x " + std::to_string(p.height);
    error.allowed = "1 to " + std::to_string(kPictureSide) + " pixels a side";
    if (p.width < 1 || p.height < 1 || p.width > kPictureSide || p.height > kPictureSide)
        error.message = "picture size out of range";
    else if (p.rgba.size() != std::size_t(4) * p.width * p.height)
        error.message = "picture has " + std::to_string(p.rgba.size()) + " bytes, which is not 4 per pixel";
    else
        return {};
    return error;
}

Bytes encode_png(const Picture& p) {
    bool opaque = true;
    for (std::size_t i = 3; i < p.rgba.size(); i += 4) opaque &= p.rgba[i] == 255;
    Bytes rgb;
    if (opaque) {
        rgb.reserve(p.rgba.size() / 4 * 3);
        for (std::size_t i = 0; i + 3 < p.rgba.size(); i += 4)
            rgb.insert(rgb.end(), p.rgba.begin() + i, p.rgba.begin() + i + 3);
    }
    Bytes out(kPngSignature.begin(), kPngSignature.end());
    add_chunk("IHDR", png_header(p.width, p.height, opaque ? PngColor::rgb : PngColor::rgba), out);
    add_chunk("sRGB", Bytes{0}, out);
    add_chunk("IDAT", pack_scanlines(opaque ? rgb : p.rgba, p.width, p.height, opaque ? 3 : 4, 6), out);
    add_chunk("IEND", {}, out);
    return out;
}

std::optional<Error> write_png(const Picture& p, const std::string& path) {
    if (auto error = check_picture(p)) {
        error->file = path;
        return error;
    }
    const Errors errors = write_atomically(path, encode_png(p));
    if (errors.empty()) return std::nullopt;
    return errors[0];
}

} // namespace sinew
