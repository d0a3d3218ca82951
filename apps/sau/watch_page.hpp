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

// The report of a result folder for browsers, kept up to date by a separate thread. It is made
// again when the folder has changed, but rarely enough to leave the processor to the run: at most
// every two seconds while somebody asks for it, and for at most a tenth of the time.
class LivePage {
 public:
  LivePage(std::filesystem::path folder, std::string address);
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;
  ~LivePage();

  // Answers "/", "/report.json" and "/healthz". Thread-safe.
  HttpResponse answer(const HttpRequest& request);

 private:
  // The contents that are sent.
  struct Built {
    std::string html, json, tag;
    std::string failure;  // why html or json is empty
  };

  void keep_up_to_date(const std::stop_token& stop);
  void build();
  Report make();
  std::shared_ptr<const Built> current();

  const std::filesystem::path folder_;
  const std::string address_;
  // Used only by thread_.
  bool compare_ = true;  // make pairs and ranks in every report; false if that takes long
  Report last_good_;
  double cost_ = 0.0;  // seconds that the last report took

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<const Built> built_;  // null: none yet
  WatchClock::time_point asked_ = {};   // time of the last request
  std::jthread thread_;
};

}  // namespace sau::cli
