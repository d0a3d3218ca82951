#include "evaluations/importance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "serve/feature_reader.hpp"
#include "store/json_field.hpp"

namespace sau::detail {
namespace {

// Further names are ignored, so that time and memory are bounded.
constexpr std::size_t kMostNames = 200;
constexpr std::size_t kKeptValues = 64;

}  // namespace

// Finds the features of a decision and their names.
class FeatureImportance::Reader {
 public:
  explicit Reader(FeatureImportance& owner) : owner_(owner) {}

  bool read(std::string_view request, std::size_t chosen) {
    simdjson::dom::element root;
    if (parser_.parse(request.data(), request.size()).get(root) != simdjson::SUCCESS) return false;
    const auto list = json_field(root, "actions");
    simdjson::dom::array actions;
    if (!list || list->get(actions) != simdjson::SUCCESS || chosen >= actions.size()) return false;
    if (const auto features = json_field(root, "contextFeatures")) {
      read_list(*features, "contextFeatures", kContextSide, owner_.context_);
    }
    const simdjson::dom::element action = actions.at(chosen).value_unsafe();
    owner_.action_.push_back(id_feature(json_text_field(action, "id")));
    add_part("actions.id", owner_.action_, 0);
    if (const auto features = json_field(action, "features")) {
      read_list(*features, "actions.features", kActionSide, owner_.action_);
    }
    return true;
  }

 private:
  using Walk = FeatureWalk<SimdJson>;

  void read_list(simdjson::dom::element list, const std::string& path, std::uint64_t side,
                 std::vector<HashedFeature>& out) {
    simdjson::dom::array objects;
    if (list.get(objects) != simdjson::SUCCESS) return;
    const RequestLimits limits = RequestLimits::none();
    Walk walk(limits.depth, limits.features, out);
    for (const simdjson::dom::element object : objects) {
      if (object.is_object()) read_object(object, path, FeatureHash(side), walk, out);
    }
  }

  // A nested object is a namespace: its features have names of their own.
  void read_object(simdjson::dom::element object, const std::string& path, const FeatureHash& space,
                   Walk& walk, std::vector<HashedFeature>& out) {
    SimdJson::each_member(object, [&](std::string_view name, simdjson::dom::element value) {
      const std::string here = fmt::format("{}.{}", path, name);
      if (value.is_object()) {
        read_object(value, here, space.with(name), walk, out);
      } else {
        const std::size_t first = out.size();
        walk.read_value(value, name, space, 1);
        add_part(here, out, first);
      }
      return true;
    });
  }

  void add_part(const std::string& name, const std::vector<HashedFeature>& in, std::size_t first) {
    if (in.size() == first) return;
    const std::size_t number = owner_.number_of(name);
    if (number >= kMostNames) return;
    owner_.parts_.push_back({number, &in == &owner_.context_, first, in.size()});
    if (std::ranges::count(owner_.names_, number) == 0) owner_.names_.push_back(number);
  }

  FeatureImportance& owner_;
  simdjson::dom::parser parser_;
};

FeatureImportance::FeatureImportance(std::uint64_t seed, const RewardRange& rewards)
    : rewards_(rewards),
      model_(Stream{.seed = seed}),
      reader_(std::make_unique<Reader>(*this)),
      rng_(Stream{.seed = seed, .role = Role::kAgent}) {}
FeatureImportance::~FeatureImportance() = default;

std::size_t FeatureImportance::number_of(const std::string& name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  if (named_.size() >= kMostNames) return kMostNames;
  named_.emplace_back();
  return numbers_.emplace(name, named_.size() - 1).first->second;
}

double FeatureImportance::predicted(HashedFeatures context, HashedFeatures action) const {
  const JointAction only{action};
  double value = 0.0;
  model_.weights().values(context, {&only, 1}, {&value, 1});
  return std::clamp(value, rewards_.min, rewards_.max);
}

double FeatureImportance::predicted_with_other(std::size_t name) {
  other_context_.clear();
  other_action_.clear();
  std::size_t context_done = 0, action_done = 0;
  const auto copy = [](const std::vector<HashedFeature>& from, std::size_t first, std::size_t last,
                       std::vector<HashedFeature>& to) {
    const HashedFeatures part = HashedFeatures(from).subspan(first, last - first);
    to.insert(to.end(), part.begin(), part.end());
  };
  bool of_context = false;
  for (const Part& part : parts_) {
    if (part.name != name) continue;
    of_context = part.of_context;
    std::size_t& done = of_context ? context_done : action_done;
    copy(of_context ? context_ : action_, done, part.first,
         of_context ? other_context_ : other_action_);
    done = part.last;
  }
  copy(context_, context_done, context_.size(), other_context_);
  copy(action_, action_done, action_.size(), other_action_);
  const auto& values = named_[name].values;
  const auto& other = values[rng_.below(values.size())];
  copy(other, 0, other.size(), of_context ? other_context_ : other_action_);
  return predicted(other_context_, other_action_);
}

void FeatureImportance::keep_value(std::size_t name) {
  Named& named = named_[name];
  if (named.values.size() < kKeptValues) named.values.emplace_back();
  auto& kept = named.values[named.next];
  named.next = (named.next + 1) % kKeptValues;
  kept.clear();
  for (const Part& part : parts_) {
    if (part.name != name) continue;
    const std::vector<HashedFeature>& from = part.of_context ? context_ : action_;
    const HashedFeatures value = HashedFeatures(from).subspan(part.first, part.last - part.first);
    kept.insert(kept.end(), value.begin(), value.end());
  }
}

void FeatureImportance::add(std::string_view request, std::size_t chosen, double reward) {
  context_.clear();
  action_.clear();
  parts_.clear();
  names_.clear();
  if (!reader_->read(request, chosen)) return;
  ++count_;
  const double before = reward - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (reward - mean_);
  const auto squared = [](double x) { return x * x; };
  const double error = squared(reward - predicted(context_, action_));
  for (const std::size_t name : names_) {
    if (!named_[name].values.empty()) {
      named_[name].loss += squared(reward - predicted_with_other(name)) - error;
    }
    keep_value(name);
  }
  model_.learn(context_, {action_}, reward);
}

nlohmann::ordered_json FeatureImportance::result() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  if (!(squares_ > 0.0)) return list;
  std::vector<std::pair<double, std::string_view>> order;
  for (const auto& [name, number] : numbers_) order.emplace_back(named_[number].loss, name);
  std::ranges::stable_sort(order, std::greater<>{}, [](const auto& each) { return each.first; });
  for (const auto& [loss, name] : order) {
    list.push_back({std::string(name), fmt::format("{:.6g}", loss / squares_)});
  }
  return list;
}

}  // namespace sau::detail
