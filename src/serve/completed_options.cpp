#include "serve/completed_options.hpp"

#include <chrono>
#include <utility>

#include "sau/core/time_text.hpp"

namespace sau::detail {
namespace {

Milliseconds steady_time() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

ServiceOptions completed(ServiceOptions options) {
  if (!options.clock) options.clock = milliseconds_now;
  if (!options.steady_clock) options.steady_clock = steady_time;
  if (!options.note) options.note = [](const std::string&) {};
  if (!options.store) {
    options.store = [note = options.note,
                     files = options.open_files](const std::filesystem::path& folder) {
      return open_event_store(folder, {.open_files = files, .note = note});
    };
  }
  return options;
}

}  // namespace sau::detail
