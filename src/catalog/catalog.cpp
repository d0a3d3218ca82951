#include "sau/catalog/catalog.hpp"

#include <algorithm>
#include <utility>

#include "catalog/agent_of.hpp"
#include "catalog/lists.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

std::string without_hyphens(std::string text) {
  std::erase(text, '-');
  return text;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return start == std::string_view::npos ? "" : text.substr(start, end - start + 1);
}

// The text behind an alias, or the text itself.
std::string expand_agent(std::string_view text, std::size_t dim) {
  const std::string wanted = without_hyphens(lower_case(without_blanks(text)));
  for (const Alias& alias : agent_aliases()) {
    if (without_hyphens(lower_case(alias.name)) != wanted) continue;
    return std::string(dim > 0 && !alias.contextual.empty() ? alias.contextual : alias.spec);
  }
  return std::string(text);
}

std::string expand_problem(std::string_view text) {
  const std::string wanted = lower_case(without_blanks(text));
  for (const Alias& alias : problem_aliases()) {
    if (lower_case(alias.name) == wanted) return std::string(alias.spec);
  }
  return std::string(text);
}

void add_alias_names(std::vector<std::string>& known, std::span<const Alias> aliases) {
  for (const Alias& alias : aliases) {
    const std::string name = lower_case(alias.name);
    if (std::ranges::find(known, name) == known.end()) known.push_back(name);
  }
}

// For a name that is an alias but was given settings: it stands for a whole spec.
void refuse_settings(const Spec& spec, const std::string& expanded) {
  if (expanded == spec.name) return;
  throw UsageError("'" + spec.name + "' is a name for " + expanded +
                   " and takes no settings; write that instead");
}

template <class... T>
bool has_name(TypeList<T...>, std::string_view name) {
  return ((T::kName == name) || ...);
}

// The first model that S explores with and that uses contexts, or does not, as asked; where there
// is none, the first that fits at all.
template <class S, class... M>
std::string usual_model(TypeList<M...>, bool contexts) {
  std::string_view suitable, fitting;
  const auto consider = [&]<class Model>() {
    if constexpr (Explores<S, Model>) {
      if (fitting.empty()) fitting = Model::kName;
      if (suitable.empty() && Model::kUsesContext == contexts) suitable = Model::kName;
    }
  };
  (consider.template operator()<M>(), ...);
  return std::string(suitable.empty() ? fitting : suitable);
}

struct AgentSpec {
  Spec model, strategy;
};

AgentSpec parse_agent(std::string_view text, std::size_t dim) {
  const auto parts = split_specs(expand_agent(text, dim), '+');
  if (parts.size() == 2) return {parse_spec(parts[0]), parse_spec(parts[1])};
  if (parts.size() > 2) {
    throw UsageError("cannot read the agent '" + std::string(text) +
                     "': expected model+strategy, found " + std::to_string(parts.size()) +
                     " parts");
  }
  Spec strategy = parse_spec(parts[0]);
  if (has_name(Models{}, strategy.name)) {
    throw UsageError("the agent '" + std::string(text) + "' names a model only; expected " +
                     strategy.name + "+strategy, for example " + strategy.name + "+sau_sampling");
  }
  if (!has_name(Strategies{}, strategy.name)) {
    refuse_settings(strategy, expand_agent(strategy.name, dim));
    auto known = names(Strategies{});
    add_alias_names(known, agent_aliases());
    throw UsageError(unknown_name("agent", strategy.name, known));
  }
  const auto model = with_named(Strategies{}, "strategy", strategy.name,
                                [&]<class S>() { return usual_model<S>(Models{}, dim > 0); });
  return {{model, {}}, std::move(strategy)};
}

// Calls f.operator()<M, S>(model options, strategy options) for the pair that `text` names.
template <class F>
auto with_agent(std::string_view text, std::size_t dim, F&& f) {
  const AgentSpec spec = parse_agent(text, dim);
  return with_named(Models{}, "model", spec.model.name, [&]<class M>() {
    return with_named(Strategies{}, "strategy", spec.strategy.name, [&]<class S>() {
      const auto model = read_options<typename M::Options>(M::kName, spec.model.params);
      const auto strategy = read_options<typename S::Options>(S::kName, spec.strategy.params);
      using Result = decltype(f.template operator()<SampleMean, Greedy>({}, {}));
      if constexpr (Explores<S, M>) {
        return f.template operator()<M, S>(model, strategy);
      } else {
        throw UsageError(std::string(S::kName) + " needs " + std::string(S::kNeeds) + "; " +
                         std::string(M::kName) + " has none");
        return Result{};
      }
    });
  });
}

