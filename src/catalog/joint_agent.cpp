#include "sau/agent/joint_agent.hpp"

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): its own name
#include <xxhash.h>

#include <cmath>

#include "catalog/joint_agent_of.hpp"
#include "catalog/joint_lists.hpp"
#include "sau/catalog/catalog.hpp"

namespace sau {
namespace {

// A namespace that no feature's name is hashed in.
constexpr std::uint64_t kIdSeed = 0x6163'7469'6F6E'2069U;

// Calls f.operator()<M, S>(model options, strategy options) for the pair that `text` names. A model
// alone is joined with the first strategy.
template <class F>
auto with_joint_agent(std::string_view text, F&& f) {
  const auto parts = split_specs(text, '+');
  if (parts.size() > 2) {
    throw UsageError("cannot read the joint agent '" + std::string(text) +
                     "': expected model+strategy, found " + std::to_string(parts.size()) +
                     " parts");
  }
  const Spec model = parse_spec(parts[0]);
  const Spec strategy = parts.size() == 2
                            ? parse_spec(parts[1])
                            : Spec{.name = names(JointStrategies{}).front(), .params = {}};
  return with_named(JointModels{}, "joint model", model.name, [&]<class M>() {
    return with_named(JointStrategies{}, "joint strategy", strategy.name, [&]<class S>() {
      return f.template operator()<M, S>(
          read_options<typename M::Options>(M::kName, model.params),
          read_options<typename S::Options>(S::kName, strategy.params));
    });
  });
}

template <class M, class S>
std::string write_joint_agent(const typename M::Options& model,
                              const typename S::Options& strategy) {
  return write_spec(M::kName, model) + "+" + write_spec(S::kName, strategy);
}

template <class... T>
std::vector<ComponentInfo> describe_joint(TypeList<T...>) {
  return {ComponentInfo{.name = std::string(T::kName),
                        .summary = std::string(T::kSummary),
                        .settings = describe_options<typename T::Options>(),
                        .fits = {}}...};
}

}  // namespace

HashedFeature id_feature(std::string_view id) noexcept {
  return {.hash = XXH3_64bits_withSeed(id.data(), id.size(), kIdSeed), .value = 1.0F};
}

void check_finite(const char* where, HashedFeatures features) {
  for (const HashedFeature& feature : features) {
    if (!std::isfinite(feature.value)) {
      throw Error(std::string(where) + " has a feature whose value is not a finite number");
    }
  }
}

std::unique_ptr<JointAgent> make_joint_agent(std::string_view spec, std::uint64_t seed) {
  return with_joint_agent(spec, [&]<class M, class S>(const typename M::Options& model,
                                                      const typename S::Options& strategy) {
    const std::string canonical = write_joint_agent<M, S>(model, strategy);
    const Stream stream{
        .seed = seed, .trial = 0, .scope = scope_of(canonical), .role = Role::kModel};
    std::unique_ptr<JointAgent> result = std::make_unique<JointAgentOf<M, S>>(
        canonical, M(stream, model), S(strategy), strategy.actions);
    return result;
  });
}

std::vector<ComponentInfo> list_joint_models() { return describe_joint(JointModels{}); }
std::vector<ComponentInfo> list_joint_strategies() { return describe_joint(JointStrategies{}); }

}  // namespace sau
