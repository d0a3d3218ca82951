#include "sau/model/random_features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "model/naive_ridge.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/archive.hpp"
#include "support/errors.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::NaiveRidge;
using testing::setup_of;

static_assert(ValueModel<RandomFeatures> && WidthModel<RandomFeatures>);
static_assert(NoveltyModel<RandomFeatures> && !PosteriorModel<RandomFeatures>);
static_assert(!Mergeable<RandomFeatures>);

Setup seeded(Action actions, std::size_t dim, std::uint64_t seed) {
  return {.shape = {.actions = actions, .dim = dim}, .stream = {.seed = seed}};
}

std::vector<double> copy(std::span<const double> from) { return {from.begin(), from.end()}; }

std::vector<double> normals(Rng& rng, std::size_t count) {
  std::vector<double> x(count);
  for (double& xi : x) xi = rng.normal();
  return x;
}

// The waves from the formula: all contexts are kept, and the draws are made again.
class NaiveWaves {
 public:
  NaiveWaves(const Setup& setup, const RandomFeaturesOptions& options) : dim_(setup.shape.dim) {
    Rng rng(setup.stream.with(Role::kModel));
    for (std::uint64_t i = 0; i < options.features; ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(options.features);
      const double frequency =
          std::pow(options.lowest, 1.0 - share) * std::pow(options.highest, share);
      phase_.push_back(rng.uniform());
      direction_.push_back(normals(rng, dim_));
      for (double& w : direction_.back()) w *= frequency / (2.0 * std::numbers::pi);
    }
  }
  void add(const std::vector<double>& x) { seen_.push_back(x); }

  std::vector<double> of(const std::vector<double>& x) const {
    std::vector<double> z;
    for (std::size_t j = 0; j < dim_; ++j) {
      double mean = 0.0, variance = 0.0;
      for (const auto& s : seen_) mean += s[j] / static_cast<double>(seen_.size());
      for (const auto& s : seen_) {
        variance += (s[j] - mean) * (s[j] - mean) / static_cast<double>(seen_.size());
      }
      const double from_mean = variance > 0.0 ? (x[j] - mean) / std::sqrt(variance) : 0.0;
      z.push_back(std::clamp(from_mean, -3.0, 3.0) / std::sqrt(static_cast<double>(dim_)));
    }
    std::vector<double> phi;
    for (std::size_t i = 0; i < phase_.size(); ++i) {
      double t = phase_[i];
      for (std::size_t j = 0; j < dim_; ++j) t += direction_[i][j] * z[j];
      t -= std::round(t);
      // Zero at -1/2, 0 and 1/2, extreme in between, mean square 1.
      const double parabola = t >= 0.0 ? t * (0.5 - t) : t * (0.5 + t);
      phi.push_back(16.0 * std::sqrt(15.0 / 8.0) * parabola);
    }
    return phi;
  }

 private:
  std::size_t dim_;
  std::vector<double> phase_;
  std::vector<std::vector<double>> direction_, seen_;
};

TEST(RandomFeatures, IsARidgeRegressionOnTheWavesOfTheFormula) {
  const RandomFeaturesOptions options{.features = 6, .lambda = 0.5, .lowest = 1.0, .highest = 3.0};
  const auto setup = seeded(2, 3, 4);
  RandomFeatures model(setup, options);
  NaiveWaves waves(setup, options);
  std::vector<NaiveRidge> ridge(2, NaiveRidge(7, 0.5L));
  Rng rng(Stream{.seed = 5});
  for (int n = 0; n < 60; ++n) {
    auto x = normals(rng, 3);
    x[1] = 40.0 + 5.0 * x[1];
    auto phi = waves.of(x);
    const auto found = model.waves(x);
    for (std::size_t i = 0; i < 6; ++i) ASSERT_NEAR(found[i], phi[i], 1e-11) << "step " << n;
    phi.push_back(1.0);
    const auto value = copy(model.values(x)), novelty = copy(model.novelty(x)),
               width = copy(model.widths(x));
    for (std::size_t a = 0; a < 2; ++a) {
      ASSERT_NEAR(value[a], static_cast<double>(ridge[a].value(phi)), 1e-9) << "step " << n;
      ASSERT_NEAR(novelty[a], static_cast<double>(ridge[a].form(phi)), 1e-9) << "step " << n;
      ASSERT_EQ(width[a], std::sqrt(novelty[a]));
    }
    const auto action = static_cast<Action>(n % 2);
    const double reward = std::sin(x[0]) + x[1] + rng.normal();
    model.update(x, action, reward);
    waves.add(x);
    ridge[action].add(phi, reward);
  }
}

// Without columns a wave is a function of its phase alone, which is uniform over a period.
TEST(RandomFeatures, WavesAreNearlySinesOfMeanSquareOne) {
  const std::uint64_t count = 4096;
  const auto setup = seeded(1, 0, 6);
  RandomFeatures model(setup, {.features = count});
  Rng rng(setup.stream.with(Role::kModel));
  double sum = 0.0, squares = 0.0, error = 0.0;
  for (const double wave : model.waves({})) {
    sum += wave;
    squares += wave * wave;
    error = std::fmax(
        error, std::abs(wave - std::sqrt(2.0) * std::sin(2.0 * std::numbers::pi * rng.uniform())));
  }
  EXPECT_NEAR(sum / count, 0.0, 3.0 / 64.0);              // three standard errors
  EXPECT_NEAR(squares / count, 1.0, 3.0 * 0.655 / 64.0);  // a square deviates by sqrt(3/7)
  EXPECT_LT(error, 0.06 * std::sqrt(2.0));
}

