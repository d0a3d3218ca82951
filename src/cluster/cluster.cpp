#include "sau/cluster/cluster.hpp"

#include <atomic>
#include <utility>

#include "cluster/node.hpp"
#include "cluster/trainer.hpp"
#include "sau/core/error.hpp"
#include "serve/completed_options.hpp"

namespace sau {
namespace {

void need_nats() {
  if (const auto missing = detail::nats_is_missing()) throw Error(*missing);
}

}  // namespace

std::unique_ptr<Service> open_node(ServiceOptions service, const ClusterOptions& cluster) {
  need_nats();
  return std::make_unique<Service>(
      std::make_unique<detail::NodeService>(std::move(service), cluster));
}

OpenTrainer open_trainer(ServiceOptions service, const ClusterOptions& cluster) {
  need_nats();
  service = detail::completed(std::move(service));
  if (std::filesystem::exists(service.folder / "node.json")) {
    throw UsageError(service.folder.string() + ": the folder of a node; a trainer needs its own");
  }
  // The trainer is made after the service that shows its metrics, and destroyed before it.
  const auto here = std::make_shared<std::atomic<detail::Trainer*>>(nullptr);
  service.more_metrics = [here] {
    const detail::Trainer* const trainer = *here;
    return trainer == nullptr ? std::string() : trainer->metrics();
  };
  service.also_ready = [here] {
    const detail::Trainer* const trainer = *here;
    return trainer != nullptr && trainer->ready();
  };
  detail::TrainerOptions options{
      .folder = service.folder, .cluster = cluster, .note = service.note};
  auto backend = detail::make_local_service(std::move(service), true);
  detail::LocalService& local = *backend;
  local.show_cluster([here] {
    const detail::Trainer* const trainer = *here;
    return trainer == nullptr ? std::string() : trainer->members();
  });
  auto opened = std::make_unique<Service>(std::move(backend));
  auto trainer = std::make_unique<detail::Trainer>(local, std::move(options));
  *here = trainer.get();
  return {std::move(opened),
          std::shared_ptr<detail::Trainer>(trainer.release(), [here](detail::Trainer* ended) {
            *here = nullptr;
            std::default_delete<detail::Trainer>()(ended);
          })};
}

std::optional<std::string> cluster_is_missing() { return detail::nats_is_missing(); }

}  // namespace sau
