#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/ordered_formatter.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

TEST(OrderedFormatter, WritesInOrderWithAnyNumberOfThreads) {
  const auto written = [](unsigned threads) {
    std::string all;
    detail::OrderedFormatter<std::vector<int>> formatter(
        threads,
        [](const std::vector<int>& numbers) {
          std::string text;
          for (const int number : numbers) text += std::to_string(number) + " ";
          return text;
        },
        [&all](const std::string& text) { all += text; });
    for (int i = 0; i < 500; ++i)
      formatter.add(std::vector<int>(static_cast<std::size_t>(i % 7), i));
    formatter.finish();
    return all;
  };
  const std::string one = written(1);
  EXPECT_TRUE(one.starts_with("1 2 2 3 3 3 "));
  EXPECT_EQ(written(2), one);
  EXPECT_EQ(written(7), one);
}

TEST(OrderedFormatter, AnExceptionArrivesInOrder) {
  for (const unsigned threads : {1U, 3U}) {
    std::string all;
    detail::OrderedFormatter<int> formatter(
        threads,
        [](int number) {
          if (number >= 20) throw Error("bad " + std::to_string(number));
          return std::to_string(number) + " ";
        },
        [&all](const std::string& text) { all += text; });
    std::string message;
    try {
      for (int i = 0; i < 40; ++i) formatter.add(i);
      formatter.finish();
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "bad 20");
    EXPECT_TRUE(all.ends_with(" 18 19 "));
  }
}

// Makes a log of `count` events, every other one rewarded.
void make_log(const std::filesystem::path& folder, int count) {
  ServiceOptions options;
  options.folder = folder;
  options.agent = "hashed_linear(bits=10)+sau_sampling";
  Service service(std::move(options));
  std::atomic<int> left = count;
  std::promise<void> done;
  const auto finished = [&] {
    if (--left == 0) done.set_value();
  };
  for (int i = 0; i < count; ++i) {
    const std::string event = "e" + std::to_string(i);
    service.rank(testing::simple_request(event), [&, i, event](const Result<RankAnswer>& answer) {
      EXPECT_TRUE(answer.ok());
      if (i % 2 != 0) return finished();
      service.reward(event, R"({"value":0.5})", [&](const Status& status) {
        EXPECT_TRUE(status.ok());
        finished();
      });
    });
  }
  done.get_future().wait();
}

TEST(LogExport, TheNumberOfThreadsDoesNotMatter) {
  const testing::TemporaryFolder folder;
  constexpr int kEvents = 1000;  // several batches
  make_log(folder / "data", kEvents);
  for (const LogFormat format : {LogFormat::kJsonLines, LogFormat::kDsjson}) {
    const bool all = format == LogFormat::kJsonLines;
    std::string first;
    for (const unsigned threads : {1U, 2U, 7U, 0U}) {
      std::string text;
      const ExportCount count = export_log(
          folder / "data", format, [&text](const std::string& lines) { text += lines; }, threads);
      EXPECT_EQ(count.events, all ? kEvents : kEvents / 2);
      EXPECT_EQ(count.left_out, all ? 0U : kEvents / 2);
      EXPECT_EQ(std::ranges::count(text, '\n'), static_cast<std::ptrdiff_t>(count.events));
      if (first.empty()) first = text;
      EXPECT_TRUE(text == first) << threads;
    }
    const auto line = nlohmann::json::parse(first.substr(0, first.find('\n')));
    EXPECT_TRUE(line.contains(all ? "eventId" : "EventId"));
    EXPECT_EQ(line.contains("request"), all);
  }
}

TEST(LogExport, AFailedWriteEndsIt) {
  const testing::TemporaryFolder folder;
  make_log(folder / "data", 10);
  const auto fail = [](const std::string&) { throw Error("the disk is full"); };
  EXPECT_THROW(export_log(folder / "data", LogFormat::kJsonLines, fail), Error);
}

}  // namespace
}  // namespace sau
