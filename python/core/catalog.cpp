// The catalogue: which components exist, and how their specs are written.
#include "sau/catalog/catalog.hpp"

#include <pybind11/stl.h>

#include "parts.hpp"
#include "sau/core/text.hpp"
#include "sau/core/version.hpp"
#include "sau/kernel/instruction_set.hpp"

namespace sau::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

py::list describe(const std::vector<ComponentInfo>& components) {
  py::list list;
  for (const ComponentInfo& component : components) {
    py::list settings;
    for (const FieldInfo& field : component.settings) {
      settings.append(py::dict("name"_a = field.name, "type"_a = field.type,
                               "default"_a = field.default_value, "range"_a = field.range,
                               "choices"_a = field.choices, "help"_a = field.help));
    }
    list.append(py::dict("name"_a = component.name, "summary"_a = component.summary,
                         "settings"_a = settings, "fits"_a = component.fits));
  }
  return list;
}

py::list describe(std::span<const Alias> aliases) {
  py::list list;
  for (const Alias& alias : aliases) {
    list.append(py::dict("name"_a = std::string(alias.name), "spec"_a = std::string(alias.spec),
                         "where"_a = std::string(alias.where),
                         "contextual"_a = std::string(alias.contextual),
                         "by_id"_a = std::string(alias.by_id)));
  }
  return list;
}

// [(name, [(key, value), ...]), ...]: the parts of an agent, or the one part of a problem.
std::vector<std::pair<std::string, Params>> split(const std::string& canonical) {
  std::vector<std::pair<std::string, Params>> parts;
  for (const std::string& part : split_specs(canonical, '+')) {
    Spec spec = parse_spec(part);
    parts.emplace_back(std::move(spec.name), std::move(spec.params));
  }
  return parts;
}

py::dict build_info() {
  return py::dict("version"_a = std::string(version()), "commit"_a = std::string(commit()),
                  "compiler"_a = std::string(compiler()),
                  "kernel"_a = std::string(instruction_set_name(instruction_set())));
}

py::dict problem_info(const std::string& text) {
  const auto describe_as = [&](const auto& problem, const Shape& shape) {
    const RewardRange rewards = problem.rewards();
    return py::dict("name"_a = problem_name(text), "spec"_a = canonical_problem(text),
                    "n_actions"_a = shape.actions, "context_dim"_a = shape.dim,
                    "reward_range"_a = py::make_tuple(rewards.min, rewards.max),
                    "default_steps"_a = problem.default_steps(), "data"_a = problem.data());
  };
  // If actions come and go by id, they have no fixed number.
  if (offers_by_id(text)) return describe_as(*make_offer_problem(text, {}), {.actions = 0});
  const auto problem = make_problem(text, {});
  return describe_as(*problem, problem->shape());
}

// The text to append to a problem's spec for rewards this late; empty if they are not late.
std::string late_text(const std::string& delay, double missing) {
  return with_lateness(
      "", read_options<Lateness>("run", {{"delay", delay}, {"missing", format_number(missing)}}));
}

}  // namespace

void define_catalog(py::module_& module) {
  module.def("models", [] { return describe(list_models()); })
      .def("strategies", [] { return describe(list_strategies()); })
      .def("problems", [] { return describe(list_problems()); })
      .def("ids", [] { return describe(std::vector{describe_ids()}); })
      .def("agent_aliases", [] { return describe(agent_aliases()); })
      .def("problem_aliases", [] { return describe(problem_aliases()); })
      .def(
          "canonical_agent",
          [](const std::string& text, std::size_t dim) { return canonical_agent(text, dim); },
          "text"_a, "context_dim"_a)
      .def(
          "canonical_offer_agent",
          [](const std::string& text) { return canonical_offer_agent(text); }, "text"_a)
      .def(
          "canonical_problem", [](const std::string& text) { return canonical_problem(text); },
          "text"_a)
      .def(
          "agent_name",
          [](const std::string& text, std::size_t dim) { return agent_name(text, dim); }, "text"_a,
          "context_dim"_a)
      .def("problem_info", &problem_info, "text"_a)
      .def("lateness", &late_text, "delay"_a, "missing"_a)
      .def("split", &split, "canonical"_a)
      .def(
          "write_value", [](const std::string& text) { return detail::write_value(text); },
          "text"_a)
      .def(
          "scope", [](const std::string& canonical) { return scope_of(canonical); }, "canonical"_a)
      .def("build_info", &build_info);
}

}  // namespace sau::python
