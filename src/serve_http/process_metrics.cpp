#include "serve_http/process_metrics.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include "sau/core/version.hpp"

namespace sau::detail {
namespace {

void add(std::string& text, const char* name, const char* kind, const char* help, double value) {
  text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n{0} {3}\n", name, kind, help, value);
}

// The fields of /proc/self/stat after the name of the program, which may contain anything.
std::vector<double> stat_fields() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos || end + 4 > text.size()) return {};
  std::istringstream fields(text.substr(end + 4));  // ") S "
  return {std::istream_iterator<double>(fields), {}};
}

// When the machine was started, in seconds since 1970.
std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds = 0.0;
    if (word == "btime" && file >> seconds) return seconds;
    file.ignore(1 << 20, '\n');
  }
  return std::nullopt;
}

std::optional<std::size_t> open_files() {
  std::error_code error;
  std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return std::nullopt;
  std::size_t count = 0;
  for (const auto end = std::filesystem::end(files); !error && files != end;
       files.increment(error)) {
    ++count;
  }
  if (error) return std::nullopt;
  return count - 1;  // one is that of the folder itself
}

}  // namespace

std::string process_metrics() {
  std::string text = fmt::format(
      "# HELP sau_build_info Which program this is; always 1.\n# TYPE sau_build_info gauge\n"
      "sau_build_info{{version=\"{}\",commit=\"{}\"}} 1\n",
      version(), commit());
  // Counted from the field after the state, as proc(5) numbers them.
  constexpr std::size_t kUser = 10, kSystem = 11, kThreads = 16, kStart = 18, kVirtual = 19,
                        kResident = 20;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (const auto fields = stat_fields(); fields.size() > kResident) {
    add(text, "process_cpu_seconds_total", "counter", "Processor time, in seconds.",
        (fields[kUser] + fields[kSystem]) / ticks);
    add(text, "process_threads", "gauge", "Threads.", fields[kThreads]);
    add(text, "process_virtual_memory_bytes", "gauge", "Virtual memory.", fields[kVirtual]);
    add(text, "process_resident_memory_bytes", "gauge", "Resident memory.",
        fields[kResident] * page);
    if (const auto boot = boot_time()) {
      add(text, "process_start_time_seconds", "gauge", "When it began, in seconds since 1970.",
          *boot + fields[kStart] / ticks);
    }
  }
  if (const auto files = open_files()) {
    add(text, "process_open_fds", "gauge", "Open files.", static_cast<double>(*files));
  }
  if (rlimit limit{}; ::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    add(text, "process_max_fds", "gauge", "How many files may be open.",
        static_cast<double>(limit.rlim_cur));
  }
  return text;
}

}  // namespace sau::detail
