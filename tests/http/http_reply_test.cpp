#include "sau/http/http_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "http/raw_client.hpp"
#include "sau/core/error.hpp"
#include "sau/http/http_server.hpp"

namespace sau {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::get;
using ::testing::HasSubstr;
using testing::post;
using testing::RawClient;
using ::testing::StartsWith;

// A handler that keeps requests until somebody takes them.
class Desk {
 public:
  struct Asked {
    HttpRequest request;
    HttpReply reply;
  };

  HttpHandler handler() {
    return [this](HttpRequest request, HttpReply reply) {
      const std::scoped_lock lock(mutex_);
      asked_.push_back({std::move(request), std::move(reply)});
      changed_.notify_all();
    };
  }

  Asked take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !asked_.empty(); });
    Asked first = std::move(asked_.front());
    asked_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> asked_;
};

// The failures that a server reports.
class Complaints {
 public:
  std::function<void(std::string_view, const char*)> listener() {
    return [this](std::string_view request, const char* what) {
      const std::scoped_lock lock(mutex_);
      said_.push_back(std::string(request) + ": " + what);
    };
  }
  std::vector<std::string> said() {
    const std::scoped_lock lock(mutex_);
    return said_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> said_;
};

TEST(HttpReply, MayComeLaterFromAnotherThread) {
  Desk desk;
  HttpServer server({}, desk.handler());
  RawClient client(server.port());
  client.send(post("/a", "b"));
  auto asked = desk.take();
  EXPECT_EQ(asked.request.target + asked.request.body, "/ab");
  asked.reply({.status = 201, .body = "later"});
  EXPECT_THAT(client.response(), AllOf(StartsWith("HTTP/1.1 201 Created\r\n"), EndsWith("later")));
}

TEST(HttpReply, WaitingBlocksNoThread) {
  Desk desk;
  HttpServer server({.threads = 1}, desk.handler());
  std::vector<RawClient> clients;
  std::vector<Desk::Asked> asked;
  for (int i = 0; i < 50; ++i) {
    clients.emplace_back(server.port());
    clients.back().send(get("/" + std::to_string(i)));
    asked.push_back(desk.take());
  }
  for (auto one = asked.rbegin(); one != asked.rend(); ++one) {
    one->reply({.body = one->request.target});
  }
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_THAT(clients[i].response(), EndsWith("\r\n\r\n/" + std::to_string(i)));
  }
}

TEST(HttpReply, APipelinedRequestWaitsForTheAnswerBefore) {
  Desk desk;
  HttpServer server({}, desk.handler());
  RawClient client(server.port());
  client.send(get("/1") + get("/2") + get("/3"));
  for (const char* target : {"/1", "/2", "/3"}) {
    auto asked = desk.take();
    EXPECT_EQ(asked.request.target, target);
    asked.reply({.body = target});
    EXPECT_THAT(client.response(), EndsWith(target));
  }
}

TEST(HttpReply, MixtureOfEarlyAndLateAnswersKeepsItsOrder) {
  Desk desk;
  const HttpHandler late = desk.handler();
  HttpServer server({}, [&](HttpRequest request, HttpReply reply) {
    if (request.target.ends_with("5")) return late(std::move(request), std::move(reply));
    reply({.body = request.target});
  });
  RawClient client(server.port());
  std::string requests;
  for (int i = 0; i < 300; ++i) requests += get("/" + std::to_string(i));
  std::thread answering([&] {
    for (int i = 0; i < 30; ++i) {
      auto asked = desk.take();
      asked.reply({.body = asked.request.target});
    }
  });
  std::thread sending([&] { client.send(requests); });
  for (int i = 0; i < 300; ++i) {
    ASSERT_THAT(client.response(), EndsWith("\r\n\r\n/" + std::to_string(i)));
  }
  sending.join();
  answering.join();
}

TEST(HttpReply, FirstOfSeveralCallsCounts) {
  HttpServer server({}, [](const HttpRequest&, const HttpReply& reply) {
    const HttpReply copy = reply;
    copy({.body = "first"});
    reply({.body = "second"});
  });
  RawClient client(server.port());
  client.send(get("/") + get("/"));
  EXPECT_THAT(client.response(), EndsWith("first"));
  EXPECT_THAT(client.response(), EndsWith("first"));
}

