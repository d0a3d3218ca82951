// Problems from a user's own files: csv, libsvm and rewards.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "data/libsvm.hpp"
#include "data/table_store.hpp"
#include "data/text_table.hpp"
#include "problem/row_problems.hpp"
#include "sau/core/note.hpp"
#include "sau/data/unpack.hpp"
#include "sau/problem/csv.hpp"
#include "sau/problem/libsvm.hpp"
#include "sau/problem/rewards.hpp"

namespace sau {
namespace {

// The files of a setting such as train.csv|test.csv.
std::vector<std::filesystem::path> joined_files(const std::string& text) {
  std::vector<std::filesystem::path> files;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('|', start), text.size());
    if (end == start) {
      throw UsageError("file=" + text + " is not allowed; expected a path, or paths joined by |");
    }
    files.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return files;
}

// The table of the files. `prepare` gets their texts, and a string in which to describe what it
// found. We give that as a note, because the reader of a file guesses much of its form.
template <class Options, class F>
detail::SharedTable open_files(std::string_view problem, Options options, F&& prepare) {
  if (options.file.empty()) {
    throw UsageError(std::string(problem) + ": file is missing; write " + std::string(problem) +
                     "(file=PATH)");
  }
  const auto files = joined_files(std::exchange(options.file, ""));
  // The number changes when the same file and settings give another table than before.
  const detail::TableOrigin origin{.name = files.front().stem().string(),
                                   .files = files,
                                   .settings = write_spec(problem, options) + ", reader 2"};
  std::string understood;
  auto table = detail::open_table(origin, [&] {
    std::vector<std::string> texts;
    std::vector<detail::TextSource> sources;
    texts.reserve(files.size());
    for (const auto& file : files) texts.push_back(read_unpacked(file));
    for (std::size_t i = 0; i < files.size(); ++i) sources.push_back({files[i].string(), texts[i]});
    return prepare(std::span<const detail::TextSource>(sources), understood);
  });
  if (!understood.empty()) note({.text = understood});
  return table;
}

detail::SharedTable open_csv(const CsvOptions& options) {
  return open_files(Csv::kName, options, [&](auto sources, auto& understood) {
    const detail::TextPlan plan{
        .label = options.label, .format = options.format, .intercept = options.intercept};
    return detail::read_text_table(sources, plan, &understood);
  });
}

detail::SharedTable open_libsvm(const LibsvmOptions& options) {
  return open_files(Libsvm::kName, options, [&](auto sources, auto&) {
    return detail::read_libsvm(sources, {.standardise = options.scale == Scale::kStandard,
                                         .intercept = options.intercept});
  });
}

detail::SharedTable open_rewards(const RewardsOptions& options) {
  if (options.actions.empty()) {
    throw UsageError(
        "rewards: actions is missing; name the columns with the reward of every action, such as "
        "actions=33-40");
  }
  return open_files(Rewards::kName, options, [&](auto sources, auto& understood) {
    const detail::TextPlan plan{.goal = detail::TextPlan::Goal::kRewards,
                                .context = options.context,
                                .actions = options.actions,
                                .format = options.format,
                                .intercept = options.intercept};
    return detail::read_text_table(sources, plan, &understood);
  });
}

// Once through the file.
std::unique_ptr<Problem> play_all(auto&& play, const detail::SharedTable& table,
                                  const Stream& stream) {
  return play(table, stream, table->rows());
}

}  // namespace

Csv::Csv(const Stream& stream, const Options& options)
    : DataProblem(play_all(detail::play_classes, open_csv(options), stream)) {}

Libsvm::Libsvm(const Stream& stream, const Options& options)
    : DataProblem(play_all(detail::play_classes, open_libsvm(options), stream)) {}

Rewards::Rewards(const Stream& stream, const Options& options)
    : DataProblem(play_all(detail::play_rewards, open_rewards(options), stream)) {}

}  // namespace sau
