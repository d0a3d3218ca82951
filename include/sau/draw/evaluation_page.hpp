#pragma once

#include <string>
#include <vector>

#include "sau/draw/draw.hpp"
#include "sau/evaluate/evaluate.hpp"

namespace sau {

// The figures of an evaluation: values over time, weights, overlap by action and by segment. The
// same result gives the same bytes. What the log cannot tell is not drawn unless `forced`.
std::vector<Picture> draw_evaluation(const EvaluationResult& result, bool forced,
                                     PictureFormat format, const DrawOptions& options = {});

// One page with the tables and the figures, which needs no other file and no network.
std::string evaluation_page(const EvaluationResult& result, bool forced);

}  // namespace sau
