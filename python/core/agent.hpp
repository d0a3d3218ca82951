#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/core/error.hpp"
#include "sau/core/rng.hpp"

namespace sau::python {

namespace py = pybind11;

// A number that no other agent of this process has, for choices to remember who learned from them.
std::uint64_t new_agent_number() noexcept;

// Throws UsageError if the agent with this number has learned from a choice already.
void refuse_second(std::uint64_t learned_by, std::uint64_t agent);

// An agent, the generator it chooses with, and what Python needs to know besides. Choices hold it
// too, so that they can still work out their probability. It holds no Python objects.
struct AgentCore {
  AgentCore(std::unique_ptr<AnyAgent> made, const Rng& generator)
      : agent(std::move(made)), rng(generator) {}

  std::unique_ptr<AnyAgent> agent;
  Rng rng;
  std::uint64_t turn = 0;  // counts the changes of the agent: choices, rewards
  std::uint64_t number = new_agent_number();
  bool busy = false;  // in use by a thread that has released the interpreter's lock
};

// The same for an agent to which actions are offered by id. It runs with the interpreter's lock
// held, so it is never busy.
struct OfferCore {
  OfferCore(std::unique_ptr<OfferAgent> made, const Rng& generator)
      : agent(std::move(made)), rng(generator) {}

  std::unique_ptr<OfferAgent> agent;
  Rng rng;
  std::uint64_t turn = 0;
  std::uint64_t number = new_agent_number();
};

// The base of sau.Agent. It holds either an agent with a fixed set of actions, which is empty until
// the length of a context is known, or an agent to which actions are offered.
class AgentHandle {
 public:
  // The agent with a fixed set of actions. Throws Error while another thread uses it, UsageError if
  // there is none.
  AgentCore& core() const {
    if (!core_ || core_->busy) refuse();
    return *core_;
  }
  bool started() const noexcept { return core_ != nullptr; }
  const std::shared_ptr<AgentCore>& shared() const noexcept { return core_; }

  // The agent to which actions are offered. Throws UsageError if there is none.
  OfferCore& offers() const {
    if (!offers_) throw UsageError("the agent has a fixed set of actions; none can be offered");
    return *offers_;
  }
  bool has_offers() const noexcept { return offers_ != nullptr; }
  void adopt(std::unique_ptr<OfferCore> offers) {
    adopt(std::shared_ptr<AgentCore>());
    offers_ = std::move(offers);
  }

  void start(const std::string& spec, Action actions, std::size_t dim, const Stream& stream);
  // Throws Error while another thread uses the old one.
  void adopt(std::shared_ptr<AgentCore> core) {
    if (core_ && core_->busy) refuse();
    core_ = std::move(core);
    offers_.reset();
  }

 private:
  [[noreturn]] void refuse() const;

  std::shared_ptr<AgentCore> core_;
  std::unique_ptr<OfferCore> offers_;
};

// The handle inside a Python object of type sau.Agent; throws TypeError if its __init__ was not
// called. For methods that Python calls directly: pybind11's lookup takes longer than a decision.
AgentHandle& handle_in(PyObject* self);

// The agent of `self`. Starts it with contexts of length `dim` if it was not started yet.
AgentCore& begun(PyObject* self, std::size_t dim);

// `x` and `context` are two names for one argument: returns the one that was given. Throws
// TypeError if both were.
PyObject* one_context(PyObject* x, PyObject* context);
// For agents with a fixed set of actions: throws UsageError if actions were offered.
void refuse_offer(PyObject* actions, PyObject* excluded);

// A number for each of the offered actions; changes nothing.
enum class OfferNumber { kProbability, kValue, kSpread };
py::object offer_numbers(const AgentHandle& handle, OfferNumber which, PyObject* context,
                         PyObject* actions, PyObject* excluded);
// A new reference.
PyObject* choose_offered(const AgentHandle& handle, PyObject* context, PyObject* actions,
                         PyObject* excluded);
void learn_offered(const AgentHandle& handle, PyObject* choice, double reward);
// Bytes from which restored_offers() makes the same agent.
py::bytes offer_state(const OfferCore& core);
std::unique_ptr<OfferCore> restored_offers(const std::string& spec, std::string_view state);

using AgentClass = py::class_<AgentHandle>;

// The fast choose() and learn() of a single decision.
void define_decisions(AgentClass& type);
// Starting and restoring agents to which actions are offered.
void define_offers(AgentClass& type);
// Everything that takes rows of contexts.
void define_batches(AgentClass& type);
// What the agent knows: evidence, coefficients.
void define_knowledge(AgentClass& type);
// The type itself and the rest.
void define_agent(py::module_& module);

}  // namespace sau::python
