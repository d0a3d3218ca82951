#include "sau/run/choice_log.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_text.hpp"
#include "run/game.hpp"
#include "sau/agent/play.hpp"

namespace sau {
namespace {

using detail::append_json;

// One line of the log: what was asked, what was chosen and what came of it.
class LineWriter {
 public:
  LineWriter(const std::function<void(const std::string&)>& write, const std::atomic<bool>* stop)
      : write_(write), stop_(stop) {}

  // `request` has the members contextFeatures, actions and maybe excludedActions, as JSON.
  bool put(std::string_view chosen, double reward, const std::vector<std::string>& ids,
           const std::vector<double>& chances, std::string_view request) {
    line_ = R"({"eventId":")" + std::to_string(++count_) + R"(","rewardActionId":)";
    append_json(line_, chosen);
    line_ += R"(,"reward":)";
    append_json(line_, reward);
    const char* before = R"(,"actions":[{"id":)";
    for (std::size_t i = 0; i < ids.size(); ++i) {
      line_ += before;
      append_json(line_, std::string_view(ids[i]));
      line_ += R"(,"probability":)";
      append_json(line_, chances[i]);
      before = R"(},{"id":)";
    }
    line_ += R"(}],"request":)";
    line_ += request;
    line_ += "}\n";
    write_(line_);
    return stop_ == nullptr || !*stop_;
  }

 private:
  const std::function<void(const std::string&)>& write_;
  const std::atomic<bool>* stop_;
  std::string line_;
  std::uint64_t count_ = 0;
};

// Agent and recorder of a trial with a fixed set of actions, as the simulation loop needs them.
class FixedLogger {
 public:
  FixedLogger(AnyAgent& agent, Problem& problem, LineWriter& out)
      : agent_(agent), out_(out), chances_(problem.shape().actions) {
    for (Action a = 0; a < problem.shape().actions; ++a) ids_.push_back(std::to_string(a));
  }

  Choice choose(Context x, Rng& rng) {
    agent_.probabilities(x, chances_);
    request_ = R"({"contextFeatures":[{)";
    for (std::size_t c = 0; c < x.size(); ++c) {
      request_ += (c == 0 ? "\"x" : ",\"x") + std::to_string(c) + "\":";
      append_json(request_, x[c]);
    }
    const char* before = R"(}],"actions":[{"id":")";
    for (const std::string& id : ids_) {
      request_ += before + id + "\"";
      before = R"(},{"id":")";
    }
    request_ += "}]}";
    return agent_.choose(x, rng);
  }
  void learn(Context x, Choice made, double reward) { agent_.learn(x, made, reward); }
  bool step(Action action, double reward, double) {
    return out_.put(ids_[action], reward, ids_, chances_, request_);
  }

 private:
  AnyAgent& agent_;
  LineWriter& out_;
  std::vector<std::string> ids_;
  std::vector<double> chances_;
  std::string request_;
};

// The same for actions that come and go; also the problem, which knows the request.
class OfferLogger {
 public:
  OfferLogger(OfferAgent& agent, OfferProblem& problem, LineWriter& out)
      : agent_(agent), player_(agent), problem_(problem), out_(out) {}

  Situation next(Rng& rng) {
    const Situation now = problem_.next(rng);
    request_ = problem_.request();
    return now;
  }
  double pull(Action action, Rng& rng) { return problem_.pull(action, rng); }
  double regret(Action action) const { return problem_.regret(action); }

  OfferedChoice choose(const Situation& now, Rng& rng) {
    forecasts_.resize(now.actions.size());
    agent_.decide(now.context, now.actions, std::nullopt, forecasts_);
    ids_.clear();
    chances_.clear();
    for (std::size_t i = 0; i < forecasts_.size(); ++i) {
      ids_.emplace_back(now.actions[i].id);
      chances_.push_back(forecasts_[i].probability);
    }
    return player_.choose(now, rng);
  }
  void learn(const Situation& now, OfferedChoice made, double reward) {
    player_.learn(now, made, reward);
  }
  bool step(Action action, double reward, double) {
    return out_.put(ids_[action], reward, ids_, chances_, request_);
  }

 private:
  OfferAgent& agent_;
  OfferPlayer player_;
  OfferProblem& problem_;
  LineWriter& out_;
  std::vector<Forecast> forecasts_;
  std::vector<std::string> ids_;
  std::vector<double> chances_;
  std::string request_;
};

void play_logged(AnyAgent& agent, Problem& problem, Streams& rng, std::uint64_t steps,
                 LineWriter& out) {
  FixedLogger logger(agent, problem, out);
  play(problem, logger, rng, steps, logger);
}
void play_logged(OfferAgent& agent, OfferProblem& problem, Streams& rng, std::uint64_t steps,
                 LineWriter& out) {
  OfferLogger logger(agent, problem, out);
  play(logger, logger, rng, steps, logger);
}

}  // namespace

bool log_trial(const Cell& cell, std::uint64_t seed, std::uint64_t trial,
               const std::function<void(const std::string&)>& write,
               const std::atomic<bool>* stop) {
  const GameStreams streams(cell, seed, trial);
  LineWriter out(write, stop);
  with_game(cell, streams, [&](auto& agent, auto& problem) {
    Streams rng = streams.begin();
    play_logged(agent, problem, rng, cell.steps, out);
  });
  return stop == nullptr || !*stop;
}

}  // namespace sau
