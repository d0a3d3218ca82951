#include "agent.hpp"

#include <pybind11/stl/filesystem.h>

#include <atomic>
#include <filesystem>

#include "errors.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/catalog/snapshot.hpp"
#include "sau/core/archive.hpp"

namespace sau::python {
namespace {

// The state of an agent: everything to be saved besides its spec and shape.
py::bytes state_of(const AgentHandle& handle) {
  if (handle.has_offers()) return offer_state(handle.offers());
  const AgentCore& core = handle.core();
  StateWriter writer;
  writer("rng", core.rng);
  core.agent->save(writer);
  return py::bytes(writer.bytes());
}

void restore(AgentHandle& handle, const std::string& spec, Action actions, std::size_t dim,
             const py::bytes& state) {
  auto core = std::make_shared<AgentCore>(
      make_agent(spec, {.shape = {.actions = actions, .dim = dim}, .stream = {}}), Rng(Stream{}));
  StateReader reader{std::string_view(state)};
  reader("rng", core->rng);
  core->agent->load(reader);
  reader.finish();
  handle.adopt(std::move(core));
}

void copy_from(AgentHandle& handle, const AgentHandle& other) {
  if (other.has_offers()) {
    const OfferCore& offers = other.offers();
    auto copy = restored_offers(offers.agent->spec(), std::string_view(offer_state(offers)));
    copy->turn = offers.turn;
    return handle.adopt(std::move(copy));
  }
  if (!other.started()) return;
  const AgentCore& core = other.core();
  auto copy = std::make_shared<AgentCore>(core.agent->clone(), core.rng);
  copy->turn = core.turn;
  handle.adopt(std::move(copy));
}

void load_file(AgentHandle& handle, const std::filesystem::path& path) {
  auto saved = load_any_agent(path);
  if (auto* offers = std::get_if<SavedOfferAgent>(&saved)) {
    return handle.adopt(std::make_unique<OfferCore>(std::move(offers->agent), offers->rng));
  }
  auto& fixed = std::get<SavedAgent>(saved);
  handle.adopt(std::make_shared<AgentCore>(std::move(fixed.agent), fixed.rng));
}

void save_file(const AgentHandle& handle, const std::filesystem::path& path) {
  if (handle.has_offers()) {
    return save_agent(path, *handle.offers().agent, handle.offers().rng);
  }
  save_agent(path, *handle.core().agent, handle.core().rng);
}

// Calls f with the agent, of either kind.
template <class F>
auto with_agent(const AgentHandle& handle, F&& f) {
  return handle.has_offers() ? f(*handle.offers().agent) : f(*handle.core().agent);
}

py::object fault_of(const AgentHandle& handle) {
  if (!handle.started() && !handle.has_offers()) return py::none();
  const std::string fault = with_agent(handle, [](const auto& agent) { return agent.fault(); });
  return fault.empty() ? py::object(py::none()) : py::str(fault);
}

// [(spec, weight, fault), ...] of a committee.
std::vector<std::tuple<std::string, double, std::string>> members_of(const AgentHandle& handle) {
  std::vector<std::tuple<std::string, double, std::string>> members;
  if (!handle.started() && !handle.has_offers()) return members;
  for (const MemberRecord& member :
       with_agent(handle, [](const auto& agent) { return agent.members(); })) {
    members.emplace_back(member.spec, member.weight, member.fault);
  }
  return members;
}

py::object shape_of(const AgentHandle& handle) {
  if (!handle.started()) return py::none();
  const Shape shape = handle.shared()->agent->shape();
  return py::make_tuple(shape.actions, shape.dim);
}

void merge(AgentHandle& handle, const AgentHandle& other) {
  AgentCore& core = handle.core();
  as_usage([&] { core.agent->merge(*other.core().agent); });
  ++core.turn;
}

std::uint64_t turn_of(const AgentHandle& handle) {
  if (handle.has_offers()) return handle.offers().turn;
  return handle.started() ? handle.shared()->turn : 0;
}

py::tuple stream_of(const AgentHandle& handle) {
  const Stream& stream =
      handle.has_offers() ? handle.offers().rng.stream() : handle.core().rng.stream();
  return py::make_tuple(stream.seed, stream.trial, stream.scope);
}

}  // namespace

std::uint64_t new_agent_number() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

void refuse_second(std::uint64_t learned_by, std::uint64_t agent) {
  if (learned_by != agent) return;
  throw UsageError(
      "learn: the agent has learned from this choice already; a reward counts once. To learn from "
      "it again on purpose, make another choice from its parts");
}

void AgentHandle::start(const std::string& spec, Action actions, std::size_t dim,
                        const Stream& stream) {
  adopt(std::make_shared<AgentCore>(make_agent(spec, {.shape = {.actions = actions, .dim = dim},
                                                      .stream = stream.with(Role::kModel)}),
                                    Rng(stream.with(Role::kAgent))));
}

void AgentHandle::refuse() const {
  if (offers_) {
    throw UsageError(
        "the agent was made without n_actions: it has no fixed set of actions, so every call must "
        "offer some, choose(context={...}, actions=[...])");
  }
  if (!core_) {
    throw UsageError(
        "the agent has seen no context yet, so the length of a context is not known; give "
        "context_dim");
  }
  throw Error("the agent is at work in another thread; give every thread its own agent");
}

void define_agent(py::module_& module) {
  using namespace py::literals;
  AgentClass type(module, "Agent", "The part of sau.Agent that is written in C++.");
  type.def(py::init<>())
      .def(
          "_start",
          [](AgentHandle& handle, const std::string& spec, Action actions, std::size_t dim,
             std::uint64_t seed, std::uint64_t trial, std::uint64_t scope) {
            handle.start(spec, actions, dim, {.seed = seed, .trial = trial, .scope = scope});
          },
          "spec"_a, "n_actions"_a, "context_dim"_a, "seed"_a, "trial"_a, "scope"_a)
      .def("_copy_from", &copy_from, "other"_a)
      .def(
          "_take", [](AgentHandle& handle, AgentHandle& other) { handle.adopt(other.shared()); },
          "other"_a)
      .def("_state", &state_of)
      .def("_restore", &restore, "spec"_a, "n_actions"_a, "context_dim"_a, "state"_a)
      .def("_load", &load_file, "path"_a)
      .def("_save", &save_file, "path"_a)
      .def("_merge", &merge, "other"_a)
      .def_property_readonly("_spec",
                             [](const AgentHandle& handle) {
                               return with_agent(handle,
                                                 [](const auto& agent) { return agent.spec(); });
                             })
      .def_property_readonly("_shape", &shape_of)
      .def_property_readonly("_stream", &stream_of)
      .def_property_readonly("_turn", &turn_of)
      .def_property_readonly("_reward_range",
                             [](const AgentHandle& handle) {
                               const RewardRange range = with_agent(
                                   handle, [](const auto& agent) { return agent.rewards(); });
                               return py::make_tuple(range.min, range.max);
                             })
      .def_property_readonly("_fault", &fault_of)
      .def_property_readonly("_members", &members_of);
  define_decisions(type);
  define_offers(type);
  define_batches(type);
  define_knowledge(type);
}

}  // namespace sau::python
