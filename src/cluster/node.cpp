#include "cluster/node.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/completed_options.hpp"
#include "serve/decide.hpp"
#include "serve/policy.hpp"
#include "serve/replayer.hpp"
#include "serve/safe_note.hpp"

namespace sau::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kConfirmWait = 5s;

const Failure kNoModel{Failure::Code::kUnavailable,
                       "this node has no model yet: it waits for a trainer"};
const Failure kAtTrainer{Failure::Code::kConflict,
                         "a node has no log and does not learn: ask the trainer"};
const Failure kNotInCluster{Failure::Code::kConflict, "this call is not for clusters"};

Failure used_otherwise(const std::string& event_id) {
  return {Failure::Code::kConflict,
          fmt::format("the event id '{}' was used for another request", event_id), "eventId"};
}

std::filesystem::path spool_folder(const std::filesystem::path& folder) {
  if (std::filesystem::exists(settings_file(folder))) {
    throw UsageError(folder.string() +
                     ": the folder of a service or a trainer; a node needs one of its own");
  }
  return folder / "spool";
}

}  // namespace

NodeService::NodeService(ServiceOptions service, const ClusterOptions& cluster)
    : options_(completed(std::move(service))),
      names_(cluster.application),
      confirm_stream_(cluster.confirm_stream),
      session_(ids_.next().substr(0, 8)),
      order_([this](std::uint64_t number) { return link_->message(names_.stream, number); }),
      started_(options_.steady_clock()),
      spool_(spool_folder(options_.folder), {.note = options_.note}),
      node_(node_id(cluster.application)),
      inbox_(options_.folder, options_.agent, options_.seed, options_.clock, options_.note),
      shipper_(spool_, {.node = node_,
                        .append = [this](const std::string& id,
                                         std::string_view bytes) { return append(id, bytes); },
                        .shipped = [this](Sequence through) { confirm(through); },
                        .note = options_.note}),
      writer_(
          spool_, options_.queue, [this] { shipper_.wake(); }, options_.note) {
  link_ = std::make_unique<NatsLink>(NatsOptions{.servers = cluster.servers,
                                                 .name = "sau node " + node_,
                                                 .credentials = cluster.credentials,
                                                 .ca = cluster.ca,
                                                 .certificate = cluster.certificate,
                                                 .key = cluster.key,
                                                 .note = options_.note});
  if (const auto newest = inbox_.newest()) epoch_ = newest->epoch;
  // Everything is constructed: from here on threads may call each other.
  link_->subscribe(names_.model,
                   [this](std::string_view bytes, std::string_view) { inbox_.take(bytes); });
  link_->subscribe(names_.leader,
                   [this](std::string_view bytes, std::string_view) { heard_leader(bytes); });
  link_->subscribe(names_.nodes,
                   [this](std::string_view bytes, std::string_view) { heard_node(bytes); });
  try {
    writer_.start();
    shipper_.start();
    thread_ = std::thread([this] { run(); });
  } catch (...) {  // the system may have no more threads
    stop();        // those that were started use the link
    throw;
  }
}

std::string NodeService::node_id(const std::string& application) const {
  const auto file = options_.folder / "node.json";
  if (std::filesystem::exists(file)) {
    const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
    if (!json.is_object() || !json.contains("node") || !json["node"].is_string() ||
        !json.contains("application") || !json["application"].is_string()) {
      throw Error(file.string() + ": expected node and application");
    }
    if (json["application"] != application) {
      throw UsageError(fmt::format("{} is a node of the application '{}', not of '{}'",
                                   options_.folder.string(), json["application"].get<std::string>(),
                                   application));
    }
    return json["node"];
  }
  if (spool_.last() > 0) throw Error(file.string() + ": missing, though the spool has records");
  std::string id = EventIds().next().substr(0, 16);
  write_file(file,
             nlohmann::ordered_json{{"node", id}, {"application", application}}.dump() + "\n");
  return id;
}

