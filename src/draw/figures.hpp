#pragma once

#include <span>
#include <string>

#include "draw/plot.hpp"
#include "sau/report/report.hpp"

namespace sau::detail {

// Each returns the bytes of one picture. A figure without numbers yet is drawn empty.

// Mean regret against step, with the band of its 95 % interval.
std::string draw_curves(const Sheet& sheet, const ProblemFigure& figure);
// The same of several problems, a panel for each, with one legend below.
std::string draw_panels(const Sheet& sheet, std::span<const ProblemFigure* const> figures);
double panels_height(const Sheet& sheet, std::span<const ProblemFigure* const> figures);
// Final regret: box, whiskers, mean, and one point per trial.
std::string draw_distribution(const Sheet& sheet, const ProblemFigure& figure);
// Paired differences to the algorithm with the least regret, with their intervals.
std::string draw_differences(const Sheet& sheet, const ProblemFigure& figure);
// Final regret against a parameter of the problem, the paper's beside ours.
std::string draw_parameter(const Sheet& sheet, const ParameterFigure& figure);
// Mean ranks with their intervals, and the ranks on each problem.
std::string draw_ranks(const Sheet& sheet, const RankFigure& figure);
// Time of a trial against regret: a small mark per problem, a large one at their geometric mean.
std::string draw_times(const Sheet& sheet, const TimeFigure& figure);

}  // namespace sau::detail
