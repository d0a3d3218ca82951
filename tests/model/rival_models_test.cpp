// The models of others: networks with one block of inputs per action, widths from gradients,
// Langevin noise and the bootstrap, each against its formula.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/mlp_support.hpp"
#include "model/naive_mlp.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/explorer.hpp"
#include "sau/explore/lin_ucb.hpp"
#include "sau/explore/thompson.hpp"
#include "sau/model/bootstrap.hpp"
#include "sau/model/langevin_mlp.hpp"
#include "sau/model/neural_gradient.hpp"
#include "support/errors.hpp"
#include "support/setups.hpp"

namespace sau::mlp_test {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using testing::NaiveMlp;
using testing::PlainBatch;
using testing::setup_of;

static_assert(PosteriorModel<NeuralGradient> && WidthModel<NeuralGradient>);
static_assert(PosteriorModel<Bootstrap> && WidthModel<Bootstrap>);

constexpr std::size_t kBoth[] = {12, 10};
constexpr Shape kBlocks{.actions = 1, .dim = kActions * kDim};

// The context in the block of its action.
std::vector<double> in_block(Context x, Action action) {
  std::vector<double> result(kActions * kDim);
  std::ranges::copy(x, result.begin() + static_cast<std::ptrdiff_t>(action * kDim));
  return result;
}

MlpOptions disjoint_options() {
  MlpOptions options = options_of();
  options.input = MlpInput::kDisjoint;
  return options;
}

TEST(DisjointMlp, ValuesAreThoseOfOneOutputOnTheBlockOfEveryAction) {
  Mlp model(kSetup, disjoint_options());
  World world;
  learn(model, world, 60);
  const NaiveMlp naive(kBlocks, kBoth, model.network().weights());
  for (int i = 0; i < 20; ++i) {
    const Context x = world.next();
    const auto values = copy(model.values(x));
    for (Action a = 0; a < kActions; ++a) {
      EXPECT_NEAR(values[a], naive.outputs(in_block(x, a))[0], 1e-5);
    }
  }
}

// A history of one step makes the mini-batch known.
TEST(DisjointMlp, PlainGradientDescentFollowsTheFormula) {
  for (const Action action : {0U, 2U}) {
    for (const bool one_hot : {false, true}) {
      MlpOptions options = disjoint_options();
      options.optimizer = Optimizer::kSgd;
      options.lr = 0.1;
      options.start = options.every = options.updates = 1;
      Mlp model(kSetup, options);
      NaiveMlp naive(kBlocks, kBoth, model.network().weights());
      World world;
      std::vector<double> x = copy(world.next());
      if (one_hot) std::ranges::fill(x, 0.0), x[3] = 0.5;
      const PlainBatch batch{.x = {in_block(x, action)}, .action = {0}, .reward = {0.8}};
      const auto gradient = naive.gradient(batch);
      model.update(x, action, 0.8);
      for (std::size_t k = 0; k < naive.weight.size(); ++k) {
        EXPECT_NEAR(static_cast<double>(model.network().weights()[naive.place[k]]),
                    naive.weight[k] - 0.1 * gradient[k], 1e-6);
      }
    }
  }
}

TEST(DisjointMlp, CannotGetMoreActionsByIdButMayTellThemApartByFeatures) {
  EXPECT_EQ(error_of<UsageError>([] { make_offer_agent("mlp(input=disjoint)+greedy", 1); }),
            "mlp cannot get more outputs; expected ids(by=features)");
  EXPECT_NO_THROW(make_offer_agent("mlp(input=disjoint)+greedy+ids(by=features)", 1));
}

// The gradient of one output by every weight, from the gradient of a loss with error 1/2.
std::vector<double> output_gradient(const NaiveMlp& mlp, const std::vector<double>& x, Action out) {
  const double value = mlp.outputs(x)[out];
  return mlp.gradient({.x = {x}, .action = {out}, .reward = {value - 0.5}});
}

class Gradients : public ::testing::TestWithParam<MlpInput> {};
INSTANTIATE_TEST_SUITE_P(Inputs, Gradients,
                         ::testing::Values(MlpInput::kShared, MlpInput::kDisjoint));

// Widths from the definition, with all gradients kept.
TEST_P(Gradients, WidthsFollowTheDefinition) {
  const bool blocks = GetParam() == MlpInput::kDisjoint;
  NeuralGradientOptions options;
  static_cast<MlpOptions&>(options) = options_of();
  options.input = GetParam();
  options.lambda = 0.3;
  NeuralGradient model(kSetup, options);
  const auto naive_now = [&] {
    return NaiveMlp(blocks ? kBlocks : kSetup.shape, kBoth, model.network().network().weights());
  };
  const auto input = [&](Context x, Action a) { return blocks ? in_block(x, a) : copy(x); };
  World world;
  std::vector<double> sum(naive_now().weight.size(), 0.3);
  for (int n = 0; n < 40; ++n) {  // it trains at steps 10, 15, ...
    const Context x = world.next();
    const NaiveMlp naive = naive_now();
    const auto widths = copy(model.widths(x));
    for (Action a = 0; a < kActions; ++a) {
      double form = 0.0;
      const auto g = output_gradient(naive, input(x, a), blocks ? 0 : a);
      for (std::size_t k = 0; k < g.size(); ++k) form += g[k] * g[k] / 10.0 / sum[k];
      EXPECT_NEAR(widths[a], std::sqrt(0.3 * form), 1e-4 * std::sqrt(form)) << n;
    }
    const Action action = world.action();
    const auto g = output_gradient(naive, input(x, action), blocks ? 0 : action);
    for (std::size_t k = 0; k < g.size(); ++k) sum[k] += g[k] * g[k] / 10.0;
    model.update(x, action, world.reward(action));
  }
}

TEST(NeuralGradient, DrawsAreNormalWithNuWidths) {
  NeuralGradientOptions options;
  static_cast<MlpOptions&>(options) = options_of();
  options.nu = 0.7;
  NeuralGradient model(kSetup, options);
  World world;
  const Context x = world.next();
  const auto value = copy(model.values(x)), width = copy(model.widths(x));
  const auto marginals = model.marginals(x);
  Rng rng({.seed = 3});
  double mean = 0.0, squares = 0.0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const double z = (model.sample(x, rng)[1] - value[1]) / (0.7 * width[1]);
    mean += z / kDraws;
    squares += z * z / kDraws;
  }
  EXPECT_NEAR(mean, 0.0, 5.0 / std::sqrt(kDraws));
  EXPECT_NEAR(squares, 1.0, 5.0 * std::sqrt(2.0 / kDraws));
  EXPECT_EQ(marginals[1], (NormalMarginal{value[1], 0.7 * width[1]}));
}