std::optional<Failure> NodeService::closed() const {
  if (too_far_) {
    return Failure{Failure::Code::kUnavailable,
                   "the trainer has records of this node that its spool never had: the folder is "
                   "an old copy; begin a new one"};
  }
  constexpr Milliseconds kTwinHeard = 3000;
  if (twin_heard_ != 0 && options_.steady_clock() < twin_heard_ + kTwinHeard) {
    return kTwin;
  }
  if (!inbox_.newest()) return kNoModel;
  return std::nullopt;
}

std::string NodeService::agent() const {
  const auto newest = inbox_.newest();
  return newest ? newest->agent : "no model yet";
}

void NodeService::spool(const Spooled& spooled, Answer<Done> answer) {
  writer_.submit(encode(spooled), [this, answer = std::move(answer)](Result<Sequence> written) {
    if (!written.ok()) return answer(written.failure());
    if (!confirm_stream_) return answer(Done{});
    {
      const std::lock_guard lock(mutex_);
      if (!stopping_ && shipper_.shipped() < written.value()) {
        unconfirmed_.push_back({written.value(), Clock::now() + kConfirmWait, answer});
        return;
      }
    }
    answer(Done{});
  });
}

void NodeService::confirm(Sequence through) {
  std::vector<std::function<void(Status)>> confirmed;
  {
    const std::lock_guard lock(mutex_);
    while (!unconfirmed_.empty() && unconfirmed_.front().record <= through) {
      confirmed.push_back(std::move(unconfirmed_.front().answer));
      unconfirmed_.pop_front();
    }
  }
  for (const auto& each : confirmed) {
    call_safely(options_.note, "an answer could not be given: ", [&] { each(Done{}); });
  }
}

void NodeService::rank(std::string body, Answer<RankAnswer> answer) {
  if (auto failure = closed()) return answer(std::move(*failure));
  auto request = read_rank_request(body, options_.limits);
  if (!request.ok()) return answer(request.failure());
  if (request.value().event_id.empty()) {
    request.value().event_id = ids_.next();
  } else if (auto before = recent_.find(request.value().event_id)) {
    // A retry gets the same answer, whatever has been learned since.
    if (before->fingerprint == request.value().fingerprint) return answer(before->answer);
    return answer(used_otherwise(request.value().event_id));
  }
  const auto newest = inbox_.newest();
  RankOperation operation = decide(std::move(request).value(), std::move(body),
                                   newest->configuration, newest->model, newest->seed);
  SpooledDecision decision{std::move(operation.record)};
  operation.record.clear();
  spool(decision,
        [this, operation = std::move(operation), answer = std::move(answer)](const Status& status) {
          if (!status.ok()) return answer(status.failure());
          const auto& chosen = operation.answer.ranking[operation.answer.chosen];
          metrics_.ranked(operation.explored, operation.mode == LearningMode::kApprentice,
                          operation.agreed);
          activity_.ranked(options_.steady_clock(),
                           {operation.answer.event_id, chosen.id, options_.clock(),
                            chosen.probability, operation.answer.ranking.size(), operation.mode},
                           operation.explored, operation.agreed);
          const auto first = order_.first(operation.answer.event_id);
          if (!first) {
            recent_.add({operation.fingerprint, operation.answer});
            return answer(operation.answer);
          }
          // Only with --confirm stream: the first decision of this event in the stream. If it is of
          // another node, the trainer skips the one of this node.
          recent_.add(*first);
          if (first->fingerprint != operation.fingerprint) {
            return answer(used_otherwise(operation.answer.event_id));
          }
          answer(first->answer);
        });
}

