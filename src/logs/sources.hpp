#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logs/request_choice.hpp"
#include "sau/evaluate/choice_source.hpp"
#include "sau/logs/open_choices.hpp"

namespace sau::detail {

// What the logs that are text files have in common.
class FileChoices : public ChoiceSource {
 public:
  const std::string& name() const noexcept override { return name_; }
  // Counted when it is asked for the first time.
  std::uint64_t last_line() const override {
    if (!last_) last_ = count_lines(file_);
    return *last_;
  }

 protected:
  FileChoices(std::filesystem::path file, std::vector<std::string> by)
      : file_(std::move(file)), name_(file_.string()), by_(std::move(by)) {}

  const std::filesystem::path& file() const noexcept { return file_; }
  const std::vector<std::string>& by() const noexcept { return by_; }

 private:
  std::filesystem::path file_;
  std::string name_;
  std::vector<std::string> by_;
  mutable std::optional<std::uint64_t> last_;
};

// One function per format; see open_choices().
std::unique_ptr<ChoiceSource> open_folder_choices(const std::filesystem::path& folder,
                                                  const ChoiceOptions& options);
std::unique_ptr<ChoiceSource> open_json_choices(const std::filesystem::path& file,
                                                const std::vector<std::string>& by);
std::unique_ptr<ChoiceSource> open_dsjson_choices(const std::filesystem::path& file,
                                                  const std::vector<std::string>& by);

}  // namespace sau::detail
