#include "problem/row_problems.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sau::detail {
namespace {

// The rows of a table in random order, again and again, each as a context.
class Rows {
 public:
  // The order is drawn row by row, when needed: a trial may need few rows of many.
  Rows(SharedTable table, const Rng& rng)
      : table_(std::move(table)), rng_(rng), order_(table_->rows()), x_(table_->start()) {
    std::iota(order_.begin(), order_.end(), 0U);
    hot_.reserve(std::min<std::size_t>(x_.size(), 4096));
  }

  const Table& table() const noexcept { return *table_; }
  Context x() const noexcept { return x_; }

  // Goes to the next row: returns its number and puts it into x().
  std::uint64_t next() {
    if (place_ == order_.size()) {
      place_ = 0;
      shuffled_ = true;
    }
    if (!shuffled_) std::swap(order_[place_], order_[place_ + rng_.below(order_.size() - place_)]);
    const std::uint32_t row = order_[place_++];
    table_->expand(row, x_, hot_);
    return row;
  }

 private:
  SharedTable table_;
  Rng rng_;
  std::vector<std::uint32_t> order_;
  std::size_t place_ = 0;
  bool shuffled_ = false;  // whether all places of order_ are drawn
  std::vector<double> x_;
  std::vector<std::uint32_t> hot_;
};

class LabelProblem final : public Problem {
 public:
  LabelProblem(SharedTable table, const Rng& setup, std::uint64_t steps, RowLength length)
      : rows_(std::move(table), setup),
        steps_(steps),
        unit_(length == RowLength::kUnit ? rows_.table().dim() : 0) {}

  Shape shape() const override { return {rows_.table().actions(), rows_.table().dim()}; }
  RewardRange rewards() const override { return {0.0, 1.0}; }
  std::uint64_t default_steps() const override { return steps_; }
  std::string data() const override { return rows_.table().fingerprint(); }

  Context next(Rng&) override {
    label_ = rows_.table().label(rows_.next());
    return unit_.empty() ? rows_.x() : unit_row();
  }
  double pull(Action action, Rng&) override { return action == label_ ? 1.0 : 0.0; }
  double regret(Action action) const override { return action == label_ ? 0.0 : 1.0; }

 private:
  // The row divided by its length; a row of zeros stays as it is.
  Context unit_row() {
    double squares = 0.0;
    for (const double xi : rows_.x()) squares += xi * xi;
    const double factor = squares > 0.0 ? 1.0 / std::sqrt(squares) : 1.0;
    for (std::size_t i = 0; i < unit_.size(); ++i) unit_[i] = factor * rows_.x()[i];
    return unit_;
  }

  Rows rows_;
  std::uint64_t steps_;
  std::vector<double> unit_;  // empty: rows stay as they are
  Action label_ = 0;
};

// A problem in which the reward of every action is known before one is played.
class KnownRewards : public Problem {
 public:
  KnownRewards(SharedTable table, const Rng& setup, std::uint64_t steps, std::size_t actions)
      : rows(std::move(table), setup), reward(actions), steps_(steps) {}

  Shape shape() const override { return {static_cast<Action>(reward.size()), rows.table().dim()}; }
  RewardRange rewards() const override { return rows.table().rewards(); }
  std::uint64_t default_steps() const override { return steps_; }
  std::string data() const override { return rows.table().fingerprint(); }

  double pull(Action action, Rng&) override { return reward[action]; }
  double regret(Action action) const override { return best - reward[action]; }

 protected:
  void compare_realised() { best = *std::ranges::max_element(reward); }

  Rows rows;
  std::vector<double> reward;
  double best = 0.0;  // what regret is measured against

 private:
  std::uint64_t steps_;
};

class RewardProblem final : public KnownRewards {
 public:
  using KnownRewards::KnownRewards;

  Context next(Rng&) override {
    rows.table().rewards(rows.next(), reward);
    compare_realised();
    return rows.x();
  }
};

class MushroomProblem final : public KnownRewards {
 public:
  MushroomProblem(SharedTable table, Rng& setup, std::uint64_t steps, Outcomes outcomes)
      : KnownRewards(std::move(table), setup, steps, 2), fresh_(outcomes == Outcomes::kFresh) {}

  // Draws the outcome of every row.
  void freeze(Rng& rng) {
    lucky_.resize(rows.table().rows());
    for (auto&& lucky : lucky_) lucky = flip(rng);
  }

  RewardRange rewards() const override { return {kPoisoned, kFed}; }

