#include "sau/agent/joint_agent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/core/text.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

HashedFeature feature(const std::string& name, double value = 1.0) {
  return {.hash = scope_of(name), .value = static_cast<float>(value)};
}

// Actions by number, each with two features of its own.
class Offer {
 public:
  explicit Offer(const std::vector<int>& numbers) {
    for (const int n : numbers) {
      ids_.push_back("action " + std::to_string(n));
      features_.push_back({feature("kind=" + std::to_string(n % 3)), feature("price", 0.5 * n)});
    }
    for (std::size_t i = 0; i < ids_.size(); ++i) actions_.push_back({ids_[i], features_[i]});
  }
  Offer(const Offer&) = delete;

  std::span<const OfferedAction> actions() const { return actions_; }
  OfferedAction& operator[](std::size_t i) { return actions_[i]; }

 private:
  std::vector<std::string> ids_;
  std::vector<std::vector<HashedFeature>> features_;
  std::vector<OfferedAction> actions_;
};

std::vector<HashedFeature> a_context(Rng& rng) {
  return {feature("hour=" + std::to_string(rng.below(4))), feature("age", 20.0 + rng.uniform())};
}

std::vector<Outlook> outlooks(const JointAgent& agent, HashedFeatures context,
                              std::span<const OfferedAction> actions, double exploration = 0.2) {
  std::vector<Outlook> out(actions.size());
  agent.decide(context, actions, exploration, out);
  return out;
}

// Plays `events` events over ten actions; the rewards depend on context and action.
void play(JointAgent& agent, std::uint64_t events, std::uint64_t seed) {
  Rng rng(Stream{.seed = seed});
  const Offer offer({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto context = a_context(rng);
    const auto seen = outlooks(agent, context, offer.actions());
    double left = rng.uniform();
    std::size_t chosen = 0;
    while (chosen + 1 < seen.size() && left >= seen[chosen].probability) {
      left -= seen[chosen++].probability;
    }
    const double mean = 0.1 * static_cast<double>(chosen % 4) + (context[1].value - 20.0F) * 0.2;
    agent.learn(context, offer.actions()[chosen], seen[chosen].value,
                rng.uniform() < mean ? 1.0 : 0.0);
  }
}

std::string bytes_of(const JointAgent& agent) {
  StateWriter writer;
  agent.save(writer);
  return writer.bytes();
}

class EveryJointAgent : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<JointAgent> agent(std::uint64_t seed = 1) const {
    return make_joint_agent(GetParam(), seed);
  }
};

INSTANTIATE_TEST_SUITE_P(Pairs, EveryJointAgent,
                         ::testing::Values("hashed_linear+sau_sampling", "hashed_linear+sau_ucb",
                                           "hashed_linear+epsilon_greedy"));

TEST_P(EveryJointAgent, SavedAndLoadedItContinuesByteForByte) {
  const auto one = agent();
  play(*one, 150, 1);
  const std::string bytes = bytes_of(*one);
  const auto two = agent(7);
  StateReader reader(bytes);
  two->load(reader);
  reader.finish();
  EXPECT_EQ(bytes_of(*two), bytes);
  play(*one, 150, 2);
  play(*two, 150, 2);
  EXPECT_EQ(bytes_of(*two), bytes_of(*one));
  EXPECT_EQ(two->learned(), 300u);
}

}  // namespace
}  // namespace sau
