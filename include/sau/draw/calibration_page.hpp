#pragma once

#include <string>
#include <vector>

#include "sau/calibration/calibration.hpp"
#include "sau/draw/draw.hpp"

namespace sau {

// The figures of a study of evaluation, for each policy: how large the errors of the estimators
// are, and how often the intervals missed. The same results give the same bytes.
std::vector<Picture> draw_calibration(const std::vector<PolicyCalibration>& results,
                                      PictureFormat format, const DrawOptions& options = {});

// One page with the tables and the figures, which needs no other file and no network.
std::string calibration_page(const std::vector<PolicyCalibration>& results);

}  // namespace sau
