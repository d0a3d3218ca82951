#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cluster/trainer.hpp"

namespace sau::detail {

std::string Trainer::metrics() const {
  std::string text;
  const auto head = [&text](const char* name, const char* type, const char* help) {
    text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  };
  const auto add = [&](const char* name, const char* type, const char* help, auto value) {
    head(name, type, help);
    text += fmt::format("{} {}\n", name, value);
  };
  const auto& counts = feeder_.counts();
  const StreamPlace place = feeder_.place();
  add("sau_trainer_leads", "gauge", "Whether this trainer leads.", leadership_.leads() ? 1 : 0);
  add("sau_trainer_epoch", "gauge", "Counts the leaders.", leadership_.epoch());
  add("sau_trainer_fault", "gauge",
      "Whether this trainer can neither lead nor follow, or gave up the lead.",
      what_is_wrong().empty() ? 0 : 1);
  add("sau_stream_messages_total", "counter", "Messages taken, in the life of the log.",
      place.number);
  const StreamState stream = latest_look().stream.value_or(StreamState{});
  const std::uint64_t at = place.life == stream.created ? place.place : 0;
  add("sau_stream_lag", "gauge", "Messages in the stream that are not taken yet.",
      stream.last > at ? stream.last - at : 0);
  add("sau_stream_records_total", "counter", "Records of nodes that were logged.",
      counts.records.load());
  add("sau_stream_repeated_records_total", "counter", "Records that had been logged before.",
      counts.repeated_records.load());
  add("sau_stream_unreadable_total", "counter", "Messages and records that were skipped.",
      counts.unreadable.load());
  add("sau_repeated_decisions_total", "counter", "Decisions whose event id was there before.",
      counts.repeated_decisions.load());
  add("sau_contradicting_decisions_total", "counter", "Among them: other choices than the first.",
      counts.contradicting.load());
  add("sau_early_rewards_total", "counter", "Rewards that came before their decision.",
      counts.early.load());
  add("sau_early_rewards", "gauge", "Rewards that wait for their decision.",
      service_.early_rewards());
  add("sau_unknown_rewards_total", "counter", "Rewards whose decision never came.",
      counts.unknown.load());
  add("sau_given_up_records_total", "counter", "Records that were lost and given up (--lead).",
      counts.given_up.load());
  add("sau_refused_configurations_total", "counter", "Configurations that were wrong.",
      counts.refused.load());
  add("sau_models_compared_total", "counter", "Models compared with the leader's.",
      compared_.load());
  add("sau_models_different_total", "counter", "Models that were not the leader's.",
      different_.load());
  const auto positions = feeder_.positions();
  const std::lock_guard lock(mutex_);
  head("sau_node_model_version", "gauge", "The version of the model that a node uses.");
  for (const auto& [id, node] : nodes_) {
    text += fmt::format("sau_node_model_version{{node=\"{}\"}} {}\n", id, node.version);
  }
  head("sau_node_lag", "gauge", "Records of a node that are not logged yet.");
  for (const auto& [id, node] : nodes_) {
    const auto found = positions.find(id);
    const Sequence position = found == positions.end() ? 0 : found->second;
    text += fmt::format("sau_node_lag{{node=\"{}\"}} {}\n", id,
                        node.last > position ? node.last - position : 0);
  }
  return text;
}

std::string Trainer::members() const {
  using Json = nlohmann::ordered_json;
  const auto now = Clock::now();
  const auto ago = [now](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  const std::uint64_t number = feeder_.place().number;
  const std::string leader = leadership_.leader().trainer;
  const auto trainer = [&](const std::string& id, std::uint64_t messages, double heard) {
    return Json{{"id", id},
                {"leads", id == leader},
                {"this", id == leadership_.trainer()},
                {"messages", messages},
                {"heardSeconds", heard}};
  };
  Json trainers = Json::array({trainer(leadership_.trainer(), number, 0.0)});
  for (const auto& each : leadership_.others(now)) {
    trainers.push_back(trainer(each.trainer, each.number, ago(each.heard)));
  }
  Json nodes = Json::array();
  const auto positions = feeder_.positions();
  const std::string wrong = what_is_wrong();
  const std::lock_guard lock(mutex_);
  for (const auto& [id, node] : nodes_) {
    const auto found = positions.find(id);
    const Sequence position = found == positions.end() ? 0 : found->second;
    nodes.push_back({{"id", id},
                     {"host", node.host},
                     {"ready", node.ready},
                     {"ranks", node.ranks},
                     {"rewards", node.rewards},
                     {"modelVersion", node.version},
                     {"lag", node.last > position ? node.last - position : 0},
                     {"heardSeconds", ago(node.heard)}});
  }
  return Json{{"fault", wrong.empty() ? Json() : Json(wrong)},
              {"nodes", std::move(nodes)},
              {"trainers", std::move(trainers)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sau::detail
