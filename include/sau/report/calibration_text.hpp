#pragma once

#include <string>
#include <vector>

#include "sau/calibration/calibration.hpp"

namespace sau {

// "anytime dr": the interval and the estimator it belongs to.
std::string interval_name(const IntervalMisses& misses);

// {"policies": [{"problem", "log", "policy", "trials", "steps", "truth", "logged",
//   "effective_size", "estimators": [...], "intervals": [...]}, ...], "pairs": [...]}
std::string calibration_json(const std::vector<PolicyCalibration>& results);
// One line per problem, log, policy and estimator or interval, with a header.
std::string calibration_csv(const std::vector<PolicyCalibration>& results);
// Three tables: the errors of the estimators, the misses of the intervals, and dr beside the best
// of ips, snips and dm.
std::string calibration_text(const std::vector<PolicyCalibration>& results);

}  // namespace sau
