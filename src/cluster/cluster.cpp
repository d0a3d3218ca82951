#include "sau/cluster/cluster.hpp"

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "cluster/node.hpp"
#include "cluster/trainer.hpp"
#include "sau/core/error.hpp"
#include "serve/completed_options.hpp"

namespace sau {
namespace {

// The trainer, while there is one. Whoever asks it something keeps it from ending. Thread-safe.
class CurrentTrainer {
 public:
  // The answer is empty or false if there is no trainer.
  template <class Answer>
  Answer ask(Answer (detail::Trainer::*question)() const) const {
    const std::shared_lock lock(mutex_);
    return trainer_ == nullptr ? Answer() : (trainer_->*question)();
  }
  // Waits until nobody asks the old one.
  void set(const detail::Trainer* trainer) {
    const std::lock_guard lock(mutex_);
    trainer_ = trainer;
  }

 private:
  mutable std::shared_mutex mutex_;
  const detail::Trainer* trainer_ = nullptr;
};

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
  // The trainer is made after the service that shows its metrics, and destroyed before it. Requests
  // about it may still be at work then.
  const auto here = std::make_shared<CurrentTrainer>();
  service.more_metrics = [here] { return here->ask(&detail::Trainer::metrics); };
  service.also_ready = [here] { return here->ask(&detail::Trainer::ready); };
  detail::TrainerOptions options{
      .folder = service.folder, .cluster = cluster, .note = service.note};
  auto backend = detail::make_local_service(std::move(service), true);
  detail::LocalService& local = *backend;
  local.show_cluster([here] { return here->ask(&detail::Trainer::members); });
  auto opened = std::make_unique<Service>(std::move(backend));
  auto trainer = std::make_unique<detail::Trainer>(local, std::move(options));
  here->set(trainer.get());
  return {std::move(opened),
          std::shared_ptr<detail::Trainer>(trainer.release(), [here](detail::Trainer* ended) {
            here->set(nullptr);
            std::default_delete<detail::Trainer>()(ended);
          })};
}

std::optional<std::string> cluster_is_missing() { return detail::nats_is_missing(); }

}  // namespace sau
