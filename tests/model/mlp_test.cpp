#include "sau/model/mlp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "model/mlp_support.hpp"
#include "model/naive_mlp.hpp"
#include "sau/core/archive.hpp"
#include "sau/model/value_model.hpp"
#include "support/errors.hpp"

namespace sau::mlp_test {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::NaiveMlp;
using testing::PlainBatch;

static_assert(ValueModel<Mlp>);

TEST(Mlp, TrainsAtEveryMultipleOfEveryFromStartOn) {
  struct Plan {
    std::uint64_t start, every, updates;
  };
  for (const auto& [start, every, updates] :
       {Plan{40, 20, 10}, {1, 1, 2}, {12, 6, 3}, {13, 6, 1}, {5, 9, 1}}) {
    MlpOptions options = options_of();
    options.start = start;
    options.every = every;
    options.updates = updates;
    Mlp model(kSetup, options);
    World world;
    std::uint64_t expected = 0;
    for (std::uint64_t step = 1; step <= 100; ++step) {
      const std::vector<float> before(model.network().weights().begin(),
                                      model.network().weights().end());
      learn(model, world, 1);
      const bool trains = step >= start && step % every == 0;
      expected += trains ? updates : 0;
      ASSERT_EQ(model.updates_done(), expected) << step;
      ASSERT_EQ(!std::ranges::equal(before, model.network().weights()), trains) << step;
    }
  }
}

// The network is trained on the mini-batches that the model's stream draws, with the published
// recurrences and the rate lr / (1 + lr_decay * u).
TEST(Mlp, FollowsTheFormulas) {
  for (const Optimizer optimizer : {Optimizer::kRmsprop, Optimizer::kAdam}) {
    for (const double decay : {0.0, 0.05}) {
      for (const std::uint64_t history : {0U, 30U}) {
        MlpOptions options = options_of(optimizer, history);
        options.lr_decay = decay;
        Mlp model(kSetup, options);
        Rng rng(kSetup.stream.with(Role::kModel));
        const std::vector<std::size_t> hidden{12, 10};
        const MlpKernel& kernel = mlp_kernel(InstructionSet::kPortable);
        const Network start(kSetup.shape, hidden, rng, kernel);
        NaiveMlp naive(kSetup.shape, hidden, start.weights());
        PlainBatch seen;
        World world;
        int u = 0;
        for (std::size_t step = 1; step <= 100; ++step) {
          const Context x = world.next();
          const Action action = world.action();
          const double reward = world.reward(action);
          const std::vector<double> expected = naive.outputs(x);
          for (std::size_t a = 0; a < kActions; ++a) {
            ASSERT_NEAR(model.values(x)[a], expected[a], 1e-4) << step;
          }
          model.update(x, action, reward);
          if (history == 0 || step <= history) {
            seen.x.push_back(copy(x));
            seen.action.push_back(action);
            seen.reward.push_back(reward);
          } else {
            const std::size_t place = (step - 1) % history;
            seen.x[place] = copy(x);
            seen.action[place] = action;
            seen.reward[place] = reward;
          }
          if (step < 10 || step % 5 != 0) continue;
          for (int i = 0; i < 3; ++i, ++u) {
            PlainBatch batch;
            for (int r = 0; r < 6; ++r) {
              const std::size_t place = rng.below(seen.x.size());
              batch.x.push_back(seen.x[place]);
              batch.action.push_back(seen.action[place]);
              batch.reward.push_back(seen.reward[place]);
            }
            const double rate = 0.003 / (1.0 + decay * u);
            optimizer == Optimizer::kAdam ? naive.adam(batch, rate) : naive.rmsprop(batch, rate);
          }
        }
        EXPECT_EQ(u, 57);
      }
    }
  }
}

TEST(Mlp, FeaturesAreTheLastHiddenLayerOfTheSameWeights) {
  Mlp model(kSetup, options_of());
  World world;
  learn(model, world, 50);
  EXPECT_EQ(model.feature_count(), 10U);
  const std::vector<std::size_t> hidden{12, 10};
  const NaiveMlp naive(kSetup.shape, hidden, model.network().weights());
  const auto expected = naive.features(world.next());
  for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(model.features(world.x)[j], expected[j], 1e-5);
}

// It does not matter which values were asked for before, and how often.
TEST(Mlp, AskingForValuesChangesNothing) {
  Mlp quiet(kSetup, options_of()), curious(kSetup, options_of());
  World world;
  std::vector<double> latest(kDim, 0.5);
  for (int step = 0; step < 200; ++step) {
    const Context x = world.next();
    const Action action = world.action();
    const double reward = world.reward(action);
    curious.values(x);
    curious.features(latest);
    curious.values(latest);
    if (step % 2 == 0) curious.values(x);
    curious.update(x, action, reward);
    if (step % 3 == 0) curious.values(latest);
    quiet.update(x, action, reward);
    latest = copy(x);
    if (step % 7 != 0) continue;
    const auto values = copy(curious.values(latest));
    Mlp fresh(kSetup, options_of());
    restore(fresh, bytes_of(curious));
    ASSERT_EQ(copy(fresh.values(latest)), values) << step;
    ASSERT_EQ(copy(fresh.features(latest)), copy(curious.features(latest))) << step;
  }
  EXPECT_EQ(bytes_of(quiet), bytes_of(curious));
}

// Ten choices are made before the first reward comes.
TEST(Mlp, LateRewardsAreLearnedWithTheirContexts) {
  Mlp late(kSetup, options_of()), prompt(kSetup, options_of());
  World world;
  for (int round = 0; round < 12; ++round) {
    std::vector<std::vector<double>> contexts;
    std::vector<double> rewards;
    for (int i = 0; i < 10; ++i) {
      contexts.push_back(copy(world.next()));
      rewards.push_back(world.reward(0));
      late.values(contexts.back());
    }
    for (std::size_t i = 0; i < 10; ++i) {
      late.update(contexts[i], static_cast<Action>(i % kActions), rewards[i]);
      prompt.values(contexts[i]);
      prompt.update(contexts[i], static_cast<Action>(i % kActions), rewards[i]);
    }
  }
  EXPECT_EQ(bytes_of(late), bytes_of(prompt));
}

TEST(Mlp, ContinuesTheSameAfterSaveAndLoad) {
  for (const Optimizer optimizer : {Optimizer::kRmsprop, Optimizer::kAdam}) {
    for (const std::uint64_t history : {0U, 40U}) {
      for (const int steps : {0, 7, 123}) {
        MlpOptions options = options_of(optimizer, history);
        options.lr_decay = 0.01;
        Mlp model(kSetup, options);
        World world;
        learn(model, world, steps);
        Mlp again({.shape = kSetup.shape, .stream = {.seed = 99}}, options);
        World elsewhere;
        learn(again, elsewhere, 56);  // the last context it sees is another one
        restore(again, bytes_of(model));
        ASSERT_EQ(bytes_of(again), bytes_of(model));
        EXPECT_EQ(copy(again.values(elsewhere.x)), copy(model.values(elsewhere.x)));
        World same = world;
        learn(model, world, 500);
        learn(again, same, 500);
        EXPECT_EQ(bytes_of(again), bytes_of(model));
        EXPECT_EQ(copy(again.values(same.x)), copy(model.values(world.x)));
        EXPECT_EQ(again.updates_done(), model.updates_done());
      }
    }
  }
}

TEST(Mlp, BoundedHistoryStaysAtItsBound) {
  Mlp model(kSetup, options_of(Optimizer::kRmsprop, 100));
  World world;
  learn(model, world, 100);
  const std::size_t size = bytes_of(model).size();
  for (int n = 0; n < 30; ++n) {
    learn(model, world, 100);
    ASSERT_EQ(model.history().size(), 100U);
    ASSERT_EQ(bytes_of(model).size(), size);
  }
}

// The contents of a field start after its name and its length.
void overwrite(std::string& bytes, std::string_view name, auto value) {
  std::string key(8, '\0');
  key[0] = static_cast<char>(name.size());
  key += name;
  const std::size_t at = bytes.find(key);
  ASSERT_NE(at, std::string::npos);
  std::memcpy(bytes.data() + at + key.size() + 8, &value, sizeof value);
}

TEST(Mlp, ADamagedHistoryIsRefused) {
  Mlp model(kSetup, options_of(Optimizer::kRmsprop, 40));
  const double one_hot[kDim] = {0.0, 1.0};
  for (int n = 0; n < 60; ++n) model.update(one_hot, 1, 1.0);
  const std::string good = bytes_of(model);
  const auto complaint = [&](std::string_view name, auto value) {
    std::string bytes = good;
    overwrite(bytes, name, value);
    return error_of([&] { restore(model, bytes); });
  };
  EXPECT_EQ(complaint("words", std::uint32_t{kDim - 1}), "");
  EXPECT_THAT(complaint("words", std::uint32_t{kDim}), HasSubstr("history is damaged"));
  EXPECT_THAT(complaint("actions", kActions), HasSubstr("history is damaged"));
  EXPECT_THAT(complaint("non_zeros", std::uint32_t{3}), HasSubstr("history is damaged"));
  EXPECT_THAT(complaint("oldest", std::uint64_t{40}), HasSubstr("history is damaged"));
  EXPECT_THAT(complaint("history", std::uint64_t{41}), HasSubstr("a history of 41 steps"));
  EXPECT_THAT(complaint("history", ~std::uint64_t{0}), HasSubstr("does not fit"));
  EXPECT_NE(complaint("history", std::uint64_t{39}), "");
  restore(model, good);
  EXPECT_EQ(bytes_of(model), good);
}

// XOR of two signs and its opposite: the best linear fit is 0, with a mean squared error of 1.
TEST(Mlp, LearnsWhatNoLinearModelCan) {
  for (const Optimizer optimizer : {Optimizer::kRmsprop, Optimizer::kAdam}) {
    MlpOptions options;
    options.hidden = {16, 16};
    options.optimizer = optimizer;
    options.batch = 32;
    Mlp model({.shape = {.actions = 2, .dim = 2}, .stream = {.seed = 3}}, options);
    Rng rng(Stream{.seed = 4});
    double error = 0.0;
    for (int step = 0; step < 1500; ++step) {
      const double x[] = {rng.below(2) == 0 ? -1.0 : 1.0, rng.below(2) == 0 ? -1.0 : 1.0};
      const auto action = static_cast<Action>(rng.below(2));
      const double mean = (action == 0 ? 1.0 : -1.0) * x[0] * x[1];
      if (step >= 1300) error += std::pow(model.values(x)[action] - mean, 2.0) / 200.0;
      model.update(x, action, mean + 0.1 * rng.normal());
    }
    EXPECT_LT(error, 0.05);
    EXPECT_EQ(model.fault(), "");
  }
}

TEST(MlpOptions, ImpossibleSettingsAreRefused) {
  const auto complaint = [](const char* key, const char* value) {
    return error_of([&] { read_options<MlpOptions>("mlp", {{key, value}}); });
  };
  for (const char* hidden : {"0", "100x0", "2.5", ""}) {
    EXPECT_THAT(complaint("hidden", hidden), HasSubstr("hidden"));
  }
  for (const char* key : {"history", "batch", "every", "start", "updates", "lr"}) {
    EXPECT_THAT(complaint(key, "0"), HasSubstr(key));
  }
  EXPECT_THAT(complaint("history", "some"), HasSubstr("history"));
  EXPECT_THAT(complaint("optimizer", "momentum"), HasSubstr("adam"));
}

TEST(MlpOptions, HistoryReadsBack) {
  const auto history = [](const char* value) {
    return read_options<MlpOptions>("mlp", {{"history", value}});
  };
  EXPECT_EQ(history("all").history, CountOrAll{});
  EXPECT_EQ(write_spec("mlp", history("all")), "mlp");
  EXPECT_EQ(history("1000").history, CountOrAll{1000});
  EXPECT_EQ(write_spec("mlp", history("1000")), "mlp(history=1000)");
}

// Every 5 steps until step 500, every 25 from step 2500 on.
TEST(Mlp, TheEarlySchedulePutsMoreRoundsFirst) {
  std::uint64_t even = 0, early = 0;
  for (std::uint64_t step = 1; step <= 17'820; ++step) {
    if (step % training_interval(Schedule::kEven, 20, step) == 0) ++even;
    if (step % training_interval(Schedule::kEarly, 20, step) == 0) ++early;
    if (step == 500) {
      EXPECT_EQ(even, 25U);
      EXPECT_EQ(early, 100U);
    }
    if (step == 2000) {
      EXPECT_EQ(even, 100U);
      EXPECT_EQ(early, 254U);
    }
  }
  EXPECT_EQ(even, 891U);
  EXPECT_EQ(early, 891U);
  EXPECT_EQ(training_interval(Schedule::kEarly, 1, 1), 1U);
  EXPECT_EQ(training_interval(Schedule::kEarly, 1, 1'000'000'000), 1U);
}

MlpOptions standardised() {
  MlpOptions options = options_of();
  options.standardise = true;
  return options;
}

// Between two rounds of training nothing moves, so whatever a round changes is learning and not a
// new unit. With a learning rate that is next to nothing, a round changes next to nothing.
TEST(Mlp, StandardisedPredictionsDoNotJumpWhenTheUnitMoves) {
  MlpOptions options = standardised();
  options.lr = 1e-10;
  Mlp model(kSetup, options);
  World world;
  learn(model, world, 10);
  const std::vector<double> probe(kDim, 0.3);
  const auto before = std::vector<double>(model.values(probe).begin(), model.values(probe).end());
  Rng rng({.seed = 4});
  for (int n = 0; n < 200; ++n) {  // rewards of another mean and another size
    const Context x = world.next();
    model.update(x, world.action(), 50.0 + 20.0 * rng.normal());
  }
  for (std::size_t a = 0; a < kActions; ++a) EXPECT_NEAR(model.values(probe)[a], before[a], 1e-3);
}

TEST(Mlp, StandardisedRewardsMayHaveAnyUnit) {
  for (const double unit : {1024.0, 1.0 / 65536.0}) {
    Mlp plain(kSetup, standardised()), scaled(kSetup, standardised());
    World world, same;
    for (int n = 0; n < 300; ++n) {
      const Context x = world.next();
      same.next();
      const Action action = world.action();
      same.action();
      const auto one = plain.values(x), two = scaled.values(x);
      for (std::size_t a = 0; a < kActions; ++a) ASSERT_EQ(two[a], unit * one[a]) << n;
      plain.update(x, action, world.reward(action));
      scaled.update(x, action, unit * same.reward(action));
    }
  }
}

TEST(Mlp, StandardisedRewardsThatAreAllEqualArePredictedExactly) {
  Mlp model(kSetup, standardised());
  World world;
  for (int n = 0; n < 50; ++n) {
    const Context x = world.next();
    model.update(x, world.action(), 7.25);
  }
  for (const double value : model.values(world.next())) EXPECT_EQ(value, 7.25);
  EXPECT_EQ(model.updates_done(), 0U);
}

// Far from 0 and small beside their mean: a plain network is still far off.
TEST(Mlp, StandardisedLearnsRewardsFarFromZero) {
  Mlp plain(kSetup, options_of()), model(kSetup, standardised());
  World world;
  double error = 0.0, plain_error = 0.0;
  for (int n = 0; n < 3000; ++n) {
    const Context x = world.next();
    const Action action = world.action();
    const double reward = 1000.0 + world.reward(action);
    if (n >= 2000) {
      error += std::pow(model.values(x)[action] - reward, 2.0);
      plain_error += std::pow(plain.values(x)[action] - reward, 2.0);
    }
    model.update(x, action, reward);
    plain.update(x, action, reward);
  }
  EXPECT_LT(error / 1000.0, 0.3);  // the rewards' own variance is about 0.45
  EXPECT_GT(plain_error, 10.0 * error);
}

}  // namespace
}  // namespace sau::mlp_test
