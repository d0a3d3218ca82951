#include "cluster/nats_link.hpp"

#include <fmt/format.h>
#include <nats/nats.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "cluster/server_list.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

// Owns an object of libnats.
template <auto kDestroy>
struct Destroy {
  void operator()(auto* object) const noexcept { kDestroy(object); }
};
template <class T, auto kDestroy>
using Owned = std::unique_ptr<T, Destroy<kDestroy>>;

using Options = Owned<natsOptions, natsOptions_Destroy>;
using Connection = Owned<natsConnection, natsConnection_Destroy>;
using Subscription = Owned<natsSubscription, natsSubscription_Destroy>;
using Message = Owned<natsMsg, natsMsg_Destroy>;
using JetStream = Owned<jsCtx, jsCtx_Destroy>;
using StreamInfo = Owned<jsStreamInfo, jsStreamInfo_Destroy>;
using Acknowledgement = Owned<jsPubAck, jsPubAck_Destroy>;
using Bucket = Owned<kvStore, kvStore_Destroy>;
using Row = Owned<kvEntry, kvEntry_Destroy>;

constexpr std::int64_t kReconnectMs = 250, kJitterMs = 100, kPingMs = 5000, kConnectMs = 2000;
constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr int kManyServers = 3;

Failure unavailable(const char* what, natsStatus status, jsErrCode code = jsErrCode(0)) {
  return {Failure::Code::kUnavailable,
          code == 0 ? fmt::format("{}: {}", what, natsStatus_GetText(status))
                    : fmt::format("{}: {} (JetStream error {})", what, natsStatus_GetText(status),
                                  static_cast<int>(code))};
}

void must(natsStatus status, const std::string& what) {
  if (status != NATS_OK) throw Error(what + ": " + natsStatus_GetText(status));
}

// What the library's threads call. They may do so even after a connection was closed, so these
// objects stay until the process ends; there are a few for each connection. close() waits for a
// call that is under way, and afterwards there is none.
class Callback {
 public:
  using Function = std::function<void(std::string_view bytes, std::string_view reply_to)>;

  static Callback& make(Function function) {
    static std::mutex mutex;
    static std::list<Callback> all;
    const std::lock_guard lock(mutex);
    Callback& made = all.emplace_back();
    made.function_ = std::move(function);
    return made;
  }
  void operator()(std::string_view bytes, std::string_view reply_to) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      if (function_) function_(bytes, reply_to);
    } catch (...) {  // NOLINT(bugprone-empty-catch): a message that costs too much is lost
    }
  }
  void close() {
    const std::lock_guard lock(mutex_);
    function_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Function function_;
};

}  // namespace

