#include "serve_flags.hpp"

#include "flags.hpp"
#include "sau/core/error.hpp"
#include "sau/http/host.hpp"

namespace sau::cli {
namespace {

void check_cluster(ServeFlags& flags) {
  ClusterOptions& cluster = flags.cluster;
  if (flags.command == "train") flags.role = ServeRole::kTrainer;
  if (flags.role == ServeRole::kAlone && !cluster.servers.empty()) flags.role = ServeRole::kNode;
  if (flags.role == ServeRole::kAlone) {
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

void check_listening(const ServeFlags& flags) {
  if (flags.key_file.empty() && !is_loopback(flags.listen)) {
    throw UsageError(flags.command + ": --listen " + flags.listen +
                     " lets other machines in and needs --key-file; without one, listen on "
                     "127.0.0.1, ::1 or localhost");
  }
  if (flags.tls_certificate.empty() != flags.tls_key.empty()) {
    throw UsageError(flags.command + ": --tls-certificate and --tls-key go together");
  }
  if (flags.log_format != "text" && flags.log_format != "json") {
    throw UsageError(flags.command + ": --log-format " + flags.log_format +
                     "; expected text or json");
  }
}

// The flags that say which cluster it is.
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

}  // namespace

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

std::shared_ptr<ServeFlags> add_serve_flags(CLI::App& app) {
  auto flags = add_flags<ServeFlags>(app);
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
             "requests a second from one address; more are answered 429 [no limit]");
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

void complete_serve_flags(ServeFlags& flags) {
  check_listening(flags);
  check_cluster(flags);
}

}  // namespace sau::cli
