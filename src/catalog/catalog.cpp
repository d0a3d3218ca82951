#include "sau/catalog/catalog.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "catalog/agent_by_ids.hpp"
#include "catalog/explore_list.hpp"
#include "catalog/id_agent.hpp"
#include "catalog/id_rule.hpp"
#include "catalog/model_entry.hpp"
#include "catalog/model_names.hpp"
#include "catalog/names.hpp"
#include "sau/core/text.hpp"
#include "sau/model/by_ids.hpp"

namespace sau {
namespace {

using detail::add_alias_names;
using detail::describe;
using detail::has_name;
using detail::refuse_settings;

std::string without_hyphens(std::string text) {
  std::erase(text, '-');
  return text;
}

std::string without_marks(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](char c) { return c == '-' || c == '_'; });
  return plain;
}

// What an agent is made for: this decides what some names stand for.
enum class For { kNoContexts, kContexts, kIds };

For made_for(std::size_t dim) { return dim > 0 ? For::kContexts : For::kNoContexts; }

// The text behind an alias, or the text itself.
std::string expand_agent(std::string_view text, For made) {
  std::string wanted = without_hyphens(lower_case(trimmed(text)));
  for (const auto& [other, name] : other_component_names()) {
    if (without_marks(other) == without_marks(wanted)) wanted = lower_case(name);
  }
  for (const Alias& alias : agent_aliases()) {
    if (without_hyphens(lower_case(alias.name)) != wanted) continue;
    if (made == For::kIds && !alias.by_id.empty()) return std::string(alias.by_id);
    return std::string(made != For::kNoContexts && !alias.contextual.empty() ? alias.contextual
                                                                             : alias.spec);
  }
  return std::string(text);
}

template <class... M>
std::vector<ModelEntry> entries(TypeList<M...>) {
  return {model_entry<M>()...};
}

const std::vector<ModelEntry>& models() {
  static const std::vector<ModelEntry> kModels = entries(Models{});
  return kModels;
}

const ModelEntry* find_model(std::string_view name) {
  const auto found =
      std::ranges::find(models(), name, [](const ModelEntry& m) { return m.info.name; });
  return found == models().end() ? nullptr : &*found;
}

const ModelEntry& model_named(const std::string& name) {
  if (const ModelEntry* model = find_model(name)) return *model;
  std::vector<std::string> known;
  for (const ModelEntry& model : models()) known.push_back(model.info.name);
  throw UsageError(unknown_name("model", name, known));
}

const ModelEntry& model_of(const AgentSpec& spec) { return model_named(spec.model.name); }

// A model inside another one. A model that has models inside cannot itself be inside one.
const ModelEntry& member_named(const std::string& name) {
  if (name == "committee" || name == "bootstrap" || name == "restarting" || name == "windowed") {
    throw UsageError(name + " contains models, so it cannot itself be inside one");
  }
  return model_named(name);
}

// The first of the models that the strategy can use and that suit best.
std::string usual_model(const std::string& strategy, For made) {
  const auto suits = [made](const ModelEntry& model) {
    if (made == For::kIds) return model.joint ? 2 : (model.uses_context ? 1 : 0);
    return model.uses_context == (made == For::kContexts) ? 1 : 0;
  };
  const ModelEntry* best = nullptr;
  for (const ModelEntry& model : models()) {
    if (std::ranges::find(model.strategies, strategy) == model.strategies.end()) continue;
    if (best == nullptr || suits(model) > suits(*best)) best = &model;
  }
  return best->info.name;
}

// The name of a model or strategy as it is in the catalogue; unchanged if there is none like it.
std::string component_name(const std::string& given) {
  if (find_model(given) != nullptr || has_name(Strategies{}, given)) return given;
  const std::string wanted = without_marks(given);
  for (const ModelEntry& model : models()) {
    if (without_marks(model.info.name) == wanted) return model.info.name;
  }
  for (const std::string& strategy : names(Strategies{})) {
    if (without_marks(strategy) == wanted) return strategy;
  }
  for (const auto& [other, name] : other_component_names()) {
    if (without_marks(other) == wanted) return std::string(name);
  }
  return given;
}

