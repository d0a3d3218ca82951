// Shared by the two experiments about the code released with the paper.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sau/agent/play.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/stats/summary.hpp"

struct RegretSum {
  double regret = 0.0;
  bool step(sau::Action, double, double step_regret) noexcept {
    regret += step_regret;
    return true;
  }
};

// The regret over `trials` trials of the problem; make(setup) makes an agent. steps = 0: the
// problem's default. The streams have the same names as in `sau run`, so the problems are the same.
template <class Make>
sau::Summary regret_of(const std::string& problem, std::uint64_t trials, std::uint64_t steps,
                       const Make& make) {
  const std::string canonical = sau::canonical_problem(problem);
  std::vector<double> regret;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const sau::Stream stream = sau::problem_stream(canonical, 1, trial);
    const auto world = sau::make_problem(canonical, stream.with(sau::Role::kSetup));
    auto agent =
        make(sau::Setup{.shape = world->shape(), .stream = stream.with(sau::Role::kModel)});
    sau::Streams rng{sau::Rng(stream), sau::Rng(stream.with(sau::Role::kAgent))};
    RegretSum record;
    sau::play(*world, agent, rng, steps == 0 ? world->default_steps() : steps, record);
    regret.push_back(record.regret);
  }
  return sau::summarise(regret);
}