// A ring in the plane. The best constant has a mean squared error of a quarter, and no line is
// better, because the ring is symmetric.
TEST(RandomFeatures, LearnsWhatNoLineCan) {
  RandomFeatures model(seeded(1, 2, 1), {.lambda = 0.1});
  Rng rng(Stream{.seed = 7});
  const auto reward = [](const std::vector<double>& x) {
    return std::hypot(x[0], x[1]) < 1.1774 ? 1.0 : 0.0;  // half of all contexts
  };
  for (int n = 0; n < 600; ++n) {
    const auto x = normals(rng, 2);
    model.update(x, 0, reward(x));
  }
  double error = 0.0;
  for (int n = 0; n < 400; ++n) {
    const auto x = normals(rng, 2);
    error += std::pow(model.values(x)[0] - reward(x), 2.0) / 400.0;
  }
  EXPECT_LT(error, 0.1);
}

TEST(RandomFeatures, KnowsWhereItHasLearned) {
  RandomFeatures model(seeded(2, 2, 1));
  Rng rng(Stream{.seed = 8});
  for (int n = 0; n < 500; ++n) {
    auto x = normals(rng, 2);
    const Action action = x[0] > 0.0 ? 1 : 0;  // each action on its own side
    model.update(x, action, 1.0);
  }
  const auto right = copy(model.novelty(std::vector<double>{1.0, 0.0}));
  const auto left = copy(model.novelty(std::vector<double>{-1.0, 0.0}));
  EXPECT_GT(right[0], 2.0 * right[1]);
  EXPECT_GT(left[1], 2.0 * left[0]);
}

TEST(RandomFeatures, UnitsOfColumnsAndRewardsDoNotMatter) {
  const auto setup = seeded(2, 3, 2);
  RandomFeatures plain(setup), scaled(setup);
  Rng rng(Stream{.seed = 9});
  const auto other = [](std::vector<double> x) {
    x[0] *= 1024.0;
    x[2] *= 0x1p-20;
    return x;
  };
  for (int n = 0; n < 100; ++n) {
    const auto x = normals(rng, 3);
    const auto action = static_cast<Action>(rng.below(2));
    const double reward = rng.normal();
    plain.update(x, action, reward);
    scaled.update(other(x), action, 4096.0 * reward);
  }
  const auto x = normals(rng, 3);
  const auto value = copy(plain.values(x)), novelty = copy(plain.novelty(x));
  const auto value2 = copy(scaled.values(other(x))), novelty2 = copy(scaled.novelty(other(x)));
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(value2[a], 4096.0 * value[a]);
    EXPECT_EQ(novelty2[a], novelty[a]);
  }
}

// Columns that never vary say nothing, and no number is too large.
TEST(RandomFeatures, AnyContextGivesFiniteValues) {
  RandomFeatures model(seeded(2, 3, 3));
  Rng rng(Stream{.seed = 10});
  const double largest = std::numeric_limits<double>::max();
  for (int n = 0; n < 200; ++n) {
    std::vector<double> x = {7.0, rng.normal(), 0.0};
    if (n % 10 == 3) x[1] = n % 20 == 3 ? largest : -largest;
    if (n % 10 == 5) x[2] = std::numeric_limits<double>::denorm_min();
    model.update(x, static_cast<Action>(n % 2), 1.0);
    for (const double value : model.values(x)) ASSERT_TRUE(std::isfinite(value)) << n;
    for (const double novelty : model.novelty(x)) ASSERT_TRUE(std::isfinite(novelty)) << n;
  }
  EXPECT_NEAR(model.values(std::vector<double>{7.0, 0.0, 0.0})[0], 1.0, 0.1);
}

TEST(RandomFeatures, AnOutlierIsPredictedLikeContextsThreeDeviationsAway) {
  RandomFeatures model(seeded(1, 1, 3));
  Rng rng(Stream{.seed = 11});
  for (int n = 0; n < 300; ++n) {
    const auto x = normals(rng, 1);
    model.update(x, 0, x[0]);
  }
  EXPECT_EQ(model.values(std::vector<double>{1e6})[0], model.values(std::vector<double>{10.0})[0]);
}

// The directions are part of the state, so that a saved model means the same wherever it is loaded.
TEST(RandomFeatures, ASavedModelKeepsItsDirections) {
  RandomFeatures saved(seeded(2, 3, 1)), loaded(seeded(2, 3, 2));
  Rng rng(Stream{.seed = 12});
  for (int n = 0; n < 50; ++n)
    saved.update(normals(rng, 3), static_cast<Action>(n % 2), rng.normal());
  StateWriter writer;
  RandomFeatures::state(saved, writer);
  StateReader reader(writer.bytes());
  RandomFeatures::state(loaded, reader);
  reader.finish();
  loaded.restored();
  const auto x = normals(rng, 3);
  EXPECT_EQ(copy(loaded.values(x)), copy(saved.values(x)));
  EXPECT_EQ(copy(loaded.novelty(x)), copy(saved.novelty(x)));
}

TEST(RandomFeatures, FrequenciesInTheWrongOrderAreRefused) {
  EXPECT_THAT(
      error_of([] { make_agent("random_features(lowest=4,highest=2)+greedy", setup_of(2, 3)); }),
      HasSubstr("lowest=4 is above highest=2"));
  EXPECT_NO_THROW(make_agent("random_features(lowest=2,highest=2)+greedy", setup_of(2, 3)));
}

}  // namespace
}  // namespace sau
