#include "render/movie.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace sinew {

static Error movie_error(const MovieWriter& w, std::string message) {
    Error error;
    error.file = w.path;
    error.message = std::move(message);
    return error;
}

std::string find_ffmpeg() {
    const char* list = std::getenv("PATH");
    for (std::string_view rest = list ? list : ""; !rest.empty();) {
        const std::size_t colon = rest.find(':');
        const std::string path = std::string(rest.substr(0, colon)) + "/ffmpeg";
        struct stat info;
        if (path.size() > 7 && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
            ::access(path.c_str(), X_OK) == 0)
            return path;
        rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
    }
    return {};
}

// "file:" keeps ffmpeg from reading options or protocols into a name
static std::vector<std::string> movie_arguments(const MovieSettings& s, const std::string& program,
                                                const std::string& file) {
    return {program,
            "-v",
            "error",
            "-y",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgba",
            "-s",
            fmt::format("{}x{}", s.width, s.height),
            "-r",
            fmt::format("{:.6g}", s.fps),
            "-i",
            "pipe:0",
            "-an",
            "-vf",
            "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv",
            "-c:v",
            "libx264",
            "-preset",
            "medium",
            "-crf",
            std::to_string(s.quality),
            "-pix_fmt",
            "yuv420p",
            "-colorspace",
            "bt709",
            "-color_primaries",
            "bt709",
            "-color_trc",
            "iec61966-2-1",
            "-color_range",
            "tv",
            "-movflags",
            "+faststart",
            "-f",
            "mp4",
            "file:" + file};
}

// an unnamed file next to nothing: unlinked at once
static int open_messages() {
    char name[] = "/tmp/sinew-ffmpeg-XXXXXX";
    const int file = ::mkostemp(name, O_CLOEXEC);
    if (file >= 0) ::unlink(name);
    return file;
}

// Starts the program with `input` as standard input; returns 0 or errno. Its own process group, so that
// Ctrl-C in the terminal reaches only us: we end it in order.
static int start(const std::vector<std::string>& arguments, int input, int messages, int& process) {
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (messages >= 0)
        posix_spawn_file_actions_adddup2(&actions, messages, 2);
    else
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t pid = -1;
    const int code = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    process = code == 0 ? int(pid) : -1;
    return code;
}

std::optional<Error> open_movie(const std::string& path, const MovieSettings& s, MovieWriter& w) {
    w.path = path;
    w.width = s.width;
    w.height = s.height;
    if (s.width < 1 || s.height < 1 || s.width > kPictureSide || s.height > kPictureSide)
        return movie_error(w, fmt::format("picture size out of range: {} x {}", s.width, s.height));
    if (!(s.fps > 0 && s.fps < 1e6)) return movie_error(w, "frames per second must be positive");
    if (s.quality < 0 || s.quality > 51) return movie_error(w, "quality: 0 to 51");
    const std::string program = s.program.empty() ? find_ffmpeg() : s.program;
    if (program.empty())
        return movie_error(w, "MP4 needs the program ffmpeg, which is not in PATH; APNG needs none");
    // a socket rather than a pipe: writing to a program that has ended gives an error and no signal
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return movie_error(w, std::string("cannot make a pipe: ") + std::strerror(errno));
    w.temporary = path + ".part" + std::to_string(::getpid());
    w.messages = open_messages();
    const int code = start(movie_arguments(s, program, w.temporary), ends[1], w.messages, w.process);
    ::close(ends[1]);
    w.input = ends[0];
    if (code == 0) return {};
    Error error = movie_error(w, "cannot start " + program + ": " + std::strerror(code));
    close_movie(w);
    return error;
}

std::optional<Error> add_frame(MovieWriter& w, const Picture& p) {
    if (p.width != w.width || p.height != w.height || check_picture(p))
        return movie_error(w, "a frame of another size than the film");
    if (w.input < 0) return movie_error(w, "the film is not open");
    for (std::size_t sent = 0; sent < p.rgba.size();) {
        const ssize_t n = ::send(w.input, p.rgba.data() + sent, p.rgba.size() - sent, MSG_NOSIGNAL);
        if (n > 0)
            sent += std::size_t(n);
        else if (errno != EINTR)
            return close_movie(w); // the program has ended; it says why
    }
    return {};
}

static std::string read_messages(int file) {
    char text[1001] = {};
    if (file < 0 || ::lseek(file, 0, SEEK_SET) < 0) return {};
    const ssize_t n = ::read(file, text, 1000);
    std::string out(text, n > 0 ? std::size_t(n) : 0);
    while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.pop_back();
    return out;
}

// Closes its input, waits, and forgets it; true if it ended well.
static bool finish_process(MovieWriter& w) {
    if (w.input >= 0) ::close(w.input);
    w.input = -1;
    if (w.process < 0) return false;
    int status = 0;
    while (::waitpid(w.process, &status, 0) < 0 && errno == EINTR) {
    }
    w.process = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<Error> close_movie(MovieWriter& w) {
    if (w.input < 0) return movie_error(w, "the film is not open");
    const bool ok = finish_process(w);
    const std::string messages = read_messages(w.messages);
    if (w.messages >= 0) ::close(w.messages);
    w.messages = -1;
    std::optional<Error> error;
    if (!ok)
        error = movie_error(w, "ffmpeg failed" + (messages.empty() ? "" : ": " + messages));
    else if (std::rename(w.temporary.c_str(), w.path.c_str()) != 0)
        error = movie_error(w, std::string("cannot write the file: ") + std::strerror(errno));
    if (error) ::unlink(w.temporary.c_str());
    w.temporary.clear();
    return error;
}

MovieWriter::~MovieWriter() {
    if (process >= 0) ::kill(process, SIGTERM);
    finish_process(*this);
    if (messages >= 0) ::close(messages);
    if (!temporary.empty()) ::unlink(temporary.c_str());
}

} // namespace sinew
