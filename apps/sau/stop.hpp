#pragma once

#include <atomic>

namespace sau::cli {

// From now on Ctrl-C and SIGTERM set the flag instead of ending the program. A second one, two
// seconds later or more, ends it.
const std::atomic<bool>& stop_on_signals();

// From now on SIGHUP sets the flag instead of ending the program, unless it was ignored before.
std::atomic<bool>& notice_hangups();

// From now on writing to a pipe or a socket that nobody reads is an ordinary error.
void ignore_broken_pipes();

// 128 plus the number of the signal, as a shell reports it.
int exit_code_when_stopped();

}  // namespace sau::cli
