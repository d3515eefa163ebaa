// What the viewer shows: a scene that is simulated now, or a recording. The loop that plays, pauses and steps (view_loop.h) knows
// only this.
#pragma once
#include "command.h"
#include "model/snapshot.h"

namespace sinew {

struct ViewPlace {
    double frame = 0;                     // as the scene counts, with fraction within a frame
    int first_frame = 0, last_frame = 0;
    double time = 0;                      // [s]
    std::int64_t step = 0;                // of the solver; of a recording: index of the frame
};
struct ViewSource {
    virtual ~ViewSource() = default;
    virtual Value describe() const = 0;               // for the greeting: kind, solver, step
    virtual const SnapshotLayout& layout() const = 0; // of `look`
    virtual int revision() const = 0;                 // of the layout
    virtual ViewPlace place() const = 0;
    virtual bool at_frame() const = 0;
    virtual bool at_end() const = 0;
    virtual const Snapshot& look() = 0;               // where it is now
    virtual const Snapshot* look_before() = 0;        // the frame before, null = unknown
    virtual Errors advance() = 0;                     // one step; a recording: one frame. Errors: it cannot go on
    virtual Errors restart() = 0;                     // a scene is read again; on errors it stays as it is
    virtual std::vector<std::string> news() { return {}; } // what happened in the last step, for people
    // what one of the two cannot do is refused
    virtual Errors seek(int frame);
    virtual Errors set_live(const std::string& path, const std::string& value);
    virtual Errors grab(int object, int vertex, const Real3& at);
    virtual void drag(const Real3&) {}
    virtual void release() {}
    virtual Result<std::string> hash_text();
};

Result<std::unique_ptr<ViewSource>> make_live_source(const ViewOptions&);
Result<std::unique_ptr<ViewSource>> make_recording_source(const std::string& file);
bool is_recording_file(const std::string& path);

} // namespace sinew