Spec parse_component(std::string_view text) {
  Spec spec = parse_spec(text);
  spec.name = component_name(spec.name);
  return spec;
}

constexpr std::string_view kUsualStrategy = "sau_sampling";

// Takes the part `ids` off the end.
std::optional<Spec> take_ids(std::vector<std::string>& parts) {
  if (parts.size() < 2) return std::nullopt;
  Spec last = parse_spec(parts.back());
  if (last.name != "ids") return std::nullopt;
  parts.pop_back();
  return last;
}

AgentSpec parse_agent(std::string_view text, For made) {
  auto parts = split_specs(expand_agent(text, made), '+');
  auto ids = take_ids(parts);
  if (parts.size() > 2) {
    throw UsageError("cannot read the agent '" + std::string(text) +
                     "': expected model+strategy or model+strategy+ids, found " +
                     std::to_string(parts.size() + (ids ? 1 : 0)) + " parts");
  }
  if (parts.size() == 2) {
    return {parse_component(parts[0]), parse_component(parts[1]), std::move(ids)};
  }
  Spec only = parse_component(parts[0]);
  if (find_model(only.name) != nullptr) {
    if (made == For::kIds) return {std::move(only), {std::string(kUsualStrategy), {}}, ids};
    throw UsageError("the agent '" + std::string(text) + "' names a model only; expected " +
                     only.name + "+strategy, for example " + only.name + "+sau_sampling");
  }
  if (!has_name(Strategies{}, only.name)) {
    refuse_settings(only, expand_agent(only.name, made));
    auto known = names(Strategies{});
    add_alias_names(known, agent_aliases());
    throw UsageError(unknown_name("agent", only.name, known));
  }
  std::string model = usual_model(only.name, made);
  return {{std::move(model), {}}, std::move(only), std::move(ids)};
}

// In older folders of the service, which have no `ids`, the number of ids to keep is a setting of
// the strategy.
void move_actions(AgentSpec& spec) {
  auto& params = spec.strategy.params;
  const auto found = std::ranges::find(params, "actions", &Params::value_type::first);
  if (found == params.end() || spec.ids) return;
  spec.ids = Spec{.name = "ids", .params = {*found}};
  params.erase(found);
}

std::string write_ids(const Spec& ids) {
  return write_spec("ids", read_options<IdOptions>("ids", ids.params));
}

// Throws UsageError if the strategy does not exist or cannot choose with the model.
void check_fit(const ModelEntry& model, const Spec& strategy) {
  const std::string needs =
      with_named(Strategies{}, "strategy", strategy.name, []<class S>() -> std::string {
        if constexpr (requires { S::kNeeds; }) return std::string(S::kNeeds);
        return {};
      });
  if (std::ranges::find(model.strategies, strategy.name) != model.strategies.end()) return;
  throw UsageError(strategy.name + " needs " + needs + "; " + model.info.name + " is not one");
}

std::string write_agent(const AgentSpec& spec) {
  const ModelEntry& model = model_of(spec);
  const std::string strategy = write_strategy(spec.strategy);
  const std::string agent = model.write_model(spec.model.params) + "+" + strategy;
  check_fit(model, spec.strategy);
  return spec.ids ? agent + "+" + write_ids(*spec.ids) : agent;
}

// For actions by id, `ids` is written only if its settings are not the defaults.
AgentSpec parse_offer_agent(std::string_view text) {
  AgentSpec spec = parse_agent(text, For::kIds);
  move_actions(spec);
  if (spec.ids && write_ids(*spec.ids) == "ids") spec.ids.reset();
  return spec;
}

std::unique_ptr<OfferAgent> make_id_agent(const AgentSpec& spec, const std::string& canonical,
                                          const Stream& stream) {
  const auto ids = read_options<IdOptions>("ids", spec.ids ? spec.ids->params : Params{});
  return std::make_unique<IdAgent>(canonical,
                                   model_of(spec).make_joint_model(spec.model.params, stream, ids),
                                   make_id_rule(spec.strategy), ids);
}

// The paper's name for the agent, or else its canonical spec.
template <class Canonical>
std::string paper_name(std::string_view agent, const Canonical& canonical) {
  std::string spec = canonical(agent);
  for (const Alias& alias : agent_aliases()) {
    if (canonical(alias.name) == spec) return std::string(alias.name);
  }
  return spec;
}

}  // namespace