void NodeService::reward(std::string_view event_id, std::string_view body, Answer<Done> answer) {
  if (auto failure = closed()) return answer(std::move(*failure));
  const auto value = read_reward_request(body);
  if (!value.ok()) return answer(value.failure());
  const auto bounded = bounded_reward(value.value(), inbox_.newest()->configuration);
  if (!bounded.ok()) {
    metrics_.refused_reward();
    return answer(bounded.failure());
  }
  const bool clipped = bounded.value() != value.value();
  spool(SpooledReward{std::string(event_id), bounded.value()},
        [this, clipped, answer = std::move(answer)](Status status) {
          if (status.ok()) {
            if (clipped) metrics_.clipped_reward();
            activity_.rewarded(options_.steady_clock());
          }
          answer(std::move(status));
        });
}

void NodeService::activate(std::string_view event_id, Answer<Done> answer) {
  if (auto failure = closed()) return answer(std::move(*failure));
  spool(SpooledActivation{std::string(event_id)}, std::move(answer));
}

Configuration NodeService::configuration() const {
  const auto newest = inbox_.newest();
  return newest ? newest->configuration : Configuration{};
}

void NodeService::configure(std::string_view json, Answer<Configuration> answer) {
  if (auto failure = closed()) return answer(std::move(*failure));
  const auto newest = inbox_.newest();
  const auto read = read_configuration(json, newest->configuration);
  if (!read.ok()) return answer(read.failure());
  if (auto wrong = check_rewards_of(*newest->model.agent, read.value())) {
    return answer(std::move(*wrong));
  }
  spool(SpooledConfiguration{std::string(json)},
        [answer = std::move(answer), value = read.value()](const Status& status) {
          if (!status.ok()) return answer(status.failure());
          answer(value);
        });
}

void NodeService::reset_model(Answer<Done> answer) {
  if (auto failure = closed()) return answer(std::move(*failure));
  spool(SpooledReset{}, std::move(answer));
}

std::string NodeService::model() const {
  const auto newest = inbox_.newest();
  return newest ? newest->bytes : "";
}

Policy NodeService::policy() const {
  Policy policy = configuration().policy;
  if (policy.agent.empty()) policy.agent = agent();
  return policy;
}

void NodeService::rank_slots(std::string_view, Answer<SlotsAnswer> answer) {
  answer(kNotInCluster);
}
void NodeService::reward_slots(std::string_view, std::string_view, Answer<Done> answer) {
  answer(kNotInCluster);
}
void NodeService::activate_slots(std::string_view, Answer<Done> answer) { answer(kNotInCluster); }
void NodeService::load_model(const std::string&, Answer<Done> answer) { answer(kNotInCluster); }
void NodeService::roll_back(Sequence, Answer<Done> answer) { answer(kNotInCluster); }
void NodeService::set_policy(std::string_view, Answer<Policy> answer) { answer(kNotInCluster); }
void NodeService::reset_policy(Answer<Policy> answer) { answer(kNotInCluster); }
void NodeService::apply_trained(const Policy&, Answer<Policy> answer) { answer(kNotInCluster); }
void NodeService::begin_trial(const GateRequest&, Answer<Done> answer) { answer(kNotInCluster); }
void NodeService::end_trial(GateOutcome, Answer<Done> answer) { answer(kNotInCluster); }
void NodeService::remove_log(Answer<Done> answer) { answer(kNotInCluster); }
Result<Erased> NodeService::erase(std::string_view) { return kNotInCluster; }
Result<std::string> NodeService::log_properties() const { return kAtTrainer; }
Result<std::string> NodeService::decision(std::string_view) const { return kAtTrainer; }

void NodeService::count_request(std::string_view what, int status, double seconds) {
  metrics_.request(what, status, seconds);
}
void NodeService::count_connections(
    std::size_t open, const std::vector<std::pair<std::string, std::uint64_t>>& dropped) {
  metrics_.connections(open, dropped);
}

bool NodeService::ready() const {
  return !closed() && !writer_.broken() && (!confirm_stream_ || (link_ && link_->connected()));
}

void NodeService::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  wake_.notify_one();
  writer_.stop();
  shipper_.stop();
  if (thread_.joinable()) thread_.join();
  link_.reset();
  inbox_.keep();
}

}  // namespace sau::detail
