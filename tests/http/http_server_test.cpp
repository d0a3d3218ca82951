#include "sau/http/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "http/raw_client.hpp"
#include "sau/core/error.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using testing::error_of;
using testing::get;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::post;
using testing::RawClient;
using ::testing::StartsWith;

// Answers with the request.
HttpResponse echo_of(const HttpRequest& request) {
  if (request.path() == "/throw") throw Error("secret reason");
  if (request.path() == "/split") return {.headers = {{"X", "a\r\nSet-Cookie: b"}}};
  if (request.path() == "/nothing") return {.status = 204};
  if (request.path() == "/same") return {.status = 304, .headers = {{"ETag", "\"7\""}}};
  std::string body = request.method + " " + request.target + "|" + request.body;
  return {.headers = {{"X-Host", std::string(request.header("hOsT"))}}, .body = std::move(body)};
}

const HttpHandler echo = answered_at_once(echo_of);

// The status line with which a server answers these bytes. Also checks that it closes after that.
std::string verdict(const std::string& bytes, const HttpServerOptions& options = {}) {
  HttpServer server(options, echo);
  RawClient client(server.port());
  client.send(bytes);
  const std::string reply = client.rest();
  EXPECT_THAT(reply, HasSubstr("\r\nConnection: close\r\n"));
  return reply.substr(0, reply.find('\r'));
}

TEST(HttpServer, AnswersWithTheHandlersStatusHeadersAndBody) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  client.send(post("/a/b?c=d", "body"));
  const std::string reply = client.response();
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_THAT(reply, HasSubstr(" GMT\r\nX-Host: here\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\nContent-Length: 18\r\n\r\nPOST /a/b?c=d|body"));
}

TEST(HttpServer, ConnectionStaysOpenForMoreRequests) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  for (const char* target : {"/1", "/2", "/3"}) {
    client.send(get(target));
    EXPECT_THAT(client.response(),
                AllOf(EndsWith("GET " + std::string(target) + "|"), Not(HasSubstr("Connection:"))));
  }
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  HttpServer server({.threads = 4}, echo);
  RawClient client(server.port());
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += post("/" + std::to_string(i), std::to_string(i * i));
  std::thread sender([&] { client.send(requests); });
  for (int i = 0; i < 500; ++i) {
    ASSERT_THAT(client.response(),
                EndsWith("POST /" + std::to_string(i) + "|" + std::to_string(i * i)));
  }
  sender.join();
}

TEST(HttpServer, RequestMayComeByteByByte) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  for (const char byte : post("/slow", "drops")) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_THAT(client.response(), EndsWith("POST /slow|drops"));
}

TEST(HttpServer, BodyMayComeInChunks) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  client.send(
      "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n" +
      get("/next"));
  EXPECT_THAT(client.response(), EndsWith("POST /|abc0123456789"));
  EXPECT_THAT(client.response(), EndsWith("GET /next|"));
}

TEST(HttpServer, ClientThatAsksFirstIsToldToSendItsBody) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  client.send("PUT / HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.response(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  EXPECT_THAT(client.response(), EndsWith("PUT /|ok"));
}

TEST(HttpServer, HeadHasTheHeadersOfGetAndNoBody) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  client.send("HEAD /x HTTP/1.1\r\nHost: here\r\n\r\n" + get("/y"));
  EXPECT_THAT(client.response(true), EndsWith("\r\nContent-Length: 8\r\n\r\n"));
  EXPECT_THAT(client.response(), EndsWith("GET /y|"));
}

TEST(HttpServer, StatusesWithoutABodyHaveNone) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  client.send(get("/nothing") + get("/same") + get("/z"));
  EXPECT_THAT(client.response(),
              AllOf(StartsWith("HTTP/1.1 204 No Content\r\n"), Not(HasSubstr("Content-Length"))));
  EXPECT_THAT(client.response(),
              AllOf(StartsWith("HTTP/1.1 304 Not Modified\r\n"), HasSubstr("ETag: \"7\"")));
  EXPECT_THAT(client.response(), EndsWith("GET /z|"));
}

