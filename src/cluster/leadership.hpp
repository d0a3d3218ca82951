#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/feeder.hpp"

namespace sau::detail {

// Which trainer leads: a lease in JetStream's key-value store. This class decides who may ask for
// it, and remembers on disk which trainers there are and who led last. Thread-safe.
//
// While the stream lives, any trainer may: it reads on where its own log ends. If the stream was
// lost, only the trainer whose log is longest may, and to know that, all trainers must be heard.
//
// A plain copy of a trainer's folder has the id of the original. Each process therefore has a name
// of its own, its session, and a trainer that hears its own id from another session does not lead.
class Leadership {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLease{4};

  // The leader, as others are told.
  struct Leader {
    std::string trainer;
    std::uint64_t epoch = 0;  // larger for each leader that follows another
  };

  Leadership(const std::filesystem::path& folder, const std::string& application, bool forced,
             std::function<void(const std::string&)> note);

  const std::string& trainer() const noexcept { return trainer_; }
  // Whether it has the lease, and the lease has not ended meanwhile.
  bool leads(Clock::time_point now = Clock::now()) const;
  Leader leader() const;  // empty trainer: nobody is known to lead
  // The one it leads in; if it does not lead, the latest it has heard of.
  std::uint64_t epoch() const;

  // What the others are told about this trainer, as JSON; and what another one says.
  std::string presence(const StreamPlace& place, const std::string& settings) const;
  void heard(std::string_view json, Clock::time_point now);
  // Nodes may know of later epochs than a folder that was restored from a backup.
  void heard_epoch(std::uint64_t epoch);
  // Why another process with the same id keeps this one from leading and following; empty if there
  // is none.
  std::string twin(Clock::time_point now) const;
  // The others that were heard lately.
  struct Other {
    std::string trainer;
    std::uint64_t number = 0;
    Clock::time_point heard{};
  };
  std::vector<Other> others(Clock::time_point now) const;

  // How the stream is, as far as leading is concerned.
  enum class Stream { kUnknown, kSame, kOther };
  // Whether this trainer may ask for the lease. If not, `why` says what it waits for.
  bool may_lead(const StreamPlace& place, Stream stream, Clock::time_point now, std::string& why);

  // Whose lease this is. kNobody: it was given up, so it is free though it has not ended yet.
  // kThis: this process took it, now or before a restart. kOther: another trainer has it, or
  // perhaps a copy of this one.
  enum class Holder { kNobody, kThis, kOther };
  Holder holder(std::string_view lease, Clock::time_point now) const;

  // The text of this trainer's lease when it takes it anew, in an epoch that no other had. Throws
  // Error when the epoch cannot be written: then this trainer must not lead.
  std::string next_lease();
  std::string lease() const;
  // The text that gives it up, so that others need not wait until it ends.
  std::string released() const;
  // Whether it leads in an epoch that is not the latest: nodes would ignore it.
  bool outdated() const;
  std::uint64_t revision() const;
  void took(std::uint64_t revision, bool anew, Clock::time_point now);
  // Somebody else has it: this is the text of his lease.
  void lost_to(const std::string& holder);
  // The lease could not be renewed. Steps down when it has ended.
  void not_renewed(Clock::time_point now);
  void resign(const std::string& why);

 private:
  struct Peer {
    std::uint64_t number = 0, led = 0;
    Clock::time_point heard{};
    bool was_heard = false;
  };
  struct Twin {
    Clock::time_point heard{};
    std::string session;
    bool leads = false;
  };

  void keep();
  void raise_epoch(std::uint64_t epoch);
  bool has_lease(Clock::time_point now) const { return leads_ && now < renewed_ + kLease; }
  std::string text(const std::string& trainer, std::uint64_t epoch) const;

  const std::filesystem::path file_;
  const std::string application_;
  const bool forced_;
  const std::function<void(const std::string&)> note_;
  const Clock::time_point started_ = Clock::now();

  const std::string session_;

  mutable std::mutex mutex_;
  std::string trainer_;
  std::uint64_t epoch_ = 0, led_ = 0, asked_ = 0, revision_ = 0;
  std::map<std::string, Peer> peers_;
  std::optional<Twin> twin_;
  std::optional<Clock::time_point> lost_since_;  // the stream; empty: it was not lost
  Leader leader_;
  bool leads_ = false;
  Clock::time_point renewed_{};
};

}  // namespace sau::detail