std::unique_ptr<AnyAgent> make_agent(std::string_view agent, const Setup& setup) {
  if (setup.shape.actions == 0) throw UsageError("an agent needs at least one action");
  const AgentSpec spec = parse_agent(agent, made_for(setup.shape.dim));
  const std::string canonical = write_agent(spec);
  if (spec.ids) {
    return std::make_unique<AgentByIds>(canonical, setup, [spec, canonical](const Stream& stream) {
      return make_id_agent(spec, canonical, stream);
    });
  }
  const ModelEntry& model = model_of(spec);
  const FixedAgentPlan plan{.canonical = canonical, .strategy = spec.strategy, .setup = setup};
  if (model.make_agent != nullptr) return model.make_agent(spec.model.params, plan);
  return make_handle_agent(model.make_model(spec.model.params, setup), model.rewards,
                           model.info.name, plan);
}

std::string canonical_models(std::string_view models) {
  std::string result;
  for (const std::string& text : split_specs(models, '+')) {
    const Spec spec = parse_spec(text);
    result += (result.empty() ? "" : "+") + member_named(spec.name).write_model(spec.params);
  }
  return result;
}

std::unique_ptr<AnyModel> make_model(std::string_view text, const Setup& setup) {
  const Spec spec = parse_spec(text);
  return member_named(spec.name).make_model(spec.params, setup);
}

std::unique_ptr<AnyJointModel> make_joint_model(std::string_view text, const Stream& stream,
                                                const IdOptions& ids) {
  const Spec spec = parse_spec(text);
  return member_named(spec.name).make_joint_model(spec.params, stream, ids);
}

std::unique_ptr<OfferAgent> make_offer_agent(std::string_view agent, std::uint64_t seed) {
  const AgentSpec spec = parse_offer_agent(agent);
  const std::string canonical = write_agent(spec);
  return make_offer_agent(agent, {.seed = seed, .trial = 0, .scope = scope_of(canonical)});
}

std::unique_ptr<OfferAgent> make_offer_agent(std::string_view agent, const Stream& stream) {
  const AgentSpec spec = parse_offer_agent(agent);
  return make_id_agent(spec, write_agent(spec), stream.with(Role::kModel));
}

std::string canonical_offer_agent(std::string_view agent) {
  return write_agent(parse_offer_agent(agent));
}

std::string canonical_agent(std::string_view agent, std::size_t dim) {
  return write_agent(parse_agent(agent, made_for(dim)));
}

std::string agent_name(std::string_view agent, std::size_t dim) {
  return paper_name(agent, [dim](std::string_view text) { return canonical_agent(text, dim); });
}

std::string offer_agent_name(std::string_view agent) {
  return paper_name(agent, canonical_offer_agent);
}

AgentTraits agent_traits(std::string_view canonical_agent) {
  const AgentSpec spec = parse_agent(canonical_agent, For::kContexts);
  AgentTraits traits{.reads_context = model_of(spec).uses_context};
  traits.explores = with_named(Strategies{}, "strategy", spec.strategy.name, [&]<class S>() {
    if constexpr (requires(const typename S::Options& options) { S::explores(options); }) {
      return S::explores(read_options<typename S::Options>(S::kName, spec.strategy.params));
    } else {
      return true;
    }
  });
  return traits;
}

std::vector<ComponentInfo> list_models() {
  std::vector<ComponentInfo> infos;
  for (const ModelEntry& model : models()) infos.push_back(model.info);
  return infos;
}

std::vector<ComponentInfo> list_strategies() {
  auto infos = describe(Strategies{});
  for (ComponentInfo& info : infos) {
    for (const ModelEntry& model : models()) {
      if (std::ranges::find(model.strategies, info.name) != model.strategies.end()) {
        info.fits.push_back(model.info.name);
      }
    }
  }
  return infos;
}

ComponentInfo describe_ids() {
  return {.name = "ids",
          .summary = "how an agent handles actions that come and go by id",
          .settings = describe_options<IdOptions>(),
          .fits = {}};
}

}  // namespace sau
