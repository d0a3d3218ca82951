#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sau/cluster/cluster.hpp"
#include "sau/evaluations/evaluations.hpp"
#include "sau/serve/service.hpp"
#include "sau/serve_http/service_over_http.hpp"

namespace sau::cli {

// A folder that is served: the main one, without a name, or that of an application.
struct Served {
  std::string name, folder;
  std::unique_ptr<Service> service = {};
  std::unique_ptr<Evaluations> evaluations = {};
  std::shared_ptr<void> work = {};  // of a trainer; ended before the service

  Application application() const { return {name, service.get(), evaluations.get()}; }
};

// The main folder, and what "NAME=FOLDER" says about the others. Throws UsageError if a name is not
// fit for an address, or if a name or a folder is there twice.
std::vector<Served> served_folders(const std::string& folder,
                                   const std::vector<std::string>& applications);

// Starts the service of each; the options are the same for all except for the folder.
void open(std::vector<Served>& all, const ServiceOptions& options);
// The same for a member of a cluster.
void open_as_node(Served& served, ServiceOptions options, const ClusterOptions& cluster);
void open_as_trainer(Served& served, ServiceOptions options, const ClusterOptions& cluster);

}  // namespace sau::cli
