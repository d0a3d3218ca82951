#pragma once

#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/types.hpp"
#include "sau/model/joint_model.hpp"

namespace sau {

// A joint model as a value model of a fixed set of actions. Column i of the context becomes the
// feature x<i>, left out if it is 0. Action a gets the id "<a>" and has no other features.
template <class J>
class OnColumns {
 public:
  static constexpr std::string_view kName = J::kName;
  static constexpr std::string_view kSummary = J::kSummary;
  static constexpr bool kUsesContext = true;
  static constexpr bool kLinear = requires { requires J::kLinear; };
  static constexpr RewardRange kRewards{};
  using Options = typename J::Options;

  explicit OnColumns(const Setup& setup, const Options& options = {})
      : setup_(setup),
        options_(options),
        model_(std::make_unique<J>(setup.stream.with(Role::kModel), options)),
        value_(setup.shape.actions),
        columns_(column_hashes(setup.shape.dim)) {
    context_.reserve(setup.shape.dim);
    for (Action a = 0; a < setup.shape.actions; ++a) {
      ids_.push_back(id_feature(std::to_string(a)));
    }
    for (const HashedFeature& id : ids_) actions_.push_back({{&id, 1}});
  }
  // J shares memory with its published copies, so we copy it by saving and loading its state.
  OnColumns(const OnColumns& other) : OnColumns(other.setup_, other.options_) {
    StateWriter writer;
    state(other, writer);
    StateReader reader(writer.bytes());
    state(*this, reader);
  }
  OnColumns(OnColumns&&) noexcept = default;
  OnColumns& operator=(const OnColumns& other) { return *this = OnColumns(other); }
  OnColumns& operator=(OnColumns&&) noexcept = default;
  ~OnColumns() = default;

  std::span<const double> values(Context x) noexcept {
    put_columns(x, columns_, context_);
    model_->weights().values(context_, actions_, value_);
    return value_;
  }

  void update(Context x, Action action, double reward) noexcept {
    if (out_of_memory_) return;
    put_columns(x, columns_, context_);
    try {
      model_->learn(context_, {{&ids_[action], 1}}, reward);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
  }

  std::string fault() const {
    return out_of_memory_ ? "no memory for more features" : model_->fault();
  }

  J& model() noexcept { return *model_; }

  static void state(const OnColumns& self, StateWriter& writer) {
    writer("shape", self.shape_numbers());
    self.model_->save(writer);
  }
  static void state(OnColumns& self, StateReader& reader) {
    auto shape = self.shape_numbers();
    reader("shape", shape);
    if (shape != self.shape_numbers()) throw Error("its number of actions or columns is different");
    self.model_->load(reader);
    self.out_of_memory_ = false;
  }

 private:
  std::vector<std::uint64_t> shape_numbers() const { return {ids_.size(), columns_.size()}; }

  Setup setup_;
  Options options_;
  std::unique_ptr<J> model_;
  std::vector<double> value_;
  std::vector<std::uint64_t> columns_;
  std::vector<HashedFeature> context_, ids_;
  std::vector<JointAction> actions_;  // views of ids_
  bool out_of_memory_ = false;
};

}  // namespace sau