TEST(NeuralGradient, NewOutputsStartWithThePriorsWidth) {
  NeuralGradientOptions options;
  static_cast<MlpOptions&>(options) = options_of();
  NeuralGradient model(kSetup, options);
  World world;
  for (int n = 0; n < 30; ++n) model.update(world.next(), world.action(), 0.5);
  model.grow(kActions + 2);
  const Context x = world.next();
  const auto widths = copy(model.widths(x));
  ASSERT_EQ(widths.size(), kActions + 2U);
  // The last layer's part alone is sqrt((|h|^2 + 1) / m) for an output without a step.
  const auto h = copy(model.network().features(x));
  double squares = 1.0;
  for (const double unit : h) squares += unit * unit;
  for (std::size_t a = kActions; a < widths.size(); ++a) {
    EXPECT_GE(widths[a], std::sqrt(squares / 10.0) * (1.0 - 1e-5));
  }
}

// If the only step is predicted exactly, the gradient is 0 and only the noise is left.
TEST(LangevinMlp, NoiseAndDecayFollowTheFormula) {
  LangevinMlpOptions options;
  options.hidden = {60, 60};
  options.batch = 4;
  options.start = options.every = options.updates = 1;
  options.lr = 0.02;
  options.temperature = 0.5;
  options.decay = 3.0;
  LangevinMlp model(kSetup, options);
  const NaiveMlp before(kSetup.shape, std::vector<std::size_t>{60, 60}, model.network().weights());
  World world;
  const Context x = world.next();
  model.update(x, 1, model.values(x)[1]);
  double mean = 0.0, squares = 0.0;
  const auto count = static_cast<double>(before.weight.size());
  for (std::size_t k = 0; k < before.weight.size(); ++k) {
    const double after = model.network().weights()[before.place[k]];
    // n = 1: decay 2 * 0.02 * 3, variance 2 * 0.02 * 0.5.
    const double z = (after - 0.88 * before.weight[k]) / std::sqrt(0.02);
    mean += z / count;
    squares += z * z / count;
  }
  EXPECT_NEAR(mean, 0.0, 5.0 / std::sqrt(count));
  EXPECT_NEAR(squares, 1.0, 5.0 * std::sqrt(2.0 / count));
}