TEST(HttpReply, NeverCalledAnswers500) {
  Complaints complaints;
  Desk desk;
  HttpServer server({.on_failure = complaints.listener()},
                    [&](HttpRequest request, HttpReply reply) {
                      if (request.target == "/at-once") return;
                      desk.handler()(std::move(request), std::move(reply));
                    });
  RawClient client(server.port());
  client.send(get("/at-once") + get("/later"));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 500 "));
  desk.take();
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(complaints.said(), ElementsAre("GET /at-once: the reply was never called",
                                             "GET /later: the reply was never called"));
}

TEST(HttpReply, OfAHandlerThatThrewComesTooLate) {
  Complaints complaints;
  std::vector<HttpReply> kept;
  HttpServer server({.on_failure = complaints.listener()},
                    [&](const HttpRequest& request, const HttpReply& reply) {
                      kept.push_back(reply);
                      if (request.target == "/answered") reply({.body = "an answer"});
                      if (request.target != "/fine") throw Error("why");
                      kept.front()({.body = "of the first"});
                      reply({.body = "fine"});
                    });
  RawClient client(server.port());
  client.send(get("/thrown") + get("/answered") + get("/fine"));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(client.response(), EndsWith("an answer"));
  EXPECT_THAT(client.response(), EndsWith("fine"));
  EXPECT_THAT(complaints.said(), ElementsAre("GET /thrown: why", "GET /answered: why"));
}

TEST(HttpReply, ToABrokenConnectionIsDropped) {
  Desk desk;
  const auto tally = std::make_shared<HttpTally>();
  HttpServer server({.connections = 1, .tally = tally}, desk.handler());
  auto gone = std::make_unique<RawClient>(server.port());
  gone->send(get("/gone"));
  auto asked = desk.take();
  gone.reset();
  asked.reply({.body = std::string(1 << 20, 'x')});
  // There is room for only one connection: this one is served once the first has been closed.
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
  while (tally->open > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  ASSERT_EQ(tally->open, 0U);
  RawClient next(server.port());
  next.send(get("/next"));
  desk.take().reply({.body = "served"});
  EXPECT_THAT(next.response(), EndsWith("served"));
}

TEST(HttpReply, MayOutliveTheServer) {
  Desk desk;
  auto server = std::make_unique<HttpServer>(HttpServerOptions{.stop_timeout = milliseconds(20)},
                                             desk.handler());
  RawClient client(server->port());
  client.send(get("/1"));
  auto asked = desk.take();
  server.reset();
  EXPECT_TRUE(client.ended());
  asked.reply({.body = "too late"});
}

TEST(HttpReply, StopWaitsForIt) {
  Desk desk;
  HttpServer server({.stop_timeout = std::chrono::minutes(5)}, desk.handler());
  RawClient idle(server.port());
  auto client = std::make_unique<RawClient>(server.port());
  client->send(get("/"));
  auto asked = desk.take();
  std::thread stopping([&] { server.stop(); });
  EXPECT_TRUE(idle.ended());  // so it is stopping
  asked.reply({.body = "in time"});
  EXPECT_THAT(client->rest(), AllOf(HasSubstr("Connection: close\r\n"), EndsWith("in time")));
  client.reset();
  stopping.join();
}

TEST(HttpReply, ManyThreadsAnswerManyConnections) {
  constexpr int kClients = 8, kRequests = 100;
  Desk desk;
  HttpServer server({.threads = 2}, desk.handler());
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kClients * kRequests / 2; ++k) {
        auto asked = desk.take();
        asked.reply({.body = asked.request.target});
      }
    });
  }
  std::atomic<int> right = 0;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      RawClient client(server.port());
      for (int k = 0; k < kRequests; ++k) {
        const std::string target = "/" + std::to_string(i) + "/" + std::to_string(k);
        client.send(get(target));
        if (client.response().ends_with("\r\n\r\n" + target)) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kClients * kRequests);
}

TEST(HttpReply, ToAFunctionNeedsNoServer) {
  std::vector<int> statuses;
  {
    const HttpReply reply(
        [&](const HttpResponse& response) { statuses.push_back(response.status); });
    reply({.status = 204});
    reply({.status = 200});
  }
  {
    const HttpReply reply(
        [&](const HttpResponse& response) { statuses.push_back(response.status); });
  }
  EXPECT_THAT(statuses, ElementsAre(204, 500));
}

}  // namespace
}  // namespace sau
