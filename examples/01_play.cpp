// An agent made by name, with your own rewards: choose, see the reward, learn.
#include <cstdio>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"

namespace {

// Your world. Here: three buttons that are clicked with these chances, which the agent never sees.
double click(sau::Action action, sau::Rng& world) {
  constexpr double kChance[] = {0.20, 0.35, 0.30};
  return world.uniform() < kChance[action] ? 1.0 : 0.0;
}

}  // namespace

int main() {
  const sau::Setup setup{.shape = {.actions = 3, .dim = 0}, .stream = {}};
  const auto agent = sau::make_agent("sau_sampling", setup);

  // A random stream is named, not seeded from the clock: the same name gives the same numbers.
  sau::Rng agent_rng(sau::Stream{.seed = 1, .role = sau::Role::kAgent});
  sau::Rng world(sau::Stream{.seed = 1, .role = sau::Role::kProblem});

  std::vector<int> plays(3);
  double clicks = 0.0;
  constexpr int kSteps = 5000;
  for (int n = 0; n < kSteps; ++n) {
    const sau::Choice made = agent->choose({}, agent_rng);  // {}: there is no context
    const double reward = click(made.action, world);
    agent->learn({}, made, reward);
    ++plays[made.action];
    clicks += reward;
  }

  std::printf("agent: %s\n", agent->spec().c_str());
  const auto values = agent->values({});
  for (std::size_t a = 0; a < plays.size(); ++a) {
    std::printf("button %zu: played %4d times, estimated click rate %.3f\n", a, plays[a],
                values[a]);
  }
  std::printf("clicks: %.0f of %d\n", clicks, kSteps);

  // Button 1 is the best; most plays must have gone to it.
  return plays[1] > kSteps / 2 ? 0 : 1;
}
