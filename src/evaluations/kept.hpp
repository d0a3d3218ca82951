#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "evaluations/contract.hpp"

namespace sau::detail {

// An evaluation as it is kept: what was asked for, and what callers see.
struct KeptEvaluation {
  EvaluationContract contract;
  nlohmann::ordered_json seen;
  // If it belongs to automatic optimisation: the trial of the candidate that it found, once the
  // trial has begun.
  std::string trial = {};

  bool is_automatic() const { return seen.at("evaluationType") == "Auto"; }
  bool is_pending() const { return seen.at("status") == "pending"; }
  bool must_run() const { return is_pending() && trial.empty(); }
  const std::string& created() const {
    return seen.at("creationTime").get_ref<const std::string&>();
  }

  // One that nobody has begun. `type` is Personalizer's evaluationType.
  static KeptEvaluation pending(const std::string& id, EvaluationContract contract,
                                const char* type, Milliseconds created) {
    using Json = nlohmann::ordered_json;
    Json seen = {{"id", id},
                 {"name", contract.name},
                 {"startTime", write_time(contract.start)},
                 {"endTime", write_time(contract.end)},
                 {"jobId", id},
                 {"status", "pending"},
                 {"policyResults", Json::array()},
                 {"featureImportance", Json::array()},
                 {"evaluationType", type},
                 {"optimalPolicy", ""},
                 {"creationTime", write_time(created)}};
    return {std::move(contract), std::move(seen)};
  }

  std::string to_text() const {
    const nlohmann::ordered_json json = {
        {"contract", to_json(contract)}, {"trial", trial}, {"evaluation", seen}};
    return json.dump(1) + "\n";
  }
  static KeptEvaluation from_text(const std::string& text) {
    const auto json = nlohmann::ordered_json::parse(text);
    return {evaluation_contract_of(json.at("contract")), json.at("evaluation"),
            json.at("trial").get<std::string>()};
  }
};

}  // namespace sau::detail
