// Methods of agents that take rows of contexts.
#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent.hpp"
#include "arrays.hpp"
#include "errors.hpp"
#include "unlocked.hpp"

namespace sau::python {
namespace {

using Rows = py::array_t<double>;

std::size_t actions_in(const AgentCore& core) { return core.agent->shape().actions; }

py::ssize_t as_size(std::size_t size) { return static_cast<py::ssize_t>(size); }

// Checked, since Python lets a method be called with anything as self.
AgentCore& agent_of(py::handle self, std::size_t dim) {
  if (!py::isinstance<AgentHandle>(self)) throw py::type_error("self is not a sau.Agent");
  return begun(self.ptr(), dim);
}

// The agent of `self` for these contexts.
AgentCore& agent_for(py::handle self, const Matrix& contexts) {
  AgentCore& core = agent_of(self, contexts.columns());
  contexts.check(core.agent->shape().dim);
  return core;
}

// A row of numbers for one context, a matrix for many; fill(core, x, out) writes one row.
template <class F>
Rows per_context(py::handle self, py::handle x, const char* name, F&& fill) {
  return as_usage([&]() -> Rows {
    Context row;
    std::optional<Doubles> numbers;
    if (!x.is_none() && !is_plain_row(x.ptr(), row)) numbers = doubles_of(x, name);
    if (!numbers || numbers->ndim() == 1) {
      if (numbers) row = span_of(*numbers);
      AgentCore& core = agent_of(self, row.size());
      Rows out(as_size(actions_in(core)));
      fill(core, row, std::span(out.mutable_data(), actions_in(core)));
      return out;
    }
    const Matrix contexts(*numbers, name);
    AgentCore& core = agent_for(self, contexts);
    const std::size_t actions = actions_in(core);
    Rows out({as_size(contexts.rows()), as_size(actions)});
    double* to = out.mutable_data();
    for_rows_unlocked(core, contexts.rows(), [&](std::size_t i) {
      fill(core, contexts.row(i), std::span(to + i * actions, actions));
    });
    return out;
  });
}

// The same numbers, for an agent with a fixed set of actions or for actions that are offered.
template <class F>
py::object numbers_of(py::handle self, OfferNumber which, py::handle x, py::handle actions,
                      py::handle context, py::handle excluded, F&& fill) {
  if (!py::isinstance<AgentHandle>(self)) throw py::type_error("self is not a sau.Agent");
  const py::handle given = one_context(x.ptr(), context.ptr());
  const AgentHandle& handle = handle_in(self.ptr());
  if (handle.has_offers()) {
    return as_usage(
        [&] { return offer_numbers(handle, which, given.ptr(), actions.ptr(), excluded.ptr()); });
  }
  refuse_offer(actions.ptr(), excluded.ptr());
  const char* name = which == OfferNumber::kValue         ? "values"
                     : which == OfferNumber::kProbability ? "probabilities"
                                                          : "uncertainty";
  return per_context(self, given, name, std::forward<F>(fill));
}

py::object probabilities(py::handle self, py::handle x, py::handle actions, py::handle context,
                         py::handle excluded) {
  return numbers_of(self, OfferNumber::kProbability, x, actions, context, excluded,
                    [](AgentCore& core, Context row, std::span<double> out) {
                      core.agent->probabilities(row, out);
                    });
}

py::object values(py::handle self, py::handle x, py::handle actions, py::handle context,
                  py::handle excluded) {
  return numbers_of(self, OfferNumber::kValue, x, actions, context, excluded,
                    [](AgentCore& core, Context row, std::span<double> out) {
                      std::ranges::copy(core.agent->values(row), out.begin());
                    });
}

py::object uncertainty(py::handle self, py::handle x, py::handle actions, py::handle context,
                       py::handle excluded) {
  return numbers_of(self, OfferNumber::kSpread, x, actions, context, excluded,
                    [](AgentCore& core, Context row, std::span<double> out) {
                      std::ranges::copy(core.agent->uncertainty(row), out.begin());
                    });
}

// (actions, values, probabilities or None, the contexts as they were used)
py::tuple choose_batch(py::handle self, py::handle x, bool wants_probability) {
  return as_usage([&] {
    const Matrix contexts(x, "choose_batch");
    AgentCore& core = agent_for(self, contexts);
    const py::ssize_t rows = as_size(contexts.rows());
    py::array_t<std::int64_t> actions(rows);
    Rows predicted(rows), chance(wants_probability ? rows : 0);
    std::vector<double> chances(wants_probability ? actions_in(core) : 0);
    std::int64_t* action = actions.mutable_data();
    double* value = predicted.mutable_data();
    double* probability = chance.mutable_data();
    ++core.turn;
    for_rows_unlocked(core, contexts.rows(), [&](std::size_t i) {
      const Context context = contexts.row(i);
      if (wants_probability) core.agent->probabilities(context, chances);
      const Choice made = core.agent->choose(context, core.rng);
      action[i] = made.action;
      value[i] = made.value;
      if (wants_probability) probability[i] = chances[made.action];
    });
    const py::object chance_or_none = wants_probability ? py::object(chance) : py::none();
    return py::make_tuple(actions, predicted, chance_or_none, contexts.array());
  });
}

// Which agent has learned from the rows of a batch, and how many of them: the list that the batch
// keeps for this. It is brought up to date when this is destroyed, also by an exception.
class Learned {
 public:
  Learned(py::list kept, const AgentCore& core, std::size_t rows)
      : kept_(std::move(kept)), agent_(core.number) {
    if (kept_[0].cast<std::uint64_t>() != agent_) return;
    count = kept_[1].cast<std::size_t>();
    if (count >= rows) {
      throw UsageError(
          "learn_batch: the agent has learned from these choices already; a reward counts once");
    }
  }
  Learned(const Learned&) = delete;
  Learned& operator=(const Learned&) = delete;
  ~Learned() {
    kept_[0] = agent_;
    kept_[1] = count;
  }

