// Sends load to `sau serve` from one thread. It uses little CPU time, since it often shares the
// machine with the server: requests are made in advance, and only the status and the length of an
// answer are read.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "latencies.hpp"
#include "load_requests.hpp"

namespace sau::bench {
namespace {

struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  unsigned connections = 128, pipeline = 1;
  double seconds = 5.0, warmup = 0.5, rate = 0.0, rewarded = 1.0;
  std::string path = "rank", key, acknowledged;
  bool each_second = false;
};

enum class Kind { kHealth, kRank, kReward };

struct Sent {
  Kind kind;
  std::uint64_t event, time;
};

struct Client {
  int socket = -1;
  std::string out, in;
  std::deque<Sent> open;              // sent and not answered
  std::deque<std::uint64_t> decided;  // events to send a reward for
};

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// The response at the start of `bytes`; size 0 if it is not complete.
struct Response {
  std::size_t size = 0;
  int status = 0;
};

Response response_in(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos || end < 12) return {};
  const int status = std::atoi(bytes.data() + 9);
  std::size_t length = 0;
  const std::string_view head = bytes.substr(0, end);
  const std::size_t field = head.find("\r\nContent-Length: ");
  if (field != std::string_view::npos) length = std::strtoul(head.data() + field + 18, nullptr, 10);
  const std::size_t size = end + 4 + length;
  return size > bytes.size() ? Response{} : Response{.size = size, .status = status};
}

class Load {
 public:
  explicit Load(const Options& options)
      : options_(options),
        requests_(options.key,
                  static_cast<std::uint64_t>(
                      std::chrono::system_clock::now().time_since_epoch().count() ^ ::getpid())),
        epoll_(::epoll_create1(0)),
        received_(262'144) {
    if (!options.acknowledged.empty()) {
      acknowledged_ = std::fopen(options.acknowledged.c_str(), "w");
      if (acknowledged_ == nullptr) {
        throw std::runtime_error(options.acknowledged + ": " + std::strerror(errno));
      }
    }
    clients_.resize(options.connections);
    for (std::size_t i = 0; i < clients_.size(); ++i) connect(i);
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    for (const Client& client : clients_) ::close(client.socket);
    ::close(epoll_);
    if (acknowledged_ != nullptr) std::fclose(acknowledged_);
  }

  // Throws if the file of acknowledged requests lacks any: then it cannot show a loss.
  void close_acknowledged() {
    if (acknowledged_ == nullptr) return;
    const bool complete = std::ferror(acknowledged_) == 0;
    if (std::fclose(std::exchange(acknowledged_, nullptr)) != 0 || !complete) {
      throw std::runtime_error(options_.acknowledged + ": some lines could not be written");
    }
  }

