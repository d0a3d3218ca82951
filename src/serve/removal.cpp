#include "serve/removal.hpp"

#include <fmt/format.h>

#include "serve/restore.hpp"

namespace sau::detail {

bool Removal::look(Sequence position, Journal& journal) {
  journal.keep_head();
  const auto configuration = configuration_.get();
  try {
    const auto until = due_for_removal(store_, position, journal.trusted_time(), *configuration);
    if (until) {
      write_base(folder_, settings_, until->last);
      journal.forget(*until);
    }
  } catch (const std::exception& error) {
    metrics_.removal_failed();
    note_(fmt::format("nothing is removed from the log: {}", error.what()));
    return false;
  }
  const LogHead base = store_.read([](const EventStore& store) { return store.base(); });
  return base.last < configuration->remove_until;
}

void Removal::removed(const LogHead& before, const LogHead& until) {
  const std::uint64_t events = until.decisions - before.decisions;
  metrics_.removed(events);
  const auto configuration = configuration_.get();
  const std::string why =
      until.last <= configuration->remove_until
          ? "as DELETE /logs asked for"
          : fmt::format("older than {} days", configuration->log_retention_days);
  note_(fmt::format(
      "removed records {} to {} of the log, {} events, {}: base.sau has what was learned from them",
      before.last + 1, until.last, events, why));
}

}  // namespace sau::detail
