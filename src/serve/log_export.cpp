#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/configuration.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/decision_text.hpp"
#include "serve/model_file.hpp"
#include "serve/ordered_formatter.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau {
namespace {

// Events that one thread turns into lines.
struct Events {
  std::vector<std::pair<std::string, EventState>> list;  // encoded decisions
  std::size_t bytes = 0;                                 // total size of the decisions

  bool full() const noexcept {
    constexpr std::size_t kEvents = 256, kBytes = 1'048'576;
    return list.size() >= kEvents || bytes >= kBytes;
  }
};

// The members of the committees that made the decisions of a log. An export does not need the
// agents: if this program does not know one, its members stay without names.
class MemberNames {
 public:
  MemberNames(const std::filesystem::path& folder, const EventStore& store)
      : settings_(detail::read_folder(folder)) {
    add(0, store.base().last == 0 ? settings_.agent : agent_of_base(folder));
    good(store.entries(store.base().last + 1, [this](Sequence sequence, const Entry& entry) {
      if (entry.kind != EntryKind::kConfigured) return true;
      const Policy policy = good(read_stored_configuration(entry.text, {})).policy;
      add(sequence, policy.agent.empty() ? settings_.agent : policy.agent);
      return true;
    }));
  }

  // Of the model of this version: that of a new policy comes after the configuration that names it.
  std::span<const MemberRecord> of(Sequence version) const {
    return std::prev(since_.upper_bound(version))->second;
  }

 private:
  // That of the model in place of the beginning of the log, which was removed.
  static std::string agent_of_base(const std::filesystem::path& folder) {
    const auto base = detail::base_file(folder);
    try {
      return detail::agent_of(detail::read_model_head(read_file(base), base.string()).schema);
    } catch (const Error&) {
      return "";
    }
  }

  void add(Sequence from, const std::string& agent) {
    if (from > 0 && agent == latest_) return;
    latest_ = agent;
    std::vector<MemberRecord>& members = since_[from];
    try {
      members = make_offer_agent(agent, settings_.seed)->members();
    } catch (const Error&) {
      members.clear();
    }
  }

  detail::FolderSettings settings_;
  std::map<Sequence, std::vector<MemberRecord>> since_;
  std::string latest_;
};

std::string lines_of(const Events& events, LogFormat format, const MemberNames* names) {
  detail::RequestOutline outline;
  detail::VwFeatures features;
  std::string lines;
  for (const auto& [bytes, state] : events.list) {
    const Decision decision = good(decode_decision(bytes));
    good(detail::read_outline(decision, outline));
    if (format == LogFormat::kDsjson) {
      detail::append_dsjson(lines, decision, state, outline, features);
    } else {
      detail::append_decision(
          lines, decision, state, outline,
          {.deadline = {}, .request = true, .members = names->of(decision.model_version)});
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace

ExportCount export_log(const std::filesystem::path& folder, LogFormat format,
                       const std::function<void(const std::string& lines)>& write,
                       unsigned threads) {
  detail::read_folder(folder);
  const auto store =
      open_event_store(detail::log_folder(folder), {.read_only = true, .verify = false});
  std::optional<MemberNames> names;
  if (format == LogFormat::kJsonLines) names.emplace(folder, *store);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  detail::OrderedFormatter<Events> formatter(
      threads,
      [&](const Events& events) { return lines_of(events, format, names ? &*names : nullptr); },
      write);
  ExportCount count;
  Events events;
  good(store->events(0, store->head().last, [&](const LoggedEvent& event) {
    const bool has_label = detail::has_outcome(event.state) && !event.state.struck;
    if (format == LogFormat::kDsjson && !has_label) {
      ++count.left_out;
      return true;
    }
    ++count.events;
    events.bytes += event.decision.size();
    events.list.emplace_back(event.decision, event.state);
    if (events.full()) formatter.add(std::exchange(events, {}));
    return true;
  }));
  formatter.add(std::move(events));
  formatter.finish();
  return count;
}

}  // namespace sau
