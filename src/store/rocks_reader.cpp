#include "store/rocks_reader.hpp"

#include <fmt/format.h>
#include <rocksdb/convenience.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sau/core/error.hpp"
#include "store/continuity.hpp"

namespace sau::detail {
namespace {}  // namespace

RocksReader::RocksReader(std::filesystem::path folder)
    : folder_(std::move(folder)), memory_(DatabaseMemory::bounded()) {}

void RocksReader::open_as(const DatabaseOptions& how) {
  auto database = std::make_unique<RocksDatabase>(folder_, how, memory_, removed_);
  if (!database->status().ok()) throw Error(why_not_opened(folder_, database->status()));
  database_ = std::move(database);
  set_head(stored_head(kHeadKey));
  set_base(stored_head(kBaseKey));
  // Stored as one entry that lists them all.
  const auto struck = good(look_up<Entry>(kDefault, kStruckKey, decode_entry));
  set_struck(struck ? struck->missing : std::vector<Sequence>());
  const auto at = database_->iterator(kMissingLists);
  at->SeekToLast();
  set_missing_through(at->Valid() ? sequence_of(at->key()) : 0);
}

LogHead RocksReader::stored_head(const char* key) const {
  return good(look_up<LogHead>(kDefault, key, decode_log_head)).value_or(LogHead{});
}

void RocksReader::set_head(const LogHead& head) {
  const std::lock_guard lock(heads_mutex_);
  head_ = head;
}
void RocksReader::set_base(const LogHead& base) {
  removed_.last.store(base.last, std::memory_order_relaxed);
  const std::lock_guard lock(heads_mutex_);
  base_ = base;
}

template <class T, class Decode>
Result<std::optional<T>> RocksReader::look_up(StoreTable which, std::string_view key,
                                              Decode decode) const {
  if (!database_) return closed();
  rocksdb::PinnableSlice found;
  const rocksdb::Status status = (**database_).Get({}, database_->table(which), slice(key), &found);
  if (status.IsNotFound()) return std::optional<T>();
  if (!status.ok()) return failure(status);
  auto decoded = decode(view(found));
  if (!decoded.ok()) return damaged(which, key, decoded.failure());
  return std::optional<T>(std::move(decoded).value());
}

template <class T, class Decode, class Visit>
Status RocksReader::scan(StoreTable which, Sequence first, Decode decode, const Visit& visit,
                         bool once) const {
  if (!database_) return closed();
  const auto at = database_->iterator(which, once);
  for (at->Seek(slice(key_of(first))); at->Valid(); at->Next()) {
    auto decoded = decode(view(at->value()));
    if (!decoded.ok()) return damaged(which, view(at->key()), decoded.failure());
    if (!visit(sequence_of(at->key()), std::move(decoded).value())) break;
  }
  if (!at->status().ok()) return failure(at->status());
  return Done{};
}

// Which events were completed with the default reward. Cheap when called in the order of decisions.
class RocksReader::MissingLists {
 public:
  explicit MissingLists(const RocksReader& store)
      : store_(store), at_(store.database_->iterator(kMissingLists)) {}

  // Updates the state of an event to which nothing else has happened.
  std::optional<Failure> apply(EventState& state) {
    if (state.decision > last_) {
      if (auto failure = seek(state.decision)) return failure;
    }
    if (!std::ranges::binary_search(entry_.missing, state.decision)) return std::nullopt;
    state.phase = EventPhase::kMissing;
    state.final_reward = entry_.value;
    state.completed_by = sequence_;
    return std::nullopt;
  }

 private:
  std::optional<Failure> seek(Sequence decision) {
    entry_ = {};
    last_ = std::numeric_limits<Sequence>::max();
    at_->Seek(slice(key_of(decision)));
    if (!at_->status().ok()) return store_.failure(at_->status());
    if (!at_->Valid()) return std::nullopt;
    last_ = sequence_of(at_->key());
    sequence_ = sequence_of(at_->value());
    auto entry = store_.look_up<Entry>(kEntries, view(at_->value()), decode_entry);
    if (!entry.ok()) return entry.failure();
    if (!entry.value()) {
      return Failure{Failure::Code::kInternal,
                     fmt::format("{}: record {} is missing", store_.folder_.string(), sequence_)};
    }
    entry_ = std::move(*entry.value());
    return std::nullopt;
  }

