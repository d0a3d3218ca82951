#include "sau/report/theory_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sau {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

TheoryCheck check_of(const std::string& id, double value) {
  return TheoryCheck{.id = id,
                     .where = "lemma 1",
                     .statement = "a \"b\", c",
                     .statistic = "what",
                     .value = value,
                     .relation = Relation::kAtMost,
                     .expected = 2.0,
                     .tolerance = 0.25,
                     .reason = "why",
                     .note = std::string(60, 'x') + " " + std::string(60, 'y')}
      .judged();
}

const std::vector<TheoryCheck>& checks() {
  static const std::vector kChecks = {check_of("some.check", 2.5), check_of("other", 1.0 / 3.0)};
  return kChecks;
}

TEST(TheoryText, JsonHasEveryKey) {
  const Json list = Json::parse(theory_json(checks()));
  ASSERT_EQ(list.size(), checks().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : list[i].items()) keys.push_back(key);
    EXPECT_THAT(keys,
                ::testing::ElementsAre("id", "where", "statement", "statistic", "value", "relation",
                                       "expected", "tolerance", "reason", "verdict", "note"));
    EXPECT_EQ(list[i]["value"].get<double>(), checks()[i].value);
    EXPECT_EQ(list[i]["verdict"], verdict_name(checks()[i].verdict));
  }
}

TEST(TheoryText, CsvHasOneLinePerCheck) {
  const std::string csv = theory_csv(checks());
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), checks().size() + 1);
  EXPECT_THAT(csv, StartsWith("id,where,statement,statistic,value,relation,expected,"));
}

TEST(TheoryText, QuotesCountsAndBreaksLines) {
  const TheoryCheck& failed = checks().front();
  EXPECT_THAT(theory_csv({&failed, 1}),
              HasSubstr("\"a \"\"b\"\", c\",\"what\",2.5,at most,2,0.25"));
  const std::string text = theory_text({&failed, 1});
  EXPECT_THAT(text, StartsWith("Theory: 1 checks: 0 hold, 0 hold when corrected, 1 fail\n"));
  EXPECT_THAT(text, HasSubstr("some.check                 fails\n"));
  EXPECT_THAT(text, HasSubstr("  computed   2.5: what\n"));
  EXPECT_THAT(text, HasSubstr("  expected   at most 2, tolerance 0.25: why\n"));
  EXPECT_THAT(text, HasSubstr("x\n             y"));
}

}  // namespace
}  // namespace sau
