#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "evaluations/contract.hpp"

namespace sau::detail {

// An evaluation as it is kept: what was asked for, and what callers see.
struct KeptEvaluation {
  EvaluationContract contract;
  nlohmann::ordered_json seen;
  // Of automatic optimisation: the trial of the candidate that was found, once that has begun.
  std::string trial = {};

  bool is_automatic() const { return seen.at("evaluationType") == "Auto"; }
  bool is_pending() const { return seen.at("status") == "pending"; }
  bool must_run() const { return is_pending() && trial.empty(); }
  const std::string& created() const {
    return seen.at("creationTime").get_ref<const std::string&>();
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
