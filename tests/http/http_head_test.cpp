#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "http/raw_client.hpp"
#include "sau/core/error.hpp"
#include "sau/http/http_server.hpp"

namespace sau {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using testing::get;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::post;
using testing::RawClient;
using ::testing::StartsWith;

// Refuses requests without a key; only /large may have a large body.
std::optional<HttpResponse> guard(const HttpRequest& head, std::size_t& body_limit) {
  if (head.header("Key") != "k") return text_response(401, "no key");
  if (head.target == "/throw") throw Error("secret reason");
  if (head.target == "/large") body_limit = 100'000;
  return std::nullopt;
}

HttpResponse size_of(const HttpRequest& request) {
  return {.body = std::to_string(request.body.size())};
}

std::string put(const std::string& target, std::size_t size, const std::string& more) {
  return "PUT " + target + " HTTP/1.1\r\nHost: here\r\n" + more +
         "Content-Length: " + std::to_string(size) + "\r\n\r\n" + std::string(size, 'x');
}

TEST(HttpServer, HeadDecidesHowLargeTheBodyMayBe) {
  HttpServer server({.body_limit = 10, .on_head = guard}, answered_at_once(size_of));
  RawClient client(server.port());
  client.send(put("/large", 100'000, "Key: k\r\n") + put("/small", 10, "Key: k\r\n"));
  EXPECT_THAT(client.response(), EndsWith("\r\n\r\n100000"));
  EXPECT_THAT(client.response(), EndsWith("\r\n\r\n10"));
  client.send(put("/small", 11, "Key: k\r\n"));
  EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 413 "));
  RawClient larger(server.port());
  larger.send(put("/large", 100'001, "Key: k\r\n"));
  EXPECT_THAT(larger.rest(), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, HeadMayBeRefusedBeforeTheBodyComes) {
  HttpServer server({.on_head = guard}, answered_at_once(size_of));
  RawClient client(server.port());
  client.send(put("/large", 50'000, ""));
  EXPECT_THAT(client.rest(), AllOf(StartsWith("HTTP/1.1 401 Unauthorized\r\n"),
                                   HasSubstr("Connection: close"), EndsWith("no key\n")));
  RawClient asks_first(server.port());
  asks_first.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  EXPECT_THAT(asks_first.response(), StartsWith("HTTP/1.1 401 Unauthorized\r\n"));
}

TEST(HttpServer, RefusedHeadWithoutABodyLeavesTheConnectionOpen) {
  HttpServer server({.on_head = guard}, answered_at_once(size_of));
  RawClient client(server.port());
  client.send(get("/") + get("/throw", "Key: k\r\n") + get("/", "Key: k\r\n"));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(client.response(), AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("secret"))));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, ErrorResponseMakesItsOwnAnswers) {
  HttpServer server({.body_limit = 3,
                     .error_response =
                         [](int status, std::string_view line) {
                           return HttpResponse{.status = status,
                                               .headers = {{"Content-Type", "application/json"}},
                                               .body = "{\"said\":\"" + std::string(line) + "\"}"};
                         }},
                    [](const HttpRequest&, const HttpReply&) {});
  RawClient client(server.port());
  client.send(get("/"));
  EXPECT_THAT(client.response(), AllOf(StartsWith("HTTP/1.1 500 "), EndsWith("answer this\"}")));
  client.send(post("/", "four"));
  EXPECT_THAT(client.rest(),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("Content-Type: application/json\r\n"),
                    EndsWith("{\"said\":\"the body is too large\"}")));
}

}  // namespace
}  // namespace sau
