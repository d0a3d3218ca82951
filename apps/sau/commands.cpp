#include "commands.hpp"

namespace sau::cli {
namespace {

constexpr Command kCommands[] = {
    {"run", "run agents on problems and compare their regret", describe_run},
    {"paper", "run the paper's experiments", describe_paper},
    {"merge", "join result folders, such as the shards of a run, into one", describe_merge},
    {"table", "make the paper's tables from results, next to the paper's numbers", describe_table},
    {"report", "make one page of figures, tables and comparisons from results", describe_report},
    {"watch", "show a run in progress, on the terminal and in a browser", describe_watch},
    {"serve", "serve decisions over HTTP and learn from their rewards", describe_serve},
    {"train", "learn from what the nodes of a cluster receive, and publish the model",
     describe_train},
    {"log", "export, check, back up or repair what sau serve has logged", describe_log},
    {"evaluate", "say what other policies would have earned, from a log of decisions",
     describe_evaluate},
    {"list", "list every problem, model, strategy and alias, with their settings", describe_list},
    {"inspect", "show what a result folder, agent file or model file holds", describe_inspect},
    {"data", "get and check the data sets, show where they are", describe_data},
    {"completion", "print a completion script for bash, zsh or fish", describe_completion},
    {"man", "print a manual page", describe_man},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace sau::cli
