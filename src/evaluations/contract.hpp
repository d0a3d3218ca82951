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
  bool experiment = false;  // also try agents of our own
};

// `present` is the policy that decides, `experiments` are the agents of our own: no other policy
// may have a name of theirs.
Result<EvaluationContract> read_evaluation_contract(std::string_view body, const Policy& present,
                                                    const std::vector<Policy>& experiments);
nlohmann::ordered_json to_json(const EvaluationContract& contract);
EvaluationContract evaluation_contract_of(const nlohmann::json& json);

// The names of the results that every evaluation has.
inline constexpr const char *kBaselineName = "Baseline", *kRandomName = "Random";

struct PolicyReference {
  std::string evaluation, policy;
};
Result<PolicyReference> read_policy_reference(std::string_view body);

}  // namespace sau::detail
