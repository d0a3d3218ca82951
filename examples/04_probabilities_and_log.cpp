// A log with exact propensities, an estimate from that log, and an agent that is saved and loaded
// and continues as if it had never stopped.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/catalog/snapshot.hpp"

namespace {

constexpr double kMean[] = {0.3, 0.5, 0.4};

struct Logged {
  sau::Action action;
  double propensity;  // the chance the action had when it was chosen
  double reward;
};

// One decision. It asks for the chances first, since choose() changes the agent.
Logged decide(sau::AnyAgent& agent, sau::Rng& rng, sau::Rng& world) {
  std::vector<double> chance(3);
  agent.probabilities({}, chance);
  const sau::Choice made = agent.choose({}, rng);
  const double reward = world.uniform() < kMean[made.action] ? 1.0 : 0.0;
  agent.learn({}, made, reward);
  return {made.action, chance[made.action], reward};
}

}  // namespace

int main() {
  const sau::Setup setup{.shape = {.actions = 3, .dim = 0}, .stream = {}};
  // SAU-UCB is deterministic; `floor` mixes in uniform choices so that no propensity is 0.
  const auto agent = sau::make_agent("sau_ucb(floor=0.1)", setup);
  sau::Rng rng(sau::Stream{.seed = 8, .role = sau::Role::kAgent});
  sau::Rng world(sau::Stream{.seed = 8, .role = sau::Role::kProblem});

  // Inverse propensity scoring: what would "always action 2" have earned per step?
  constexpr int kSteps = 20'000;
  double sum = 0.0, squares = 0.0;
  for (int n = 0; n < kSteps; ++n) {
    const Logged row = decide(*agent, rng, world);
    const double score = row.action == 2 ? row.reward / row.propensity : 0.0;
    sum += score;
    squares += score * score;
  }
  const double estimate = sum / kSteps;
  const double error = std::sqrt((squares / kSteps - estimate * estimate) / kSteps);
  std::printf("always action 2, estimated from the log: %.3f +- %.3f (true: %.3f)\n", estimate,
              error, kMean[2]);

  const auto folder =
      std::filesystem::temp_directory_path() / ("sau-example-04-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "my.agent";
  sau::save_agent(file, *agent, rng);
  sau::SavedAgent loaded = sau::load_agent(file);
  std::printf("saved and loaded: %s, %ju bytes\n", loaded.agent->spec().c_str(),
              std::filesystem::file_size(file));
  std::filesystem::remove_all(folder);

  sau::Rng world_too = world;
  for (int n = 0; n < 1000; ++n) {
    const Logged kept = decide(*agent, rng, world);
    const Logged resumed = decide(*loaded.agent, loaded.rng, world_too);
    if (kept.action != resumed.action || kept.propensity != resumed.propensity) return 1;
  }
  std::printf("1000 further decisions: the same for both\n");
  return std::abs(estimate - kMean[2]) < 4.0 * error ? 0 : 1;
}
