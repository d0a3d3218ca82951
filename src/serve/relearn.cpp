#include "serve/relearn.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/model_file.hpp"
#include "serve/policy.hpp"

namespace sau::detail {

Fixed fixed_until(const std::filesystem::path& folder, const EventStore& store) {
  Fixed fixed;
  const auto add = [&](const std::filesystem::path& file, Sequence most) {
    // A model that was loaded may be one of another log, which may be longer.
    const Sequence until = std::min(read_model_head(read_file(file), file.string()).position, most);
    if (until > fixed.until) fixed = {until, std::filesystem::relative(file, folder).string()};
  };
  if (std::filesystem::exists(base_file(folder))) add(base_file(folder), store.head().last);
  // Models that were loaded or gone back to, and policies and candidates that began with one which
  // had learned from this log.
  good(store.entries(store.base().last + 1, [&](Sequence sequence, const Entry& entry) {
    std::string model;
    if (entry.kind == EntryKind::kModelLoaded) {
      model = entry.text;
    } else if (entry.kind == EntryKind::kPolicy) {
      model = good(read_policy_change(entry.text)).model;
    } else if (entry.kind == EntryKind::kTrialBegun) {
      model = good(read_trial_plan(entry.text)).model;
    }
    if (!model.empty()) add(loaded_file(folder, model), sequence - 1);
    return true;
  }));
  return fixed;
}

Replayer relearned(const std::filesystem::path& folder, const FolderSettings& settings,
                   const EventStore& store) {
  Replayer replayer(folder, settings.agent, settings.seed);
  replayer.load_base();
  if (replayer.position() < store.base().last) {
    throw Error(fmt::format(
        "{}: missing or too old: the log begins with record {}, so the model cannot be rebuilt",
        base_file(folder).string(), store.base().last + 1));
  }
  good(store.entries(replayer.position() + 1, [&](Sequence sequence, const Entry& entry) {
    good(replayer.apply(sequence, entry, store));
    return true;
  }));
  replayer.reach(store.head().last);
  if (const auto failure = replayer.follow_trial(store)) throw Error(failure->message);
  return replayer;
}

}  // namespace sau::detail
