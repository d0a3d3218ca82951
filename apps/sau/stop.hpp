#pragma once

#include <atomic>

namespace sau::cli {

// From now on Ctrl-C and SIGTERM set the flag instead of ending the program; asked again two
// seconds later they end it.
const std::atomic<bool>& stop_on_signals();

// 128 plus the number of the signal seen, as a shell reports it.
int exit_code_when_stopped();

}  // namespace sau::cli
