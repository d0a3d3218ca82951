#include "sau/agent/knowledge.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "sau/core/error.hpp"

namespace sau {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

template <class T>
void summarise(std::string_view bytes, ArraySummary& summary) {
  // The largest size is taken out of the sum, so that squares do not overflow.
  double scale = 0.0, sum = 0.0;
  const auto each = [&](auto&& use) {
    for (std::size_t i = 0; i < summary.count; ++i) {
      T number{};
      std::memcpy(&number, bytes.data() + i * sizeof(T), sizeof(T));
      use(static_cast<double>(number));
    }
  };
  summary.least = std::numeric_limits<double>::infinity();
  summary.greatest = -summary.least;
  each([&](double number) {
    summary.least = std::fmin(summary.least, number);
    summary.greatest = std::fmax(summary.greatest, number);
    scale = std::fmax(scale, std::abs(number));
  });
  if (scale == 0.0 || !std::isfinite(scale)) {
    summary.norm = scale;
    return;
  }
  each([&](double number) { sum += (number / scale) * (number / scale); });
  summary.norm = scale * std::sqrt(sum);
}

// What both kinds of agents have.
Knowledge begin(const auto& agent) {
  Knowledge knowledge;
  knowledge.spec = agent.spec();
  knowledge.fault = agent.fault();
  knowledge.members = agent.members();
  StateWriter state;
  agent.save(state);
  knowledge.arrays = summarise_arrays(state);
  return knowledge;
}

}  // namespace

std::vector<double> AnyAgent::uncertainty(Context) {
  throw Error("uncertainty: " + spec() +
              " keeps no number for it: neither its strategy nor its model says how sure it is");
}

std::vector<ArraySummary> summarise_arrays(const StateWriter& state) {
  std::vector<ArraySummary> result;
  for (const StateWriter::NumberField& field : state.numbers()) {
    if (field.count == 0) continue;
    ArraySummary& summary = result.emplace_back();
    summary.name = field.name;
    summary.count = field.count;
    const auto bytes = std::string_view(state.bytes()).substr(field.start);
    field.single ? summarise<float>(bytes, summary) : summarise<double>(bytes, summary);
  }
  return result;
}

Coefficients coefficients_of(AnyAgent& agent) {
  if (!agent.linear()) {
    throw Error("coefficients: the values of " + agent.spec() +
                " are not linear in the context, so there are none");
  }
  const Shape shape = agent.shape();
  std::vector<double> x(shape.dim, 0.0);
  Coefficients result{.dim = shape.dim, .slope = {}, .intercept = {}};
  const auto at_zero = agent.values(x);
  result.intercept.assign(at_zero.begin(), at_zero.end());
  result.slope.resize(shape.actions * shape.dim);
  // The value at the i-th unit vector: exact whatever form the model keeps its numbers in.
  for (std::size_t i = 0; i < shape.dim; ++i) {
    x[i] = 1.0;
    const auto value = agent.values(x);
    for (std::size_t a = 0; a < shape.actions; ++a) {
      result.slope[a * shape.dim + i] = value[a] - result.intercept[a];
    }
    x[i] = 0.0;
  }
  return result;
}

std::vector<ActionColumn> evidence_columns(std::span<const ActionRecord> records) {
  std::vector<ActionColumn> columns = {{"count", "rewards learned from", {}},
                                       {"S2", "sum of squared residuals", {}},
                                       {"spread", "sqrt(S2) / n, the uncertainty of the mean", {}},
                                       {"mean", "mean reward", {}}};
  for (const ActionRecord& record : records) {
    const auto n = static_cast<double>(record.count);
    const bool known = record.count > 0;
    columns[0].number.push_back(n);
    columns[1].number.push_back(known ? record.squares : kUnknown);
    columns[2].number.push_back(known ? std::sqrt(record.squares) / n : kUnknown);
    columns[3].number.push_back(known ? record.reward_sum / n : kUnknown);
  }
  return columns;
}

Knowledge knowledge_of(AnyAgent& agent) {
  Knowledge knowledge = begin(agent);
  knowledge.actions = agent.shape().actions;
  for (Action a = 0; a < agent.shape().actions; ++a) knowledge.ids.push_back(std::to_string(a));
  knowledge.evidence = agent.evidence();
  if (agent.linear()) knowledge.coefficients = coefficients_of(agent);
  return knowledge;
}

Knowledge knowledge_of(const OfferAgent& agent, std::size_t limit) {
  Knowledge knowledge = begin(agent);
  knowledge.learned = agent.learned();
  knowledge.actions = agent.action_count();
  const std::vector<ActionRecord> records = agent.actions(limit);
  for (const ActionRecord& record : records) knowledge.ids.push_back(record.id);
  knowledge.evidence = evidence_columns(records);
  return knowledge;
}

}  // namespace sau
