#include "sau/run/memory.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <fstream>
#include <string>

#include "sau/core/error.hpp"

namespace sau {
namespace {

// The number in a file of a control group; 0 if there is none, or if it says "max".
std::uint64_t number_in(const char* file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? number : 0;
}

std::string gigabytes(double bytes) { return fmt::format("{:.1f} GB", bytes / 1e9); }

}  // namespace

std::uint64_t machine_memory() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return 0;
  const std::uint64_t machine =
      (static_cast<std::uint64_t>(info.totalram) + info.totalswap) * info.mem_unit;
  const std::uint64_t group = number_in("/sys/fs/cgroup/memory.max");
  return group > 0 ? std::min(group, machine) : machine;
}

std::uint64_t heap_in_use() noexcept {
#ifdef __GLIBC__
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

void check_memory(const Experiment& experiment, unsigned threads, std::uint64_t memory) {
  if (memory == 0) return;
  for (const Cell& cell : experiment.cells) {
    const auto running = std::min<std::uint64_t>(threads, cell.trials);
    if (cell.trial_bytes <= memory / std::max<std::uint64_t>(running, 1)) continue;
    const std::uint64_t fit = memory / cell.trial_bytes;
    throw Error(fmt::format(
        "{} on {} needs about {} for a trial, but this machine has {}{}", cell.agent_spec,
        cell.problem_spec, gigabytes(static_cast<double>(cell.trial_bytes)),
        gigabytes(static_cast<double>(memory)),
        fit == 0 ? std::string() : fmt::format(": run at most {} at a time (--threads)", fit)));
  }
}

}  // namespace sau
