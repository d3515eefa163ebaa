// MP4 files (H.264, yuv420p) by the ffmpeg program: raw frames go to its standard input, it writes a
// temporary file, which is renamed when it has ended well. Started with an argument list, never through a
// shell.
#pragma once
#include "render/picture.h"

namespace sinew {

std::string find_ffmpeg(); // full path of the program in PATH, empty = there is none

struct MovieSettings {
    int width = 0, height = 0; // [pixels]; an odd side is padded by one pixel, which the format asks for
    double fps = 24;           // > 0
    int quality = 18;          // x264's constant rate factor, 0..51
    std::string program;       // empty = find_ffmpeg()
};

struct MovieWriter {
    std::string path, temporary;
    int width = 0, height = 0;
    int input = -1;    // our end of the program's standard input
    int messages = -1; // file with what it wrote to standard error
    int process = -1;  // its process id

    MovieWriter() = default;
    MovieWriter(const MovieWriter&) = delete;
    MovieWriter& operator=(const MovieWriter&) = delete;
    ~MovieWriter(); // without close_movie: the program is ended and the temporary file removed
};

std::optional<Error> open_movie(const std::string& path, const MovieSettings&, MovieWriter&);
std::optional<Error> add_frame(MovieWriter&, const Picture&);
std::optional<Error> close_movie(MovieWriter&); // waits for the program

} // namespace sinew
