#include "serve_http/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "sau/core/file.hpp"
#include "serve_http/rate_limit.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using detail::Access;
using detail::find_route;
using detail::RateLimit;
using ::testing::HasSubstr;

HttpRequest call_with(const std::string& key, std::uint64_t client = 1) {
  return {.method = "GET",
          .target = "/v1/status",
          .headers = {{"Host", "localhost"}, {"Ocp-Apim-Subscription-Key", key}},
          .body = "",
          .client = client};
}

int status_of(Access& access, const HttpRequest& request, const std::string& application = "") {
  const auto refusal =
      access.refusal_of(request, find_route(request.method, request.path()), application);
  return refusal ? refusal->status : 0;
}

TEST(RateLimit, AllowsASecondsWorthAtOnceAndThenTheRate) {
  RateLimit::Clock::time_point now{};
  RateLimit limit([&now] { return now; });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(limit.wait(1, 10.0), 0U) << i;
  EXPECT_EQ(limit.wait(1, 10.0), 1U);
  EXPECT_EQ(limit.wait(2, 10.0), 0U) << "somebody else";
  now += std::chrono::milliseconds(250);
  EXPECT_EQ(limit.wait(1, 10.0), 0U);
  EXPECT_EQ(limit.wait(1, 10.0), 0U);
  EXPECT_EQ(limit.wait(1, 10.0), 1U);
  now += std::chrono::hours(1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(limit.wait(1, 10.0), 0U) << i;
  EXPECT_EQ(limit.wait(1, 10.0), 1U) << "no more than that is saved up";
}

TEST(RateLimit, ASlowRateSaysHowLongToWait) {
  RateLimit::Clock::time_point now{};
  RateLimit limit([&now] { return now; });
  EXPECT_EQ(limit.wait(1, 0.1), 0U);
  EXPECT_EQ(limit.wait(1, 0.1), 10U);
  now += std::chrono::milliseconds(7500);
  EXPECT_EQ(limit.wait(1, 0.1), 3U);
  now += std::chrono::milliseconds(2500);
  EXPECT_EQ(limit.wait(1, 0.1), 0U);
}

TEST(RateLimit, HoldsForManyAddresses) {
  RateLimit::Clock::time_point now{};
  RateLimit limit([&now] { return now; });
  for (std::uint64_t who = 0; who < 5000; ++who) {
    EXPECT_EQ(limit.wait(who, 1.0), 0U);
    now += std::chrono::milliseconds(1);
  }
  EXPECT_EQ(limit.wait(4999, 1.0), 1U) << "the latest ones are still known";
}

TEST(Access, AKeyMayBeForOneApplication) {
  Access access({{.secret = "of-all"}, {.secret = "of-shop", .application = "shop"}}, {});
  EXPECT_EQ(status_of(access, call_with("of-all"), "shop"), 0);
  EXPECT_EQ(status_of(access, call_with("of-all")), 0);
  EXPECT_EQ(status_of(access, call_with("of-shop"), "shop"), 0);
  EXPECT_EQ(status_of(access, call_with("of-shop"), "news"), 403);
  EXPECT_EQ(status_of(access, call_with("of-shop")), 403);
}

TEST(Access, LimitsKeysAndAddresses) {
  // So slow that no time of a test matters.
  Access access({{.secret = "usual"}, {.secret = "many", .rate = 3e-6}, {.secret = "one"}},
                {.per_key = 1e-6, .per_address = 0.0});
  EXPECT_EQ(status_of(access, call_with("usual")), 0);
  const auto refused =
      access.refusal_of(call_with("usual"), find_route("GET", "/v1/status"), "").value();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.back().name, "Retry-After");
  EXPECT_EQ(refused.headers.back().value, "3600");
  EXPECT_EQ(status_of(access, call_with("one")), 0) << "another key";

  Access by_address({{.secret = "k"}}, {.per_key = 0.0, .per_address = 1e-6});
  EXPECT_EQ(status_of(by_address, call_with("wrong", 7)), 401);
  EXPECT_EQ(status_of(by_address, call_with("k", 7)), 429) << "guesses count";
  EXPECT_EQ(status_of(by_address, call_with("k", 8)), 0);
  HttpRequest health = call_with("", 7);
  health.target = "/healthz";
  EXPECT_EQ(status_of(by_address, health), 0) << "open calls do not";
}

TEST(Keys, WordsAfterTheKey) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "keys";
  const auto read = [&](const std::string& text) {
    write_file(file, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    auto keys = read_keys(file);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return keys;
  };
  const auto keys = read("0123456789abcdef\n0123456789abcdeF read app=shop rate=2.5 decide\r\n");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].rights, AccessKey::kAllRights);
  EXPECT_EQ(keys[0].rate, 0.0);
  EXPECT_TRUE(keys[1].may(Right::kRead) && keys[1].may(Right::kDecide));
  EXPECT_FALSE(keys[1].may(Right::kReward) || keys[1].may(Right::kAdmin));
  EXPECT_EQ(keys[1].application, "shop");
  EXPECT_EQ(keys[1].rate, 2.5);
  for (const char* wrong : {"rate=0", "rate=-1", "rate=x", "rate=", "rate=inf", "app=", "write"}) {
    const std::string text = std::string("0123456789abcdef ") + wrong;
    EXPECT_THAT(testing::error_of([&] { read(text); }), HasSubstr("keys:1: ")) << wrong;
  }
}

}  // namespace
}  // namespace sau
