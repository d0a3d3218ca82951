#include "sau/catalog/catalog.hpp"

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>

#include "catalog/agent_by_ids.hpp"
#include "catalog/explore_list.hpp"
#include "catalog/model_entry.hpp"
#include "catalog/model_names.hpp"
#include "catalog/problem_list.hpp"
#include "sau/core/text.hpp"
#include "sau/model/by_ids.hpp"

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

// What an agent is made for: this decides what some names stand for.
enum class For { kNoContexts, kContexts, kIds };

For made_for(std::size_t dim) { return dim > 0 ? For::kContexts : For::kNoContexts; }

// The text behind an alias, or the text itself.
std::string expand_agent(std::string_view text, For made) {
  const std::string wanted = without_hyphens(lower_case(without_blanks(text)));
  for (const Alias& alias : agent_aliases()) {
    if (without_hyphens(lower_case(alias.name)) != wanted) continue;
    if (made == For::kIds && !alias.by_id.empty()) return std::string(alias.by_id);
    return std::string(made != For::kNoContexts && !alias.contextual.empty() ? alias.contextual
                                                                             : alias.spec);
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

// Refuses settings after an alias, which stands for a whole spec.
void refuse_settings(const Spec& spec, const std::string& expanded) {
  if (expanded == spec.name) return;
  throw UsageError("'" + spec.name + "' is a name for " + expanded +
                   " and takes no settings; write that instead");
}

template <class... T>
bool has_name(TypeList<T...>, std::string_view name) {
  return ((T::kName == name) || ...);
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

// A member of a committee: a committee cannot be one.
const ModelEntry& member_named(const std::string& name) {
  if (name == "committee") throw UsageError("a committee cannot be a member of a committee");
  return model_named(name);
}

// Among the models that the strategy can use, the first of those that suit best.
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
  if (parts.size() == 2) return {parse_spec(parts[0]), parse_spec(parts[1]), std::move(ids)};
  Spec only = parse_spec(parts[0]);
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

// Folders of the service from before `ids` have the number of ids kept as a setting of the
// strategy.
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

std::string write_agent(const AgentSpec& spec) {
  const std::string agent = model_of(spec).write(spec);
  return spec.ids ? agent + "+" + write_ids(*spec.ids) : agent;
}

// For actions by id, `ids` is written only if its settings are not the defaults.
AgentSpec parse_offer_agent(std::string_view text) {
  AgentSpec spec = parse_agent(text, For::kIds);
  move_actions(spec);
  if (spec.ids && write_ids(*spec.ids) == "ids") spec.ids.reset();
  return spec;
}

struct ProblemSpec {
  std::string problem;
  Lateness late;
};

ProblemSpec parse_problem(std::string_view text) {
  auto parts = split_specs(text, '+');
  if (parts.size() == 1) return {std::move(parts[0]), {}};
  const Spec late = parse_spec(parts[1]);
  if (parts.size() > 2 || late.name != "late") {
    throw UsageError("cannot read the problem '" + std::string(text) +
                     "': expected problem or problem+late(...)");
  }
  return {std::move(parts[0]), read_options<Lateness>("late", late.params)};
}

std::string write_late(const std::string& problem, const Lateness& late) {
  return late == Lateness{} ? problem : problem + "+" + write_spec("late", late);
}

template <class F>
auto with_problem(std::string_view text, F&& f) {
  const Spec spec = parse_spec(expand_problem(parse_problem(text).problem));
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

// A problem of type P as a Base.
template <class Base, class P>
std::unique_ptr<Base> make_of_kind(const Stream& stream, const typename P::Options& options) {
  if constexpr (std::derived_from<P, Base>) {
    return std::make_unique<P>(stream, options);
  } else {
    constexpr bool kById = std::derived_from<P, OfferProblem>;
    throw UsageError("the actions of the problem " + std::string(P::kName) +
                     (kById ? " come and go by id; expected a problem with a fixed set of actions"
                            : " are a fixed set; expected a problem whose actions come and go"));
  }
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

template <class... T>
std::vector<ComponentInfo> describe(TypeList<T...>) {
  return {ComponentInfo{.name = std::string(T::kName),
                        .summary = std::string(T::kSummary),
                        .settings = describe_options<typename T::Options>(),
                        .fits = {}}...};
}

}  // namespace

std::unique_ptr<AnyAgent> make_agent(std::string_view agent, const Setup& setup) {
  if (setup.shape.actions == 0) throw UsageError("an agent needs at least one action");
  const AgentSpec spec = parse_agent(agent, made_for(setup.shape.dim));
  const ModelEntry& model = model_of(spec);
  if (!spec.ids) return model.make(spec, setup);
  const std::string canonical = write_agent(spec);
  return std::make_unique<AgentByIds>(canonical, setup,
                                      [&model, spec, canonical](const Stream& stream) {
                                        return model.make_for_ids(spec, canonical, stream);
                                      });
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
  return model_of(spec).make_for_ids(spec, write_agent(spec), stream.with(Role::kModel));
}

std::string canonical_offer_agent(std::string_view agent) {
  return write_agent(parse_offer_agent(agent));
}

std::unique_ptr<Problem> make_problem(std::string_view problem, const Stream& stream) {
  return with_problem(problem, [&]<class P>(const typename P::Options& options) {
    return make_of_kind<Problem, P>(stream, options);
  });
}

std::unique_ptr<OfferProblem> make_offer_problem(std::string_view problem, const Stream& stream) {
  return with_problem(problem, [&]<class P>(const typename P::Options& options) {
    return make_of_kind<OfferProblem, P>(stream, options);
  });
}

bool offers_by_id(std::string_view problem) {
  return with_problem(problem, []<class P>(const typename P::Options&) {
    return std::derived_from<P, OfferProblem>;
  });
}

Lateness lateness_of(std::string_view problem) { return parse_problem(problem).late; }

std::string with_lateness(std::string_view problem, const Lateness& late) {
  return write_late(parse_problem(problem).problem, late);
}

std::string canonical_agent(std::string_view agent, std::size_t dim) {
  return write_agent(parse_agent(agent, made_for(dim)));
}

std::string canonical_problem(std::string_view problem) {
  const std::string spec = with_problem(problem, []<class P>(const typename P::Options& options) {
    return write_spec(P::kName, options);
  });
  return write_late(spec, lateness_of(problem));
}

std::string agent_name(std::string_view agent, std::size_t dim) {
  return paper_name(agent, [dim](std::string_view text) { return canonical_agent(text, dim); });
}

std::string offer_agent_name(std::string_view agent) {
  return paper_name(agent, canonical_offer_agent);
}

std::string problem_name(std::string_view problem) {
  const auto [spec, late] = parse_problem(canonical_problem(problem));
  for (const Alias& alias : problem_aliases()) {
    if (canonical_problem(alias.spec) == spec) return write_late(std::string(alias.name), late);
  }
  return write_late(spec, late);
}

Stream problem_stream(std::string_view canonical_problem, std::uint64_t seed, std::uint64_t trial) {
  return {seed, trial, scope_of(parse_problem(canonical_problem).problem), Role::kProblem};
}

Stream agent_stream(std::string_view canonical_problem, std::string_view canonical_agent,
                    std::uint64_t seed, std::uint64_t trial) {
  const std::string both =
      parse_problem(canonical_problem).problem + " " + std::string(canonical_agent);
  return {seed, trial, scope_of(both), Role::kAgent};
}

std::vector<ComponentInfo> list_models() {
  std::vector<ComponentInfo> infos;
  for (const ModelEntry& model : models()) infos.push_back(model.info);
  return infos;
}

std::vector<ComponentInfo> list_problems() { return describe(Problems{}); }

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

ComponentInfo describe_late() {
  return {.name = "late",
          .summary = "when rewards arrive, for any problem",
          .settings = describe_options<Lateness>(),
          .fits = {}};
}

}  // namespace sau
