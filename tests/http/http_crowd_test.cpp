#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "http/raw_client.hpp"
#include "sau/http/http_server.hpp"

namespace sau {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using testing::get;
using ::testing::HasSubstr;
using testing::post;
using testing::RawClient;
using ::testing::StartsWith;

constexpr const char* kHere = "127.0.0.1";
constexpr const char* kThere = "127.0.0.2";

// A server that answers immediately, but /wait only when it is told to.
class CrowdedServer {
 public:
  explicit CrowdedServer(HttpServerOptions options)
      : server_(with(std::move(options), tally),
                [this](const HttpRequest& request, const HttpReply& reply) {
                  if (request.path() == "/no-memory") throw std::bad_alloc();
                  if (request.path() == "/large") {
                    return reply({.body = std::string(std::size_t{64} << 20, 'x')});
                  }
                  if (request.path() != "/wait") return reply({.body = "answer"});
                  const std::scoped_lock lock(mutex_);
                  waiting_.push_back({request, reply});
                  changed_.notify_all();
                }) {}

  RawClient client(const char* from = kHere) const { return RawClient(server_.port(), from); }
  // A client that has been answered and is idle now.
  RawClient idle(const char* from = kHere) const {
    RawClient made = client(from);
    made.send(get("/"));
    EXPECT_THAT(made.response(), EndsWith("answer"));
    return made;
  }
  // A client that has sent a request except for its last five bytes.
  RawClient slow(const char* from = kHere) const {
    RawClient made = client(from);
    made.send("POST / HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    EXPECT_EQ(made.response(), "HTTP/1.1 100 Continue\r\n\r\n");
    return made;
  }
  // A client that waits for its answer.
  RawClient answered_later(const std::string& request = get("/wait"), const char* from = kHere) {
    RawClient made = client(from);
    made.send(request);
    std::unique_lock lock(mutex_);
    const std::size_t expected = ++asked_;
    changed_.wait(lock, [&] { return waiting_.size() == expected; });
    return made;
  }
  void answer_all() {
    const std::scoped_lock lock(mutex_);
    for (const auto& [request, reply] : waiting_) reply({.body = "at last"});
  }
  // Destroys the requests and the replies.
  void forget_all() {
    const std::scoped_lock lock(mutex_);
    waiting_.clear();
    asked_ = 0;
  }

  const std::shared_ptr<HttpTally> tally = std::make_shared<HttpTally>();

 private:
  static HttpServerOptions with(HttpServerOptions options, std::shared_ptr<HttpTally> tally) {
    options.tally = std::move(tally);
    return options;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<HttpRequest, HttpReply>> waiting_;
  std::size_t asked_ = 0;
  HttpServer server_;
};

TEST(HttpCrowd, ANewConnectionReplacesTheOneIdleLongest) {
  CrowdedServer server({.connections = 2});
  RawClient first = server.idle();
  RawClient second = server.idle();
  RawClient third = server.idle();
  EXPECT_TRUE(first.ended());
  second.send(get("/"));
  EXPECT_THAT(second.response(), EndsWith("answer"));
  RawClient fourth = server.idle();
  EXPECT_TRUE(third.ended()) << "it was used less recently than the second";
  EXPECT_EQ(server.tally->idle, 2U);
}

TEST(HttpCrowd, TheAddressWithMostConnectionsGivesOneUp) {
  CrowdedServer server({.connections = 4});
  RawClient here = server.idle(kHere);
  std::vector<RawClient> there;
  for (int i = 0; i < 3; ++i) there.push_back(server.slow(kThere));
  RawClient new_here = server.idle(kHere);
  EXPECT_TRUE(there[0].ended()) << "although the other address has one that is idle";
  here.send(get("/"));
  EXPECT_THAT(here.response(), EndsWith("answer"));
  EXPECT_EQ(server.tally->slow, 1U);
  EXPECT_EQ(server.tally->idle, 0U);
}

TEST(HttpCrowd, ASlowSenderIsDroppedWhenNoneIsIdle) {
  CrowdedServer server({.connections = 3});
  RawClient oldest = server.slow();
  RawClient idle = server.idle();
  RawClient younger = server.slow();
  RawClient first = server.slow();
  EXPECT_TRUE(idle.ended()) << "an idle one is dropped first, although it is younger";
  RawClient second = server.idle();
  EXPECT_TRUE(oldest.ended());
  younger.send("later");
  EXPECT_THAT(younger.response(), EndsWith("answer"));
  EXPECT_EQ(server.tally->idle, 1U);
  EXPECT_EQ(server.tally->slow, 1U);
}

TEST(HttpCrowd, ConnectionsThatAreBeingAnsweredStay) {
  CrowdedServer server({.connections = 2});
  RawClient first = server.answered_later();
  RawClient second = server.answered_later();
  RawClient third = server.client();
  third.send(get("/"));
  EXPECT_THAT(third.rest(), AllOf(StartsWith("HTTP/1.1 503 Service Unavailable\r\n"),
                                  HasSubstr("Connection: close")));
  EXPECT_EQ(server.tally->full, 1U);
  server.answer_all();
  EXPECT_THAT(first.response(), EndsWith("at last"));
  EXPECT_THAT(second.response(), EndsWith("at last"));
  RawClient fourth = server.idle();
}

TEST(HttpCrowd, ClientsThatDoNotTakeTheirAnswerAreDroppedLast) {
  CrowdedServer server({.connections = 2, .write_timeout = std::chrono::seconds(36)});
  std::vector<RawClient> greedy;
  for (int i = 0; i < 2; ++i) {
    greedy.push_back(server.client());
    greedy.back().send(get("/large"));
    greedy.back().response(true);  // the head, and nothing more
  }
  // New ones are refused for three seconds, in which the others could still take their answers.
  std::string answer;
  for (int i = 0; i < 20'000 && !answer.starts_with("HTTP/1.1 200"); ++i) {
    RawClient client = server.client();
    client.send(get("/", "Connection: close\r\n"));
    answer = client.rest();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(answer, EndsWith("answer"));
  EXPECT_EQ(server.tally->slow, 1U);
  EXPECT_LT(greedy[0].rest().size(), std::size_t{64} << 20);
}

TEST(HttpCrowd, ManyMoreThanFitAreAdmittedOneAfterTheOther) {
  CrowdedServer server({.threads = 3, .connections = 10});
  std::vector<RawClient> clients;
  for (int i = 0; i < 300; ++i) clients.push_back(server.client());
  RawClient last = server.idle();
  EXPECT_LE(server.tally->open, 10U + spare_connections(10));
  EXPECT_GE(server.tally->idle, 291U);
}

TEST(HttpCrowd, EachAddressMayHaveALimit) {
  CrowdedServer server({.connections = 10, .connections_per_address = 2});
  RawClient here = server.idle(kHere);
  RawClient first = server.idle(kThere);
  RawClient second = server.answered_later(get("/wait"), kThere);
  RawClient third = server.answered_later(get("/wait"), kThere);
  EXPECT_TRUE(first.ended());
  EXPECT_EQ(server.tally->address, 1U);
  RawClient fourth = server.client(kThere);
  fourth.send(get("/"));
  EXPECT_THAT(fourth.rest(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_EQ(server.tally->address, 2U);
  EXPECT_EQ(server.tally->full, 0U);
  here.send(get("/"));
  EXPECT_THAT(here.response(), EndsWith("answer"));
  server.answer_all();
}

TEST(HttpCrowd, LoopbackHasNoLimitUnlessOneIsGiven) {
  CrowdedServer server({.connections = 4});
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(server.idle(kThere));
  for (RawClient& client : clients) {
    client.send(get("/"));
    EXPECT_THAT(client.response(), EndsWith("answer"));
  }
  EXPECT_EQ(server.tally->address, 0U);
}

TEST(HttpCrowd, AllLargeBodiesTogetherHaveALimit) {
  CrowdedServer server({.body_limit = 100,
                        .large_bodies = 900,
                        .on_head = [](const HttpRequest&, std::size_t& limit) {
                          limit = 1000;
                          return std::optional<HttpResponse>();
                        }});
  const std::string large = post("/wait", std::string(500, 'x'));
  RawClient first = server.answered_later(large);
  RawClient second = server.client();
  second.send(large);
  EXPECT_THAT(second.rest(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  RawClient small = server.client();
  small.send(post("/", std::string(50, 'x')));
  EXPECT_THAT(small.response(), EndsWith("answer"));
  server.answer_all();
  EXPECT_THAT(first.response(), EndsWith("at last"));
  server.forget_all();  // frees the body
  RawClient third = server.answered_later(large);
  server.answer_all();
  EXPECT_THAT(third.response(), EndsWith("at last"));
}

// It does not say how large it will be, so at first it may not take the room of others.
TEST(HttpCrowd, AChunkedBodyTakesRoomAsItGrows) {
  CrowdedServer server({.body_limit = 100,
                        .large_bodies = 2000,
                        .on_head = [](const HttpRequest&, std::size_t& limit) {
                          limit = 10'000;
                          return std::optional<HttpResponse>();
                        }});
  const auto chunked = [](std::size_t size) {
    return fmt::format(
        "POST /wait HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
        "{:x}\r\n{}\r\n0\r\n\r\n",
        size, std::string(size, 'x'));
  };
  RawClient first = server.answered_later(chunked(400));
  RawClient second = server.answered_later(chunked(400));
  RawClient third = server.client();
  third.send(chunked(1500));
  EXPECT_THAT(third.rest(), AllOf(StartsWith("HTTP/1.1 503 Service Unavailable\r\n"),
                                  HasSubstr("too many large bodies")));
  server.answer_all();
  EXPECT_THAT(first.response(), EndsWith("at last"));
  EXPECT_THAT(second.response(), EndsWith("at last"));
  server.forget_all();  // frees the bodies
  RawClient fourth = server.answered_later(chunked(1500));
  server.answer_all();
  EXPECT_THAT(fourth.response(), EndsWith("at last"));
}

TEST(HttpCrowd, OutOfMemoryIsAnswered503) {
  CrowdedServer server({});
  RawClient client = server.client();
  client.send(get("/no-memory") + get("/"));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(client.response(), EndsWith("answer"));
}

}  // namespace
}  // namespace sau
