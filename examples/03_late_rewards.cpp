// Rewards that come late and out of order: keep the Choice, give it back with the reward.
#include <cstdio>
#include <vector>

#include "sau/catalog/catalog.hpp"

namespace {

struct Pending {
  sau::Choice made;  // holds the value predicted when the choice was made
  double reward = 0.0;
};

// Plays with rewards that wait in a bag of size `delay` and are taken out in random order.
std::vector<int> play(std::size_t delay) {
  const sau::Setup setup{.shape = {.actions = 4, .dim = 0}, .stream = {}};
  const auto agent = sau::make_agent("sau_ucb", setup);
  sau::Rng rng(sau::Stream{.seed = 5, .role = sau::Role::kAgent});
  sau::Rng world(sau::Stream{.seed = 5, .role = sau::Role::kProblem});
  constexpr double kMean[] = {0.2, 0.3, 0.6, 0.4};

  std::vector<Pending> bag;
  std::vector<int> plays(4);
  for (int n = 0; n < 4000; ++n) {
    const sau::Choice made = agent->choose({}, rng);
    ++plays[made.action];
    bag.push_back({made, world.uniform() < kMean[made.action] ? 1.0 : 0.0});
    if (bag.size() <= delay) continue;
    std::swap(bag[world.below(bag.size())], bag.back());
    agent->learn({}, bag.back().made, bag.back().reward);
    bag.pop_back();
  }
  // The rest arrives after the last choice; learning does not need choices in between.
  for (const Pending& late : bag) agent->learn({}, late.made, late.reward);
  return plays;
}

}  // namespace

int main() {
  for (const std::size_t delay : {std::size_t{0}, std::size_t{50}, std::size_t{200}}) {
    const std::vector<int> plays = play(delay);
    std::printf("%3zu rewards on their way: plays per action %4d %4d %4d %4d\n", delay, plays[0],
                plays[1], plays[2], plays[3]);
    if (plays[2] < 3000) return 1;  // action 2 is the best
  }
  return 0;
}
