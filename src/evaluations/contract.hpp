#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sau/serve/configuration.hpp"

namespace sau::detail {

// What a caller wants evaluated: Personalizer's EvaluationContract.
struct EvaluationContract {
  std::string name;
  Milliseconds start = 0, end = 0;
  std::vector<Policy> policies;
  bool experiment = false;  // also try the agents of experiment_agents()
};

// `present` is the policy that decides: no other may have its name.
Result<EvaluationContract> read_evaluation_contract(std::string_view body, const Policy& present);
nlohmann::ordered_json to_json(const EvaluationContract& contract);
EvaluationContract evaluation_contract_of(const nlohmann::json& json);

// The names of the results that every evaluation has.
inline constexpr const char *kBaselineName = "Baseline", *kRandomName = "Random";

// Agents worth a try, if the caller names none.
std::vector<Policy> experiment_agents();

struct PolicyReference {
  std::string evaluation, policy;
};
Result<PolicyReference> read_policy_reference(std::string_view body);

}  // namespace sau::detail