  const RocksReader& store_;
  std::unique_ptr<rocksdb::Iterator> at_;
  Entry entry_;
  Sequence sequence_ = 0, last_ = 0;
};

Result<std::optional<EventState>> RocksReader::event(std::string_view id) const {
  const auto indexed = look_up<IndexedEvent>(kEvents, id, decode_indexed_event);
  if (!indexed.ok()) return indexed.failure();
  if (!indexed.value() || indexed.value()->decision <= base().last) {
    return std::optional<EventState>();
  }
  const Sequence decision = indexed.value()->decision;
  const auto key = key_of(decision);
  auto state = look_up<EventState>(kStates, view(slice(key)), decode_event_state);
  if (!state.ok() || state.value()) return state;
  EventState fresh = EventState::of(*indexed.value());
  if (decision <= missing_through()) {
    MissingLists lists(*this);
    if (auto failure = lists.apply(fresh)) return std::move(*failure);
  }
  return std::optional(std::move(fresh));
}

Result<std::optional<Decision>> RocksReader::decision(Sequence sequence) const {
  return look_up<Decision>(kDecisions, view(slice(key_of(sequence))), decode_decision);
}

Result<std::optional<std::string>> RocksReader::event_id(Sequence decision) const {
  return look_up<std::string>(kDecisions, view(slice(key_of(decision))),
                              [](std::string_view bytes) -> Result<std::string> {
                                auto head = decode_decision_head(bytes);
                                if (!head.ok()) return head.failure();
                                return std::move(head.value().event_id);
                              });
}

Status RocksReader::entries(Sequence first,
                            const std::function<bool(Sequence, Entry)>& visit) const {
  return scan<Entry>(kEntries, first, decode_entry, visit);
}

Status RocksReader::decisions(Sequence first,
                              const std::function<bool(Sequence, Decision)>& visit) const {
  return scan<Decision>(kDecisions, first, decode_decision, visit);
}

Status RocksReader::lessons_of(
    std::span<const Sequence> which,
    const std::function<bool(Sequence, const DecisionLesson&)>& visit) const {
  if (!database_) return closed();
  DecisionLesson lesson;
  if (which.size() == 1) {  // cheaper than an iterator
    const auto key = key_of(which.front());
    const auto found =
        look_up<Done>(kDecisions, view(slice(key)),
                      [&lesson](std::string_view bytes) { return decode_lesson(bytes, lesson); });
    if (!found.ok()) return found.failure();
    if (found.value()) visit(which.front(), lesson);
    return Done{};
  }
  // Stepping over a few decisions costs less than a seek.
  constexpr Sequence kNear = 16;
  const auto at = database_->iterator(kDecisions);
  Sequence before = 0;
  for (const Sequence wanted : which) {
    if (before == 0 || wanted > before + kNear) {
      at->Seek(slice(key_of(wanted)));
    } else {
      while (at->Valid() && sequence_of(at->key()) < wanted) at->Next();
    }
    if (!at->Valid()) break;
    before = wanted;
    if (sequence_of(at->key()) != wanted) continue;
    const Status decoded = decode_lesson(view(at->value()), lesson);
    if (!decoded.ok()) return damaged(kDecisions, view(at->key()), decoded.failure());
    if (!visit(wanted, lesson)) return Done{};
  }
  if (!at->status().ok()) return failure(at->status());
  return Done{};
}

Status RocksReader::events(Sequence first, Sequence last,
                           const std::function<bool(const LoggedEvent&)>& visit) const {
  if (!database_) return closed();
  const auto at = database_->iterator(kDecisions, true);
  const auto states = database_->iterator(kStates, true);
  const auto from = key_of(std::max(first, base().last + 1));
  states->Seek(slice(from));
  MissingLists lists(*this);
  for (at->Seek(slice(from)); at->Valid(); at->Next()) {
    LoggedEvent event{.sequence = sequence_of(at->key()), .decision = view(at->value())};
    if (event.sequence > last) break;
    while (states->Valid() && states->key().compare(at->key()) < 0) states->Next();
    if (states->Valid() && states->key() == at->key()) {
      auto state = decode_event_state(view(states->value()));
      if (!state.ok()) return damaged(kStates, view(at->key()), state.failure());
      event.state = std::move(state).value();
      event.changed = true;
    } else {
      const auto head = decode_decision_head(event.decision);
      if (!head.ok()) return damaged(kDecisions, view(at->key()), head.failure());
      event.state = EventState::of({.decision = event.sequence,
                                    .time = head.value().time,
                                    .fingerprint = head.value().fingerprint,
                                    .deferred = head.value().deferred});
      if (auto failure = lists.apply(event.state)) return std::move(*failure);
    }
    if (!visit(event)) break;
  }
  for (const auto* each : {at.get(), states.get()}) {
    if (!each->status().ok()) return failure(each->status());
  }
  return Done{};
}

Status RocksReader::waiting(const std::function<void(const WaitingDecision&)>& visit) const {
  return events(head().waiting_from, head().last, [&](const LoggedEvent& event) {
    const EventState& state = event.state;
    if (state.phase == EventPhase::kWaiting) {
      visit({event.sequence, state.time, state.active && !event.changed});
    }
    return true;
  });
}

Result<std::optional<std::string>> RocksReader::configuration() const {
  return look_up<std::string>(
      kDefault, kConfigurationKey,
      [](std::string_view bytes) -> Result<std::string> { return std::string(bytes); });
}

bool RocksReader::is_struck(Sequence decision) const {
  const std::lock_guard lock(heads_mutex_);
  return std::ranges::binary_search(struck_, decision);
}

Status RocksReader::rows(
    std::string_view prefix, std::string_view first,
    const std::function<bool(std::string_view, std::string_view)>& visit) const {
  if (!database_) return closed();
  const std::string whole = kRowsKey + std::string(prefix);
  const auto at = database_->iterator(kDefault);
  for (at->Seek(slice(kRowsKey + std::string(first.empty() ? prefix : first)));
       at->Valid() && view(at->key()).starts_with(whole); at->Next()) {
    if (!visit(view(at->key()).substr(std::string_view(kRowsKey).size()), view(at->value()))) break;
  }
  if (!at->status().ok()) return failure(at->status());
  return Done{};
}

Result<std::vector<ClockLeap>> RocksReader::leaps() const {
  auto found = look_up<std::vector<ClockLeap>>(kDefault, kLeapsKey, decode_clock_leaps);
  if (!found.ok()) return found.failure();
  return std::move(found).value().value_or(std::vector<ClockLeap>());
}

std::vector<Sequence> RocksReader::struck() const {
  const std::lock_guard lock(heads_mutex_);
  return struck_;
}

void RocksReader::set_struck(std::vector<Sequence> decisions) {
  const std::lock_guard lock(heads_mutex_);
  struck_ = std::move(decisions);
}

LogHead RocksReader::head() const {
  const std::lock_guard lock(heads_mutex_);
  return head_;
}
LogHead RocksReader::base() const {
  const std::lock_guard lock(heads_mutex_);
  return base_;
}

Result<std::optional<LogHead>> RocksReader::removable(Sequence learned, Milliseconds older_than,
                                                      Sequence ordered) const {
  if (!database_) return closed();
  const auto at = database_->iterator(kHeads);
  at->SeekForPrev(slice(key_of(learned)));
  if (!at->Valid()) return std::optional<LogHead>();
  const auto known = decode_log_head(view(at->value()));
  if (!known.ok()) return damaged(kHeads, view(at->key()), known.failure());
  // Every decision before this one was settled by then.
  const Sequence end = known.value().waiting_from;
  std::optional<LogHead> found;
  for (at->Seek(slice(key_of(base().last + 1))); at->Valid(); at->Next()) {
    const auto head = decode_log_head(view(at->value()));
    if (!head.ok()) return damaged(kHeads, view(at->key()), head.failure());
    const bool due = head.value().time < older_than || head.value().last <= ordered;
    if (head.value().last >= end || head.value().last > learned || !due) break;
    found = head.value();
  }
  if (!at->status().ok()) return failure(at->status());
  return found;
}

std::string RocksReader::check_tables() const {
  if (!database_) return closed().message;
  const rocksdb::Status checked = (**database_).VerifyChecksum();
  if (!checked.ok()) return describe(checked);
  // VerifyChecksum() does not read the parts of tables that say what was removed; iterating does.
  for (std::size_t i = 0; i < kTables; ++i) {
    const auto which = static_cast<StoreTable>(i);
    if (which == kDecisions || which == kEntries) continue;  // check_continuity() reads them
    const auto at = database_->iterator(which, true);
    at->SeekToFirst();
    while (at->Valid()) at->Next();
    if (!at->status().ok()) return describe(at->status());
  }
  return "";
}

std::string RocksReader::check_continuity() const {
  if (!database_) return closed().message;
  return detail::check_continuity(*database_, base(), head(), {});
}

Result<EventDigest> RocksReader::event_digest() const {
  if (!database_) return closed();
  const auto at = database_->iterator(kEvents, true);
  const Sequence removed = base().last;
  EventDigest digest;
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const auto event = decode_indexed_event(view(at->value()));
    if (!event.ok()) return damaged(kEvents, view(at->key()), event.failure());
    if (event.value().decision > removed) digest.add(view(at->key()), event.value().decision);
  }
  if (!at->status().ok()) return failure(at->status());
  return digest;
}

