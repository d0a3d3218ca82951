#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/play.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

// Everything that can be chosen by name. An agent is "model+strategy", each a spec; a strategy
// alone is joined with the first model of `sau list` that suits both it and the problem, and the
// paper's names are aliases for such strings:
//     sample_mean+sau_ucb(alpha=0.5)      sau_sampling      TS
// What suits depends on whether the problem has contexts, and the paper uses some names twice, for
// multi-armed and for linear problems: both are decided by the length `dim` of the contexts.
// All functions throw UsageError for text they cannot read or names they do not know.

std::unique_ptr<AnyAgent> make_agent(std::string_view agent, const Setup& setup);
// `stream` names the trial; the problem's own draws (its setup) come from it.
std::unique_ptr<Problem> make_problem(std::string_view problem, const Stream& stream);

// The one way to write it: aliases expanded, defaults left out. Reads back to itself.
std::string canonical_agent(std::string_view agent, std::size_t dim = 0);
std::string canonical_problem(std::string_view problem);

// The paper's name where it has one, otherwise the canonical spec.
std::string agent_name(std::string_view agent, std::size_t dim = 0);
std::string problem_name(std::string_view problem);

// The streams of a trial. Those of the problem depend on the problem alone, so every agent meets
// the same one; those of the agent on both.
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
// What a joint agent (agent/joint_agent.hpp) is made of.
std::vector<ComponentInfo> list_joint_models();
std::vector<ComponentInfo> list_joint_strategies();

struct Alias {
  std::string_view name;   // as the paper writes it; read in any case, hyphens optional for agents
  std::string_view spec;   // what it stands for
  std::string_view where;  // in the paper
  std::string_view contextual = {};  // what it stands for where contexts are, if another
};
std::span<const Alias> agent_aliases();
std::span<const Alias> problem_aliases();

}  // namespace sau
