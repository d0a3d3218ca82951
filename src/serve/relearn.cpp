#include "serve/relearn.hpp"

#include <fmt/format.h>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/model_file.hpp"
#include "serve/policy.hpp"

namespace sau::detail {

Fixed fixed_until(const std::filesystem::path& folder, const EventStore& store) {
  Fixed fixed;
  const auto add = [&](const std::filesystem::path& file) {
    const Sequence until = read_model_head(read_file(file), file.string()).position;
    if (until > fixed.until) fixed = {until, std::filesystem::relative(file, folder).string()};
  };
  if (std::filesystem::exists(base_file(folder))) add(base_file(folder));
  // Policies and candidates that began with a model which had learned from this log.
  good(store.entries(store.base().last + 1, [&](Sequence, const Entry& entry) {
    std::string model;
    if (entry.kind == EntryKind::kPolicy) {
      model = good(read_policy_change(entry.text)).model;
    } else if (entry.kind == EntryKind::kTrialBegun) {
      model = good(read_trial_plan(entry.text)).model;
    }
    if (!model.empty()) add(loaded_file(folder, model));
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