TEST(HttpServer, ClosesWhenTheClientWantsIt) {
  HttpServer server({}, echo);
  RawClient asks(server.port());
  asks.send(get("/", "Connection: close\r\n"));
  EXPECT_THAT(asks.rest(), AllOf(HasSubstr("Connection: close\r\n"), EndsWith("GET /|")));

  RawClient old(server.port());
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.rest(), EndsWith("GET /|"));

  RawClient old_but_staying(server.port());
  old_but_staying.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(old_but_staying.response(), HasSubstr("Connection: keep-alive\r\n"));
  old_but_staying.send("GET /2 HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old_but_staying.rest(), EndsWith("GET /2|"));
}

TEST(HttpServer, ClientThatEndsItsSideStillGetsTheAnswer) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  client.send(get("/last"));
  client.end_sending();
  EXPECT_THAT(client.rest(), EndsWith("GET /last|"));
}

TEST(HttpServer, AUrlAsTargetOverridesHost) {
  HttpServer server({}, echo);
  RawClient client(server.port());
  client.send(get("http://there:80/p?q") + get("http://there"));
  EXPECT_THAT(client.response(), AllOf(HasSubstr("X-Host: there:80\r\n"), EndsWith("GET /p?q|")));
  EXPECT_THAT(client.response(), AllOf(HasSubstr("X-Host: there\r\n"), EndsWith("GET /|")));
}

TEST(HttpServer, MalformedRequestsAreRefused) {
  const std::string bad = "HTTP/1.1 400 Bad Request";
  EXPECT_EQ(verdict("\x16\x03\x01 hello\r\n\r\n"), bad);  // like TLS
  EXPECT_EQ(verdict("GET /\r\n\r\n"), bad);
  EXPECT_EQ(verdict("GET / HTTP/1.1\r\nHost here\r\n\r\n"), bad);
  EXPECT_EQ(verdict("GET / HTTP/1.1\r\n\r\n"), bad) << "no Host";
  EXPECT_EQ(verdict(get("/", "Host: there\r\n")), bad) << "two Hosts";
  EXPECT_EQ(verdict("GET / HTTP/2.0\r\nHost: here\r\n\r\n"),
            "HTTP/1.1 505 HTTP Version Not Supported");
}

