#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sau/agent/any_agent.hpp"
#include "sau/core/rng.hpp"

namespace sau::python {

namespace py = pybind11;

// An agent, the generator it chooses with, and what Python has to know besides. Choices hold it,
// too, so that they can still say how likely they were; it holds nothing of Python's.
struct AgentCore {
  AgentCore(std::unique_ptr<AnyAgent> made, const Rng& generator)
      : agent(std::move(made)), rng(generator) {}

  std::unique_ptr<AnyAgent> agent;
  Rng rng;
  std::uint64_t turn = 0;  // counts what changes the agent: choices, rewards
  bool busy = false;       // at work without the interpreter's lock
};

// The base of sau.Agent. Empty until its shape is known.
class AgentHandle {
 public:
  // Throws Error while another thread has it at work, UsageError where there is none yet.
  AgentCore& core() const {
    if (!core_ || core_->busy) refuse();
    return *core_;
  }
  bool started() const noexcept { return core_ != nullptr; }
  const std::shared_ptr<AgentCore>& shared() const noexcept { return core_; }

  void start(const std::string& spec, Action actions, std::size_t dim, const Stream& stream);
  // Throws Error while another thread has the old one at work.
  void adopt(std::shared_ptr<AgentCore> core) {
    if (core_ && core_->busy) refuse();
    core_ = std::move(core);
  }

 private:
  [[noreturn]] void refuse() const;

  std::shared_ptr<AgentCore> core_;
};

// The handle inside a Python object of type sau.Agent; throws TypeError when its __init__ was not
// called. For methods that Python calls directly: pybind11's own way takes longer than a decision.
AgentHandle& handle_in(PyObject* self);

// The agent of `self`, which is begun with contexts of length `dim` if it has not been.
AgentCore& begun(PyObject* self, std::size_t dim);

using AgentClass = py::class_<AgentHandle>;

// choose() and learn(), one at a time: the quick ones.
void define_decisions(AgentClass& type);
// Everything over rows of contexts.
void define_batches(AgentClass& type);
// The type itself and the rest.
void define_agent(py::module_& module);

}  // namespace sau::python
