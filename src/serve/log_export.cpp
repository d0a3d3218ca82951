#include <algorithm>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/decision_text.hpp"
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

// The members of the folder's committee, if it has one. An export does not need the agent: if this
// program does not know it, the members stay without names.
std::vector<MemberRecord> members_of(const detail::FolderSettings& settings) {
  try {
    return make_offer_agent(settings.agent, settings.seed)->members();
  } catch (const Error&) {
    return {};
  }
}

std::string lines_of(const Events& events, LogFormat format,
                     std::span<const MemberRecord> members) {
  detail::RequestOutline outline;
  detail::VwFeatures features;
  std::string lines;
  for (const auto& [bytes, state] : events.list) {
    const Decision decision = good(decode_decision(bytes));
    good(detail::read_outline(decision, outline));
    if (format == LogFormat::kDsjson) {
      detail::append_dsjson(lines, decision, state, outline, features);
    } else {
      detail::append_decision(lines, decision, state, outline,
                              {.deadline = {}, .request = true, .members = members});
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace

ExportCount export_log(const std::filesystem::path& folder, LogFormat format,
                       const std::function<void(const std::string& lines)>& write,
                       unsigned threads) {
  const std::vector<MemberRecord> members = members_of(detail::read_folder(folder));
  const auto store =
      open_event_store(detail::log_folder(folder), {.read_only = true, .verify = false});
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  detail::OrderedFormatter<Events> formatter(
      threads,
      [format, &members](const Events& events) { return lines_of(events, format, members); },
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
