#pragma once

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "evaluations/contract.hpp"

namespace sau::detail {

// What an evaluation needs to know about the service.
struct EvaluationPlace {
  std::filesystem::path folder;
  std::uint64_t seed = 1;
  Policy present;                   // the policy that decides
  Configuration configuration;      // that other policies would be served with
  std::vector<Policy> experiments;  // agents of our own, if the contract wants them
};

// The results, in Personalizer's form: policyResults, featureImportance and optimalPolicy. Ends
// early, with results that mean nothing, when `stop` becomes true. Throws Error when the log cannot
// be evaluated.
nlohmann::ordered_json run_evaluation(const EvaluationContract& contract,
                                      const EvaluationPlace& place, const std::atomic<bool>& stop);

// The best of our own agents in these results: the one with the largest gain that the log can show.
// Null if there is none other than `present`.
const nlohmann::ordered_json* best_experiment(const nlohmann::ordered_json& results,
                                              const Policy& present);

}  // namespace sau::detail