TEST(HttpServer, DoubtAboutWhereABodyEndsIsRefused) {
  const std::string bad = "HTTP/1.1 400 Bad Request";
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  EXPECT_EQ(verdict(get("/", "Content-Length: -1\r\n")), bad);
  EXPECT_EQ(verdict(get("/", "Content-Length: 1\r\nContent-Length: 2\r\n") + "ab"), bad);
  EXPECT_EQ(verdict(get("/", "Content-Length: 3\r\n" + chunked) + "0\r\n\r\n"), bad);
  EXPECT_EQ(verdict(get("/", chunked) + "xyz\r\n"), bad);
  EXPECT_EQ(verdict(get("/", chunked + chunked) + "0\r\n\r\n"), bad);
  const std::string unknown = "HTTP/1.1 501 Not Implemented";
  EXPECT_EQ(verdict(get("/", "Transfer-Encoding: gzip\r\n")), unknown);
  EXPECT_EQ(verdict(get("/", "Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n"), unknown);
}

TEST(HttpServer, UnknownExpectationIsRefused) {
  EXPECT_EQ(verdict(get("/", "Expect: the-best\r\n")), "HTTP/1.1 417 Expectation Failed");
}

TEST(HttpServer, HeadersOverTheLimitAreRefused) {
  const HttpServerOptions options{.header_limit = 500};
  EXPECT_EQ(verdict(get("/", "X: " + std::string(600, 'x') + "\r\n"), options),
            "HTTP/1.1 431 Request Header Fields Too Large");
  EXPECT_EQ(verdict("GET /" + std::string(600, 'x'), options),
            "HTTP/1.1 431 Request Header Fields Too Large");
  HttpServer server(options, echo);
  RawClient client(server.port());
  client.send(get("/", "X: " + std::string(400, 'x') + "\r\n"));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpServer, HeadersSentOneByOneCountTogether) {
  HttpServer server({.header_limit = 500}, echo);
  RawClient client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: here\r\n");
  for (int i = 0; i < 200 && client.send("a: b\r\n"); ++i) std::this_thread::yield();
  EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 431 Request Header Fields Too Large\r\n"));
}

TEST(HttpServer, ChunkHeadersOverTheLimitAreRefused) {
  const HttpServerOptions options{.header_limit = 500};
  const std::string chunked = get("/", "Transfer-Encoding: chunked\r\n");
  const std::string large = "HTTP/1.1 431 Request Header Fields Too Large";
  EXPECT_EQ(verdict(chunked + "3;x=" + std::string(600, 'x'), options), large);
  EXPECT_EQ(verdict(chunked + "0\r\nX: " + std::string(600, 'x'), options), large);
}

TEST(HttpServer, BodiesOverTheLimitAreRefusedAndTheAnswerArrives) {
  const HttpServerOptions options{.body_limit = 1000};
  const std::string large = "HTTP/1.1 413 Payload Too Large";
  // Far more than the socket buffers hold: the client is still sending when it is refused.
  EXPECT_EQ(verdict(post("/", std::string(2'000'000, 'x')), options), large);
  EXPECT_EQ(verdict(get("/", "Transfer-Encoding: chunked\r\n") + "3E9\r\n" +
                        std::string(1001, 'x') + "\r\n0\r\n\r\n",
                    options),
            large);
  HttpServer server(options, echo);
  RawClient client(server.port());
  client.send(post("/", std::string(1000, 'x')));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpServer, RequestThatStallsIsAnswered408) {
  const HttpServerOptions options{.request_timeout = milliseconds(50)};
  const std::string late = "HTTP/1.1 408 Request Timeout";
  EXPECT_EQ(verdict("GET / HT", options), late);
  EXPECT_EQ(verdict("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nfirst", options),
            late);
}

TEST(HttpServer, IdleConnectionIsClosedWithoutAnAnswer) {
  HttpServer server({.idle_timeout = milliseconds(50)}, echo);
  RawClient fresh(server.port());
  EXPECT_TRUE(fresh.ended());
  // On a busy machine the first requests may come too late.
  for (std::string answer; answer.empty();) {
    RawClient used(server.port());
    used.send(get("/"));
    answer = used.response();
    if (answer.empty()) continue;
    EXPECT_THAT(answer, EndsWith("GET /|"));
    EXPECT_TRUE(used.ended());
  }
}

TEST(HttpServer, ClientThatDoesNotReadIsCutOff) {
  std::promise<void> asked;
  HttpServer server({.write_timeout = milliseconds(50)}, [&](const HttpRequest&, HttpReply reply) {
    reply({.body = std::string(64 << 20, 'x')});
    asked.set_value();
  });
  RawClient client(server.port());
  client.send(get("/"));
  asked.get_future().wait();
  server.stop();  // waits for it until write_timeout
  EXPECT_LT(client.rest().size(), std::size_t{64} << 20);
}

TEST(HttpServer, SlowClientsBlockNoThread) {
  HttpServer server({.threads = 1}, echo);
  std::vector<RawClient> slow;
  for (int i = 0; i < 50; ++i) {
    slow.emplace_back(server.port());
    slow.back().send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nab");
  }
  RawClient quick(server.port());
  quick.send(get("/quick"));
  EXPECT_THAT(quick.response(), EndsWith("GET /quick|"));
  for (RawClient& client : slow) {
    client.send("cde");
    EXPECT_THAT(client.response(), EndsWith("POST /|abcde"));
  }
}

TEST(HttpServer, ManyConcurrentClientsGetTheirOwnAnswers) {
  HttpServer server({.threads = 3}, echo);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        RawClient client(server.port());
        const std::string target = "/" + std::to_string(thread) + "/" + std::to_string(i);
        client.send(get(target) + post(target, "x"));
        if (client.response().ends_with("GET " + target + "|") &&
            client.response().ends_with("POST " + target + "|x")) {
          ++right;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 200);
}

TEST(HttpServer, AnExceptionOfAHandlerIsNotShownToTheClient) {
  std::mutex mutex;
  std::vector<std::string> failures;
  HttpServer server({.on_failure =
                         [&](std::string_view request, const char* what) {
                           const std::lock_guard lock(mutex);
                           failures.push_back(std::string(request) + ": " + what);
                         }},
                    echo);
  RawClient client(server.port());
  client.send(get("/throw") + get("/split") + get("/fine"));
  EXPECT_THAT(client.response(), AllOf(StartsWith("HTTP/1.1 500 Internal Server Error\r\n"),
                                       Not(HasSubstr("secret"))));
  EXPECT_THAT(client.response(), AllOf(StartsWith("HTTP/1.1 500 Internal Server Error\r\n"),
                                       Not(HasSubstr("Set-Cookie"))));
  EXPECT_THAT(client.response(), EndsWith("GET /fine|"));
  const std::lock_guard lock(mutex);
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0], "GET /throw: secret reason");
  EXPECT_THAT(failures[1], HasSubstr("line break"));
}

