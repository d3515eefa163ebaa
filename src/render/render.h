// Pictures of snapshots by ray tracing (Embree).
//   auto painter = make_painter(layout, settings);             once per run: triangles, settings
//   FilmView view;  add_to_view(layout, snapshot, settings, view); for every frame of the film
//   finish_view(layout, first, settings, camera, view);
//   auto frame = render_frame(*parallel, *painter.value, snapshot, view);
// Same pixels for any number of threads.
#pragma once
#include "core/parallel.h"
#include "render/picture.h"
#include "render/shape.h"
#include "render/view.h"

namespace sinew {

struct Painter {
    SnapshotLayout layout;
    RenderSettings settings;
    std::vector<DrawnShape> shapes; // as layout.objects
};
// Errors: polygons that make no sense, settings out of range, a build without Embree.
Result<Painter> make_painter(const SnapshotLayout&, const RenderSettings&);

struct RenderedFrame {
    Picture picture;
    std::vector<std::string> warnings; // what was left out, with the object's name
};
Result<RenderedFrame> render_frame(const Parallel&, const Painter&, const Snapshot&, const FilmView&);

} // namespace sinew
