#pragma once

#include <cstdint>
#include <memory>

#include "cpu_seconds.hpp"
#include "data_rows.hpp"
#include "sau/agent/any_agent.hpp"
#include "sau/catalog/catalog.hpp"

namespace sau::bench {

// An agent on rows like those of a data set.
class Player {
 public:
  Player(const char* spec, const Problem& problem)
      : rows_(problem),
        agent_(make_agent(
            spec, {.shape = {.actions = problem.actions, .dim = problem.dim}, .stream = {}})) {}

  void step() {
    const Context x = rows_.next();
    agent_->learn(x, agent_->choose(x, rng_), rows_.reward());
  }
  // CPU time of a step, the mean of so many.
  double seconds(std::uint64_t steps) {
    const auto all = [&] {
      for (std::uint64_t i = 0; i < steps; ++i) step();
    };
    return cpu_seconds(all) / static_cast<double>(steps);
  }

 private:
  Rows rows_;
  std::unique_ptr<AnyAgent> agent_;
  Rng rng_{Stream{.seed = 2, .role = Role::kAgent}};
};

}  // namespace sau::bench
