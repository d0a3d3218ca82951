#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "sau/core/argmax_probabilities.hpp"

namespace sau::testing {

// The integral by the trapezoidal rule in long double. For smooth integrands that vanish at both
// ends the rule converges faster than any power of the step (Trefethen & Weideman 2014), so a sixth
// of the smallest spread is a small enough step. Spreads must be of similar size.
inline std::vector<double> argmax_by_trapezoid(const std::vector<NormalMarginal>& marginals) {
  long double low = -std::numeric_limits<long double>::infinity();
  long double high = low;
  long double step = std::numeric_limits<long double>::infinity();
  for (const NormalMarginal& m : marginals) {
    low = std::max<long double>(low, m.mean - 10.0L * m.spread);
    high = std::max<long double>(high, m.mean + 10.0L * m.spread);
    step = std::min<long double>(step, m.spread / 6.0L);
  }
  std::vector<long double> sum(marginals.size(), 0.0L), cdf(marginals.size());
  for (long double z = low; z < high; z += step) {
    for (std::size_t b = 0; b < marginals.size(); ++b) {
      const long double t = (z - marginals[b].mean) / marginals[b].spread;
      cdf[b] = 0.5L * std::erfc(-t / std::numbers::sqrt2_v<long double>);
    }
    for (std::size_t a = 0; a < marginals.size(); ++a) {
      const long double t = (z - marginals[a].mean) / marginals[a].spread;
      long double product = std::exp(-0.5L * t * t) / marginals[a].spread *
                            std::numbers::inv_sqrtpi_v<long double> /
                            std::numbers::sqrt2_v<long double>;
      for (std::size_t b = 0; b < marginals.size(); ++b) product *= b == a ? 1.0L : cdf[b];
      sum[a] += step * product;
    }
  }
  return {sum.begin(), sum.end()};
}

struct ArgmaxCase {
  struct Action {
    double first, second, third;  // as in the header of tools/make_argmax_reference.py
    double probability;
  };

  std::string name;
  std::string family;
  std::vector<Action> actions;
};

// The cases of tools/make_argmax_reference.py; none if the file cannot be read.
inline std::vector<ArgmaxCase> read_argmax_cases(const std::string& path) {
  std::vector<ArgmaxCase> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    if (fields.at(0) == "case") {
      cases.push_back({fields.at(1), fields.at(2), {}});
      continue;
    }
    const ArgmaxCase::Action action{std::stod(fields.at(0)), std::stod(fields.at(1)),
                                    std::stod(fields.at(2)), std::stod(fields.at(4))};
    cases.back().actions.insert(cases.back().actions.end(), std::stoul(fields.at(3)), action);
  }
  return cases;
}

}  // namespace sau::testing
