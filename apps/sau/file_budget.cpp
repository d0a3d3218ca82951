#include "file_budget.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>

#include "sau/core/error.hpp"
#include "sau/http/http_server.hpp"

namespace sau::cli {
namespace {

// Files of the log besides the tables that it keeps open: its lock, write-ahead log, manifest and
// folders, tables being written, further tables that a compaction reads. Also model files.
constexpr std::size_t kLogOthers = 24;
constexpr std::size_t kFewestLog = 20;  // RocksDB's minimum
constexpr std::size_t kFewestConnections = 4;
constexpr std::size_t kPerThread = 3;     // files that a server thread uses to wait for events
constexpr std::size_t kStandard = 3 + 2;  // stdin, stdout, stderr, and two for short use
constexpr std::size_t kListener = 1;

std::size_t sockets(std::size_t connections) {
  return connections + spare_connections(connections);
}

// Files needed in any case, whatever the log and the connections get.
std::size_t fixed(const FileBudget& budget) {
  const std::size_t health = budget.health_connections == 0
                                 ? 0
                                 : sockets(budget.health_connections) + kListener + kPerThread;
  return kStandard + budget.logs * kLogOthers + kListener + kPerThread * budget.threads + health;
}

// Raises this process's limit to `wanted` files, or as far as allowed, and returns the new limit;
// nothing if the limit cannot be read.
std::optional<rlim_t> raised_limit(rlim_t wanted) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  if (limit.rlim_cur < wanted) {
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  }
  return limit.rlim_cur;
}

}  // namespace

std::size_t FileBudget::files() const noexcept {
  return fixed(*this) + logs * log + sockets(connections);
}

FileBudget fitting(const FileBudget& wanted, std::size_t limit) {
  if (limit >= wanted.files()) return wanted;
  FileBudget budget = wanted;
  budget.log = kFewestLog;
  budget.connections = std::min(wanted.connections, kFewestConnections);
  if (budget.files() > limit) {
    throw Error(
        fmt::format("only {} files may be open at the same time (ulimit -n), but the service needs "
                    "at least {}; raise the limit",
                    limit, budget.files()));
  }
  // A third of the remaining files for the logs, the rest for connections.
  const std::size_t left = limit - fixed(budget);
  budget.log = std::min(std::max(left / 3 / budget.logs, kFewestLog), wanted.log);
  while (budget.connections < wanted.connections) {
    ++budget.connections;
    if (budget.files() <= limit) continue;
    --budget.connections;
    break;
  }
  return budget;
}

FileBudget allow_files(const FileBudget& wanted, std::string& note) {
  const rlim_t files = wanted.files();
  const auto limit = raised_limit(files);
  if (!limit) return wanted;
  const FileBudget budget = fitting(wanted, *limit);
  if (budget.connections < wanted.connections || budget.log < wanted.log) {
    note = fmt::format(
        "only {} files may be open (ulimit -n) of the {} that {} connections and the log may need: "
        "there are {} connections, and the log keeps {} files open",
        *limit, files, wanted.connections, budget.connections, budget.log);
  }
  return budget;
}

void allow_all_files() noexcept { static_cast<void>(raised_limit(RLIM_INFINITY)); }

}  // namespace sau::cli
