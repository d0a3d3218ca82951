#include <fmt/format.h>

#include <algorithm>

#include "cluster/node.hpp"
#include "serve/describe.hpp"
#include "serve/model_file.hpp"

namespace sau::detail {

std::string NodeService::model_properties() const {
  const auto newest = inbox_.newest();
  if (!newest) return "{}";
  return describe_model({.agent = newest->agent,
                         .version = newest->model.version,
                         .events = newest->model.agent->learned(),
                         .published = newest->model.time,
                         .now = options_.clock(),
                         .checksum = model_checksum(newest->bytes)});
}

Result<std::string> NodeService::history(std::string_view span) const {
  return describe_history(activity_, span, {options_.clock(), options_.steady_clock()});
}

std::string NodeService::status() const {
  const auto newest = inbox_.newest();
  ServiceView view{.agent = agent(),
                   .mode = configuration().learning_mode,
                   .ready = ready(),
                   .now = {options_.clock(), options_.steady_clock()},
                   .started = started_,
                   .totals = metrics_.totals(),
                   .waiting = spool_.last() + 1 - spool_.first(),
                   .log_bytes = spool_.bytes(),
                   .fault = {}};
  if (newest) {
    const OfferAgent& agent = *newest->model.agent;
    view.version = newest->model.version;
    view.events = agent.learned();
    view.published = newest->model.time;
    view.known_actions = agent.action_count();
    view.fault = agent.fault();
    view.members = agent.members();
    constexpr std::size_t kActions = 50;
    view.shares = activity_.shares(kActions);
    view.actions = records_of(agent, view.shares, kActions);
  }
  return describe_status(view, activity_, nullptr);
}

std::string NodeService::metrics() const {
  const auto newest = inbox_.newest();
  std::string text = metrics_.text(
      {.queued = static_cast<double>(writer_.queued()),
       .waiting = static_cast<double>(spool_.last() + 1 - spool_.first()),
       .model_version = newest ? static_cast<double>(newest->model.version) : 0.0,
       .model_age =
           newest ? static_cast<double>(options_.clock() - newest->model.time) / 1000.0 : 0.0,
       .model_events = newest ? static_cast<double>(newest->model.agent->learned()) : 0.0,
       .log_bytes = static_cast<double>(spool_.bytes()),
       .actions = newest ? static_cast<double>(newest->model.agent->action_count()) : 0.0,
       .writable = writer_.broken() ? 0.0 : 1.0});
  const auto add = [&text](const char* name, const char* type, const char* help, double value) {
    text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n{0} {3}\n", name, type, help, value);
  };
  const auto number = [](auto value) { return static_cast<double>(value); };
  add("sau_spool_records", "gauge", "Records that the trainer's log does not have yet.",
      number(spool_.last() + 1 - spool_.first()));
  add("sau_spool_unshipped", "gauge", "Records that the stream has not confirmed yet.",
      number(spool_.last() - std::min(spool_.last(), shipper_.shipped())));
  add("sau_spool_bytes", "gauge", "Size of the spool's files.", number(spool_.bytes()));
  add("sau_ship_failures_total", "counter", "Messages that the stream did not confirm.",
      number(shipper_.failures()));
  add("sau_ship_rewinds_total", "counter", "How often lost records were shipped again.",
      number(shipper_.rewound()));
  add("sau_models_refused_total", "counter", "Published models that this node does not use.",
      number(inbox_.refused()));
  add("sau_leader_age_seconds", "gauge", "Since a leading trainer was heard; -1: never.",
      leader_heard_ == 0 ? -1.0 : number(options_.steady_clock() - leader_heard_.load()) / 1000.0);
  add("sau_nats_connected", "gauge", "Whether NATS is connected.",
      link_ && link_->connected() ? 1.0 : 0.0);
  return text;
}

}  // namespace sau::detail
