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

// Everything that can be chosen by name. An agent is "model+strategy", each a spec; a strategy
// alone is joined with the first model of `sau list` that suits both it and the problem, and the
// paper's names are aliases for such strings:
//     sample_mean+sau_ucb(alpha=0.5)      sau_sampling      TS
// With a third part, "+ids(...)", the agent knows actions by id even where they are a fixed set, as
// the service does: hashed_linear+sau_sampling+ids.
// A problem is one spec, or two where its rewards come late: wheel+late(delay=100). Its actions are
// a fixed set (Problem), or they come and go by id (OfferProblem). What suits depends on whether
// the problem has contexts, and the paper uses some names twice, for multi-armed and for linear
// problems: both are decided by the length `dim` of the contexts. All functions throw UsageError
// for text they cannot read or names they do not know.

std::unique_ptr<AnyAgent> make_agent(std::string_view agent, const Setup& setup);
// The same agent for actions that come and go by id (agent/offer_agent.hpp). A model alone is
// joined with sau_sampling, and a strategy alone with the first joint model that fits. The stream's
// scope is the agent's, or the trial's.
std::unique_ptr<OfferAgent> make_offer_agent(std::string_view agent, std::uint64_t seed);
std::unique_ptr<OfferAgent> make_offer_agent(std::string_view agent, const Stream& stream);

// Whether the problem's actions come and go by id.
bool offers_by_id(std::string_view problem);
// `stream` names the trial; the problem's own draws (its setup) come from it. The first makes those
// with a fixed set of actions, the second the others; each throws UsageError for one of the other
// kind. Neither minds `late`: whoever plays the problem hands rewards back late (agent/late.hpp).
std::unique_ptr<Problem> make_problem(std::string_view problem, const Stream& stream);
std::unique_ptr<OfferProblem> make_offer_problem(std::string_view problem, const Stream& stream);

// When the problem's rewards arrive; and the spec of a problem whose rewards arrive so. The problem
// itself is not looked at: it may be one that the catalogue does not know.
Lateness lateness_of(std::string_view problem);
std::string with_lateness(std::string_view problem, const Lateness& late);

// The one way to write it: aliases expanded, defaults left out. Reads back to itself.
std::string canonical_agent(std::string_view agent, std::size_t dim = 0);
std::string canonical_offer_agent(std::string_view agent);
std::string canonical_problem(std::string_view problem);

// The paper's name where it has one, otherwise the canonical spec.
std::string agent_name(std::string_view agent, std::size_t dim = 0);
std::string offer_agent_name(std::string_view agent);
std::string problem_name(std::string_view problem);

// The streams of a trial. Those of the problem depend on the problem alone, so every agent meets
// the same one; those of the agent on both. They do not depend on when rewards arrive: what
// lateness costs shows by comparing trial by trial.
Stream problem_stream(std::string_view canonical_problem, std::uint64_t seed, std::uint64_t trial);
Stream agent_stream(std::string_view canonical_problem, std::string_view canonical_agent,
                    std::uint64_t seed, std::uint64_t trial);

struct ComponentInfo {
  std::string name, summary;
  std::vector<FieldInfo> settings;
  std::vector<std::string> fits;  // of a strategy: the models it can explore with
};
std::vector<ComponentInfo> list_models();
std::vector<ComponentInfo> list_strategies();
std::vector<ComponentInfo> list_problems();
// The settings of the part `ids` of an agent.
ComponentInfo describe_ids();
// The settings of the part `late` of a problem.
ComponentInfo describe_late();

struct Alias {
  std::string_view name;   // as the paper writes it; read in any case, hyphens optional for agents
  std::string_view spec;   // what it stands for
  std::string_view where;  // in the paper
  std::string_view contextual = {};  // what it stands for where contexts are, if another
};
std::span<const Alias> agent_aliases();
std::span<const Alias> problem_aliases();

}  // namespace sau
