#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/setup.hpp"
#include "sau/model/any_model.hpp"

namespace sau {

// What models that have models inside have in common.

// The models of a committee or a bootstrap, for a fixed set of actions. They are all asked about
// the same context, and asked again only when the context differs or something was learned.
class Members {
 public:
  explicit Members(const Setup& setup) : setup_(setup), latest_(setup.shape.dim) {}
  Members(const Members& other);
  Members(Members&&) noexcept = default;
  Members& operator=(const Members& other) { return *this = Members(other); }
  Members& operator=(Members&&) noexcept = default;
  ~Members() = default;

  // Each has its own random stream, so that equal members differ.
  AnyModel& add(std::string_view spec);

  std::size_t size() const noexcept { return models_.size(); }
  AnyModel& operator[](std::size_t i) noexcept { return *models_[i]; }
  const AnyModel& operator[](std::size_t i) const noexcept { return *models_[i]; }
  const Shape& shape() const noexcept { return setup_.shape; }

  // Whether their answers about x are not known yet; from now on they are.
  bool must_ask(Context x) noexcept;
  void forget_answers() noexcept { fresh_ = false; }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  Setup setup_;
  std::vector<std::unique_ptr<AnyModel>> models_;
  std::vector<double> latest_;  // the context that the answers belong to
  bool fresh_ = false;
};

// The same for actions that come and go. Models made for a fixed set of actions see them by number
// (ByIds).
class JointMembers {
 public:
  using Weights = std::vector<std::shared_ptr<const AnyJointWeights>>;

  AnyJointModel& add(std::string_view spec, const Stream& stream, const IdOptions& ids);

  std::size_t size() const noexcept { return models_.size(); }
  AnyJointModel& operator[](std::size_t i) noexcept { return *models_[i]; }
  const AnyJointModel& operator[](std::size_t i) const noexcept { return *models_[i]; }

  // Views, which live as long as the members, and copies.
  Weights weights() const;
  Weights published();

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  std::vector<std::unique_ptr<AnyJointModel>> models_;
};

// For the settings of a model that has one model inside: its canonical spec. Throws UsageError if
// it is not one model.
std::string one_model(std::string_view owner, const std::string& spec);
// Throws UsageError if the model inside does not learn from every reward.
void require_every_reward(std::string_view owner, std::string_view spec, RewardRange rewards);

}  // namespace sau
