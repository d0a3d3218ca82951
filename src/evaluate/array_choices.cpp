#include "sau/evaluate/array_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sau/core/error.hpp"

namespace sau {
namespace {

constexpr std::size_t kArrayRows = 512;  // of a piece

class ArrayChoices final : public ChoiceSource {
 public:
  ArrayChoices(const ChoiceArrays& arrays, std::string name)
      : arrays_(arrays), name_(std::move(name)), columns_(column_hashes(arrays.dim)) {
    const auto check = [&](std::size_t size, std::size_t expected, const char* what) {
      if (size == expected) return;
      throw UsageError(
          fmt::format("{}: {} has {} numbers; expected {}", name_, what, size, expected));
    };
    check(arrays.contexts.size(), arrays.rows * arrays.dim, "contexts");
    check(arrays.chosen.size(), arrays.rows, "actions");
    check(arrays.rewards.size(), arrays.rows, "rewards");
    check(arrays.chance.size(), arrays.rows, "chances of the chosen actions");
    if (!arrays.chances.empty()) {
      check(arrays.chances.size(), arrays.rows * arrays.actions, "chances");
    }
    for (Action a = 0; a < arrays.actions; ++a) ids_.push_back(std::to_string(a));
    for (const std::string& id : ids_) offered_.push_back({.id = id, .features = {}});
  }

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t last_line() const override { return arrays_.rows; }
  void rewind() override { next_ = 0; }

  std::optional<Piece> next() override {
    if (next_ >= arrays_.rows) return std::nullopt;
    const std::size_t first = next_, last = std::min(arrays_.rows, first + kArrayRows);
    next_ = last;
    return [this, first, last](ChoiceBatch& batch) {
      for (std::size_t row = first; row < last; ++row) read(row, batch);
    };
  }

 private:
  void read(std::size_t row, ChoiceBatch& batch) const {
    const auto x = arrays_.contexts.subspan(row * arrays_.dim, arrays_.dim);
    if (!std::ranges::all_of(x, [](double value) { return std::isfinite(value); })) {
      throw Error(fmt::format("{}, row {}: the context is not finite", name_, row + 1));
    }
    if (arrays_.chosen[row] >= arrays_.actions) {
      throw Error(fmt::format("{}, row {}: there is no action {}; actions are 0 to {}", name_,
                              row + 1, arrays_.chosen[row], arrays_.actions - 1));
    }
    auto& features = batch.features();
    for (std::size_t c = 0; c < x.size(); ++c) {
      if (x[c] != 0.0) features.push_back({columns_[c], static_cast<float>(x[c])});
    }
    batch.end_context();
    if (arrays_.chances.empty()) {
      batch.share_actions(offered_);
    } else {
      const auto chances = arrays_.chances.subspan(row * arrays_.actions, arrays_.actions);
      for (Action a = 0; a < arrays_.actions; ++a) batch.add_action(ids_[a], false, chances[a]);
    }
    batch.end({.chosen = arrays_.chosen[row],
               .chance = arrays_.chance[row],
               .all_chances = !arrays_.chances.empty(),
               .reward = arrays_.rewards[row],
               .line = row + 1,
               .time = 0});
  }

  ChoiceArrays arrays_;
  std::string name_;
  std::vector<std::uint64_t> columns_;
  std::vector<std::string> ids_;
  std::vector<OfferedAction> offered_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ChoiceSource> open_array_choices(const ChoiceArrays& arrays, std::string name) {
  return std::make_unique<ArrayChoices>(arrays, std::move(name));
}

}  // namespace sau