class NatsLink::Implementation {
 public:
  explicit Implementation(NatsOptions given)
      : options_(std::move(given)),
        note_(Callback::make([note = options_.note](std::string_view line, std::string_view) {
          if (note) note(std::string(line));
        })) {
    natsOptions* raw = nullptr;
    must(natsOptions_Create(&raw), "NATS");
    const Options how(raw);
    const auto servers = split_servers(options_.servers);
    std::vector<const char*> urls;
    urls.reserve(servers.size());
    for (const std::string& each : servers) urls.push_back(each.c_str());
    must(natsOptions_SetServers(raw, urls.data(), static_cast<int>(urls.size())),
         without_passwords(options_.servers));
    const auto set = [](natsStatus status) { must(status, "NATS"); };
    set(natsOptions_SetName(raw, options_.name.c_str()));
    set(natsOptions_SetTimeout(raw, kConnectMs));
    set(natsOptions_SetMaxReconnect(raw, -1));
    set(natsOptions_SetReconnectWait(raw, kReconnectMs));
    set(natsOptions_SetReconnectJitter(raw, kJitterMs, kJitterMs));
    set(natsOptions_SetPingInterval(raw, kPingMs));
    set(natsOptions_SetMaxPingsOut(raw, 2));
    set(natsOptions_SetSendAsap(raw, true));
    set(natsOptions_SetDisconnectedCB(raw, on_disconnected, &note_));
    set(natsOptions_SetReconnectedCB(raw, on_connected, &note_));
    set(natsOptions_SetClosedCB(raw, on_closed, &note_));
    set(natsOptions_SetErrorHandler(
        raw, [](auto*, auto*, natsStatus, void*) {}, nullptr));
    if (!options_.credentials.empty()) {
      must(natsOptions_SetUserCredentialsFromFiles(raw, options_.credentials.c_str(), nullptr),
           options_.credentials);
    }
    if (!options_.ca.empty()) {
      must(natsOptions_LoadCATrustedCertificates(raw, options_.ca.c_str()), options_.ca);
    }
    if (!options_.certificate.empty()) {
      must(natsOptions_LoadCertificatesChain(raw, options_.certificate.c_str(),
                                             options_.key.c_str()),
           options_.certificate);
    }
    if (!options_.ca.empty() || !options_.certificate.empty()) {
      must(natsOptions_SetSecure(raw, true), "TLS");
    }
    // The first attempt is made without retries, so that refused credentials are reported at once.
    natsConnection* connection = nullptr;
    natsStatus status = natsConnection_Connect(&connection, raw);
    if (status == NATS_NO_SERVER || status == NATS_TIMEOUT || status == NATS_IO_ERROR) {
      note_("NATS: no server can be reached yet; trying again", "");
      set(natsOptions_SetRetryOnFailedConnect(raw, true, on_connected, &note_));
      status = natsConnection_Connect(&connection, raw);
    }
    connection_.reset(connection);
    if (status != NATS_OK && status != NATS_NOT_YET_CONNECTED) throw Error(refusal(status));
    jsOptions js_options;
    jsOptions_Init(&js_options);
    js_options.Wait = options_.wait.count();
    jsCtx* js = nullptr;
    must(natsConnection_JetStream(&js, connection, &js_options), "JetStream");
    js_.reset(js);
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() {
    note_.close();
    for (Callback* const each : handlers_) each->close();
    subscriptions_.clear();
    buckets_.clear();
    js_.reset();
    if (connection_) natsConnection_Close(connection_.get());
    connection_.reset();
  }

  // Why no connection can be made, whatever is tried.
  std::string refusal(natsStatus status) const {
    const std::string servers = without_passwords(options_.servers);
    if (status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED) {
      return servers + ": the server refuses the credentials";
    }
    if (status == NATS_SECURE_CONNECTION_REQUIRED) {
      return servers + ": the server wants TLS; name its certificates with --nats-ca";
    }
    if (status == NATS_SECURE_CONNECTION_WANTED) {
      return servers +
             ": the server has no TLS, but --nats-ca, --nats-certificate or tls:// ask for it";
    }
    natsStatus last{};
    const char* const detail = nats_GetLastError(&last);
    const std::string why =
        detail != nullptr && *detail != '\0' ? detail : natsStatus_GetText(status);
    if (status == NATS_SSL_ERROR) {
      return servers + ": TLS: " + why + "; --nats-ca names the certificates to trust";
    }
    return servers + ": " + why;
  }

  natsConnection* connection() const noexcept { return connection_.get(); }
  jsCtx* js() const noexcept { return js_.get(); }
  const NatsOptions& options() const noexcept { return options_; }

  void subscribe(const std::string& subject, Handler handler) {
    const std::lock_guard lock(mutex_);
    handlers_.push_back(&Callback::make(std::move(handler)));
    natsSubscription* raw = nullptr;
    must(
        natsConnection_Subscribe(&raw, connection(), subject.c_str(), on_message, handlers_.back()),
        subject);
    subscriptions_.emplace_back(raw);
  }

  // The bucket if it is there.
  Result<kvStore*> bucket(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (const auto found = buckets_.find(name); found != buckets_.end()) return found->second.get();
    kvStore* raw = nullptr;
    const natsStatus status = js_KeyValue(&raw, js(), name.c_str());
    if (status != NATS_OK) return unavailable("the leases cannot be read", status);
    return buckets_.emplace(name, Bucket(raw)).first->second.get();
  }

 private:
  static void on_connected(natsConnection*, void* note) {
    (*static_cast<Callback*>(note))("NATS: connected", "");
  }
  static void on_disconnected(natsConnection*, void* note) {
    (*static_cast<Callback*>(note))("NATS: the connection is lost; trying again", "");
  }
  // libnats gives up when servers refuse the credentials again and again.
  static void on_closed(natsConnection* connection, void* note) {
    const char* why = nullptr;
    natsConnection_GetLastError(connection, &why);
    const std::string line = fmt::format(
        "NATS: the servers refuse this connection for good ({}); start again with "
        "credentials that they take",
        why == nullptr ? "" : why);
    (*static_cast<Callback*>(note))(line, "");
  }
  static void on_message(natsConnection*, natsSubscription*, natsMsg* raw, void* handler) {
    const Message message(raw);
    const char* const reply = natsMsg_GetReply(raw);
    (*static_cast<Callback*>(handler))(
        {natsMsg_GetData(raw), static_cast<std::size_t>(natsMsg_GetDataLength(raw))},
        reply == nullptr ? "" : reply);
  }

  NatsOptions options_;
  Callback& note_;
  std::mutex mutex_;
  std::vector<Callback*> handlers_;
  Connection connection_;
  JetStream js_;
  std::vector<Subscription> subscriptions_;
  std::map<std::string, Bucket> buckets_;
};

NatsLink::NatsLink(NatsOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
NatsLink::~NatsLink() = default;

bool NatsLink::connected() const {
  return natsConnection_Status(implementation_->connection()) == NATS_CONN_STATUS_CONNECTED;
}

Status NatsLink::publish(const std::string& subject, std::string_view bytes) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  const natsStatus status = natsConnection_Publish(implementation_->connection(), subject.c_str(),
                                                   bytes.data(), static_cast<int>(bytes.size()));
  if (status != NATS_OK) return unavailable("NATS", status);
  return Done{};
}

void NatsLink::subscribe(const std::string& subject, Handler handler) {
  implementation_->subscribe(subject, std::move(handler));
}

Result<std::string> NatsLink::request(const std::string& subject, std::string_view bytes,
                                      std::chrono::milliseconds wait) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  natsMsg* raw = nullptr;
  const natsStatus status =
      natsConnection_Request(&raw, implementation_->connection(), subject.c_str(), bytes.data(),
                             static_cast<int>(bytes.size()), wait.count());
  if (status != NATS_OK) return unavailable("NATS", status);
  const Message message(raw);
  return std::string(natsMsg_GetData(raw), static_cast<std::size_t>(natsMsg_GetDataLength(raw)));
}

