#pragma once

#include <string>

#include "sau/evaluate/evaluate.hpp"

namespace sau {

// A table for people. Where the log cannot show a number, the table gives the reason instead,
// unless `forced`.
std::string evaluation_text(const EvaluationResult& result, bool forced);

// Everything, as one JSON object (docs/evaluation.md). Estimates of refused policies are null
// unless `forced`.
std::string evaluation_json(const EvaluationResult& result, bool forced);

}  // namespace sau
