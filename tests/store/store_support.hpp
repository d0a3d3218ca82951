#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sau/store/event_store.hpp"

namespace sau::testing {

// Bytes that cannot be compressed.
inline std::string noise(std::size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, ' ');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

inline StoreBatch batch_of(Sequence sequence, std::size_t padding = 0) {
  static std::set<std::string> ids;  // batches refer to them
  const std::string& id = *ids.insert("e" + std::to_string(sequence)).first;
  StoreBatch batch;
  const Decision decision{.time = static_cast<Milliseconds>(sequence),
                          .event_id = id,
                          .actions = {{}},
                          .request = noise(padding)};
  batch.decisions.emplace_back(sequence, encode(decision));
  batch.events.emplace_back(id, IndexedEvent{.decision = sequence, .time = decision.time});
  batch.time = batch.trusted_time = decision.time;
  return batch;
}

// Makes a store with `count` decisions, one batch each, all in the write-ahead log.
inline void fill(const std::filesystem::path& folder, Sequence count, std::size_t padding = 0) {
  const auto store = open_event_store(folder, {});
  for (Sequence i = 1; i <= count; ++i) ASSERT_TRUE(store->write(batch_of(i, padding)).ok());
}

inline std::filesystem::path log_file(const std::filesystem::path& folder) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".log" && std::filesystem::file_size(entry.path()) > 0)
      found = entry.path();
  }
  return found;
}

inline std::vector<WaitingDecision> waiting_in(const EventStore& store) {
  std::vector<WaitingDecision> found;
  EXPECT_TRUE(store.waiting([&](const WaitingDecision& each) { found.push_back(each); }).ok());
  return found;
}

inline Sequence decisions_in(const EventStore& store) {
  Sequence count = 0;
  EXPECT_TRUE(store
                  .decisions(0,
                             [&](Sequence sequence, const Decision& decision) {
                               EXPECT_EQ(sequence, ++count);
                               EXPECT_EQ(decision.event_id, "e" + std::to_string(sequence));
                               return true;
                             })
                  .ok());
  EXPECT_EQ(waiting_in(store).size(), count);
  EXPECT_EQ(store.head().last, count);
  EXPECT_EQ(store.head().decisions, count);
  EXPECT_EQ(store.check_continuity(), "");
  return count;
}

}  // namespace sau::testing
