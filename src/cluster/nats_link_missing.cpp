#include "cluster/nats_link.hpp"
#include "sau/core/error.hpp"

// In place of nats_link.cpp when libnats was not found.
namespace sau::detail {
namespace {

constexpr const char* kMissing =
    "this program was built without NATS; install libnats (Debian: libnats-dev) and build it again";

Failure missing() { return {Failure::Code::kUnavailable, kMissing}; }

}  // namespace

class NatsLink::Implementation {};

NatsLink::NatsLink(NatsOptions) { throw Error(kMissing); }
NatsLink::~NatsLink() = default;
bool NatsLink::connected() const { return false; }
Status NatsLink::publish(const std::string&, std::string_view) { return missing(); }
void NatsLink::subscribe(const std::string&, Handler) {}
Result<std::string> NatsLink::request(const std::string&, std::string_view,
                                      std::chrono::milliseconds) {
  return missing();
}
Result<std::optional<StreamState>> NatsLink::stream(const std::string&) { return missing(); }
Status NatsLink::create_stream(const StreamPlan&) { return missing(); }
Result<std::uint64_t> NatsLink::append(const std::string&, const std::string&, std::string_view) {
  return missing();
}
Result<std::optional<StreamMessage>> NatsLink::message(const std::string&, std::uint64_t) {
  return missing();
}
Status NatsLink::create_leases(const std::string&, std::chrono::seconds, int) { return missing(); }
Result<std::optional<NatsLink::Lease>> NatsLink::lease(const std::string&, const std::string&) {
  return missing();
}
Result<std::uint64_t> NatsLink::take_lease(const std::string&, const std::string&,
                                           const std::string&, std::uint64_t) {
  return missing();
}
std::optional<std::string> nats_is_missing() { return kMissing; }

}  // namespace sau::detail
