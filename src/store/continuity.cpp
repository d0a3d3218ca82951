#include "store/continuity.hpp"

#include <fmt/format.h>

namespace sau::detail {
namespace {

std::string numbers(Sequence first, Sequence last) {
  return first == last ? fmt::format("record {} is", first)
                       : fmt::format("records {} to {} are", first, last);
}

}  // namespace

std::string check_continuity(const RocksDatabase& database, const LogHead& base,
                             const LogHead& head, const LogHead& acknowledged) {
  const SequenceKey first = key_of(base.last + 1);
  const auto decisions = database.iterator(kDecisions, true);
  const auto entries = database.iterator(kEntries, true);
  decisions->Seek(slice(first));
  entries->Seek(slice(first));
  LogHead found = base;
  while (decisions->Valid() || entries->Valid()) {
    // The record with the next number, whichever table it is in.
    const bool is_decision =
        decisions->Valid() && (!entries->Valid() || decisions->key().compare(entries->key()) < 0);
    rocksdb::Iterator& next = is_decision ? *decisions : *entries;
    const Sequence sequence = sequence_of(next.key());
    if (sequence <= found.last) return fmt::format("record {} occurs twice", sequence);
    if (sequence != found.last + 1) return numbers(found.last + 1, sequence - 1) + " missing";
    const auto checksum = record_checksum(view(next.value()));
    if (!checksum) return fmt::format("the checksum of record {} is wrong", sequence);
    found.last = sequence;
    found.decisions += is_decision ? 1 : 0;
    found.chain = chained(found.chain, *checksum);
    if (found.last == acknowledged.last && found.chain != acknowledged.chain) {
      return fmt::format("the records up to {} are not those that were acknowledged", found.last);
    }
    next.Next();
  }
  for (const auto* each : {decisions.get(), entries.get()}) {
    if (!each->status().ok()) return each->status().ToString();
  }
  if (found.last < head.last) return numbers(found.last + 1, head.last) + " missing";
  if (found.last > head.last || found.decisions != head.decisions || found.chain != head.chain) {
    return fmt::format("the records up to {} are not those that were written", found.last);
  }
  return "";
}

std::string check_acknowledged(const LogHead& head, const LogHead& acknowledged) {
  if (head.last < acknowledged.last) {
    return numbers(head.last + 1, acknowledged.last) +
           fmt::format(" missing: the log ends at {}, but {} was acknowledged", head.last,
                       acknowledged.last);
  }
  if (head.last == acknowledged.last && head.chain != acknowledged.chain) {
    return fmt::format("the records up to {} are not those that were acknowledged", head.last);
  }
  return "";
}

std::string check_manifest(const ManifestPlace& now, const ManifestPlace& before) {
  // Their numbers have leading zeros.
  if (now.name < before.name) {
    return fmt::format("CURRENT names {}, but {} was in use", now.name, before.name);
  }
  if (now.name > before.name || now.size >= before.size) return "";
  return fmt::format("{} is cut: it has {} bytes, and had {}", now.name, now.size, before.size);
}

}  // namespace sau::detail
