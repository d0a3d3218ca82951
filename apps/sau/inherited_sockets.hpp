#pragma once

#include <string>
#include <vector>

namespace sau::cli {

// A listening socket that the process was started with.
struct InheritedSocket {
  int descriptor = -1;
  std::string name = {};  // as in FileDescriptorName= of a systemd socket unit; "" if it has none
  std::string address = {};  // an IP address
};

// The sockets that systemd, or another program in the same way (LISTEN_PID, LISTEN_FDS,
// LISTEN_FDNAMES), has handed over to this process. Removes these variables, so that no child
// process uses them by mistake. Throws UsageError if one of them is not a listening TCP socket.
std::vector<InheritedSocket> take_inherited_sockets();

}  // namespace sau::cli