template <class F>
auto with_problem(std::string_view text, F&& f) {
  const Spec spec = parse_spec(expand_problem(text));
  if (!has_name(Problems{}, spec.name)) {
    refuse_settings(spec, expand_problem(spec.name));
    auto known = names(Problems{});
    add_alias_names(known, problem_aliases());
    throw UsageError(unknown_name("problem", spec.name, known));
  }
  return with_named(Problems{}, "problem", spec.name, [&]<class P>() {
    return f.template operator()<P>(read_options<typename P::Options>(P::kName, spec.params));
  });
}

template <class M, class S>
std::string write_agent(const typename M::Options& model, const typename S::Options& strategy) {
  return write_spec(M::kName, model) + "+" + write_spec(S::kName, strategy);
}

template <class... T>
std::vector<ComponentInfo> describe(TypeList<T...>) {
  return {ComponentInfo{.name = std::string(T::kName),
                        .summary = std::string(T::kSummary),
                        .settings = describe_options<typename T::Options>(),
                        .fits = {}}...};
}

template <class S, class... M>
std::vector<std::string> fitting(TypeList<M...>) {
  std::vector<std::string> result;
  const auto consider = [&]<class Model>() {
    if constexpr (Explores<S, Model>) result.emplace_back(Model::kName);
  };
  (consider.template operator()<M>(), ...);
  return result;
}

}  // namespace

std::unique_ptr<AnyAgent> make_agent(std::string_view agent, const Setup& setup) {
  if (setup.shape.actions == 0) throw UsageError("an agent needs at least one action");
  return with_agent(
      agent, setup.shape.dim,
      [&]<class M, class S>(const typename M::Options& model, const typename S::Options& strategy) {
        std::unique_ptr<AnyAgent> result = std::make_unique<AgentOf<M, S>>(
            write_agent<M, S>(model, strategy), setup.shape, M(setup, model), S(setup, strategy));
        return result;
      });
}

std::unique_ptr<Problem> make_problem(std::string_view problem, const Stream& stream) {
  return with_problem(problem, [&]<class P>(const typename P::Options& options) {
    std::unique_ptr<Problem> result = std::make_unique<P>(stream, options);
    return result;
  });
}

std::string canonical_agent(std::string_view agent, std::size_t dim) {
  return with_agent(
      agent, dim,
      []<class M, class S>(const typename M::Options& model, const typename S::Options& strategy) {
        return write_agent<M, S>(model, strategy);
      });
}

std::string canonical_problem(std::string_view problem) {
  return with_problem(problem, []<class P>(const typename P::Options& options) {
    return write_spec(P::kName, options);
  });
}

std::string agent_name(std::string_view agent, std::size_t dim) {
  std::string canonical = canonical_agent(agent, dim);
  for (const Alias& alias : agent_aliases()) {
    if (canonical_agent(alias.name, dim) == canonical) return std::string(alias.name);
  }
  return canonical;
}

std::string problem_name(std::string_view problem) {
  std::string canonical = canonical_problem(problem);
  for (const Alias& alias : problem_aliases()) {
    if (canonical_problem(alias.spec) == canonical) return std::string(alias.name);
  }
  return canonical;
}

Stream problem_stream(std::string_view canonical_problem, std::uint64_t seed, std::uint64_t trial) {
  return {seed, trial, scope_of(canonical_problem), Role::kProblem};
}

Stream agent_stream(std::string_view canonical_problem, std::string_view canonical_agent,
                    std::uint64_t seed, std::uint64_t trial) {
  const std::string both = std::string(canonical_problem) + " " + std::string(canonical_agent);
  return {seed, trial, scope_of(both), Role::kAgent};
}

std::vector<ComponentInfo> list_models() { return describe(Models{}); }
std::vector<ComponentInfo> list_problems() { return describe(Problems{}); }

std::vector<ComponentInfo> list_strategies() {
  auto infos = describe(Strategies{});
  for (ComponentInfo& info : infos) {
    info.fits = with_named(Strategies{}, "strategy", info.name,
                           []<class S>() { return fitting<S>(Models{}); });
  }
  return infos;
}

}  // namespace sau
