#include "sau/store/record.hpp"

#include <gtest/gtest.h>

#include "store/record_format.hpp"

namespace sau {
namespace {

Decision some_decision() {
  return {.time = 1234567,
          .event_id = "event \xC3\xA9",
          .fingerprint = 0xFEDCBA9876543210U,
          .model_version = 42,
          .mode = LearningMode::kApprentice,
          .deferred = true,
          .chosen = 1,
          .policy = 0,
          .baseline = 1,
          .actions = {{0.1, 0.2, 0.3, 0.4, 5}, {-1.0, 0.0, 2.0, 0.6, 0}},
          .request = R"({"actions":[]})"};
}

Decision committee_decision() {
  Decision decision = some_decision();
  decision.committee = {.weights = {0.25F, 0.5F, 0.25F},
                        .disagreement = {0.125F, 0.0F},
                        .bonuses = {0.0625F, 0.0F},
                        .pooled = 0.1};
  return decision;
}

// A decision of a model that is no committee is written as it always was.
TEST(Record, ACommitteeHasAFormatOfItsOwn) {
  const std::string plain = encode(some_decision()), other = encode(committee_decision());
  EXPECT_EQ(plain.front(), '\xD1');
  EXPECT_EQ(other.front(), '\xD2');
  EXPECT_EQ(other.size() - plain.size(), 4 + 3 * 4 + 8 + 2 * 2 * 4);
  EXPECT_EQ(decode_decision(other).value(), committee_decision());
  EXPECT_EQ(decode_decision_head(other).value().event_id, committee_decision().event_id);
  Decision pooled = some_decision();
  pooled.committee.pooled = 0.5;
  EXPECT_EQ(encode(pooled).size() - plain.size(), 4 + 8);
  EXPECT_EQ(decode_decision(encode(pooled)).value(), pooled);
}

TEST(Record, ReadsBackWhatWasWritten) {
  EXPECT_EQ(decode_decision(encode(some_decision())).value(), some_decision());
  const Entry entry{.kind = EntryKind::kExpired,
                    .time = 99,
                    .decision = 7,
                    .completes = true,
                    .value = -0.5,
                    .text = "text"};
  EXPECT_EQ(decode_entry(encode(entry)).value(), entry);
  const EventState state{.decision = 3,
                         .time = 5,
                         .fingerprint = 9,
                         .phase = EventPhase::kMissing,
                         .active = false,
                         .rewards = 2,
                         .late = 1,
                         .first = 0.25,
                         .sum = 0.75,
                         .final_reward = 0.5,
                         .completed_by = 8,
                         .received = {{10, 0.25, false}, {11, 0.5, true}}};
  EXPECT_EQ(decode_event_state(encode(state)).value(), state);
}

// A program that does not know this kind of entry must not take it for a damaged one.
TEST(Record, ALessonIsThePartOfADecisionThatIsLearnedFrom) {
  DecisionLesson lesson;  // its memory is used again
  for (const LearningMode mode :
       {LearningMode::kApprentice, LearningMode::kLoggingOnly, LearningMode::kOnline}) {
    for (Decision decision : {some_decision(), committee_decision()}) {
      decision.mode = mode;
      ASSERT_TRUE(decode_lesson(encode(decision), lesson).ok());
      EXPECT_EQ(lesson, DecisionLesson::of(decision));
      EXPECT_EQ(lesson.event_id, decision.event_id);
      EXPECT_EQ(lesson.value, -1.0);
      EXPECT_EQ(lesson.probability, 0.6);
      EXPECT_EQ(lesson.request, mode == LearningMode::kLoggingOnly ? "" : decision.request);
    }
  }
}

TEST(Record, AnImportHasAFirstByteOfItsOwn) {
  const Entry entry{.kind = EntryKind::kImported, .time = 99, .text = R"({"file":"a.json"})"};
  const std::string bytes = encode(entry);
  EXPECT_EQ(static_cast<unsigned char>(bytes.front()), 0xE2);
  EXPECT_EQ(decode_entry(bytes).value(), entry);
  EXPECT_EQ(static_cast<unsigned char>(encode(Entry{.kind = EntryKind::kStruck}).front()), 0xE1);
}

TEST(Record, TheTimeOfADecisionCanBeSetLater) {
  Decision decision = some_decision();
  std::string bytes = encode(decision);
  decision.time = 7654321;
  set_time(bytes, decision.time);
  EXPECT_EQ(bytes, encode(decision));
  EXPECT_EQ(decode_decision(bytes).value(), decision);
}

TEST(Record, RequestsOfAnySizeAreKept) {
  for (const std::size_t size : {0, 1, 100, 8000, 8192, 1'048'576}) {
    Decision decision = some_decision();
    decision.request.clear();
    while (decision.request.size() < size) {
      decision.request += static_cast<char>('a' + (decision.request.size() * 7919) % 23);
    }
    const std::string bytes = encode(decision);
    EXPECT_EQ(decode_decision(bytes).value(), decision) << size;
    if (size >= 8000) {
      EXPECT_LT(bytes.size(), size / 10) << size;
    }
  }
}

TEST(Record, AnyChangedOrMissingByteIsFound) {
  for (const std::string& bytes : {encode(some_decision()), encode(committee_decision())}) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::string changed = bytes;
      changed[i] ^= 0x10;
      EXPECT_FALSE(decode_decision(changed).ok()) << i;
      EXPECT_FALSE(decode_decision(bytes.substr(0, i)).ok()) << i;
      DecisionLesson lesson;
      EXPECT_FALSE(decode_lesson(changed, lesson).ok()) << i;
      EXPECT_FALSE(decode_lesson(bytes.substr(0, i), lesson).ok()) << i;
    }
    EXPECT_FALSE(decode_entry(bytes).ok());  // of another kind
  }
}

// 2^31 leaps of 16 bytes take 2^35 bytes. In 32 bits that is 0, which is what is left here.
TEST(Record, ACountThatDoesNotFitTheRecordIsRefused) {
  std::string bytes;
  auto writer = detail::begin_record(detail::RecordFormat::kClockLeaps, bytes);
  writer.put(std::uint32_t{1} << 31);
  detail::finish_record(writer);
  EXPECT_FALSE(decode_clock_leaps(bytes).ok());
}

}  // namespace
}  // namespace sau