  void run() {
    const std::uint64_t start = now();
    counted_from_ = start + nanoseconds(options_.warmup);
    end_ = counted_from_ + nanoseconds(options_.seconds);
    paced_from_ = start;
    if (options_.rate <= 0.0) {
      for (Client& client : clients_) refill(client, start);
    }
    std::vector<epoll_event> events(256);
    for (std::uint64_t time = start; time < end_ && !gone_; time = now()) {
      if (options_.rate > 0.0) pace(time);
      const int wait = options_.rate > 0.0 ? 1 : 100;
      const int ready = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait);
      for (int i = 0; i < ready; ++i) {
        Client& client = clients_[events[static_cast<std::size_t>(i)].data.u32];
        if ((events[static_cast<std::size_t>(i)].events & EPOLLOUT) != 0U) send(client);
        if ((events[static_cast<std::size_t>(i)].events & ~EPOLLOUT) != 0U) receive(client);
      }
    }
  }

  void print() const {
    std::uint64_t all = 0;
    for (const auto& [kind, times] : latencies_) all += times.count();
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    std::printf("%.0f requests/s, %llu in %.1f s over %u connections, %u sent ahead\n",
                static_cast<double>(all) / options_.seconds, static_cast<unsigned long long>(all),
                options_.seconds, options_.connections, options_.pipeline);
    std::printf("%-8s %10s %9s %9s %9s %9s\n", "", "per s", "p50 ms", "p90 ms", "p99 ms", "max ms");
    for (const auto& [kind, times] : latencies_) {
      static constexpr const char* kNames[] = {"healthz", "rank", "reward"};
      std::printf("%-8s %10.0f %9.3f %9.3f %9.3f %9.3f\n", kNames[static_cast<int>(kind)],
                  static_cast<double>(times.count()) / options_.seconds, times.quantile(0.5),
                  times.quantile(0.9), times.quantile(0.99), times.longest());
    }
    std::printf("status  ");
    for (const auto& [status, count] : statuses_) {
      std::printf(" %d: %llu", status, static_cast<unsigned long long>(count));
    }
    if (options_.each_second) {
      std::printf("\nranks in each second");
      for (const std::uint64_t ranks : seconds_) {
        std::printf(" %llu", static_cast<unsigned long long>(ranks));
      }
    }
    std::printf("\nbroken connections: %llu, CPU time of this program: %.2f s\n",
                static_cast<unsigned long long>(broken_),
                seconds(used.ru_utime) + seconds(used.ru_stime));
  }

  // Whether the server answered, and without errors.
  bool good() const {
    for (const auto& [status, count] : statuses_) {
      if (status >= 300) return false;
    }
    return !statuses_.empty() && broken_ == 0;
  }

 private:
  static std::uint64_t nanoseconds(double seconds) {
    return static_cast<std::uint64_t>(1e9 * seconds);
  }

  void connect(std::size_t index) {
    Client& client = clients_[index];
    client = {};
    client.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(options_.port);
    if (::inet_pton(AF_INET, options_.address.c_str(), &address.sin_addr) != 1) {
      throw std::runtime_error("not an IPv4 address: " + options_.address);
    }
    if (::connect(client.socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
        0) {
      throw std::runtime_error("cannot connect to " + options_.address + " port " +
                               std::to_string(options_.port) + ": " + std::strerror(errno));
    }
    const int on = 1;
    ::setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLET;
    event.data.u32 = static_cast<std::uint32_t>(index);
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, client.socket, &event);
  }

  void add(Client& client, std::uint64_t time) {
    Sent sent{.kind = Kind::kHealth, .event = 0, .time = time};
    if (options_.path == "healthz") {
      requests_.append_health(client.out);
    } else if (!client.decided.empty()) {
      sent = {.kind = Kind::kReward, .event = client.decided.front(), .time = time};
      client.decided.pop_front();
      requests_.append_reward(client.out, sent.event);
    } else {
      sent = {.kind = Kind::kRank, .event = next_event_++, .time = time};
      requests_.append_rank(client.out, sent.event);
    }
    client.open.push_back(sent);
  }

  void refill(Client& client, std::uint64_t time) {
    while (client.open.size() < options_.pipeline) add(client, time);
    send(client);
  }

  // Sends as many requests as are due by now, each on the next connection that has room. The time
  // of a late request counts from when it was due.
  void pace(std::uint64_t time) {
    const double gap = 1e9 / options_.rate;
    std::size_t tried = 0;
    while (tried < clients_.size()) {
      const auto due = paced_from_ + static_cast<std::uint64_t>(gap * static_cast<double>(paced_));
      if (due > time) return;
      Client& client = clients_[turn_++ % clients_.size()];
      if (client.open.size() >= options_.pipeline) {
        ++tried;
        continue;
      }
      tried = 0;
      ++paced_;
      add(client, due);
      send(client);
    }
  }

  void send(Client& client) {
    while (!client.out.empty()) {
      const auto size =
          ::send(client.socket, client.out.data(), client.out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (size <= 0) return;  // continues when there is room; reading detects a broken connection
      client.out.erase(0, static_cast<std::size_t>(size));
    }
  }

  void receive(Client& client) {
    for (;;) {
      const auto size = ::recv(client.socket, received_.data(), received_.size(), MSG_DONTWAIT);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size <= 0) return reconnect(client);
      const std::uint64_t time = now();
      std::string_view bytes(received_.data(), static_cast<std::size_t>(size));
      const bool kept = !client.in.empty();
      if (kept) bytes = client.in.append(bytes);
      std::size_t used = 0;
      while (!client.open.empty()) {
        const Response response = response_in(bytes.substr(used));
        if (response.size == 0) break;
        used += response.size;
        note(client, response.status, time);
      }
      if (kept) {
        client.in.erase(0, used);
      } else {
        client.in.assign(bytes.substr(used));
      }
      if (options_.rate <= 0.0) refill(client, time);
      if (static_cast<std::size_t>(size) < received_.size()) return;
    }
  }

  void note(Client& client, int status, std::uint64_t time) {
    const Sent sent = client.open.front();
    client.open.pop_front();
    if (sent.kind == Kind::kRank && status == 201 && options_.path == "rank+reward" &&
        is_rewarded(sent.event)) {
      client.decided.push_back(sent.event);
    }
    if (acknowledged_ != nullptr && (status == 201 || status == 204)) {
      std::fprintf(acknowledged_, "%s %s\n", sent.kind == Kind::kRank ? "rank" : "reward",
                   requests_.event_id(sent.event).c_str());
    }
    if (sent.kind == Kind::kRank && time >= counted_from_ && time < end_) {
      const std::size_t second = (time - counted_from_) / 1'000'000'000;
      if (seconds_.size() <= second) seconds_.resize(second + 1);
      ++seconds_[second];
    }
    if (time < counted_from_ || time >= end_) return;
    ++statuses_[status];
    latencies_[sent.kind].add(time - std::min(time, sent.time));
  }

  // Depends only on the event and the share, not on the order of the answers.
  bool is_rewarded(std::uint64_t event) const {
    constexpr std::uint64_t kParts = 1000;
    return static_cast<double>(event * 7919 % kParts) < options_.rewarded * kParts;
  }

  void reconnect(Client& client) {
    ++broken_;
    // With --acknowledged the server is expected to be killed; then the load ends.
    if (acknowledged_ != nullptr) {
      gone_ = true;
      return;
    }
    ::close(client.socket);
    const auto index = static_cast<std::size_t>(&client - clients_.data());
    connect(index);
    if (options_.rate <= 0.0) refill(client, now());
  }

  const Options options_;
  const LoadRequests requests_;
  const int epoll_;
  std::vector<char> received_;
  std::vector<Client> clients_;
  std::uint64_t next_event_ = 0, counted_from_ = 0, end_ = 0, broken_ = 0;
  std::uint64_t paced_from_ = 0, paced_ = 0, turn_ = 0;
  std::FILE* acknowledged_ = nullptr;
  bool gone_ = false;
  std::vector<std::uint64_t> seconds_;  // ranks
  std::map<int, std::uint64_t> statuses_;
  std::map<Kind, Latencies> latencies_;
};

}  // namespace
}  // namespace sau::bench

