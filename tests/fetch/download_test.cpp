#include "sau/fetch/download.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "sau/core/file.hpp"
#include "sau/fetch/fetch.hpp"
#include "sau/fetch/verify.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

// Sends its replies in order, one per connection, and keeps the requests. A reply that is shorter
// than it says is a broken connection.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<std::string> replies)
      : replies_(std::move(replies)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, generic, size) != 0 || ::listen(socket_, 8) != 0) std::abort();
    ::getsockname(socket_, generic, &size);
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/file";
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  std::string url;
  std::vector<std::string> requests;  // complete once download() has returned

 private:
  void serve() {
    for (const std::string& reply : replies_) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) return;
      std::string request;
      char byte = 0;
      while (!request.ends_with("\r\n\r\n") && ::recv(client, &byte, 1, 0) == 1) request += byte;
      requests.push_back(request);
      if (::send(client, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) std::abort();
      ::close(client);
    }
  }

  std::vector<std::string> replies_;
  int socket_;
  std::thread thread_;
};

std::string whole(const std::string& tag, std::size_t size, const std::string& body) {
  return "HTTP/1.1 200 OK\r\nETag: " + tag + "\r\nContent-Length: " + std::to_string(size) +
         "\r\n\r\n" + body;
}

std::string rest(const std::string& tag, const std::string& range, const std::string& body) {
  return "HTTP/1.1 206 Partial Content\r\nETag: " + tag + "\r\nContent-Range: bytes " + range +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string empty(const std::string& status) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n";
}

TEST(Download, ContinuesAfterABrokenConnection) {
  const TemporaryFolder place;
  ScriptedServer server({whole("\"a\"", 10, "0123"), rest("\"a\"", "4-9/10", "456789")});
  EXPECT_TRUE(download(server.url, place / "x.part", {}));
  EXPECT_EQ(read_file(place / "x.part"), "0123456789");
  EXPECT_THAT(server.requests[1], HasSubstr("Range: bytes=4-\r\n"));
  EXPECT_THAT(server.requests[1], HasSubstr("If-Range: \"a\"\r\n"));
}

TEST(Download, StartsAgainWhenTheFileChanged) {
  const TemporaryFolder place;
  // Correctly, by a server that ignores If-Range, by one that sends other bytes, and with 416.
  for (const std::string& second :
       {whole("\"b\"", 3, "new"), rest("\"b\"", "4-9/10", "456789"), rest("\"a\"", "0-2/3", "new"),
        empty("416 Range Not Satisfiable")}) {
    ScriptedServer server({whole("\"a\"", 10, "0123"), second, whole("\"b\"", 3, "new")});
    EXPECT_FALSE(download(server.url, place / "x.part", {}));
    EXPECT_EQ(read_file(place / "x.part"), "new");
    discard_part(place / "x.part");
  }
}

TEST(Download, DoesNotResumeWithAWeakTag) {
  const TemporaryFolder place;
  ScriptedServer server({whole("W/\"a\"", 10, "0123"), whole("W/\"a\"", 3, "new")});
  EXPECT_FALSE(download(server.url, place / "x.part", {}));
  EXPECT_THAT(server.requests[1], ::testing::Not(HasSubstr("Range")));
}

TEST(Download, GivesUpWithoutProgressAndKeepsThePart) {
  const TemporaryFolder place;
  ScriptedServer server({whole("\"a\"", 10, "0123"), ""});
  EXPECT_THAT(error_of([&] { download(server.url, place / "x.part", {}); }),
              HasSubstr("4 bytes that have arrived are kept"));
  EXPECT_EQ(read_file(place / "x.part"), "0123");
}

TEST(Download, ErrorsNameTheServersAnswer) {
  const TemporaryFolder place;
  ScriptedServer server({empty("404 Not Found"), empty("500 Oops"), empty("200 OK")});
  EXPECT_THAT(error_of<NotFound>([&] { download(server.url, place / "x.part", {}); }),
              HasSubstr("404"));
  EXPECT_THAT(error_of([&] { download(server.url, place / "x.part", {}); }), HasSubstr("500"));
  EXPECT_FALSE(download(server.url, place / "x.part", {}));
  EXPECT_TRUE(place.names().empty());
}

TEST(Download, DoesNotFollowRedirectsToOtherProtocols) {
  const TemporaryFolder place;
  ScriptedServer server({"HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\n\r\n"});
  EXPECT_THAT(error_of([&] { download(server.url, place / "x.part", {}); }),
              HasSubstr("cannot download"));
  EXPECT_TRUE(place.names().empty());
}

TEST(Download, StopsWhenAsked) {
  const TemporaryFolder place;
  const std::atomic<bool> stop = true;
  ScriptedServer server({whole("\"a\"", 10, "0123")});
  EXPECT_THAT(error_of<Stopped>(
                  [&] { download(server.url, place / "x.part", {.progress = {}, .stop = &stop}); }),
              HasSubstr("stopped"));
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

constexpr DataFile kFiles[] = {
    {.path = "made/one",
     .url = "",
     .sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
     .bytes = 3},
    {.path = "made/two", .url = "", .sha256 = "", .bytes = 0, .lines = 2, .start = "a,b"}};
constexpr DataSource kMade{"made", "Made up", "none", kFiles, "not published"};

TEST(Fetch, ReadsACompressedFileFromAMirror) {
  const TemporaryFolder place;
  // gzip of "abc"
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x4c\x4a\x06\x00\xc2\x41\x24\x35\x03\x00\x00"
      "\x00",
      23);
  ScriptedServer server({empty("404 Not Found"), whole("\"a\"", packed.size(), packed)});
  const FetchOptions options{.folder = place.path(), .mirror = server.url + "/", .download = {}};
  EXPECT_EQ(read_file(fetch_data_file(kMade, kFiles[0], options)), "abc");
  EXPECT_THAT(server.requests[1], HasSubstr("GET /file/made/one.gz "));
  EXPECT_EQ(check_data_file(place.path(), kFiles[0]).state, FileState::kGood);
}

TEST(Fetch, AddRecognisesFilesByContentNotByName) {
  const TemporaryFolder place;
  write_file(place / "second", "a,b\n1,2");
  EXPECT_EQ(add_data_files(kMade, place / "second", place / "data"),
            std::vector<fs::path>{place / "data" / "made" / "two"});
  EXPECT_EQ(check_data_file(place / "data", kFiles[1]).state, FileState::kUnverified);
  write_file(place / "second", "a,b\n");
  EXPECT_THAT(error_of([&] { add_data_files(kMade, place / "second", place / "data"); }),
              HasSubstr("1 lines, expected 2"));
}

}  // namespace
}  // namespace sau
