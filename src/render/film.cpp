#include "render/film.h"
#include <algorithm>

namespace sinew {

FieldList film_fields(FilmSettings& s) {
    return collect_fields([&](const FieldCollector& v) {
        v("colors", s.colors,
          Field{.min = 0, .max = 255, .doc = "of the APNG's palette; 0 = all, exact, several times larger"});
        v("tolerance", s.tolerance,
          Field{.min = 0, .max = 255, .doc = "change of a channel, of 255, that the APNG does not show"});
        v("limit", s.limit,
          Field{.min = 0, .doc = "bytes the APNG may have: coarser colours until it fits; 0 = no limit"});
        v("loops", s.loops, Field{.min = 0, .doc = "how often the APNG plays; 0 = for ever"});
        v("quality", s.quality,
          Field{.min = 0, .max = 51, .doc = "of the MP4: x264's rate factor, 0 is lossless, 18 looks so"});
        v("ffmpeg", s.ffmpeg, Field{.doc = "the program that makes the MP4; empty = searched in PATH"});
    });
}

std::string frame_path(const std::string& pattern, int number) {
    // the last run of signs in the file's name; folders may hold such signs too
    const std::size_t name = pattern.find_last_of('/') + 1;
    const std::size_t last = pattern.find_last_of('#');
    std::size_t begin, end;
    int digits = 4;
    if (last != std::string::npos && last >= name) {
        end = last + 1;
        begin = last;
        while (begin > name && pattern[begin - 1] == '#') --begin;
        digits = int(end - begin);
    } else {
        const std::size_t dot = pattern.find_last_of('.');
        begin = end = dot != std::string::npos && dot >= name ? dot : pattern.size();
    }
    std::string text = std::to_string(std::abs((long long)number));
    if (int(text.size()) < digits) text.insert(0, digits - text.size(), '0');
    return pattern.substr(0, begin) + (number < 0 ? "-" : "") + text + pattern.substr(end);
}

std::optional<Error> open_film(const FilmSettings& settings, FilmWriter& w) {
    w.settings = settings;
    w.frame_count = 0;
    w.still_written = false;
    w.last = {};
    if (!settings.mp4.empty()) {
        const MovieSettings movie{settings.width, settings.height, settings.fps, settings.quality,
                                  settings.ffmpeg};
        if (auto error = open_movie(settings.mp4, movie, w.movie)) return error;
    }
    if (settings.apng.empty()) return {};
    const ApngSettings apng{.fps = settings.fps,
                            .loops = settings.loops,
                            .colors = settings.colors,
                            .tolerance = settings.tolerance,
                            .limit = settings.limit};
    return open_apng(settings.apng, settings.width, settings.height, apng, w.apng);
}

std::optional<Error> add_frame(FilmWriter& w, const Picture& p, int number) {
    const FilmSettings& s = w.settings;
    if (auto error = check_picture(p)) return error;
    if (p.width != s.width || p.height != s.height) {
        Error error;
        error.message = "frame of " + std::to_string(p.width) + " x " + std::to_string(p.height) +
                        " pixels in a film of " + std::to_string(s.width) + " x " + std::to_string(s.height);
        return error;
    }
    if (!s.apng.empty())
        if (auto error = add_frame(w.apng, p)) return error;
    if (!s.mp4.empty())
        if (auto error = add_frame(w.movie, p)) return error;
    if (!s.numbered.empty())
        if (auto error = write_png(p, frame_path(s.numbered, number))) return error;
    ++w.frame_count;
    if (s.still.empty()) return {};
    if (s.still_frame < 0) w.last = p;
    if (s.still_frame != number) return {};
    w.still_written = true;
    return write_png(p, s.still);
}

std::optional<Error> close_film(FilmWriter& w) {
    const FilmSettings& s = w.settings;
    std::optional<Error> first;
    const auto keep = [&](std::optional<Error> error) {
        if (error && !first) first = std::move(error);
    };
    if (!s.apng.empty()) keep(close_apng(w.apng));
    if (!s.mp4.empty()) keep(close_movie(w.movie));
    if (w.frame_count == 0) {
        keep(Error{.message = "a film without frames"});
    } else if (!s.still.empty() && s.still_frame < 0) {
        keep(write_png(w.last, s.still));
    } else if (!s.still.empty() && !w.still_written) {
        keep(Error{.file = s.still,
                   .value = std::to_string(s.still_frame),
                   .message = "the frame for the still picture is not among those shown"});
    }
    return first;
}

} // namespace sinew
