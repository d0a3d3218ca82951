#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace sau::detail {

// "nats://one:4222,nats://two:4222" as its parts.
inline std::vector<std::string> split_servers(const std::string& servers) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= servers.size();) {
    const std::size_t end = std::min(servers.find(',', at), servers.size());
    if (end > at) parts.push_back(servers.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// nats://user:password@host as nats://host.
inline std::string without_passwords(const std::string& servers) {
  std::string shown;
  for (const std::string& each : split_servers(servers)) {
    const std::size_t scheme = each.find("://"), end = each.rfind('@');
    const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    shown += (shown.empty() ? "" : ",") +
             (end == std::string::npos ? each : each.substr(0, begin) + each.substr(end + 1));
  }
  return shown;
}

}  // namespace sau::detail
