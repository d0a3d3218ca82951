#include "served.hpp"

#include <filesystem>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau::cli {
namespace {

bool is_name(const std::string& text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest && text != "." && text != ".." &&
         slug(text) == text;
}

Served application_of(const std::string& text) {
  const std::size_t end = text.find('=');
  if (end == std::string::npos || end + 1 == text.size() || !is_name(text.substr(0, end))) {
    throw UsageError("serve: --app " + text +
                     "; expected NAME=FOLDER, where NAME has up to 64 letters, digits, '-', '_' "
                     "or '.'");
  }
  return {.name = text.substr(0, end), .folder = text.substr(end + 1)};
}

// The same for every way to write it, even if there is no such folder yet.
std::filesystem::path whole_path(const std::string& folder) {
  return std::filesystem::weakly_canonical(std::filesystem::absolute(folder));
}

void add_evaluations(Served& served, const ServiceOptions& options) {
  served.evaluations = std::make_unique<Evaluations>(
      *served.service, EvaluationsOptions{.folder = served.folder, .note = options.note});
}

}  // namespace

std::vector<Served> served_folders(const std::string& folder,
                                   const std::vector<std::string>& applications) {
  std::vector<Served> all;
  all.push_back({.name = "", .folder = folder});
  for (const std::string& text : applications) {
    Served next = application_of(text);
    for (const Served& before : all) {
      if (before.name == next.name) {
        throw UsageError("serve: --app " + text + ": there are two applications of this name");
      }
      if (whole_path(before.folder) == whole_path(next.folder)) {
        throw UsageError("serve: --app " + text + ": this folder is served already");
      }
    }
    all.push_back(std::move(next));
  }
  return all;
}

void open(std::vector<Served>& all, const ServiceOptions& options) {
  for (Served& each : all) {
    ServiceOptions own = options;
    own.folder = each.folder;
    if (!each.name.empty()) {
      own.note = [note = options.note, name = each.name](const std::string& line) {
        note("application " + name + ": " + line);
      };
    }
    each.service = std::make_unique<Service>(own);
    add_evaluations(each, own);
  }
}

void open_as_node(Served& served, ServiceOptions options, const ClusterOptions& cluster) {
  options.folder = served.folder;
  served.service = open_node(options, cluster);
  add_evaluations(served, options);
}

void open_as_trainer(Served& served, ServiceOptions options, const ClusterOptions& cluster) {
  options.folder = served.folder;
  OpenTrainer opened = open_trainer(options, cluster);
  served.service = std::move(opened.service);
  add_evaluations(served, options);
  served.work = std::move(opened.work);
}

}  // namespace sau::cli