Result<std::optional<StreamState>> NatsLink::stream(const std::string& name) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  jsStreamInfo* raw = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_GetStreamInfo(&raw, implementation_->js(), name.c_str(), nullptr, &code);
  if (status == NATS_NOT_FOUND || code == JSStreamNotFoundErr) return std::optional<StreamState>();
  if (status != NATS_OK) return unavailable("the stream cannot be looked at", status, code);
  const StreamInfo info(raw);
  StreamState state{.created = raw->Created,
                    .first = raw->State.FirstSeq,
                    .last = raw->State.LastSeq,
                    .subjects = {}};
  for (int i = 0; i < raw->Config->SubjectsLen; ++i) {
    state.subjects.emplace_back(raw->Config->Subjects[i]);
  }
  return std::optional(std::move(state));
}

namespace {

int replicas_for(natsConnection* connection, int wanted) {
  if (wanted != 0) return wanted;
  char** servers = nullptr;
  int count = 0;
  if (natsConnection_GetServers(connection, &servers, &count) != NATS_OK) return 1;
  for (int i = 0; i < count; ++i) std::free(servers[i]);
  std::free(servers);
  return count >= kManyServers ? kManyServers : 1;
}

}  // namespace

Status NatsLink::create_stream(const StreamPlan& plan) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  const char* subjects[] = {plan.subject.c_str()};
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  config.Name = plan.name.c_str();
  config.Description = plan.description.c_str();
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Storage = js_FileStorage;
  config.Replicas = replicas_for(implementation_->connection(), plan.replicas);
  config.MaxAge = std::chrono::nanoseconds(plan.kept).count();
  jsErrCode code{};
  const natsStatus status = js_AddStream(nullptr, implementation_->js(), &config, nullptr, &code);
  if (status != NATS_OK) return unavailable("the stream cannot be made", status, code);
  return Done{};
}