  Context next(Rng& rng) override {
    const bool lucky_now = fresh_ && flip(rng);
    const std::uint64_t row = rows.next();
    const bool edible = rows.table().label(row) == 0;
    const bool lucky = fresh_ ? lucky_now : lucky_[row];
    reward[1] = edible || lucky ? kFed : kPoisoned;
    best = edible ? kFed : 0.0;
    return rows.x();
  }

 private:
  static constexpr double kFed = 5.0, kPoisoned = -35.0;
  static bool flip(Rng& rng) { return rng.bits() >> 63 != 0; }

  bool fresh_;
  std::vector<bool> lucky_;
};

class JesterProblem final : public KnownRewards {
 public:
  JesterProblem(SharedTable table, Rng& setup, std::uint64_t steps, std::vector<std::size_t> order)
      : KnownRewards(std::move(table), setup, steps, kActions),
        order_(std::move(order)),
        x_(order_.size() - kActions) {}

  static constexpr std::size_t kActions = 8;

  Shape shape() const override { return {kActions, x_.size()}; }
  RewardRange rewards() const override { return {-10.0, 10.0}; }

  Context next(Rng&) override {
    rows.next();
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = rows.x()[order_[i]];
    for (std::size_t a = 0; a < kActions; ++a) reward[a] = rows.x()[order_[x_.size() + a]];
    compare_realised();
    return x_;
  }

 private:
  std::vector<std::size_t> order_;  // of the columns
  std::vector<double> x_;
};

class PortfolioProblem final : public KnownRewards {
 public:
  static constexpr std::size_t kActions = 8;

  PortfolioProblem(SharedTable table, Rng& setup, std::uint64_t steps, std::vector<double> beta)
      : KnownRewards(std::move(table), setup, steps, kActions), beta_(std::move(beta)) {}

  RewardRange rewards() const override { return {}; }

  Context next(Rng& rng) override {
    rows.next();
    const Context x = rows.x();
    const double* beta = beta_.data();
    for (std::size_t a = 0; a < kActions; ++a) {
      double mean = 0.0;
      for (const double xi : x) mean += xi * *beta++;
      reward[a] = mean + 0.01 * static_cast<double>(a + 1) * rng.normal();
    }
    compare_realised();
    return x;
  }

 private:
  std::vector<double> beta_;  // row-major, actions x dim
};

}  // namespace

std::unique_ptr<Problem> play_labels(SharedTable table, const Stream& stream, std::uint64_t steps,
                                     RowLength length) {
  return std::make_unique<LabelProblem>(std::move(table), Rng(stream), steps, length);
}

std::unique_ptr<Problem> play_rewards(SharedTable table, const Stream& stream,
                                      std::uint64_t steps) {
  const Action actions = table->actions();
  return std::make_unique<RewardProblem>(std::move(table), Rng(stream), steps, actions);
}

std::unique_ptr<Problem> play_mushroom(SharedTable table, const Stream& stream, std::uint64_t steps,
                                       Outcomes outcomes) {
  // The outcomes come from far along the stream, which the order of the rows never reaches.
  Rng rng(stream), far(stream, std::uint64_t{1} << 48);
  auto problem = std::make_unique<MushroomProblem>(std::move(table), rng, steps, outcomes);
  if (outcomes == Outcomes::kFrozen) problem->freeze(far);
  return problem;
}

std::unique_ptr<Problem> play_jester(SharedTable table, const Stream& stream, std::uint64_t steps) {
  Rng rng(stream);
  std::vector<std::size_t> order(table->dim());
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng.shuffle(std::span(order));
  return std::make_unique<JesterProblem>(std::move(table), rng, steps, std::move(order));
}

std::unique_ptr<Problem> play_portfolios(SharedTable table, const Stream& stream,
                                         std::uint64_t steps) {
  Rng rng(stream);
  std::vector<double> beta(PortfolioProblem::kActions * table->dim());
  for (std::size_t a = 0; a < PortfolioProblem::kActions; ++a) {
    const std::span weights(beta.data() + a * table->dim(), table->dim());
    double square = 0.0;
    while (square == 0.0) {
      for (double& weight : weights) {
        weight = 2.0 * rng.uniform() - 1.0;
        square += weight * weight;
      }
    }
    for (double& weight : weights) weight /= std::sqrt(square);
  }
  return std::make_unique<PortfolioProblem>(std::move(table), rng, steps, std::move(beta));
}

}  // namespace sau::detail
