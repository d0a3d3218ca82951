#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/time_text.hpp"
#include "sau/store/failure.hpp"

namespace sau::detail {

struct NatsOptions {
  std::string servers;                   // nats://HOST:PORT, several with commas between them
  std::string name;                      // that NATS shows for this connection
  std::string credentials;               // a file, as made by nsc; empty: none
  std::string ca, certificate, key;      // files, PEM; empty: the system's, or none
  std::chrono::milliseconds wait{2000};  // for an answer
  // Called with one sentence when the connection is lost or is back; from a thread of the library.
  std::function<void(const std::string&)> note = {};
};

// What JetStream says about a stream.
struct StreamState {
  std::int64_t created = 0;  // ns since 1970: another one if the stream was lost and made again
  std::uint64_t first = 0, last = 0;
  std::vector<std::string> subjects;
};

struct StreamMessage {
  std::string bytes;
  Milliseconds time = 0;  // when the stream got it, by the server's clock
};

struct StreamPlan {
  std::string name, subject, description;
  int replicas = 0;  // 0: three if there are that many servers, else one
  std::chrono::hours kept{24};
};

// A connection to NATS that reconnects by itself, for ever. The one file that knows libnats is
// nats_link.cpp; without that library, nats_link_missing.cpp takes its place, and connecting says
// what is missing. Thread-safe. A failure is kUnavailable if it may pass.
class NatsLink {
 public:
  using Handler = std::function<void(std::string_view bytes, std::string_view reply_to)>;

  // Returns before it is connected if no server can be reached. Throws Error when the servers
  // refuse the credentials, or a file cannot be used.
  explicit NatsLink(NatsOptions options);
  NatsLink(const NatsLink&) = delete;
  NatsLink& operator=(const NatsLink&) = delete;
  // No handler runs any more when it returns.
  ~NatsLink();

  bool connected() const;

  // Messages that nobody keeps: whoever listens at the moment gets them.
  Status publish(const std::string& subject, std::string_view bytes);
  // The handler is called by a thread of the library, one message after the other.
  void subscribe(const std::string& subject, Handler handler);
  Result<std::string> request(const std::string& subject, std::string_view bytes,
                              std::chrono::milliseconds wait);

  // JetStream. Returns nothing if there is no such stream.
  Result<std::optional<StreamState>> stream(const std::string& name);
  Status create_stream(const StreamPlan& plan);
  // Returns the message's number, when the stream has it. A message with the same id is taken once.
  Result<std::uint64_t> append(const std::string& subject, const std::string& id,
                               std::string_view bytes);
  Result<std::optional<StreamMessage>> message(const std::string& stream, std::uint64_t number);

  // A lease, which ends by itself `lasting` after it was taken or renewed last.
  struct Lease {
    std::string holder;
    std::uint64_t revision = 0;
  };
  Status create_leases(const std::string& bucket, std::chrono::seconds lasting, int replicas);
  Result<std::optional<Lease>> lease(const std::string& bucket, const std::string& key);
  // `revision` is that of our own lease, or 0 if there must be none. Returns the new revision.
  Result<std::uint64_t> take_lease(const std::string& bucket, const std::string& key,
                                   const std::string& holder, std::uint64_t revision);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// Whether this program can connect to NATS; if not, why.
std::optional<std::string> nats_is_missing();

}  // namespace sau::detail
