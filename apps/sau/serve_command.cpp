#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include "commands.hpp"
#include "flags.hpp"
#include "sau/api/service_api.hpp"
#include "sau/core/error.hpp"
#include "sau/http/http_server.hpp"
#include "stop.hpp"

namespace sau::cli {
namespace {

struct ServeFlags {
  std::string agent, listen = "127.0.0.1";
  std::optional<std::uint64_t> seed;
  std::string key_file, tls_certificate, tls_key;
  std::uint64_t port = 8080, threads = 2, connections = 1000, max_actions = 1000,
                snapshot_seconds = 60, request_seconds = 15;
  bool quiet = false;
  void fields(auto&& field) {
    field("port", port, "port to listen on; 0 is any that is free",
          Bounds{.min = 0.0, .max = 65535.0});
    field("threads", threads, "threads that answer requests", Bounds{.min = 1.0, .max = 256.0});
    field("connections", connections, "connections open at the same time",
          Bounds{.min = 1.0, .max = 100000.0});
    field("max_actions", max_actions, "actions in one rank request",
          Bounds{.min = 1.0, .max = 100000.0});
    field("snapshot_seconds", snapshot_seconds,
          "seconds between two copies of the model on disk; a restart replays what came after",
          Bounds{.min = 1.0, .max = 86400.0});
    field("request_seconds", request_seconds,
          "seconds that a caller may take to send one request; slower ones are given up",
          Bounds{.min = 1.0, .max = 3600.0});
    field("quiet", quiet, "say nothing but warnings");
  }
};

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

void check(const ServeFlags& flags) {
  if (flags.key_file.empty() && !is_loopback(flags.listen)) {
    throw UsageError("serve: --listen " + flags.listen +
                     " lets other machines in and needs --key-file; without one the address is "
                     "127.0.0.1, ::1 or localhost");
  }
  if (flags.tls_certificate.empty() != flags.tls_key.empty()) {
    throw UsageError("serve: --tls-certificate and --tls-key go together");
  }
}

// Lines for the operator, from any thread.
void note(const std::string& line) {
  static std::mutex mutex;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const std::string text = fmt::format("{} {}\n", write_time(now.count()), line);
  const std::lock_guard lock(mutex);
  // Where this goes to may be full as well, which is no reason to stop.
  std::fputs(text.c_str(), stderr);
}

// Connections and the files of the log are counted together, and a log that cannot open a file
// takes no events. What is usually allowed is a thousand; more may be asked for.
void allow_files(std::uint64_t connections) {
  constexpr rlim_t kOthers = 512;
  const rlim_t wanted = connections + kOthers;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted) {
    note(
        fmt::format("{} files may be open; {} connections need {}: allow more (ulimit -n), or give "
                    "fewer --connections",
                    limit.rlim_cur, connections, wanted));
  }
}

std::string address_of(const ServeFlags& flags, std::uint16_t port) {
  const char* const scheme = flags.tls_certificate.empty() ? "http" : "https";
  const bool six = flags.listen.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}/", scheme, six ? "[" : "", flags.listen, six ? "]" : "", port);
}

int serve(const std::string& folder, const ServeFlags& flags) {
  check(flags);
  allow_files(flags.connections);
  const std::atomic<bool>& stop = stop_on_signals();
  ServiceOptions options;
  options.folder = folder;
  options.agent = flags.agent;
  options.seed = flags.seed;
  options.limits.actions = flags.max_actions;
  options.snapshot_every = std::chrono::seconds(flags.snapshot_seconds);
  options.note = note;
  ServiceApiOptions api_options;
  if (!flags.key_file.empty()) api_options.keys = read_keys(flags.key_file);
  Service service(std::move(options));
  ServiceApi api(service, std::move(api_options));
  HttpServer server(
      {.address = flags.listen,
       .port = static_cast<std::uint16_t>(flags.port),
       .threads = static_cast<unsigned>(flags.threads),
       .connections = flags.connections,
       .request_timeout = std::chrono::seconds(flags.request_seconds),
       .certificate_file = flags.tls_certificate,
       .key_file = flags.tls_key,
       .on_head = [&api](const HttpRequest& head,
                         std::size_t& limit) { return api.check_head(head, limit); },
       .error_response = ServiceApi::error,
       .on_failure = [](std::string_view request,
                        const char* what) { note(fmt::format("{} failed: {}", request, what)); }},
      [&api](HttpRequest request, const HttpReply& reply) {
        api.answer(std::move(request), reply);
      });
  if (!flags.quiet) {
    fmt::print("serving {} with {} at {}\n", folder, service.agent(),
               address_of(flags, server.port()));
    std::fflush(stdout);
  }
  while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (!flags.quiet) note("stopping: requests that have begun are answered, the model is written");
  server.stop();
  service.stop();
  return 0;
}

}  // namespace

Deed describe_serve(CLI::App& app) {
  app.description(
      "Serves decisions over HTTP: which action? (rank), how did it go? (reward); learns while it\n"
      "runs. Everything is kept in FOLDER: the events, the model, the settings. What was\n"
      "acknowledged is on disk; after a crash it goes on where it was. The calls are those of the\n"
      "retired Azure Personalizer; its clients work by changing the endpoint.");
  app.footer(
      "Examples:\n"
      "  sau serve data                                then open http://127.0.0.1:8080/\n"
      "  curl -s localhost:8080/personalizer/v1.0/rank -d "
      "'{\"actions\":[{\"id\":\"a\"},{\"id\":\"b\"}]}'\n"
      "  sau serve data --agent hashed_mlp+sau_sampling\n"
      "  sau serve data --listen 0.0.0.0 --key-file keys --tls-certificate c.pem --tls-key k.pem\n"
      "SIGTERM or Ctrl-C ends it when requests that have begun are answered. docs/service.md has "
      "a\n"
      "tour of ten minutes, docs/http.md every call.");
  const auto flags = add_flags<ServeFlags>(app);
  app.add_option("--agent", flags->agent,
                 "model+strategy: hashed_linear or hashed_mlp; sau_sampling, sau_ucb or\n"
                 "epsilon_greedy; kept with the folder [hashed_linear+sau_sampling]")
      ->type_name("SPEC");
  app.add_option_function<std::string>(
         "--seed",
         [flags](const std::string& given) {
           std::uint64_t seed = 0;
           detail::read_value("serve", "--seed", given, {}, seed);
           flags->seed = seed;
         },
         "of the model's first weights and of every draw; kept with the folder [1]")
      ->type_name("N");
  app.add_option("--listen", flags->listen,
                 "IP address to listen on; others than loopback need --key-file [127.0.0.1]")
      ->type_name("ADDRESS");
  app.add_option("--key-file", flags->key_file, "file with the keys of callers, one a line")
      ->type_name("FILE");
  app.add_option("--tls-certificate", flags->tls_certificate, "certificate chain, PEM")
      ->type_name("FILE");
  app.add_option("--tls-key", flags->tls_key, "its private key, PEM")->type_name("FILE");
  const auto folder = std::make_shared<std::string>();
  app.add_option("folder", *folder, "of events, model and settings; made when it is not there")
      ->required();
  return [flags, folder] { return serve(*folder, *flags); };
}

}  // namespace sau::cli
