// What an agent knows, as arrays.
#include "sau/agent/knowledge.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "agent.hpp"
#include "errors.hpp"

namespace sau::python {
namespace {

py::array_t<double> array_of(const std::vector<double>& numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

// ([ids], [(name, numbers), ...])
py::tuple evidence_of(const AgentHandle& handle, std::size_t limit) {
  std::vector<std::string> ids;
  std::vector<ActionColumn> columns;
  if (handle.has_offers()) {
    const std::vector<ActionRecord> records = handle.offers().agent->actions(limit);
    for (const ActionRecord& record : records) ids.push_back(record.id);
    columns = evidence_columns(records);
  } else {
    const AnyAgent& agent = *handle.core().agent;
    for (Action a = 0; a < agent.shape().actions; ++a) ids.push_back(std::to_string(a));
    columns = agent.evidence();
  }
  py::list list;
  for (const ActionColumn& column : columns) {
    list.append(py::make_tuple(column.name, array_of(column.number)));
  }
  return py::make_tuple(ids, list);
}

// (slopes, intercepts)
py::tuple coefficients(const AgentHandle& handle) {
  if (handle.has_offers()) {
    throw Error(
        "coefficients: actions are offered by id, so contexts have no columns; only agents made "
        "with n_actions have coefficients");
  }
  AnyAgent& agent = *handle.core().agent;
  const Coefficients found = coefficients_of(agent);
  const py::array_t<double> slope(
      {static_cast<py::ssize_t>(found.intercept.size()), static_cast<py::ssize_t>(found.dim)},
      found.slope.data());
  return py::make_tuple(slope, array_of(found.intercept));
}

}  // namespace

void define_knowledge(AgentClass& type) {
  using namespace py::literals;
  type.def("_evidence", &evidence_of, "limit"_a)
      .def_property_readonly("_coefficients", &coefficients);
}

}  // namespace sau::python
