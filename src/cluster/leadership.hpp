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

#include "cluster/feeder.hpp"

namespace sau::detail {

// Which trainer leads: a lease in JetStream's key-value store. This class decides who may ask for
// it, and remembers on disk which trainers there are and who led last. Thread-safe.
//
// While the stream lives, any trainer may: it reads on where its own log ends. If the stream was
// lost, only the trainer whose log is longest may, and to know that, all trainers must be heard.
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
  bool leads() const;
  Leader leader() const;  // empty trainer: nobody is known to lead
  std::uint64_t epoch() const;

  // What the others are told about this trainer, as JSON; and what another one says.
  std::string presence(const StreamPlace& place, const std::string& settings) const;
  void heard(std::string_view json, Clock::time_point now);

  // How the stream is, as far as leading is concerned.
  enum class Stream { kUnknown, kSame, kOther };
  // Whether this trainer may ask for the lease. If not, `why` says what it waits for.
  bool may_lead(const StreamPlace& place, Stream stream, Clock::time_point now,
                std::string& why) const;

  // The text of this trainer's lease when it takes it anew.
  std::string next_lease() const;
  std::string lease() const;
  std::uint64_t revision() const;
  void took(std::uint64_t revision, bool anew, Clock::time_point now);
  // Somebody else has it: this is the text of his lease.
  void lost_to(const std::string& holder);
  // The lease could not be renewed. Steps down when it has ended.
  void not_renewed(Clock::time_point now);

 private:
  struct Peer {
    std::uint64_t number = 0, led = 0;
    Clock::time_point heard{};
    bool was_heard = false;
  };

  void keep();

  const std::filesystem::path file_;
  const std::string application_;
  const bool forced_;
  const std::function<void(const std::string&)> note_;
  const Clock::time_point started_ = Clock::now();

  mutable std::mutex mutex_;
  std::string trainer_;
  std::uint64_t epoch_ = 0, led_ = 0, revision_ = 0;
  std::map<std::string, Peer> peers_;
  Leader leader_;
  bool leads_ = false;
  Clock::time_point renewed_{};
};

}  // namespace sau::detail
