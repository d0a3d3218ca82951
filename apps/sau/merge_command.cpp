#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "flags.hpp"
#include "sau/run/merge.hpp"
#include "table_files.hpp"

namespace sau::cli {
namespace {

struct MergeFlags {
  bool partial = false;
  bool json = false;
  void fields(auto&& field) {
    field("partial", partial,
          "write the folder even if trials are missing; a cell then ends before its first missing "
          "one");
    field("json", json, "print what was joined as JSON on standard output");
  }
};

std::string trials_of(std::uint64_t count) {
  return fmt::format("{} trial{}", count, count == 1 ? "" : "s");
}

void print_text(const MergeOutcome& outcome, const std::string& out, std::size_t folders) {
  fmt::print("{}: {} of {} cell{}, from {} folder{}\n", out, trials_of(outcome.trials),
             outcome.cells, outcome.cells == 1 ? "" : "s", folders, folders == 1 ? "" : "s");
  if (outcome.failed > 0) fmt::print("{} of them failed\n", trials_of(outcome.failed));
  for (const std::string& gap : outcome.gaps) std::fprintf(stderr, "sau: %s\n", gap.c_str());
  if (outcome.missing == 0) return;
  fmt::print(stderr,
             "sau: {} missing; left out of {}, because they come after a missing trial: {}; the "
             "joined folders keep them\n",
             trials_of(outcome.missing), out, trials_of(outcome.left_out));
}

void print_json(const MergeOutcome& outcome, const std::string& out) {
  const nlohmann::ordered_json json = {{"folder", out},
                                       {"cells", outcome.cells},
                                       {"trials", outcome.trials},
                                       {"failed", outcome.failed},
                                       {"missing", outcome.missing},
                                       {"left_out", outcome.left_out}};
  std::fputs((json.dump(2) + "\n").c_str(), stdout);
}

}  // namespace

Handler describe_merge(CLI::App& app) {
  app.description(
      "Joins result folders of the same experiment, such as the shards of sau run --shard, into a\n"
      "new one: the same bytes as if a single sau had run all trials. Refuses folders of another\n"
      "seed, sau version, experiment or data, and trials that differ. The folders stay as they "
      "are.");
  app.footer(
      "Examples:\n"
      "  for i in 1 2 3 4; do sau run --problem wheel --shard $i/4 --out shard-$i; done\n"
      "  sau merge all shard-1 shard-2 shard-3 shard-4\n"
      "  sau report all\n"
      "If trials are missing, nothing is written: run the shard that lacks them again, it "
      "continues.");
  const auto flags = add_flags<MergeFlags>(app);
  const auto out = std::make_shared<std::string>();
  const auto folders = std::make_shared<std::vector<std::string>>();
  app.add_option("out", *out, "the new folder")->required()->type_name("OUT");
  app.add_option("folders", *folders, "result folders")->required()->type_name("FOLDER...");
  return [flags, out, folders] {
    const std::vector<std::filesystem::path> paths(folders->begin(), folders->end());
    const MergeOutcome outcome =
        merge_results(*out, paths, {.partial = flags->partial, .write_tables = write_table_files});
    if (flags->json) {
      print_json(outcome, *out);
    } else {
      print_text(outcome, *out, paths.size());
    }
    return 0;
  };
}

}  // namespace sau::cli
