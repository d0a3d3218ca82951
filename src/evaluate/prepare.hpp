#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evaluate/moments.hpp"
#include "sau/evaluate/evaluate.hpp"

namespace sau::detail {

// What is done with a decision.
enum class Part : std::uint8_t { kLearned, kScored, kLeftOut };

// A batch, and what all policies need to know about its decisions.
struct PreparedBatch {
  ChoiceBatch batch;
  std::vector<Part> parts;
  std::vector<std::size_t> first;       // of each decision's actions in the two arrays below
  std::vector<std::uint32_t> actions;   // numbers of the action ids
  std::vector<double> predicted;        // by the reward model; empty if there is none
  std::vector<std::uint32_t> segments;  // numbers of the segments, one per feature and decision

  std::size_t actions_of(std::size_t i) const noexcept { return first[i + 1] - first[i]; }
};

// Numbers for texts, in the order of their first appearance. Beyond a limit, all further ones share
// a number, so that memory is bounded.
class Numbers {
 public:
  explicit Numbers(std::size_t limit) : limit_(limit) {}

  std::uint32_t of(std::string_view text);
  std::size_t size() const noexcept { return texts_.size(); }
  const std::string& text(std::size_t number) const { return texts_[number]; }

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::size_t limit_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::string> texts_;
};

// Goes through the log in order, once for all policies: checks decisions, numbers ids, and asks the
// reward model.
class Preparation {
 public:
  Preparation(const ChoiceSource& source, std::size_t features, const EvaluateOptions& options);

  // With folds, call it for the whole log before prepare().
  void train(const ChoiceBatch& batch);
  void prepare(PreparedBatch& batch);

  // What was found so far.
  struct Logged {
    std::uint64_t count = 0;                // chosen
    double importance = 0.0, reward = 0.0;  // sums of u and of u r
    // How often it should have been chosen, by the logged chances.
    double expected = 0.0, variance = 0.0;
    std::uint64_t scored = 0;  // chosen, among the decisions that are scored
  };
  const Numbers& ids() const noexcept { return ids_; }
  const Numbers& segments(std::size_t feature) const { return segments_[feature]; }
  const std::vector<Logged>& logged() const noexcept { return logged_; }
  // Fills in everything that does not depend on a policy.
  void finish(EvaluationResult& result) const;

 private:
  Part part_of(const LoggedChoice& choice) const noexcept;
  void check(const LoggedChoice& choice) const;
  void check_chances(const LoggedChoice& choice, std::span<const std::uint32_t> actions);
  double chance_p(double& chi_square) const;
  RewardModel& model_of(std::uint64_t choice);

  const ChoiceSource& source_;
  const EvaluateOptions& options_;
  double learn_until_, score_until_;  // lines
  std::vector<RewardModel> models_;   // one, or one per fold, or none
  Numbers ids_;
  std::vector<Numbers> segments_;
  std::vector<Logged> logged_;
  std::map<std::string, std::uint64_t> skipped_;
  std::uint64_t seen_ = 0, trained_ = 0, scored_ = 0, learned_ = 0;
  WeightedMoments rewards_;
  std::uint64_t dropped_ = 0;  // decisions with an importance above 1
  std::vector<ChanceBin> bins_;
  std::vector<double> bin_mass_;
  bool all_chances_ = true, all_times_ = true;
  Milliseconds first_time_ = 0, last_time_ = 0;
  double inverse_ = 0.0, inverse_squares_ = 0.0;
};

}  // namespace sau::detail
