// Moving pictures that every browser shows: APNG (W3C PNG third edition, chunks acTL, fcTL, fdAT). Frames are
// streamed; each stores only the rectangle that changed, and inside it unchanged pixels are transparent where
// that packs better. With a palette the film is spooled to a temporary file first, because the one palette of
// the file must suit all frames; memory stays at a few frames in both cases.
#pragma once
#include "core/atomic_file.h"
#include "render/palette.h"

namespace sinew {

struct ApngSettings {
    double fps = 24;   // frames per second, > 0
    int loops = 0;     // how often it plays, 0 = for ever
    int colors = 0;    // 0 = all colours, exact; 2..255 = palette of at most so many, dithered, alpha dropped
    int tolerance = 0; // how much a channel may change before a pixel is stored anew, 0..255
    long long limit = 0; // [bytes] palette only: fewer colours and more tolerance until it fits, 0 = none
};

struct ApngWriter {
    ApngSettings settings;
    int width = 0, height = 0;
    int frame_count = 0;
    std::uint32_t sequence = 0; // of the next fcTL or fdAT
    std::string path;
    AtomicFile file;
    AtomicFile spool;         // palette only: deflated differences of successive frames
    Errors failure;           // the first that happened to either file; nothing more is written then
    ColorHistogram histogram; // palette only: colours that appeared, counted when a pixel changed
    Picture shown;            // what a viewer sees after the last frame (palette: the last frame as it came)
};

std::optional<Error> open_apng(const std::string& path, int width, int height, const ApngSettings&,
                               ApngWriter&);
std::optional<Error> add_frame(ApngWriter&, const Picture&); // of the size given to open_apng
std::optional<Error> close_apng(ApngWriter&);                // the file appears now; without frames: an error

} // namespace sinew
