#pragma once

#include <string>

#include "sau/evaluate/evaluate.hpp"

namespace sau {

// A table for a person. What the log cannot tell is not shown, but why, unless `forced`.
std::string evaluation_text(const EvaluationResult& result, bool forced);

// Everything, as one JSON object (docs/evaluation.md). Estimates of refused policies are null
// unless `forced`.
std::string evaluation_json(const EvaluationResult& result, bool forced);

}  // namespace sau
