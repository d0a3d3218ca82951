#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/time_text.hpp"
#include "sau/serve/service.hpp"

namespace sau {

// Agents that are worth a try when the caller names none.
std::vector<std::string> experiment_agents();

struct EvaluationsOptions {
  std::filesystem::path folder;              // of the service
  std::function<Milliseconds()> clock = {};  // the system's when empty
  // Called with one sentence for each thing that the operator should know; from several threads.
  std::function<void(const std::string&)> note = {};
  std::vector<std::string> experiments = experiment_agents();
  // Evaluations run at the lowest priority: decisions come first.
  bool lowest_priority = true;
};

// Evaluations of the service's own log, as Personalizer has them (docs/personalizer.md): what other
// policies would have earned. A thread runs one after the other, on the log as it was when its turn
// came. Each is a file in FOLDER/evaluations; one that had not ended begins again after a restart.
// Thread-safe.
class Evaluations {
 public:
  // The service must outlive it. Throws Error when the files cannot be read.
  Evaluations(Service& service, EvaluationsOptions options);
  Evaluations(const Evaluations&) = delete;
  Evaluations& operator=(const Evaluations&) = delete;
  ~Evaluations();

  struct Created {
    std::string id, json;
  };
  // The body of the request says which policies, and which part of the log. On success it is on
  // disk.
  Result<Created> create(std::string_view body);
  // As JSON: all, the latest first; or one.
  std::string list() const;
  Result<std::string> get(std::string_view id) const;
  // Ends it, if it has not ended, and forgets it.
  Status remove(std::string_view id);
  // {"evaluationId", "policyName"}: that policy decides from now on. Its agent learns from the
  // whole log first, and the caller waits for that.
  void apply(std::string_view body, const Answer<Done>& answer);

  // Returns when automatic optimisation has done what is due, and no evaluation is left to be run.
  void settle();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sau
