// What is written into a finished picture: colour bar with numbers, frame and time, caption.
#pragma once
#include "render/drawing.h"
#include "render/picture.h"

namespace sinew {

void write_on(const RenderSettings&, const Snapshot&, const Drawing&, Picture&);

// Numbers for a scale from low to high: both ends, between them round ones that keep their distance.
std::vector<double> scale_marks(double low, double high);

} // namespace sinew
