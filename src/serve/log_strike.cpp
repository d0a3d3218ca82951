#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/model_file.hpp"
#include "serve/relearn.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau {
namespace {

EventState to_be_struck(const EventStore& store, const std::string& id,
                        const detail::Fixed& fixed) {
  const auto state = good(store.event(id));
  if (!state) throw Error("there is no event '" + id + "' in the log");
  if (state->phase == EventPhase::kWaiting) {
    throw Error("the event '" + id + "' still waits for its reward: nothing was learned from it");
  }
  if (state->completed_by <= fixed.until) {
    throw Error(
        fmt::format("the event '{}' cannot be struck: the model is rebuilt from {}, which "
                    "has learned from all records up to {}, including this event",
                    id, fixed.file, fixed.until));
  }
  return *state;
}

}  // namespace

Struck strike_events(const std::filesystem::path& folder,
                     const std::vector<std::string>& event_ids) {
  const detail::FolderSettings settings = detail::read_folder(folder);
  detail::refuse_trainer(folder);
  const auto store = open_event_store(detail::log_folder(folder), {});
  const detail::Fixed fixed = detail::fixed_until(folder, *store);
  const LogHead head = store->head();
  Struck result;
  StoreBatch batch;
  batch.time = head.time;
  batch.trusted_time = head.trusted_time;
  batch.waiting_from = head.waiting_from;
  for (const std::string& id : event_ids) {
    EventState state = to_be_struck(*store, id, fixed);
    const bool twice = std::ranges::any_of(
        batch.states, [&](const auto& each) { return each.first == state.decision; });
    if (state.struck || twice) {
      ++result.already;
      continue;
    }
    state.struck = true;
    batch.entries.emplace_back(
        head.last + 1 + result.events++,
        Entry{.kind = EntryKind::kStruck, .time = batch.time, .decision = state.decision});
    batch.states.emplace_back(state.decision, std::move(state));
  }
  // Writes nothing unless the model can be rebuilt.
  if (result.events > 0) {
    static_cast<void>(detail::relearned(folder, settings, *store));
    good(store->write(batch));
  }
  // If this is interrupted, the next start does the same.
  const detail::Replayer replayer = detail::relearned(folder, settings, *store);
  const std::string model = replayer.everything();
  write_file(detail::snapshot_file(folder), model);
  result.checksum = detail::model_checksum(model);
  return result;
}

}  // namespace sau
