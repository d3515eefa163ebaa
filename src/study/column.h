// What a study can record. Per frame all measurements of a scene (scene/measurement.h) and
//   constraint_error.sum   sum of |C| of constraints [m], one-sided ones where violated: the L1 error of links
//   length.sum             sum of the rest lengths of constrained links [m]
//   penetration.sum        sum of the depths of all contacts [m]
//   cpu                    processor time of the frame's steps, all threads [s]; without what measuring takes
//   sand.repose            slope of a pile of particles [rad]
// per iteration what the solver's trace says: iteration, residual, residual_sum, residual_norm, rate_sum, momentum, objective.
// Slope of a pile: the surface is the highest grain top of each ring about the axis through the centre of mass, rings as wide as
// a grain's distance to its neighbours (the largest diameter); the slope is that of the line of least squares through it
// from the innermost ring to where less than one diameter is left.
#pragma once
#include "simulate.h"
#include "study/penetration.h"

namespace sinew {

struct ColumnReading {
    enum Kind { measurement, constraint_sum, length_sum, penetration_sum, cpu, repose, trace } kind = measurement;
    Measurement measured;
    int object = -1, trace_index = 0;
};
struct ColumnSet {
    std::vector<Expression> expressions;
    std::vector<ColumnReading> slots;
};
// Names of one expression become slots. Errors have the place of `text`.
bool add_column(const Model&, const Value& text, std::string_view path, bool per_iteration, ColumnSet&, std::vector<Error>&);

struct ColumnScratch {
    Rows rows;
    PenetrationScratch penetration;
    std::vector<double> slots;
};
// the numbers of all columns
void read_columns(const ColumnSet&, const Simulation&, double cpu, const TraceEntry*, ColumnScratch&, std::vector<double>& out);

double repose_angle(const Model&, const State&, int object);

} // namespace sinew
