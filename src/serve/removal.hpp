#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "serve/journal.hpp"
#include "serve/metrics.hpp"
#include "serve/settings.hpp"
#include "serve/shared_store.hpp"

namespace sau::detail {

// Removes the beginning of the log: records that are older than the configuration allows, and those
// that somebody wants removed.
class Removal {
 public:
  Removal(const std::filesystem::path& folder, const FolderSettings& settings,
          const SharedStore& store, const Current<Configuration>& configuration, Metrics& metrics,
          const std::function<void(const std::string&)>& note)
      : folder_(folder),
        settings_(settings),
        store_(store),
        configuration_(configuration),
        metrics_(metrics),
        note_(note) {}

  // Records may be removed once the model that replaces them is on disk and was read back. Returns
  // whether records are left that somebody wants removed. Called by the learner thread when
  // model.sau has read the log up to `position`.
  bool look(Sequence position, Journal& journal);
  // Called by the journal thread.
  void removed(const LogHead& before, const LogHead& until);

 private:
  const std::filesystem::path& folder_;
  const FolderSettings& settings_;
  const SharedStore& store_;
  const Current<Configuration>& configuration_;
  Metrics& metrics_;
  const std::function<void(const std::string&)>& note_;
};

}  // namespace sau::detail
