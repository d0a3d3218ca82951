#include "sau/serve_http/service_over_http.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "serve/faulty_store.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kBase = "/personalizer/v1.0";

HttpRequest request(const std::string& method, const std::string& target, std::string body = "") {
  return {.method = method,
          .target = target,
          .headers = {{"Host", "localhost"}},
          .body = std::move(body)};
}

// A service on a disk that can be held, so that whoever reads from it waits.
class ServiceOverHttpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ServiceOptions options;
    options.folder = folder_ / "data";
    options.agent = "hashed_linear(bits=10)+sau_sampling";
    options.clock = [this]() -> Milliseconds {
      if (clock_fails_) throw std::runtime_error("secret reason");
      return 1'000'000;
    };
    options.store = [disk = disk_](const std::filesystem::path& folder) {
      return std::make_unique<testing::FaultyStore>(open_event_store(folder, {.sync = false}),
                                                    disk);
    };
    service_ = std::make_unique<Service>(std::move(options));
    evaluations_ =
        std::make_unique<Evaluations>(*service_, EvaluationsOptions{.folder = folder_ / "data"});
    start({});
  }

  void start(ServiceOverHttpOptions options) {
    over_http_ = std::make_unique<ServiceOverHttp>(*service_, *evaluations_, std::move(options));
  }

  std::future<HttpResponse> ask(HttpRequest request,
                                ServiceOverHttp::Port port = ServiceOverHttp::Port::kMain) {
    const auto promise = std::make_shared<std::promise<HttpResponse>>();
    over_http_->answer(std::move(request), HttpReply([promise](HttpResponse response) {
                         promise->set_value(std::move(response));
                       }),
                       port);
    return promise->get_future();
  }
  int status(const std::string& method, const std::string& target,
             ServiceOverHttp::Port port = ServiceOverHttp::Port::kMain) {
    return ask(request(method, target), port).get().status;
  }

  // Holds the disk until it is destroyed.
  class HeldDisk {
   public:
    explicit HeldDisk(testing::Disk& disk)
        : thread_([this, &disk] {
            const std::lock_guard lock(disk.mutex);
            held_.set_value();
            release_.get_future().wait();
          }) {
      held_.get_future().wait();
    }
    ~HeldDisk() {
      release_.set_value();
      thread_.join();
    }

   private:
    std::promise<void> held_, release_;
    std::thread thread_;
  };

  testing::TemporaryFolder folder_;
  std::shared_ptr<testing::Disk> disk_ = std::make_shared<testing::Disk>();
  std::atomic<bool> clock_fails_ = false;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Evaluations> evaluations_;
  std::unique_ptr<ServiceOverHttp> over_http_;
};

bool is_there(const std::future<HttpResponse>& answer) {
  return answer.wait_for(seconds(0)) == std::future_status::ready;
}

TEST_F(ServiceOverHttpTest, ASlowAnswerBlocksNoOther) {
  std::future<HttpResponse> decision;
  {
    const HeldDisk held(*disk_);
    decision = ask(request("GET", "/v1/decisions/e1"));
    EXPECT_FALSE(is_there(decision));
    EXPECT_EQ(status("GET", "/healthz"), 200);
    EXPECT_EQ(status("GET", "/readyz"), 200);
    EXPECT_EQ(status("GET", "/metrics", ServiceOverHttp::Port::kHealth), 200);
    EXPECT_EQ(status("GET", std::string(kBase) + "/model"), 200);
    EXPECT_FALSE(is_there(decision));
  }
  EXPECT_EQ(decision.get().status, 404);
}

// At most one answer is being made, and two wait. Which ones depends on when the queue's thread
// takes the first.
TEST_F(ServiceOverHttpTest, RequestsThatDoNotFitTheQueueAreRefused) {
  start({.queue = 2});
  std::vector<std::future<HttpResponse>> accepted;
  int refused = 0;
  {
    const HeldDisk held(*disk_);
    for (int i = 0; i < 10; ++i) {
      auto answer = ask(request("GET", "/v1/decisions/e1"));
      if (!is_there(answer)) {
        accepted.push_back(std::move(answer));
        continue;
      }
      ++refused;
      const HttpResponse response = answer.get();
      EXPECT_EQ(response.status, 503);
      EXPECT_EQ(response.headers.back().name, "Retry-After");
    }
    EXPECT_EQ(status("GET", "/metrics"), 200) << "other kinds are not affected";
  }
  EXPECT_GE(refused, 7);
  EXPECT_LE(refused, 8);
  for (auto& answer : accepted) EXPECT_EQ(answer.get().status, 404);
}

TEST_F(ServiceOverHttpTest, AnswersThatWaitAreDroppedAtTheEnd) {
  std::vector<std::future<HttpResponse>> answers;
  std::thread ending;
  {
    const HeldDisk held(*disk_);
    for (int i = 0; i < 10; ++i) answers.push_back(ask(request("GET", "/v1/decisions/e1")));
    ending = std::thread([this] { over_http_.reset(); });
    EXPECT_EQ(answers.back().get().status, 500);
  }
  ending.join();
  for (std::size_t i = 0; i + 1 < answers.size(); ++i) EXPECT_TRUE(is_there(answers[i]));
}

TEST_F(ServiceOverHttpTest, AnExceptionWhileAnAnswerIsMadeBecomes500) {
  std::promise<std::string> said;
  start({.on_failure = [&](std::string_view what, const char* why) {
    said.set_value(std::string(what) + ": " + why);
  }});
  const std::string target = std::string(kBase) + "/model/properties";
  clock_fails_ = true;
  const HttpResponse response = ask(request("GET", target)).get();
  clock_fails_ = false;
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, ::testing::Not(HasSubstr("secret")));
  EXPECT_EQ(said.get_future().get(), "GET " + target + ": secret reason");
  EXPECT_EQ(status("GET", target), 200);
}

