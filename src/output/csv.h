// report.csv: one row per frame or step. First row: names; second row, a comment that begins with #: units,
// if any number has one ("kinetic_energy [J]" is the column kinetic_energy with the unit J); then numbers, as
// short as they read back exactly. Rows are in the file as soon as they are written, so that a run can be
// watched. A column that appears later is added at the end: the file is rewritten once, its earlier rows have
// empty cells.
//   gnuplot, numpy.genfromtxt(delimiter=",", names=True) read it as it is, pandas.read_csv with comment="#".
#pragma once
#include "core/file.h"

namespace sinew {

using Numbers = std::vector<std::pair<std::string, double>>;

struct CsvWriter {
    Errors open(const std::string& path);
    // continues a file of its own, keeping the rows with frame <= last_frame and time <= last_time
    Errors resume(const std::string& path, int last_frame, double last_time);
    Errors row(int frame, double time, const Numbers& numbers);
    Errors close();

    std::string key = "frame"; // name of the first column, which counts rows

    // private to csv.cpp
    File file;
    std::uint64_t end = 0;            // [bytes]
    std::vector<std::string> columns; // without frame and time
    std::vector<std::string> units;
    bool head_written = false;
};

} // namespace sinew
