#include "inherited_sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "sau/core/error.hpp"

namespace sau::cli {
namespace {

constexpr int kFirst = 3;  // after standard input, output and error

std::string take_variable(const char* name) {
  const char* const value = std::getenv(name);
  std::string text = value != nullptr ? value : "";
  ::unsetenv(name);
  return text;
}

int number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

// The address that it listens on; "" if it is not a listening TCP socket.
std::string address_of(int descriptor) {
  int listens = 0;
  socklen_t size = sizeof(listens);
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return "";
  }
  sockaddr_storage address{};
  size = sizeof(address);
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address.ss_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr;
  } else if (address.ss_family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr;
  } else {
    return "";
  }
  return ::inet_ntop(address.ss_family, bytes, text.data(), text.size()) != nullptr ? text.data()
                                                                                    : "";
}

}  // namespace

std::vector<InheritedSocket> take_inherited_sockets() {
  const int owner = number_in(take_variable("LISTEN_PID"));
  const int count = number_in(take_variable("LISTEN_FDS"));
  std::string names = take_variable("LISTEN_FDNAMES");
  std::vector<InheritedSocket> sockets;
  if (owner != ::getpid()) return sockets;  // meant for another process, or for none
  for (int i = 0; i < count; ++i) {
    InheritedSocket socket{.descriptor = kFirst + i};
    const std::size_t end = names.find(':');
    socket.name = names.substr(0, end);
    names = end == std::string::npos ? "" : names.substr(end + 1);
    socket.address = address_of(socket.descriptor);
    if (socket.address.empty()) {
      throw UsageError(fmt::format(
          "serve: file {}, which this process was started with (LISTEN_FDS={}), is not a listening "
          "TCP socket",
          socket.descriptor, count));
    }
    ::fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC);
    sockets.push_back(std::move(socket));
  }
  return sockets;
}

}  // namespace sau::cli
