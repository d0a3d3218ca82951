#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sau/cluster/cluster.hpp"
#include "sau/core/spec.hpp"

namespace sau::cli {

// Who answers: a service of one machine, a node or a trainer of a cluster.
enum class ServeRole { kAlone, kNode, kTrainer };

struct ServeFlags {
  std::string command = "serve";
  ServeRole role = ServeRole::kAlone;
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
    field("version_seconds", version_seconds, "least number of seconds between two earlier models",
          Bounds{.min = 1.0, .max = 1e9});
    field("request_seconds", request_seconds,
          "seconds that a caller may take to send one request; slower requests are refused",
          Bounds{.min = 1.0, .max = 3600.0});
    field("quiet", quiet, "print only warnings");
  }
};

// The flags that sau serve and sau train share.
std::shared_ptr<ServeFlags> add_serve_flags(CLI::App& app);

// Adds a flag that takes a number but has none as its default.
void add_number(CLI::App& app, const std::string& name, Bounds bounds,
                std::optional<std::uint64_t>& value, const std::string& help);

// Sets the role, and what follows from it. Throws UsageError if flags do not fit together.
void complete_serve_flags(ServeFlags& flags);

}  // namespace sau::cli
