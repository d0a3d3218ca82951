#include "serve.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "file_budget.hpp"
#include "inherited_sockets.hpp"
#include "operator_lines.hpp"
#include "sau/core/error.hpp"
#include "sau/core/note.hpp"
#include "sau/http/http_server.hpp"
#include "sau/serve_http/secret_file.hpp"
#include "sau/serve_http/service_over_http.hpp"
#include "served.hpp"
#include "stop.hpp"

namespace sau::cli {
namespace {

constexpr std::size_t kHealthConnections = 16;

// The sockets that this process was started with, for the two ports; -1 if there is none.
struct Listeners {
  int main = -1, health = -1;
};

// Also sets the address that is listened on.
Listeners take_listeners(ServeFlags& flags) {
  Listeners listeners;
  for (const InheritedSocket& socket : take_inherited_sockets()) {
    int& place = socket.name == "health" ? listeners.health : listeners.main;
    if (place >= 0) {
      throw UsageError(
          "serve: started with too many sockets (LISTEN_FDS); expected one, and maybe another that "
          "is named 'health'");
    }
    place = socket.descriptor;
    if (socket.name != "health") flags.listen = socket.address;
  }
  return listeners;
}

// Notes which of the files that hold secrets others may read. Throws if others may write to one.
void check_secrets(const ServeFlags& flags) {
  for (const std::string& file : {flags.key_file, flags.tls_key}) {
    if (file.empty()) continue;
    if (const std::string exposure = exposure_of(file); !exposure.empty()) note(exposure);
  }
}

std::string address_of(const ServeFlags& flags, std::uint16_t port) {
  const char* const scheme = flags.tls_certificate.empty() ? "http" : "https";
  const bool six = flags.listen.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}/", scheme, six ? "[" : "", flags.listen, six ? "]" : "", port);
}

// The options that both ports have in common.
HttpServerOptions server_options(const ServeFlags& flags, ServiceOverHttp& over_http,
                                 ServiceOverHttp::Port port) {
  HttpServerOptions options;
  options.address = flags.listen;
  options.request_timeout = std::chrono::seconds(flags.request_seconds);
  options.certificate_file = flags.tls_certificate;
  options.key_file = flags.tls_key;
  options.on_head = [&over_http, port](const HttpRequest& head, std::size_t& limit) {
    return over_http.check_head(head, limit, port);
  };
  options.error_response = ServiceOverHttp::error;
  options.on_failure = note_failure;
  return options;
}

HttpHandler handler_of(ServiceOverHttp& over_http, ServiceOverHttp::Port port) {
  return [&over_http, port](HttpRequest request, const HttpReply& reply) {
    over_http.answer(std::move(request), reply, port);
  };
}

// Large blocks go back to the system when they are freed. By default glibc begins to keep them once
// one was freed, and RocksDB's write buffers, which are filled and freed by different threads, then
// hold twice as much memory as they use, most of all after a start with a long write-ahead log.
void return_large_blocks() {
#ifdef __GLIBC__
  constexpr int kLarge = 256 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

// Reads the keys and the certificates again, all of them or none.
void reload(const ServeFlags& flags, ServiceOverHttp& over_http,
            std::initializer_list<HttpServer*> servers) {
  std::vector<std::string> read;
  try {
    check_secrets(flags);
    std::vector<AccessKey> keys;
    if (!flags.key_file.empty()) {
      keys = read_keys(flags.key_file);
      over_http.check_keys(keys);  // before the certificate is replaced
      read.push_back(fmt::format("{} keys of {}", keys.size(), flags.key_file));
    }
    if (!flags.tls_certificate.empty()) {
      for (HttpServer* const server : servers) {
        if (server != nullptr) server->reload_certificate();
      }
      read.push_back("the certificate " + flags.tls_certificate);
    }
    over_http.set_keys(std::move(keys));
  } catch (const std::exception& error) {
    return note(fmt::format("SIGHUP: the old keys and certificates stay: {}", error.what()));
  }
  note(read.empty() ? "SIGHUP: there are no keys and no certificate to be read again"
                    : fmt::format("SIGHUP: read again: {}", fmt::join(read, ", ")));
}

}  // namespace

int serve(const std::string& folder, ServeFlags flags) {
  const Listeners listeners = take_listeners(flags);
  complete_serve_flags(flags);
  if (flags.log_format == "json") write_lines_as_json();
  set_note_function([](const Note& line) { note(line.text); });
  const bool has_health = flags.health_port || listeners.health >= 0;
  std::vector<Served> all = served_folders(folder, flags.apps);
  return_large_blocks();
  const std::atomic<bool>& stop = stop_on_signals();
  std::atomic<bool>& hangup = notice_hangups();
  ignore_broken_pipes();
  std::string shortage;
  const FileBudget files = allow_files({.threads = flags.threads,
                                        .connections = flags.connections,
                                        .health_connections = has_health ? kHealthConnections : 0,
                                        .logs = all.size()},
                                       shortage);
  if (!shortage.empty()) note(shortage);
  ServiceOptions options;
  options.agent = flags.agent;
  options.seed = flags.seed;
  options.limits.actions = flags.max_actions;
  options.snapshot_every = std::chrono::seconds(flags.snapshot_seconds);
  options.versions = flags.model_versions;
  options.version_every = std::chrono::seconds(flags.version_seconds);
  options.open_files = static_cast<int>(files.log);
  options.note = note;
  const auto tally = std::make_shared<HttpTally>();
  ServiceOverHttpOptions over_http_options;
  if (!flags.key_file.empty()) over_http_options.keys = read_keys(flags.key_file);
  over_http_options.model_bytes = flags.max_model_bytes;
  over_http_options.connections = tally;
  over_http_options.on_failure = note_failure;
  over_http_options.limits = {static_cast<double>(flags.rate_limit.value_or(0)),
                              static_cast<double>(flags.address_rate_limit.value_or(0))};
  switch (flags.role) {
    case ServeRole::kAlone:
      open(all, options);
      break;
    case ServeRole::kNode:
      open_as_node(all.front(), options, flags.cluster);
      break;
    case ServeRole::kTrainer:
      open_as_trainer(all.front(), options, flags.cluster);
      break;
  }
  for (const Served& each : all) {
    if (!each.name.empty()) over_http_options.applications.push_back(each.application());
  }
  ServiceOverHttp over_http(*all.front().service, *all.front().evaluations,
                            std::move(over_http_options));

  HttpServerOptions main_options = server_options(flags, over_http, ServiceOverHttp::Port::kMain);
  main_options.port = static_cast<std::uint16_t>(flags.port);
  main_options.listener = listeners.main;
  main_options.threads = static_cast<unsigned>(flags.threads);
  main_options.large_bodies = 2 * flags.max_model_bytes;
  main_options.connections = files.connections;
  main_options.connections_per_address = flags.connections_per_address.value_or(0);
  main_options.tally = tally;
  HttpServer server(std::move(main_options), handler_of(over_http, ServiceOverHttp::Port::kMain));
  std::optional<HttpServer> health;
  if (has_health) {
    HttpServerOptions health_options =
        server_options(flags, over_http, ServiceOverHttp::Port::kHealth);
    health_options.port = static_cast<std::uint16_t>(flags.health_port.value_or(0));
    health_options.listener = listeners.health;
    health_options.connections = kHealthConnections;
    health_options.tally = tally;
    health.emplace(std::move(health_options),
                   handler_of(over_http, ServiceOverHttp::Port::kHealth));
  }
  check_secrets(flags);
  if (!flags.quiet) {
    for (const Served& each : all) {
      say(fmt::format("{} {} with {} at {}{}\n",
                      flags.role == ServeRole::kTrainer ? "training" : "serving", each.folder,
                      each.service->agent(), address_of(flags, server.port()),
                      each.name.empty() ? "" : "apps/" + each.name + "/"));
    }
    if (health) say(fmt::format("health at {}\n", address_of(flags, health->port())));
  }
  DropLines drops(*tally);
  while (!stop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    try {
      drops.look();
      if (hangup.exchange(false)) reload(flags, over_http, {&server, health ? &*health : nullptr});
    } catch (const std::bad_alloc&) {  // no memory for the line
    }
  }
  if (!flags.quiet) note("stopping: requests that have begun are answered, the model is written");
  server.stop();
  if (health) health->stop();
  for (Served& each : all) {
    each.work.reset();
    each.service->stop();
  }
  return 0;
}

}  // namespace sau::cli