bool refuses_connections(std::uint16_t port) {
  // Bound, but not listening, so that nobody else gets the port meanwhile.
  const int holder = ::socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  ::setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool held =
      ::bind(holder, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  // If another program was faster, it may listen there.
  const bool refused = !held || !RawClient(port).connected();
  ::close(holder);
  return refused;
}

TEST(HttpServer, StopClosesIdleConnectionsAndRefusesNewOnes) {
  HttpServer server({}, echo);
  RawClient idle(server.port());
  idle.send(get("/"));
  idle.response();
  server.stop();
  EXPECT_TRUE(idle.ended());
  EXPECT_TRUE(refuses_connections(server.port()));
  server.stop();  // again: nothing happens
}

TEST(HttpServer, StopWaitsForTheAnswerThatIsBeingMade) {
  std::promise<void> entered, leave;
  HttpServer server({.stop_timeout = std::chrono::minutes(5)},
                    answered_at_once([&](const HttpRequest&) {
                      entered.set_value();
                      leave.get_future().wait();
                      return HttpResponse{.body = "in time"};
                    }));
  RawClient client(server.port());
  client.send(get("/"));
  entered.get_future().wait();
  std::thread stopping([&] { server.stop(); });
  leave.set_value();
  EXPECT_THAT(client.rest(), EndsWith("in time"));
  stopping.join();
}

TEST(HttpServer, StopDoesNotWaitForeverForAHalfSentRequest) {
  HttpServer server({.request_timeout = std::chrono::minutes(30), .stop_timeout = milliseconds(50)},
                    echo);
  RawClient client(server.port());
  client.send("GET / HTTP/1.1\r\nHo");
  RawClient other(server.port());  // when it is answered, the first has been read too
  other.send(get("/"));
  other.response();
  const auto before = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::minutes(10));
  EXPECT_TRUE(client.ended());
}

TEST(HttpServer, AddressThatCannotBeUsedIsNamed) {
  EXPECT_THAT(error_of<UsageError>([] { HttpServer({.address = "example.org"}, echo); }),
              AllOf(HasSubstr("'example.org'"), HasSubstr("IP address")));
  HttpServer first({}, echo);
  const std::string said = error_of([&] { HttpServer({.port = first.port()}, echo); });
  EXPECT_THAT(said, AllOf(HasSubstr("127.0.0.1 port " + std::to_string(first.port())),
                          HasSubstr("in use")));
}

}  // namespace
}  // namespace sau
