#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/late.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/agent/play.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/problem/offer_problem.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

// Everything that can be chosen by name.
//
// An agent is "model+strategy", each a spec. A strategy alone is joined with the first model of
// `sau list` that suits both it and the problem. The paper's names are aliases for such strings:
//     sample_mean+sau_ucb(alpha=0.5)      sau_sampling      TS
// With a third part, "+ids(...)", the agent knows actions by id, as in the service, even if they
// are a fixed set: hashed_linear+sau_sampling+ids.
//
// A problem is one spec, or two if its rewards come late: wheel+late(delay=100). Its actions are a
// fixed set (Problem), or they come and go by id (OfferProblem).
//
// Which model suits depends on whether the problem has contexts. The paper also uses some names
// twice, for multi-armed and for linear problems. The length `dim` of the contexts decides both.
// All functions throw UsageError for text they cannot read or names they do not know.

// The agent that a command uses if none is given. It is an alias.
inline constexpr std::string_view kDefaultAgent = "sau";

std::unique_ptr<AnyAgent> make_agent(std::string_view agent, const Setup& setup);
// The same agent for actions that come and go by id (agent/offer_agent.hpp). A model alone is
// joined with sau_sampling, and a strategy alone with the first joint model that fits. The first
// function makes the stream from the seed and the agent's spec; the second takes the stream of a
// trial.
std::unique_ptr<OfferAgent> make_offer_agent(std::string_view agent, std::uint64_t seed);
std::unique_ptr<OfferAgent> make_offer_agent(std::string_view agent, const Stream& stream);

// Whether the problem's actions come and go by id.
bool offers_by_id(std::string_view problem);
// `stream` names the trial; the problem's own draws (its setup) come from it. The first function is
// for a fixed set of actions, the second for actions that come and go; each throws UsageError for a
// problem of the other kind. Both ignore `late`: the code that plays the problem delays the rewards
// (agent/late.hpp).
std::unique_ptr<Problem> make_problem(std::string_view problem, const Stream& stream);
std::unique_ptr<OfferProblem> make_offer_problem(std::string_view problem, const Stream& stream);

// When the problem's rewards arrive, and the problem's spec with another lateness. The problem
// itself need not be in the catalogue.
Lateness lateness_of(std::string_view problem);
std::string with_lateness(std::string_view problem, const Lateness& late);

// The canonical spec: aliases expanded, defaults left out. It reads back to itself.
std::string canonical_agent(std::string_view agent, std::size_t dim = 0);
std::string canonical_offer_agent(std::string_view agent);
std::string canonical_problem(std::string_view problem);

// The paper's name if it has one, otherwise the canonical spec.
std::string agent_name(std::string_view agent, std::size_t dim = 0);
std::string offer_agent_name(std::string_view agent);
std::string problem_name(std::string_view problem);

// The streams of a trial. The problem's stream depends on the problem only, so every agent meets
// the same problem; the agent's stream depends on both. Neither depends on when rewards arrive or
// on which action is the best, so the cost of lateness can be compared trial by trial. `data` is
// the problem's fingerprint, Problem::data(). For a problem over a file it stands for the file and
// how it is read, so the streams do not depend on how its path is written.
Stream problem_stream(std::string_view canonical_problem, std::uint64_t seed, std::uint64_t trial,
                      std::string_view data = {});
Stream agent_stream(std::string_view canonical_problem, std::string_view canonical_agent,
                    std::uint64_t seed, std::uint64_t trial, std::string_view data = {});

// The problem as older versions understood the text: they did not draw the best action for each
// trial, so it is the first. Returns the text itself if the catalogue does not know the problem.
std::string with_first_best(std::string_view canonical_problem);

// What a reader of an agent's results should know.
struct AgentTraits {
  bool explores = true;       // false: it always plays what looks best
  bool reads_context = true;  // false: its model ignores contexts
};
AgentTraits agent_traits(std::string_view canonical_agent);

struct ComponentInfo {
  std::string name, summary;
  std::vector<FieldInfo> settings;
  std::vector<std::string> fits = {};  // of a strategy: the models it can explore with
};
std::vector<ComponentInfo> list_models();
std::vector<ComponentInfo> list_strategies();
std::vector<ComponentInfo> list_problems();
// The settings of the part `ids` of an agent.
ComponentInfo describe_ids();
// The settings of the part `late` of a problem.
ComponentInfo describe_late();

struct Alias {
  std::string_view name;             // case-insensitive, hyphens optional for agents
  std::string_view spec;             // what it stands for
  std::string_view where;            // in the paper, or what it is
  std::string_view contextual = {};  // what it stands for with contexts, if different
  std::string_view by_id = {};       // and for actions that come and go by id, if different again
};
std::span<const Alias> agent_aliases();

// What people call a model or a strategy, and its name here. Capitals, hyphens and underscores do
// not matter in the names of models and strategies: LinUCB and lin-ucb are lin_ucb.
struct OtherName {
  std::string_view other, name;
};
std::span<const OtherName> other_component_names();
std::span<const Alias> problem_aliases();

}  // namespace sau
