// Frames to files: a moving picture (APNG) with our own code, MP4 through the ffmpeg program where there is
// one, numbered PNGs, one PNG. Any combination at once; every file appears under its name when it is
// complete.
#pragma once
#include "core/fields.h"
#include "render/apng.h"
#include "render/movie.h"

namespace sinew {

struct FilmSettings {
    int width = 0, height = 0; // [pixels] of every frame
    double fps = 24;           // frames per second, > 0
    // files; empty = none
    std::string apng;     // film.png
    std::string mp4;      // film.mp4; an error where there is no ffmpeg (find_ffmpeg)
    std::string numbered; // frame_####.png, see frame_path
    std::string still;    // still.png
    int still_frame = -1; // number of the frame it shows, -1 = the last one added
    // how they are written; units, ranges and meanings are in film_fields
    int colors = 255;
    int tolerance = 3;
    int limit = 0;
    int loops = 0;
    int quality = 18;
    std::string ffmpeg;
};
FieldList film_fields(FilmSettings&); // the members from `colors` on

struct FilmWriter {
    FilmSettings settings;
    ApngWriter apng;
    MovieWriter movie;
    Picture last; // for the still
    int frame_count = 0;
    bool still_written = false;
};

std::optional<Error> open_film(const FilmSettings&, FilmWriter&);
std::optional<Error> add_frame(FilmWriter&, const Picture&, int frame_number);
std::optional<Error> close_film(FilmWriter&); // finishes all files; without it none of the films appears

// Name of a numbered file: frame_####.png and 12 give frame_0012.png, as does frame_.png
std::string frame_path(const std::string& pattern, int number);

} // namespace sinew
