// Features that Vowpal Wabbit would misread are written so that it does not, and so that the
// service reads the same features from them.
#include "serve/vw_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sau/core/file.hpp"
#include "sau/serve/rank_request.hpp"
#include "sau/store/dsjson.hpp"
#include "serve/decision_text.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

std::string written(const std::string& list, bool* escaped = nullptr) {
  detail::VwFeatures features;
  std::string out;
  features.append(out, list);
  if (escaped != nullptr) *escaped = features.take_escaped();
  EXPECT_FALSE(features.take_escaped() && escaped != nullptr);
  return out;
}

TEST(VwFeatures, OrdinaryOnesStayAsTheyWereSent) {
  for (const char* same : {"[]", "[{}]", R"([{"x":1.50,"y":"[true]"},{"z":{"a":1E3,"n":null}}])",
                           R"([{"list":[1,2.50,-3]}])", R"([{"a":"_b","c":"\"_d"}])"}) {
    EXPECT_EQ(written(same), same);
  }
}

TEST(VwFeatures, OthersBecomeWhatVowpalWabbitReads) {
  EXPECT_EQ(written(R"([{"on":true,"off":false}])"), R"([{"on":"true","off":"false"}])");
  EXPECT_EQ(written(R"([{"t":["a","b"],"u":["c"]},{"x":1.50}])"),
            R"([{"t":"a","u":"c"},{"t":"b"},{"x":1.50}])");
  EXPECT_EQ(written(R"([{"geo":{"t":["a","b"],"n":1}}])"),
            R"([{"geo":[{"t":"a","n":1},{"t":"b"}]}])");
  // Numbers keep their place.
  EXPECT_EQ(written(R"([{"m":["a",1,null,2]}])"), R"([{"m":"a"},{"m":[0,1,0,2]}])");
  EXPECT_EQ(written(R"([{"m":[[1,2],[3]]}])"), R"([{"m":[1,2]},{"m":[3]}])");
  EXPECT_EQ(written(R"([{"m":[{"x":1},{"x":2}]}])"), R"([{"m":{"x":1}},{"m":{"x":2}}])");
}

TEST(VwFeatures, NamesAreEscapedIfTheyMustBe) {
  bool escaped = false;
  EXPECT_EQ(written(R"([{"_multi":"x","\u005ftag":1,"%5Fx":2}])", &escaped),
            R"([{"%5Fmulti":"x","%5Ftag":1,"%255Fx":2}])");
  EXPECT_TRUE(escaped);
  // Outside ASCII, only namespaces.
  EXPECT_EQ(written("[{\"\xC3\xA9t\xC3\xA9\":{\"\xC3\xA9\":1}}]", &escaped),
            "[{\"%C3%A9t\xC3\xA9\":{\"\xC3\xA9\":1}}]");
  EXPECT_TRUE(escaped);
  EXPECT_EQ(written(R"([{"x_y":"_z","a%":true}])", &escaped), R"([{"x_y":"_z","a%":"true"}])");
  EXPECT_FALSE(escaped);
}

std::vector<std::pair<std::uint64_t, float>> sorted(HashedFeatures features) {
  std::vector<std::pair<std::uint64_t, float>> list;
  for (const HashedFeature& feature : features) list.emplace_back(feature.hash, feature.value);
  std::ranges::sort(list);
  return list;
}

TEST(VwFeatures, TheServiceReadsTheSameFeaturesFromAnExport) {
  const testing::TemporaryFolder folder;
  for (const std::string features :
       {R"([{"tags":["a","b",["c",["d"]]],"on":false,"off":true,"none":null,"e":{},"l":[]}])",
        R"([{"_multi":[1,2],"_label_cost":-3,"_text":"two words","_tag":"t","_":{"_":[true]}}])",
        R"([{"%5F":1,"%":{"%25":["%"]},"%zz":2}])",
        R"([{"n":[1,"x",2,{"y":[3,{"z":[4,"w"]}]},null,[5,[6,7]]]},{"n":1e-30,"m":3e38}])",
        "[{\"\xC3\xA9\":{\"\xE6\x97\xA5\xE6\x9C\xAC\":[\"\xF0\x9F\x98\x80\",1],\"x\":{\"\":2}}}]",
        R"([{"":{"":[1,"",false]},"a|b c:d":"e|f g:h","q\"\\\n":"\u0000"}])"}) {
    Decision decision;
    decision.event_id = "e";
    decision.actions.resize(2);
    decision.actions[0].probability = 0.25;
    decision.actions[1].probability = 0.75;
    decision.chosen = 1;
    decision.request = R"({"contextFeatures":)" + features +
                       R"(,"actions":[{"id":"_a","features":)" + features + R"(},{"id":"b"}]})";
    detail::RequestOutline outline;
    detail::VwFeatures writer;
    std::string line;
    ASSERT_TRUE(detail::read_outline(decision, outline).ok());
    detail::append_dsjson(line, decision, {.final_reward = 0.5}, outline, writer);
    const auto file = folder / "line.json";
    write_file(file, line + "\n");
    DsjsonReader reader(file);
    const DsjsonEvent* const event = reader.next();
    ASSERT_NE(event, nullptr) << line;
    EXPECT_EQ(event->chosen, 1U);
    EXPECT_EQ(event->reward, 0.5);
    EXPECT_EQ(event->distribution, (std::vector<double>{0.25, 0.75}));
    const RankRequest sent = read_rank_request(decision.request, RequestLimits::none()).value();
    const auto read = read_rank_request(event->request, RequestLimits::none());
    ASSERT_TRUE(read.ok()) << read.failure().message << event->request;
    EXPECT_EQ(sorted(read.value().context()), sorted(sent.context())) << line;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(read.value().actions[i].id, sent.actions[i].id);
      EXPECT_EQ(sorted(read.value().offered(i).features), sorted(sent.offered(i).features)) << line;
    }
  }
}

}  // namespace
}  // namespace sau