std::uint64_t RocksReader::bytes() const {
  if (!database_) return 0;
  std::uint64_t tables = 0, memory = 0;
  rocksdb::DB& db = **database_;
  db.GetAggregatedIntProperty(rocksdb::DB::Properties::kTotalSstFilesSize, &tables);
  db.GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &memory);
  return tables + memory;
}

StoreMemory RocksReader::memory() const {
  return {.write_buffers = memory_.write_buffers->memory_usage(),
          .cache = memory_.cache->GetUsage()};
}

Failure RocksReader::damaged(StoreTable which, std::string_view key, const Failure& what) const {
  const std::string name = which == kEvents || which == kDefault
                               ? "'" + std::string(key) + "'"
                               : fmt::format("record {}", sequence_of(slice(key)));
  return {Failure::Code::kInternal, fmt::format("{}: {} in the table '{}': {}", folder_.string(),
                                                name, kTableNames[which], what.message)};
}

// After a reopen() that failed.
Failure RocksReader::closed() const {
  return {Failure::Code::kUnavailable, folder_.string() + ": the store is not open"};
}

std::string RocksReader::describe(const rocksdb::Status& status) const {
  return folder_.string() + ": " + status.ToString();
}
Failure RocksReader::failure(const rocksdb::Status& status) const {
  const auto code = status.IsCorruption() ? Failure::Code::kInternal : Failure::Code::kUnavailable;
  return {code, describe(status)};
}

}  // namespace sau::detail
