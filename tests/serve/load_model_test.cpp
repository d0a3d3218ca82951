#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "serve/serve_support.hpp"

namespace sau {
namespace {

using testing::simple_request;
using testing::TestService;

TEST(LoadModel, ManyCallersMayLoadTheSameFileAtOnce) {
  TestService service;
  ASSERT_TRUE(service.rank(simple_request("e1")).ok());
  ASSERT_TRUE(service.reward("e1", 1.0).ok());
  const std::string before = service.model_checksum();
  const std::string model = service->model();
  std::atomic<int> refused = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        if (!service.load_model(model).ok()) ++refused;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(service.model_checksum(), before);
}

}  // namespace
}  // namespace sau
