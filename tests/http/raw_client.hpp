#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace sau::testing {

// `more`: header lines.
inline std::string get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: here\r\n" + more + "\r\n";
}

inline std::string post(const std::string& target, const std::string& body) {
  return "POST " + target +
         " HTTP/1.1\r\nHost: here\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

// A client that sends the bytes it is told to, and reads what comes.
class RawClient {
 public:
  // `from`: the loopback address that it comes from.
  explicit RawClient(std::uint16_t port, const char* from = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    ::inet_pton(AF_INET, from, &own.sin_addr);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof(own)) != 0) return;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  RawClient(RawClient&& other) noexcept
      : socket_(other.socket_), connected_(other.connected_), unread_(std::move(other.unread_)) {
    other.socket_ = -1;
  }
  ~RawClient() {
    if (socket_ >= 0) ::close(socket_);
  }

  bool connected() const { return connected_; }

  // False when the other side no longer accepts bytes.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  // One response, by its Content-Length; only a part of it if the connection ends early.
  // `head_only`: it has no body, whatever its headers say.
  std::string response(bool head_only = false) {
    std::size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return take(unread_.size());
    }
    end += 4;
    const std::size_t field = unread_.substr(0, end).find("Content-Length: ");
    if (!head_only && field != std::string::npos) {
      end += std::strtoul(unread_.c_str() + field + 16, nullptr, 10);
    }
    while (unread_.size() < end) {
      if (!receive()) return take(unread_.size());
    }
    return take(end);
  }

  // Everything up to the end of the connection.
  std::string rest() {
    while (receive()) {
    }
    return take(unread_.size());
  }

  // Whether the connection is at its end, with nothing more to read.
  bool ended() { return unread_.empty() && !receive(); }

 private:
  static constexpr int kDeadline =
      600'000;  // milliseconds; nothing takes that long on a busy machine

  bool receive() {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kDeadline) != 1) std::abort();
    char bytes[4096];
    const auto size = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    unread_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }
  std::string take(std::size_t size) {
    std::string taken = unread_.substr(0, size);
    unread_.erase(0, size);
    return taken;
  }

  int socket_;
  bool connected_ = false;
  std::string unread_;
};

}  // namespace sau::testing