Result<std::uint64_t> NatsLink::append(const std::string& subject, const std::string& id,
                                       std::string_view bytes) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MsgId = id.c_str();
  jsPubAck* raw = nullptr;
  jsErrCode code{};
  const natsStatus status = js_Publish(&raw, implementation_->js(), subject.c_str(), bytes.data(),
                                       static_cast<int>(bytes.size()), &options, &code);
  if (status != NATS_OK) return unavailable("the stream does not take messages", status, code);
  const Acknowledgement acknowledgement(raw);
  return raw->Sequence;
}

Result<std::optional<StreamMessage>> NatsLink::message(const std::string& stream,
                                                       std::uint64_t number) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  natsMsg* raw = nullptr;
  jsErrCode code{};
  const natsStatus status =
      js_GetMsg(&raw, implementation_->js(), stream.c_str(), number, nullptr, &code);
  if (status == NATS_NOT_FOUND || code == JSNoMessageFoundErr) {
    return std::optional<StreamMessage>();
  }
  if (status != NATS_OK) return unavailable("the stream cannot be read", status, code);
  const Message message(raw);
  StreamMessage read;
  read.bytes.assign(natsMsg_GetData(raw), static_cast<std::size_t>(natsMsg_GetDataLength(raw)));
  read.time = natsMsg_GetTime(raw) / 1'000'000;
  return std::optional(std::move(read));
}

Status NatsLink::create_leases(const std::string& bucket, std::chrono::seconds lasting,
                               int replicas) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  kvConfig config;
  kvConfig_Init(&config);
  config.Bucket = bucket.c_str();
  config.History = 1;
  config.TTL = lasting.count() * kNanoseconds;
  config.StorageType = js_FileStorage;
  config.Replicas = replicas_for(implementation_->connection(), replicas);
  kvStore* raw = nullptr;
  const natsStatus status = js_CreateKeyValue(&raw, implementation_->js(), &config);
  const Bucket made(raw);
  if (status != NATS_OK) return unavailable("the leases cannot be made", status);
  return Done{};
}

Result<std::optional<NatsLink::Lease>> NatsLink::lease(const std::string& bucket,
                                                       const std::string& key) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  const auto place = implementation_->bucket(bucket);
  if (!place.ok()) return place.failure();
  kvEntry* raw = nullptr;
  const natsStatus status = kvStore_Get(&raw, place.value(), key.c_str());
  if (status == NATS_NOT_FOUND) return std::optional<Lease>();
  if (status != NATS_OK) return unavailable("the lease cannot be read", status);
  const Row row(raw);
  return std::optional(Lease{.holder = std::string(static_cast<const char*>(kvEntry_Value(raw)),
                                                   static_cast<std::size_t>(kvEntry_ValueLen(raw))),
                             .revision = kvEntry_Revision(raw)});
}

Result<std::uint64_t> NatsLink::take_lease(const std::string& bucket, const std::string& key,
                                           const std::string& holder, std::uint64_t revision) {
  if (!connected()) return unavailable("NATS", NATS_CONNECTION_DISCONNECTED);
  const auto place = implementation_->bucket(bucket);
  if (!place.ok()) return place.failure();
  std::uint64_t next = 0;
  const auto size = static_cast<int>(holder.size());
  const natsStatus status =
      revision == 0
          ? kvStore_Create(&next, place.value(), key.c_str(), holder.data(), size)
          : kvStore_Update(&next, place.value(), key.c_str(), holder.data(), size, revision);
  if (status != NATS_OK) return unavailable("the lease cannot be had", status);
  return next;
}

std::optional<std::string> nats_is_missing() { return std::nullopt; }

}  // namespace sau::detail
