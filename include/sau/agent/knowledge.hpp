#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/core/archive.hpp"

namespace sau {

// What an agent has learned, as numbers for people. `sau inspect` prints it, and sau.Agent of
// Python shows it.

// A linear model: the value of action a is  intercept[a] + sum_i slope[a][i] x_i.
struct Coefficients {
  std::size_t dim = 0;
  std::vector<double> slope;  // row-major, actions x dim
  std::vector<double> intercept;
};

// An array of the learned state, in short.
struct ArraySummary {
  std::string name;
  std::uint64_t count = 0;
  double norm = 0.0;  // root of the sum of squares
  double least = 0.0, greatest = 0.0;
};

struct Knowledge {
  std::string spec;
  std::optional<std::uint64_t> learned;  // rewards; only if actions are offered by id
  std::string fault;                     // what went wrong for good; empty while all is well
  std::uint64_t actions = 0;             // all of them
  std::vector<std::string> ids;          // of the actions below: all, or the most used ones
  std::vector<ActionColumn> evidence;
  std::optional<Coefficients> coefficients;  // only for models that are linear in the context
  std::vector<MemberRecord> members;
  std::vector<ArraySummary> arrays;
};

// Changes only scratch memory of the agent.
Knowledge knowledge_of(AnyAgent& agent);
// Has the numbers of the `limit` actions with the most rewards.
Knowledge knowledge_of(const OfferAgent& agent, std::size_t limit);

// Throws Error when the model is not linear in the context.
Coefficients coefficients_of(AnyAgent& agent);

// The numbers of these action ids: count, S2, spread, and the mean of their rewards.
std::vector<ActionColumn> evidence_columns(std::span<const ActionRecord> records);

// What the fields of a saved state are like.
std::vector<ArraySummary> summarise_arrays(const StateWriter& state);

}  // namespace sau
