#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

// What changes: which action pays what, which column holds what, or which contexts come.
enum class ChangeOf { kActions, kColumns, kContexts };
constexpr std::array<std::string_view, 3> enum_names(ChangeOf) {
  return {"actions", "columns", "contexts"};
}

struct ChangingOptions {
  std::string problem = "linear";
  std::uint64_t every = 2000;
  std::uint64_t seasons = 0;
  std::uint64_t over = 0;
  ChangeOf what = ChangeOf::kActions;
  void fields(auto&& field) {
    field("problem", problem, "the problem that changes, in quotes if it has settings");
    field("every", every, "steps of a phase", Bounds{.min = 1.0, .max = 1e15});
    field("seasons", seasons, "phases after which the first comes again; 0: every phase is new",
          Bounds{.min = 0.0, .max = 1e6});
    field("over", over, "steps that a change takes; 0: it is abrupt",
          Bounds{.min = 0.0, .max = 1e15});
    field(
        "what", what,
        "actions: rewards are permuted; columns: the context's numbers are; contexts: others come");
  }
  void check();
};

// Any problem with a fixed set of actions, in a world that changes. A trial is divided into phases
// of `every` steps. The first is the problem as it is; each of the others has its own
//  - permutation of the actions (for data sets: of the labels),
//  - permutation of the columns of the context, or
//  - preference for contexts on one side of a plane: nine of ten on the other side are skipped.
//    What a context means stays the same (covariate shift).
// With over > 0 a change is slow: for this many steps, a step belongs to the new phase with a
// probability that rises from 0 to 1. Regret is the problem's own, so it is against the best action
// of the step. Everything that changes is drawn from the stream given to the constructor.
class Changing final : public Problem {
 public:
  static constexpr std::string_view kName = "changing";
  static constexpr std::string_view kSummary =
      "any problem in a world that changes: abruptly, slowly or with the seasons";
  using Options = ChangingOptions;

  explicit Changing(const Stream& stream, const Options& options = {});

  Shape shape() const override { return inside_->shape(); }
  RewardRange rewards() const override { return inside_->rewards(); }
  std::uint64_t default_steps() const override { return inside_->default_steps(); }
  std::string data() const override { return inside_->data(); }

  Context next(Rng& rng) override;
  double pull(Action action, Rng& rng) override { return inside_->pull(played(action), rng); }
  double regret(Action action) const override { return inside_->regret(played(action)); }

 private:
  // The phases that a step may belong to: the present one, and during a slow change the one before.
  struct Phase {
    std::uint64_t number = ~std::uint64_t{0};
    std::vector<std::uint32_t> order;  // of actions or columns
    std::vector<double> normal;        // of the plane
  };

  void enter(Phase& phase, std::uint64_t number) const;
  Context wanted_context(Rng& rng);
  Action played(Action action) const noexcept {
    return options_.what == ChangeOf::kActions ? current_->order[action] : action;
  }

  Options options_;
  Stream stream_;
  Rng slow_;  // which phase a step of a slow change belongs to, and which contexts are skipped
  std::unique_ptr<Problem> inside_;
  std::uint64_t step_ = 0;
  Phase present_, past_;
  const Phase* current_ = &present_;
  std::vector<double> x_;
  double level_ = 0.0, seen_ = 0.0;  // mean of what the plane is compared with
};

// Both are defined in the catalogue, which knows all problems.
std::unique_ptr<Problem> make_problem(std::string_view problem, const Stream& stream);
std::string canonical_problem(std::string_view problem);

}  // namespace sau
