#include "sau/serve/rank_request.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace sau {
namespace {

RankRequest read(const std::string& body) {
  auto request = read_rank_request(body, {});
  EXPECT_TRUE(request.ok()) << (request.ok() ? "" : request.failure().message);
  return request.ok() ? request.value() : RankRequest{};
}

std::string context(const std::string& features) {
  return R"({"contextFeatures":[)" + features + R"(],"actions":[{"id":"a"}]})";
}

std::vector<HashedFeature> features(const std::string& text) {
  const RankRequest request = read(context(text));
  return {request.context().begin(), request.context().end()};
}

// The message and the field it names, or "" when the request is fine.
std::string complaint(const std::string& body, const RequestLimits& limits = {}) {
  const auto request = read_rank_request(body, limits);
  return request.ok() ? "" : request.failure().target + ": " + request.failure().message;
}

TEST(RankRequest, NumbersKeepTheirValueAndTextIsAnIndicator) {
  const auto found = features(R"({"age":41.5,"colour":"red","new":true})");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_FLOAT_EQ(found[0].value, 41.5F);
  EXPECT_FLOAT_EQ(found[1].value, 1.0F);
  EXPECT_FLOAT_EQ(found[2].value, 1.0F);
}

TEST(RankRequest, FeaturesAreToldApartByNamespaceNameValueTypeAndSide) {
  std::set<std::uint64_t> hashes;
  for (const char* text :
       {R"({"a":1})", R"({"a":"1"})", R"({"a":true})", R"({"a":"true2"})", R"({"b":1})",
        R"({"n":{"a":1}})", R"({"na":1})", R"({"n":{"b":1}})", R"({"a":"b"})", R"({"ab":""})",
        R"({"a":[7]})", R"({"m":{"n":{"a":1}}})"}) {
    const auto found = features(text);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_TRUE(hashes.insert(found[0].hash).second) << text;
  }
  const RankRequest both =
      read(R"({"contextFeatures":[{"a":1}],"actions":[{"id":"x","features":[{"a":1}]}]})");
  EXPECT_NE(both.context()[0].hash, both.offered(0).features[0].hash);
}

TEST(RankRequest, AnElementOfAnArrayIsAFeature) {
  const auto numbers = features(R"({"v":[3,4]})");
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_FLOAT_EQ(numbers[1].value, 4.0F);
  EXPECT_NE(numbers[0].hash, numbers[1].hash);
  // A word in a list is the same feature at any position, and without a list.
  EXPECT_EQ(features(R"({"tags":["x","y"]})")[1], features(R"({"tags":["y"]})")[0]);
  EXPECT_EQ(features(R"({"tags":"y"})")[0], features(R"({"tags":["y"]})")[0]);
}

TEST(RankRequest, NullAndZeroAreNoFeatures) {
  EXPECT_TRUE(features(R"({"a":null,"b":0})").empty());
}

TEST(RankRequest, AListOfObjectsIsOneSetOfFeatures) {
  EXPECT_EQ(features(R"({"a":1},{"b":2})"), features(R"({"a":1,"b":2})"));
}

// Model files depend on the hash: if it changed, they would silently become worthless.
TEST(RankRequest, HashesNeverChange) {
  const auto found = features(R"({"n":{"age":1.5},"colour":"red"})");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].hash, 1309113814744181986U);
  EXPECT_EQ(found[1].hash, 8484293900479979458U);
}

TEST(RankRequest, TheFingerprintDoesNotDependOnTheSpelling) {
  const auto print = [](const std::string& body) { return read(body).fingerprint; };
  const std::string body = R"({"contextFeatures":[{"a":1}],"actions":[{"id":"x"},{"id":"y"}]})";
  EXPECT_EQ(print(body),
            print(R"({ "actions": [{"id":"x"}, {"id":"y"}], "contextFeatures":[{"a":1.0}] })"));
  std::set<std::uint64_t> prints;
  for (
      const char* other :
      {R"({"contextFeatures":[{"a":1}],"actions":[{"id":"x"},{"id":"y"}]})",
       R"({"contextFeatures":[{"a":2}],"actions":[{"id":"x"},{"id":"y"}]})",
       R"({"contextFeatures":[{"a":1}],"actions":[{"id":"y"},{"id":"x"}]})",
       R"({"contextFeatures":[{"a":1}],"actions":[{"id":"x"}]})",
       R"({"contextFeatures":[{"a":1}],"actions":[{"id":"x"},{"id":"y"}],"excludedActions":["y"]})",
       R"({"contextFeatures":[{"a":1}],"actions":[{"id":"x"},{"id":"y"}],"deferActivation":true})",
       R"({"contextFeatures":[{"a":1}],"actions":[{"id":"x"},{"id":"y","features":[{"a":1}]}]})"}) {
    EXPECT_TRUE(prints.insert(print(other)).second) << other;
  }
}