  std::size_t count = 0;

 private:
  py::list kept_;
  std::uint64_t agent_;
};

// Checks all rows before it learns, so if one is wrong it learns none. Ctrl-C ends it between two
// rows; called again, it goes on there.
void learn_batch(py::handle self, py::handle x, py::handle actions, py::handle predicted,
                 py::handle rewards, const py::list& kept) {
  as_usage([&] {
    const Matrix contexts(x, "contexts");
    AgentCore& core = agent_for(self, contexts);
    const auto action =
        actions_of(actions, contexts.rows(), core.agent->shape().actions, "actions");
    const Doubles value = column_of(predicted, contexts.rows(), "values");
    const Doubles reward = column_of(rewards, contexts.rows(), "rewards");
    check_rewards(span_of(reward), core.agent->rewards());
    check_rewards(span_of(value), {});
    Learned learned(kept, core, contexts.rows());
    ++core.turn;
    const double* made = value.data();
    const double* received = reward.data();
    for_rows_unlocked(core, contexts.rows() - learned.count, [&](std::size_t) {
      const std::size_t i = learned.count++;
      core.agent->learn(contexts.row(i), {action[i], made[i]}, received[i]);
    });
  });
}

// The rows of a log in order, each as often as its weight says. What a weight has besides a whole
// number is the chance of once more, drawn from the generator.
std::vector<std::size_t> weighted_rows(std::span<const double> weights, Rng& rng) {
  constexpr double kMost = 1e15;  // far more than fit into memory
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double times = std::floor(weights[i]);
    if (weights[i] > times && rng.uniform() < weights[i] - times) ++times;
    order.insert(order.end(), static_cast<std::size_t>(std::min(times, kMost)), i);
  }
  return order;
}

// Learns the rows of a log in order, as if the agent had made these choices itself, with the values
// it would have predicted. Draws on the way come from a copy of its generator. The draws for the
// weights come from the generator itself, so they go on in the next call. The weights are None or
// one per row, at least 0 and finite.
void learn_logged(py::handle self, py::handle x, py::handle actions, py::handle rewards,
                  py::handle weights) {
  as_usage([&] {
    const Matrix contexts(x, "X");
    AgentCore& core = agent_for(self, contexts);
    const auto action =
        actions_of(actions, contexts.rows(), core.agent->shape().actions, "actions");
    const Doubles reward = column_of(rewards, contexts.rows(), "rewards");
    check_rewards(span_of(reward), core.agent->rewards());
    Rng rng = core.rng;
    std::vector<std::size_t> order;
    if (!weights.is_none()) {
      order = weighted_rows(span_of(column_of(weights, contexts.rows(), "sample_weight")), rng);
      core.rng = rng;
    }
    ++core.turn;
    const double* received = reward.data();
    const bool weighted = !weights.is_none();
    for_rows_unlocked(core, weighted ? order.size() : contexts.rows(), [&](std::size_t step) {
      const std::size_t i = weighted ? order[step] : step;
      const Context context = contexts.row(i);
      core.agent->choose(context, rng);  // counts the step
      const double value = core.agent->values(context)[action[i]];
      core.agent->learn(context, {action[i], value}, received[i]);
    });
  });
}

constexpr const char* kProbabilitiesDoc =
    "The exact chance of every action in the next ``choose``; changes nothing.\n\n"
    "Parameters\n"
    "----------\n"
    "x : array_like, or dict of features, optional\n"
    "    One context, or many as rows of a matrix; nothing for an agent without contexts.\n"
    "actions, context, excluded\n"
    "    As in ``choose``, for an agent to which actions are offered.\n\n"
    "Returns\n"
    "-------\n"
    "ndarray of shape (n_actions,) or (n_contexts, n_actions)\n\n"
    "Examples\n"
    "--------\n"
    ">>> import sau\n"
    ">>> agent = sau.Agent(\"epsilon_greedy\", n_actions=4, epsilon=0.2)\n"
    ">>> agent.probabilities().round(12).tolist()\n"
    "[0.85, 0.05, 0.05, 0.05]\n";

constexpr const char* kValuesDoc =
    "The reward predicted for every action; changes nothing.\n\n"
    "Parameters\n"
    "----------\n"
    "x : array_like, or dict of features, optional\n"
    "    One context, or many as rows of a matrix; nothing for an agent without contexts.\n"
    "actions, context, excluded\n"
    "    As in ``choose``, for an agent to which actions are offered.\n\n"
    "Returns\n"
    "-------\n"
    "ndarray of shape (n_actions,) or (n_contexts, n_actions)\n\n"
    "Examples\n"
    "--------\n"
    ">>> import sau\n"
    ">>> sau.Agent(\"sau_ucb\", n_actions=2).values().tolist()\n"
    "[0.0, 0.0]\n";

constexpr const char* kUncertaintyDoc =
    "How unsure the agent is of the mean reward of every action; changes nothing.\n\n"
    "It is what the strategy explores by: ``sqrt(S2) / n`` for the SAU strategies, ``1 / "
    "sqrt(n)``\n"
    "for ``ucb1`` and ``kl_ucb``. Otherwise it is what the model says of itself: how far the\n"
    "members of a committee or bootstrap differ, the standard deviation of a posterior, or\n"
    "``sqrt(x' A^-1 x)`` of a regression. It is infinite for an action that must be tried first.\n"
    "If actions are offered, it is ``sqrt(S2) / n`` of their ids.\n\n"
    "Parameters\n"
    "----------\n"
    "x : array_like, or dict of features, optional\n"
    "    One context, or many as rows of a matrix; nothing for an agent without contexts.\n"
    "actions, context, excluded\n"
    "    As in ``choose``, for an agent to which actions are offered.\n\n"
    "Returns\n"
    "-------\n"
    "ndarray of shape (n_actions,) or (n_contexts, n_actions)\n\n"
    "Raises\n"
    "------\n"
    "UsageError\n"
    "    If neither the strategy nor the model keeps such a number, as ``greedy`` with\n"
    "    ``sample_mean``.\n\n"
    "Examples\n"
    "--------\n"
    ">>> import sau\n"
    ">>> agent = sau.Agent(\"sau_ucb\", n_actions=2)\n"
    ">>> for reward in (1.0, 0.0, 1.0):\n"
    "...     agent.learn(agent.choose(), reward)\n"
    ">>> agent.uncertainty().round(3).tolist()\n"
    "[0.707, 1.0]\n";

}  // namespace

void define_batches(AgentClass& type) {
  using namespace py::literals;
  const auto define = [&type](const char* name, auto function, const char* doc) {
    type.def(name, function, "x"_a = py::none(), "actions"_a = py::none(), py::kw_only(),
             "context"_a = py::none(), "excluded"_a = py::none(), doc);
  };
  define("probabilities", &probabilities, kProbabilitiesDoc);
  define("values", &values, kValuesDoc);
  define("uncertainty", &uncertainty, kUncertaintyDoc);
  type.def("_choose_batch", &choose_batch, "x"_a, "probability"_a)
      .def("_learn_batch", &learn_batch, "x"_a, "actions"_a, "values"_a, "rewards"_a, "learned"_a)
      .def("_learn_logged", &learn_logged, "x"_a, "actions"_a, "rewards"_a, "weights"_a);
}

}  // namespace sau::python
