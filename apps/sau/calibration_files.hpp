#pragma once

#include "laboratory.hpp"

namespace sau::cli {

// Runs a study of evaluation from logs and writes it to the result folder: evaluation.json, .csv
// and .html, and the figures.
MakeAddition calibration_addition(EvaluationStudy study, const LaboratoryFlags& flags);

}  // namespace sau::cli
