#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "cluster/cluster_support.hpp"
#include "sau/cluster/cluster.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

// A request may still ask for metrics when the trainer ends. The sanitizers see if it asks a
// trainer that is gone.
TEST(TrainerEnd, WaitsForThoseWhoAskIt) {
  const testing::TemporaryFolder folder;
  for (int i = 0; i < 5; ++i) {
    ServiceOptions options;
    options.folder = folder / "data";
    options.agent = detail::kSmallAgent;
    // Nobody is there.
    OpenTrainer opened = open_trainer(options, {.servers = "nats://127.0.0.1:1"});
    std::atomic<int> asked = 0;
    std::atomic<bool> ended = false;
    std::thread asks([&] {
      while (!ended) {
        const std::string metrics = opened.service->metrics();
        static_cast<void>(opened.service->ready());
        static_cast<void>(opened.service->status());
        if (metrics.find("sau_trainer_leads") != std::string::npos) ++asked;
      }
    });
    while (asked == 0) std::this_thread::yield();
    opened.work.reset();
    EXPECT_EQ(opened.service->metrics().find("sau_trainer_leads"), std::string::npos);
    ended = true;
    asks.join();
    opened.service->stop();
  }
}

}  // namespace
}  // namespace sau
