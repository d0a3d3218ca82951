// Problems from a user's own files: csv, libsvm and rewards.
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

// The table of a file. `prepare` gets its text, its name, and a string in which to describe what it
// found. We give that as a note, because the reader of a file guesses much of its form.
template <class Options, class F>
detail::SharedTable open_file(std::string_view problem, Options options, F&& prepare) {
  const std::string file = options.file;
  if (file.empty()) {
    throw UsageError(std::string(problem) + ": file is missing; write " + std::string(problem) +
                     "(file=PATH)");
  }
  options.file.clear();
  const std::filesystem::path path = file;
  const detail::TableOrigin origin{
      .name = path.stem().string(), .file = path, .settings = write_spec(problem, options)};
  std::string understood;
  auto table =
      detail::open_table(origin, [&] { return prepare(read_unpacked(path), file, understood); });
  if (!understood.empty()) note({.text = understood});
  return table;
}

detail::SharedTable open_csv(const CsvOptions& options) {
  return open_file(Csv::kName, options, [&](const auto& text, const auto& file, auto& understood) {
    return detail::read_text_table(
        text, {.file = file, .label = options.label, .format = options.format}, &understood);
  });
}

detail::SharedTable open_libsvm(const LibsvmOptions& options) {
  return open_file(Libsvm::kName, options, [&](const auto& text, const auto& file, auto&) {
    return detail::read_libsvm(text, file, options.scale == Scale::kStandard);
  });
}

detail::SharedTable open_rewards(const RewardsOptions& options) {
  if (options.actions.empty()) {
    throw UsageError(
        "rewards: actions is missing; name the columns with the reward of every action, such as "
        "actions=33-40");
  }
  return open_file(Rewards::kName, options,
                   [&](const auto& text, const auto& file, auto& understood) {
                     const detail::TextPlan plan{.file = file,
                                                 .goal = detail::TextPlan::Goal::kRewards,
                                                 .context = options.context,
                                                 .actions = options.actions,
                                                 .format = options.format};
                     return detail::read_text_table(text, plan, &understood);
                   });
}

// Once through the file.
std::unique_ptr<Problem> play_all(auto&& play, const detail::SharedTable& table,
                                  const Stream& stream) {
  return play(table, stream, table->rows());
}

}  // namespace

Csv::Csv(const Stream& stream, const Options& options)
    : DataProblem(play_all(detail::play_labels, open_csv(options), stream)) {}

Libsvm::Libsvm(const Stream& stream, const Options& options)
    : DataProblem(play_all(detail::play_labels, open_libsvm(options), stream)) {}

Rewards::Rewards(const Stream& stream, const Options& options)
    : DataProblem(play_all(detail::play_rewards, open_rewards(options), stream)) {}

}  // namespace sau
