#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sau/agent/offer_agent.hpp"
#include "sau/serve/configuration.hpp"

namespace sau::detail {

// Learning settings as callers send them: {"name", "arguments"}. `arguments` is the spec of an
// agent; the result has its canonical form. Refuses text of Vowpal Wabbit, and names the nearest
// agent. `where` comes before the fields in a failure's target.
Result<Policy> read_policy_contract(const nlohmann::json& json, const std::string& where = "");
// The same for the body of a request.
Result<Policy> read_policy_contract(std::string_view body);

// A failure if the agent does not learn from all rewards that the configuration allows.
std::optional<Failure> check_rewards_of(const OfferAgent& agent,
                                        const Configuration& configuration);

// What the log says about a new policy: the text of an entry of kind kPolicy.
struct PolicyChange {
  Policy policy;           // its agent is not empty
  std::string model = {};  // a file in models/, which it begins with; empty: it begins anew
};
std::string write_policy_change(const PolicyChange& change);
Result<PolicyChange> read_policy_change(std::string_view text);

}  // namespace sau::detail
