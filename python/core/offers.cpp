// Agents to which actions are offered by id, each with its own features.
#include <pybind11/numpy.h>

#include <optional>

#include "agent.hpp"
#include "errors.hpp"
#include "offer.hpp"
#include "offer_choice.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/draw.hpp"

namespace sau::python {
namespace {

using Forecasts = std::pmr::vector<Forecast>;

Forecasts forecasts_of(const OfferCore& core, OfferArgument& offer) {
  Forecasts forecasts(offer.actions().size(), offer.memory());
  core.agent->decide(offer.context(), offer.actions(), std::nullopt, forecasts);
  return forecasts;
}

std::unique_ptr<OfferCore> made_offers(const std::string& spec, const Stream& stream) {
  return std::make_unique<OfferCore>(make_offer_agent(spec, stream),
                                     Rng(stream.with(Role::kAgent)));
}

}  // namespace

// Reading an offer may run the caller's code, which may replace the agent. So the functions below
// look up the agent afterwards.

py::object offer_numbers(const AgentHandle& handle, OfferNumber which, PyObject* context,
                         PyObject* actions, PyObject* excluded) {
  OfferArgument offer(context, actions, excluded);
  const Forecasts forecasts = forecasts_of(handle.offers(), offer);
  py::array_t<double> numbers(static_cast<py::ssize_t>(forecasts.size()));
  double* out = numbers.mutable_data();
  for (const Forecast& forecast : forecasts) {
    *out++ = which == OfferNumber::kValue         ? forecast.value
             : which == OfferNumber::kProbability ? forecast.probability
                                                  : forecast.spread;
  }
  return numbers;
}

PyObject* choose_offered(const AgentHandle& handle, PyObject* context, PyObject* actions,
                         PyObject* excluded) {
  OfferArgument offer(context, actions, excluded);
  OfferCore& core = handle.offers();
  const Forecasts forecasts = forecasts_of(core, offer);
  const std::size_t action = draw_from(forecasts, core.rng.uniform(), &Forecast::probability);
  ++core.turn;
  PyObject* choice = new_offer_choice(offer.id(action), action, forecasts[action].value,
                                      forecasts[action].probability, offer.context(),
                                      offer.actions()[action].features);
  if (choice == nullptr) throw py::error_already_set();
  return choice;
}

void learn_offered(const AgentHandle& handle, PyObject* given, double reward) {
  OfferCore& core = handle.offers();
  auto* choice = reinterpret_cast<OfferChoiceObject*>(given);
  refuse_second(choice->learned_by, core.number);
  core.agent->learn(choice->context(), choice->offered(), choice->value, reward,
                    choice->probability);
  choice->learned_by = core.number;
  ++core.turn;
}

py::bytes offer_state(const OfferCore& core) {
  StateWriter writer;
  writer("rng", core.rng);
  core.agent->save(writer);
  return py::bytes(writer.bytes());
}

std::unique_ptr<OfferCore> restored_offers(const std::string& spec, std::string_view state) {
  StateReader reader(state);
  Rng rng{Stream{}};
  reader("rng", rng);
  auto core = made_offers(spec, rng.stream());
  core->rng = rng;
  core->agent->load(reader);
  reader.finish();
  return core;
}

void define_offers(AgentClass& type) {
  using namespace py::literals;
  type.def(
          "_start_offers",
          [](AgentHandle& handle, const std::string& spec, std::uint64_t seed, std::uint64_t trial,
             std::uint64_t scope) {
            handle.adopt(made_offers(spec, {.seed = seed, .trial = trial, .scope = scope}));
          },
          "spec"_a, "seed"_a, "trial"_a, "scope"_a)
      .def(
          "_restore_offers",
          [](AgentHandle& handle, const std::string& spec, const py::bytes& state) {
            handle.adopt(restored_offers(spec, std::string_view(state)));
          },
          "spec"_a, "state"_a)
      .def_property_readonly("_has_offers",
                             [](const AgentHandle& handle) { return handle.has_offers(); });
}

}  // namespace sau::python