TEST(RankRequest, ExcludedActionsAreMarked) {
  const RankRequest request =
      read(R"({"actions":[{"id":"x"},{"id":"y"}],"excludedActions":["x","not offered"]})");
  EXPECT_TRUE(request.actions[0].excluded);
  EXPECT_FALSE(request.actions[1].excluded);
}

TEST(RankRequest, AFailureNamesTheField) {
  const auto has = [](const std::string& body, const std::string& what) {
    EXPECT_NE(complaint(body).find(what), std::string::npos)
        << body << "\n  said: " << complaint(body);
  };
  has("", "empty");
  has("[1]", "not a JSON object");
  has("{", "not JSON");
  has("{\"actions\":[{\"id\":\"\xC3\x28\"}]}", "UTF-8");
  has(R"({"actions":[]})", "actions: there is no action");
  has(R"({})", "actions: expected an array");
  has(R"({"actions":{}})", "actions: expected an array");
  has(R"({"actions":[1]})", "actions[0]: expected an object");
  has(R"({"actions":[{"id":"a"},{}]})", "actions[1].id: expected text");
  has(R"({"actions":[{"id":7}]})", "actions[0].id: expected text");
  has(R"({"actions":[{"id":""}]})", "actions[0].id: an id is not empty");
  has(R"({"actions":[{"id":"a"},{"id":"a"}]})", "actions[1].id: the id 'a' is that of actions[0]");
  has(R"({"actions":[{"id":"a","features":{}}]})", "actions[0].features: expected an array");
  has(R"({"actions":[{"id":"a","features":[1]}]})", "actions[0].features: expected an array");
  has(R"({"actions":[{"id":"a"}],"excludedActions":["a"]})", "excludedActions: all actions");
  has(R"({"actions":[{"id":"a"}],"excludedActions":"a"})", "excludedActions: expected an array");
  has(R"({"actions":[{"id":"a"}],"eventId":5})", "eventId: expected text");
  has(R"({"actions":[{"id":"a"}],"deferActivation":1})", "deferActivation: expected true");
  has(context(R"({"a":1e39})"), "contextFeatures: the feature 'a' is 1e+39");
  has(context(R"({"a":1e999})"), "number");
  has(context(R"({"a":NaN})"), "not JSON");
  has(context(R"({"a":{"b":{"c":{"d":1}}}})"),
      "contextFeatures: features are nested deeper than 3");
  has(context(R"({"a":[[[1]]]})"), "nested deeper than 3");
  has(R"({"actions":[{"id":")" + std::string(257, 'x') + R"("}]})", "at most 256 bytes, not 257");
}

TEST(RankRequest, ThreeLevelsAreFine) {
  EXPECT_EQ(complaint(context(R"({"a":{"b":{"c":1}}})")), "");
  EXPECT_EQ(complaint(context(R"({"a":[[1]]})")), "");
}

TEST(RankRequest, HostileNestingIsRefusedWithoutRecursion) {
  EXPECT_NE(complaint(context(std::string(100'000, '['))), "");
  EXPECT_NE(complaint(std::string(500'000, '{')), "");
}

TEST(RankRequest, LimitsHold) {
  RequestLimits limits;
  limits.actions = 2;
  limits.features = 3;
  limits.crosses = 2;
  limits.body_bytes = 200;
  EXPECT_NE(complaint(R"({"actions":[{"id":"a"},{"id":"b"},{"id":"c"}]})", limits), "");
  EXPECT_NE(complaint(context(R"({"a":1,"b":2,"c":3,"d":4})"), limits), "");
  EXPECT_EQ(complaint(context(R"({"a":1,"b":2,"c":3})"), limits), "");
  const std::string crosses =
      R"({"contextFeatures":[{"a":1}],"actions":[{"id":"x","features":[{"p":1,"q":1)";
  EXPECT_EQ(complaint(crosses + "}]}]}", limits), "");
  limits.crosses = 1;
  EXPECT_NE(complaint(crosses + "}]}]}", limits), "");
  const auto large = read_rank_request(std::string(201, ' '), limits);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.failure().code, Failure::Code::kTooLarge);
}

TEST(RewardRequest, TakesAFiniteNumberOnly) {
  EXPECT_DOUBLE_EQ(read_reward_request(R"({"value":0.7})").value(), 0.7);
  EXPECT_DOUBLE_EQ(read_reward_request(R"({"value":-3})").value(), -3.0);
  EXPECT_DOUBLE_EQ(read_reward_request(R"({"value":2e9})").value(), 2e9);
  for (const char* wrong : {"", "{}", "0.7", R"({"value":"0.7"})", R"({"value":null})",
                            R"({"value":1e999})", R"({"value":true})", R"({"value":[1]})"}) {
    EXPECT_FALSE(read_reward_request(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace sau
