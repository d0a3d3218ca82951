#pragma once

#include <string_view>

namespace sau {

// Whether a host is this machine and no other: "localhost", or a loopback address such as 127.0.0.1
// or ::1.
bool is_loopback(std::string_view host);

// The guard against DNS rebinding. Another site may have made its own name resolve to this server.
// A browser that it tricks still sends that name in the header Host. This says whether the header
// ("host:port") names a server that listens on `address`: it is this machine, or the address
// itself, or any IP address if the server listens on all of them (nobody can make an IP address
// resolve elsewhere).
bool is_own_host(std::string_view header, std::string_view address);

// The answer when it does not, with status 421.
inline constexpr std::string_view kWrongHost =
    "not the host that is served here: use the address that was printed";

}  // namespace sau
