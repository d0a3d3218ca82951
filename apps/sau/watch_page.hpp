#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "sau/http/http_message.hpp"
#include "sau/report/report.hpp"
#include "watch_folder.hpp"

namespace sau::cli {

// The report of a result folder for browsers, kept up to date by a thread of its own. It is made
// again when the folder has changed, seldom enough to leave the processor to the run: every two
// seconds at most while somebody asks for it, and for a tenth of the time at most.
class LivePage {
 public:
  LivePage(std::filesystem::path folder, std::string address);
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;
  ~LivePage();

  // "/", "/report.json" and "/healthz". May be called by several threads.
  HttpResponse answer(const HttpRequest& request);

 private:
  // What is sent.
  struct Built {
    std::string html, json, tag;
    std::string failure;  // why one of them is empty
  };

  void keep_up_to_date(const std::stop_token& stop);
  void build();
  Report make();
  std::shared_ptr<const Built> current();

  const std::filesystem::path folder_;
  const std::string address_;
  // Of the thread alone.
  bool compare_ = true;  // pairs and ranks; not in every report where they take long
  Report last_good_;
  double cost_ = 0.0;  // seconds that the last one took

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<const Built> built_;  // null: not yet
  WatchClock::time_point asked_ = {};   // when somebody last asked
  std::jthread thread_;
};

}  // namespace sau::cli
