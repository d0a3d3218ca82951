#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sau/core/argmax_probabilities.hpp"
#include "sau/core/types.hpp"
#include "sau/model/value_model.hpp"

namespace sau {

// What people may want to see of a model: a name, what it means, one number per action.
using ColumnFunction =
    std::function<void(const char* name, const char* meaning, const std::vector<double>& numbers)>;

// Whether the values are linear in the context, apart from an intercept.
template <class M>
constexpr bool is_linear() {
  if constexpr (requires { M::kLinear; }) {
    return M::kLinear;
  } else {
    return false;
  }
}

// How unsure the model is about each action in this context; empty if it does not know.
template <ValueModel M>
std::vector<double> model_uncertainty(M& model, Context x) {
  const auto copy = [](std::span<const double> from) {
    return std::vector<double>(from.begin(), from.end());
  };
  if constexpr (requires { model.uncertainty(x); }) {
    return model.uncertainty(x);
  } else if constexpr (DisagreementModel<M>) {
    return copy(model.disagreement(x));
  } else if constexpr (PosteriorModel<M>) {
    std::vector<double> result;
    for (const auto& marginal : model.marginals(x)) result.push_back(spread_of(marginal));
    return result;
  } else if constexpr (WidthModel<M>) {
    return copy(model.widths(x));
  } else {
    return {};
  }
}

}  // namespace sau