int main(int argc, char** argv) {
  sau::bench::Options options;
  CLI::App app("Sends requests to a running `sau serve`; prints how many it answers and how fast.");
  app.add_option("--address", options.address, "IPv4 address")->capture_default_str();
  app.add_option("--port", options.port, "port")->required();
  app.add_option("--connections", options.connections, "number of connections")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "seconds to measure")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--warmup", options.warmup, "seconds before measuring")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--pipeline", options.pipeline, "requests sent ahead on a connection")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--rate", options.rate,
                 "requests per second in total, evenly spaced; 0: as fast as they are answered")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--path", options.path, "what to ask for")
      ->check(CLI::IsMember({"healthz", "rank", "rank+reward"}))
      ->capture_default_str();
  app.add_option("--rewarded", options.rewarded, "share of the events that get a reward")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--acknowledged", options.acknowledged,
                 "file to write a line for every acknowledged rank and reward; the load then ends "
                 "when a connection breaks");
  app.add_flag("--each-second", options.each_second, "print the ranks of each second");
  app.add_option("--key", options.key, "Ocp-Apim-Subscription-Key");
  CLI11_PARSE(app, argc, argv);
  try {
    sau::bench::Load load(options);
    load.run();
    load.print();
    load.close_acknowledged();
    return load.good() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "serve_load: %s\n", error.what());
    return 1;
  }
}