TEST_F(ServiceOverHttpTest, EveryPathKnowsItsMethods) {
  EXPECT_EQ(status("GET", "/v1/status"), 200);
  EXPECT_EQ(status("HEAD", "/v1/status"), 200);
  EXPECT_EQ(status("GET", "/v1/decisions/"), 404);
  EXPECT_EQ(status("GET", "/v1/decisions/a/b"), 404);
  EXPECT_EQ(status("GET", "/v1/decisions/%zz"), 400);
  EXPECT_EQ(status("GET", "/personalizer/v1.0"), 404);
  EXPECT_EQ(status("DELETE", std::string(kBase) + "/model"), 204);
  const HttpResponse wrong = ask(request("POST", std::string(kBase) + "/model")).get();
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.back().name, "Allow");
  EXPECT_EQ(wrong.headers.back().value, "GET, PUT, DELETE");
}

TEST_F(ServiceOverHttpTest, TheHealthPortHasThreePaths) {
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    EXPECT_EQ(status("GET", path, ServiceOverHttp::Port::kHealth), 200);
    EXPECT_EQ(status("POST", path, ServiceOverHttp::Port::kHealth), 405);
  }
  for (const char* path : {"/", "/v1/status", "/personalizer/v1.0/model"}) {
    EXPECT_EQ(status("GET", path, ServiceOverHttp::Port::kHealth), 404);
  }
  std::size_t limit = 7;
  EXPECT_FALSE(over_http_
                   ->check_head(request("PUT", "/personalizer/v1.0/model"), limit,
                                ServiceOverHttp::Port::kHealth)
                   .has_value());
  EXPECT_EQ(limit, 7U);
}

// Every call, and the right it needs; "" needs no key.
TEST_F(ServiceOverHttpTest, EveryCallNeedsOneRight) {
  const std::string all[][3] = {{"POST", "/rank", "decide"},
                                {"POST", "/events/e/activate", "decide"},
                                {"POST", "/multislot/rank", "decide"},
                                {"POST", "/multislot/events/e/activate", "decide"},
                                {"POST", "/logs/interactions", "decide"},
                                {"POST", "/events/e/reward", "reward"},
                                {"POST", "/multislot/events/e/reward", "reward"},
                                {"POST", "/logs/observations", "reward"},
                                {"GET", "/configurations/service", "read"},
                                {"GET", "/configurations/policy", "read"},
                                {"GET", "/evaluations", "read"},
                                {"GET", "/evaluations/e", "read"},
                                {"GET", "/logs/properties", "read"},
                                {"GET", "/model", "read"},
                                {"HEAD", "/model/properties", "read"},
                                {"PUT", "/configurations/service", "admin"},
                                {"PUT", "/configurations/policy", "admin"},
                                {"DELETE", "/configurations/policy", "admin"},
                                {"POST", "/configurations/applyFromEvaluation", "admin"},
                                {"POST", "/evaluations", "admin"},
                                {"DELETE", "/evaluations/e", "admin"},
                                {"DELETE", "/logs", "admin"},
                                {"PUT", "/model", "admin"},
                                {"DELETE", "/model", "admin"}};
  const std::string ours[][3] = {{"GET", "/v1/models", "read"},
                                 {"POST", "/v1/models/1/rollback", "admin"},
                                 {"GET", "/v1/decisions/e", "read"},
                                 {"GET", "/v1/gate", "read"},
                                 {"GET", "/v1/status", "read"},
                                 {"GET", "/metrics", "read"},
                                 {"PUT", "/v1/gate", "admin"},
                                 {"DELETE", "/v1/gate", "admin"},
                                 {"GET", "/healthz", ""},
                                 {"POST", "/v1/gate/promote", "admin"},
                                 {"GET", "/readyz", ""},
                                 {"GET", "/", ""}};
  constexpr Right kRights[] = {Right::kDecide, Right::kReward, Right::kRead, Right::kAdmin};
  std::vector<AccessKey> keys;
  for (const Right right : kRights) {
    keys.push_back({.secret = std::string(name_of(right)), .rights = static_cast<unsigned>(right)});
  }
  start({.keys = keys});
  const auto status = [&](const std::string& method, const std::string& path,
                          const std::string& key) {
    HttpRequest head = request(method, path);
    if (!key.empty()) head.headers.push_back({"Ocp-Apim-Subscription-Key", key});
    std::size_t limit = 0;
    const auto refusal = over_http_->check_head(head, limit);
    return refusal ? refusal->status : 0;
  };
  const auto check = [&](const std::string& method, const std::string& path,
                         const std::string& needed) {
    EXPECT_EQ(status(method, path, ""), needed.empty() ? 0 : 401) << method << path;
    for (const AccessKey& key : keys) {
      EXPECT_EQ(status(method, path, key.secret), needed.empty() || key.secret == needed ? 0 : 403)
          << method << path << key.secret;
    }
  };
  for (const auto& [method, path, right] : all) check(method, kBase + path, right);
  for (const auto& [method, path, right] : ours) check(method, path, right);
}

TEST_F(ServiceOverHttpTest, ConnectionsAreAmongTheMetrics) {
  const auto tally = std::make_shared<HttpTally>();
  start({.connections = tally});
  tally->open = 12;
  tally->slow = 3;
  for (int again = 0; again < 2; ++again) {
    const std::string text = ask(request("GET", "/metrics")).get().body;
    EXPECT_THAT(text, HasSubstr("\nsau_connections 12\n"));
    EXPECT_THAT(text, HasSubstr("\nsau_connections_dropped_total{reason=\"slow\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("\nsau_connections_dropped_total{reason=\"full\"} 0\n"));
  }
}

}  // namespace
}  // namespace sau
