#pragma once

#include <algorithm>
#include <string>

#include "sau/core/error.hpp"

namespace sau::detail {

// The subjects and the stream of one application. Several share the same servers.
struct ClusterNames {
  explicit ClusterNames(const std::string& application)
      : stream("sau_" + application),
        leases("sau_" + application + "_lead"),
        events("sau." + application + ".events"),
        news("sau." + application + ".news"),
        leader("sau." + application + ".leader"),
        model("sau." + application + ".model"),
        ask("sau." + application + ".ask"),
        nodes("sau." + application + ".nodes"),
        trainers("sau." + application + ".trainers"),
        taken("sau." + application + ".taken.") {
    constexpr std::size_t kLongest = 64;
    const bool is_name = !application.empty() && application.size() <= kLongest &&
                         std::ranges::all_of(application, [](char each) {
                           return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                                  (each >= '0' && each <= '9') || each == '-' || each == '_';
                         });
    if (!is_name) {
      throw UsageError("--application " + application +
                       "; expected up to 64 letters, digits, '-' or '_'");
    }
  }

  std::string stream, leases;
  std::string events;    // into the stream: records of nodes
  std::string news;      // something new is in the stream. Nobody keeps these and the following
  std::string leader;    // what the leader's log has, and which model it has
  std::string model;     // the leader's model, in parts
  std::string ask;       // please publish the model again
  std::string nodes;     // how each node is
  std::string trainers;  // how each trainer is
  std::string taken;     // + id of a trainer: messages that it took
};

}  // namespace sau::detail