TEST(LangevinMlp, WithoutNoiseItIsAnMlp) {
  LangevinMlpOptions options;
  static_cast<MlpOptions&>(options) = options_of();
  options.temperature = 0.0;
  LangevinMlp model(kSetup, options);
  Mlp plain(kSetup, options_of());
  World one, two;
  learn(model, one, 50);
  learn(plain, two, 50);
  EXPECT_EQ(bytes_of(model), bytes_of(plain));
}

// P(k) = exp(-1) / k!: mean 1, variance 1.
TEST(Bootstrap, ResamplesByPoisson) {
  Rng rng({.seed = 5});
  constexpr int kDraws = 100'000;
  std::vector<int> count(30);
  for (int i = 0; i < kDraws; ++i) ++count[resampled(rng)];
  double p = std::exp(-1.0);
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(count[k], kDraws * p, 5.0 * std::sqrt(kDraws * p)) << k;
    p /= static_cast<double>(k + 1);
  }
}

TEST(Bootstrap, ChancesAreTheSharesOfTheMembers) {
  const std::vector<MemberMarginal> marginals = {
      {{0.1, 0.9, 0.5, 0.5}}, {{0.2, 0.3, 0.5, 0.6}}, {{0.0, 0.4, 0.1, 0.2}}};
  std::vector<double> chance(3);
  argmax_probabilities(marginals, chance);
  EXPECT_THAT(chance, ElementsAre(0.5, 0.5, 0.0));  // the third member is a tie
}

// Every member is its model on its own resample: played again by hand.
TEST(Bootstrap, MembersLearnFromTheirOwnResamples) {
  Bootstrap model(setup_of(2, 0), {.model = "sample_mean", .members = 3});
  Rng resampling(resampling_stream({})), world({.seed = 4});
  double sum[3][2] = {}, count[3][2] = {};
  for (int n = 0; n < 50; ++n) {
    const auto action = static_cast<Action>(world.below(2));
    const double reward = world.uniform();
    model.update({}, action, reward);
    for (int k = 0; k < 3; ++k) {
      const auto times = static_cast<double>(resampled(resampling));
      sum[k][action] += times * reward;
      count[k][action] += times;
    }
  }
  const auto marginals = model.marginals({});
  for (std::size_t a = 0; a < 2; ++a) {
    double mean = 0.0, squares = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(marginals[a].draws[k], sum[k][a] / count[k][a], 1e-12);
      mean += marginals[a].draws[k] / 3.0;
    }
    for (const double draw : marginals[a].draws) squares += (draw - mean) * (draw - mean) / 3.0;
    EXPECT_NEAR(model.values({})[a], mean, 1e-12);
    EXPECT_NEAR(model.widths({})[a], std::sqrt(squares), 1e-12);
  }
}

TEST(Bootstrap, SettingsThatMakeNoSenseAreRefused) {
  const auto refused = [](const std::string& spec) {
    return error_of<UsageError>([&] { make_agent(spec + "+greedy", setup_of(2, 2)); });
  };
  EXPECT_EQ(refused("bootstrap(model=\"linear+mlp\")"),
            "bootstrap: model=\"linear+mlp\" is not allowed; expected one model");
  EXPECT_EQ(refused("bootstrap(model=bootstrap)"),
            "bootstrap contains models, so it cannot itself be inside one");
  EXPECT_EQ(
      refused("bootstrap(model=beta_bernoulli)"),
      "bootstrap: beta_bernoulli does not learn from every reward; expected a model that does");
}

}  // namespace
}  // namespace sau::mlp_test
