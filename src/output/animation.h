// Positions of one object's vertices over time, read from files: what moves animated obstacles. Random access by sample;
// what a sample's time is differs by format:
//   PC2 (.pc2)              frames: t = (frame - first_frame) / fps
//   MDD (.mdd)              seconds, as written
//   recording (.sinew)      seconds, as written; one object of it
//   OBJ, PLY, STL sequence  "walk.*.obj": the number in place of the * is a frame
// Every number in the files is checked: times grow, positions are finite, every sample has the same number of vertices.
#pragma once
#include "core/file.h"
#include <memory>

namespace sinew {

struct AnimationRequest {
    std::string file;         // one * stands for the frame numbers of a sequence
    std::string object;       // of a recording or of OBJ files with several; empty = the only one
    double fps = 24;          // of frames
    double first_frame = 0;   // frame at time 0
};

struct Animation {
    virtual ~Animation() = default;
    virtual Errors read(int sample, std::vector<Real3>& out) = 0; // point_count positions in the world of the file

    int point_count = 0;
    std::vector<double> times;                               // [s] growing, one per sample, at least one
    std::vector<int> polygon_begin{0}, polygon_vertex;       // faces if the file knows them
};

Result<std::unique_ptr<Animation>> open_animation(const AnimationRequest&);

} // namespace sinew
