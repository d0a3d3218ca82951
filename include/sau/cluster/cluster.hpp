#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sau/serve/service.hpp"

namespace sau {

// A service of several machines (docs/cluster.md). Nodes decide; they spool what they were told on
// their own disks and ship it to a stream of NATS JetStream. A trainer joins, logs and learns from
// the stream, and publishes its models to the nodes. A second trainer stands by.

struct ClusterOptions {
  std::string servers;              // nats://HOST:PORT, several with commas between them
  std::string application = "sau";  // several may share the servers
  std::string credentials = {};     // a file of NATS
  std::string ca = {}, certificate = {}, key = {};  // for TLS to NATS; files, PEM
  int replicas = 0;  // copies of the stream; 0: three if there are that many servers, else one
  // Node: answers when JetStream has the record, too, and not only the node's disk.
  bool confirm_stream = false;
  // Trainer: leads even if another trainer may know more. What only that one has is lost.
  bool lead = false;
};

// Throws Error when the folder or the servers refuse, and UsageError when the options are wrong.
std::unique_ptr<Service> open_node(ServiceOptions service, const ClusterOptions& cluster);

// A trainer's service shows its log and its model; it takes nothing from callers. The other pointer
// keeps the trainer at work: end it before the service.
struct OpenTrainer {
  std::unique_ptr<Service> service;
  std::shared_ptr<void> work;
};
OpenTrainer open_trainer(ServiceOptions service, const ClusterOptions& cluster);

// Why this program cannot be part of a cluster; nothing if it can.
std::optional<std::string> cluster_is_missing();

}  // namespace sau
