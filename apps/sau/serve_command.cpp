#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <chrono>
#include <new>
#include <optional>
#include <thread>

#include "commands.hpp"
#include "file_budget.hpp"
#include "flags.hpp"
#include "inherited_sockets.hpp"
#include "operator_lines.hpp"
#include "sau/cluster/cluster.hpp"
#include "sau/core/error.hpp"
#include "sau/http/host.hpp"
#include "sau/http/http_server.hpp"
#include "sau/serve_http/secret_file.hpp"
#include "sau/serve_http/service_over_http.hpp"
#include "served.hpp"
#include "stop.hpp"

namespace sau::cli {
namespace {

// Who answers: a service of one machine, a node or a trainer of a cluster.
enum class Role { kAlone, kNode, kTrainer };

struct ServeFlags {
  std::string command = "serve";
  Role role = Role::kAlone;
  ClusterOptions cluster;
  std::string confirm = "spool";
  std::optional<std::uint64_t> replicas;
  std::string agent, listen = "127.0.0.1";
  std::optional<std::uint64_t> seed;
  std::string key_file, tls_certificate, tls_key, log_format = "text";
  std::vector<std::string> apps;
  std::optional<std::uint64_t> connections_per_address, health_port, rate_limit, address_rate_limit;
  std::uint64_t port = 8080, threads = 2, connections = 1000, max_actions = 1000,
                max_model_bytes = std::uint64_t{256} << 20, snapshot_seconds = 60,
                request_seconds = 15, model_versions = 8, version_seconds = 3600;
  bool quiet = false;
  void fields(auto&& field) {
    field("port", port, "port to listen on; 0: any free port", Bounds{.min = 0.0, .max = 65535.0});
    field("threads", threads, "threads that answer requests", Bounds{.min = 1.0, .max = 256.0});
    field("connections", connections,
          "connections open at the same time; a new one then replaces an idle or slow one",
          Bounds{.min = 1.0, .max = 100000.0});
    field("max_actions", max_actions, "actions in one rank request",
          Bounds{.min = 1.0, .max = 100000.0});
    field("max_model_bytes", max_model_bytes, "largest model that PUT /model accepts, in bytes",
          Bounds{.min = 1.0, .max = 1e12});
    field("snapshot_seconds", snapshot_seconds,
          "seconds between two copies of the model on disk; a restart replays what came later",
          Bounds{.min = 1.0, .max = 86400.0});
    field("model_versions", model_versions, "earlier models that are kept, to go back to",
          Bounds{.min = 0.0, .max = 1000.0});
    field("version_seconds", version_seconds, "seconds between two of them, at least",
          Bounds{.min = 1.0, .max = 1e9});
    field("request_seconds", request_seconds,
          "seconds that a caller may take to send one request; slower requests are refused",
          Bounds{.min = 1.0, .max = 3600.0});
    field("quiet", quiet, "print only warnings");
  }
};

constexpr std::size_t kHealthConnections = 16;

void check_cluster(ServeFlags& flags) {
  ClusterOptions& cluster = flags.cluster;
  if (flags.command == "train") flags.role = Role::kTrainer;
  if (flags.role == Role::kAlone && !cluster.servers.empty()) flags.role = Role::kNode;
  if (flags.role == Role::kAlone) {
    if (flags.confirm != "spool" || cluster.application != "sau" || !cluster.credentials.empty() ||
        !cluster.ca.empty() || !cluster.certificate.empty()) {
      throw UsageError(
          "serve: --application, --confirm and the options of NATS are for the nodes of a cluster; "
          "they need --join");
    }
    return;
  }
  if (!flags.apps.empty()) {
    throw UsageError(flags.command +
                     ": --app and --join do not go together: each application of a cluster has "
                     "processes of its own, with --application");
  }
  if (flags.confirm != "spool" && flags.confirm != "stream") {
    throw UsageError("serve: --confirm " + flags.confirm + "; expected spool or stream");
  }
  if (cluster.certificate.empty() != cluster.key.empty()) {
    throw UsageError(flags.command + ": --nats-certificate and --nats-key go together");
  }
  cluster.confirm_stream = flags.confirm == "stream";
  cluster.replicas = static_cast<int>(flags.replicas.value_or(0));
}

void check(const ServeFlags& flags) {
  if (flags.key_file.empty() && !is_loopback(flags.listen)) {
    throw UsageError("serve: --listen " + flags.listen +
                     " lets other machines in and needs --key-file; without one, listen on "
                     "127.0.0.1, ::1 or localhost");
  }
  if (flags.tls_certificate.empty() != flags.tls_key.empty()) {
    throw UsageError("serve: --tls-certificate and --tls-key go together");
  }
  if (flags.log_format != "text" && flags.log_format != "json") {
    throw UsageError("serve: --log-format " + flags.log_format + "; expected text or json");
  }
}

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

int serve(const std::string& folder, ServeFlags flags) {
  const Listeners listeners = take_listeners(flags);
  check(flags);
  check_cluster(flags);
  if (flags.log_format == "json") write_lines_as_json();
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
    case Role::kAlone:
      open(all, options);
      break;
    case Role::kNode:
      open_as_node(all.front(), options, flags.cluster);
      break;
    case Role::kTrainer:
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
                      flags.role == Role::kTrainer ? "training" : "serving", each.folder,
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

// Adds a flag whose default is not a number.
void add_number(CLI::App& app, const std::string& name, Bounds bounds,
                std::optional<std::uint64_t>& value, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [name, bounds, &value, command = app.get_name()](const std::string& given) {
           std::uint64_t number = 0;
           detail::read_value(command, name, given, bounds, number);
           value = number;
         },
         help)
      ->type_name("N");
}

// The options that say which cluster it is.
void add_cluster(CLI::App& app, ServeFlags& flags) {
  ClusterOptions& cluster = flags.cluster;
  app.add_option("--application", cluster.application,
                 "name of the application in the cluster; several may share the NATS servers [sau]")
      ->type_name("NAME");
  app.add_option("--nats-credentials", cluster.credentials,
                 "file with the credentials for NATS, as made by nsc")
      ->type_name("FILE");
  app.add_option("--nats-ca", cluster.ca, "certificates to trust when NATS uses TLS, PEM")
      ->type_name("FILE");
  app.add_option("--nats-certificate", cluster.certificate,
                 "certificate to show to NATS, PEM; needs --nats-key")
      ->type_name("FILE");
  app.add_option("--nats-key", cluster.key, "its private key, PEM")->type_name("FILE");
}

// The options of serve and train alike.
std::shared_ptr<ServeFlags> add_common(CLI::App& app) {
  const auto flags = add_flags<ServeFlags>(app);
  app.add_option("--agent", flags->agent,
                 "model+strategy, as for sau run (see sau list); the folder keeps it\n"
                 "[sau, a committee of models]")
      ->type_name("SPEC");
  add_number(app, "--seed", {}, flags->seed,
             "seed of the model's first weights and of all draws; the folder keeps it [1]");
  add_number(app, "--connections-per-address", {.min = 1.0, .max = 100000.0},
             flags->connections_per_address,
             "connections from one address [half of --connections; loopback: no limit]");
  add_number(app, "--health-port", {.min = 0.0, .max = 65535.0}, flags->health_port,
             "a second port with only /healthz, /readyz and /metrics; 0: any free port [none]");
  add_number(app, "--rate-limit", {.min = 1.0, .max = 1e9}, flags->rate_limit,
             "requests a second with one key; more are answered 429 [no limit]");
  add_number(app, "--address-rate-limit", {.min = 1.0, .max = 1e9}, flags->address_rate_limit,
             "the same for one address [no limit]");
  app.add_option("--log-format", flags->log_format,
                 "how lines are written to standard error: text or json [text]")
      ->type_name("FORMAT");
  app.add_option("--listen", flags->listen,
                 "IP address to listen on; needs --key-file unless it is loopback [127.0.0.1]")
      ->type_name("ADDRESS");
  app.add_option("--key-file", flags->key_file,
                 "file with the keys of callers, one per line; after a key may come its rights\n"
                 "(decide, reward, read, admin; without any it has all), app=NAME and rate=N")
      ->type_name("FILE");
  app.add_option("--tls-certificate", flags->tls_certificate, "certificate chain, PEM")
      ->type_name("FILE");
  app.add_option("--tls-key", flags->tls_key, "its private key, PEM")->type_name("FILE");
  add_cluster(app, *flags);
  return flags;
}

Handler add_folder(CLI::App& app, const std::shared_ptr<ServeFlags>& flags) {
  const auto folder = std::make_shared<std::string>();
  app.add_option("folder", *folder,
                 "folder of the events, the model and the settings; created if missing")
      ->required();
  return [flags, folder] { return serve(*folder, *flags); };
}

}  // namespace

Handler describe_serve(CLI::App& app) {
  app.description(
      "Serves decisions over HTTP: which action? (rank), how did it go? (reward); learns while it\n"
      "runs. FOLDER holds everything: the events, the model, the settings. Whatever was\n"
      "acknowledged is on disk: after a crash, the service continues where it was. The calls are\n"
      "those of the retired Azure Personalizer; its clients need only a new endpoint.");
  app.footer(
      "Examples:\n"
      "  sau serve data                                then open http://127.0.0.1:8080/\n"
      "  curl -s localhost:8080/personalizer/v1.0/rank -d "
      "'{\"actions\":[{\"id\":\"a\"},{\"id\":\"b\"}]}'\n"
      "  sau serve data --agent hashed_linear+sau_sampling     quicker, with one model\n"
      "  sau serve data --listen 0.0.0.0 --key-file keys --tls-certificate c.pem --tls-key k.pem\n"
      "Rewards are from -1 to 1; others are refused. For other units set rewardMinimum and\n"
      "rewardMaximum to your range (PUT /personalizer/v1.0/configurations/service). The default\n"
      "agent takes rewards in any unit; docs/service.md says what other agents need.\n"
      "If it is started with a socket (LISTEN_FDS, as by a systemd socket unit), it listens "
      "there:\n"
      "a restart then refuses no connection.\n"
      "After SIGTERM or Ctrl-C it answers the requests that have begun, then ends. After SIGHUP "
      "it\n"
      "reads the keys and the certificate again; connections stay open.\n"
      "docs/service.md has a tour of ten minutes, docs/http.md describes every call.");
  const auto flags = add_common(app);
  app.add_option("--app", flags->apps,
                 "a further application with a folder of its own, below /apps/NAME; may be given\n"
                 "several times")
      ->type_name("NAME=FOLDER")
      ->allow_extra_args(false);
  app.add_option("--join", flags->cluster.servers,
                 "be a node of a cluster: nats://HOST:PORT, several with commas between them;\n"
                 "docs/cluster.md")
      ->type_name("URL");
  app.add_option("--confirm", flags->confirm,
                 "a node answers when a record is on its own disk (spool), or when the stream has\n"
                 "it, too (stream) [spool]")
      ->type_name("WHERE");
  return add_folder(app, flags);
}

Handler describe_train(CLI::App& app) {
  app.description(
      "The trainer of a cluster: joins what its nodes (sau serve --join) were told, logs it,\n"
      "learns, and publishes the model to the nodes. FOLDER has the same log as that of sau "
      "serve.\n"
      "A second trainer, with a folder of its own, stands by and takes over when the first dies.");
  app.footer(
      "Examples:\n"
      "  sau train trainer --join nats://10.0.0.1:4222,nats://10.0.0.2:4222,nats://10.0.0.3:4222\n"
      "  sau serve node --join nats://10.0.0.1:4222,nats://10.0.0.2:4222,nats://10.0.0.3:4222\n"
      "  sau log verify trainer\n"
      "The page, the metrics and the explanations of decisions are at its port; decisions and\n"
      "rewards go to the nodes. docs/cluster.md says what is kept when something is lost.");
  const auto flags = add_common(app);
  flags->command = "train";
  app.add_option("--join", flags->cluster.servers,
                 "NATS servers: nats://HOST:PORT, several with commas between them")
      ->type_name("URL")
      ->required();
  add_number(app, "--replicas", {.min = 1.0, .max = 5.0}, flags->replicas,
             "copies of the stream [3 if there are that many NATS servers, else 1]");
  app.add_flag("--lead", flags->cluster.lead,
               "lead even if another trainer may have more of a stream that was lost: what only\n"
               "that one has is given up");
  return add_folder(app, flags);
}

}  // namespace sau::cli
