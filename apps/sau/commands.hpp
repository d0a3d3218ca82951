#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

namespace sau::cli {

// Runs a command after its flags are parsed; returns the exit code.
using Handler = std::function<int()>;

// `describe` adds the command's flags to the CLI11 app and returns the handler.
struct Command {
  const char* name;
  const char* summary;
  Handler (*describe)(CLI::App& app);
};

// The commands in the order of --help. A new command needs a source file, a line below and a line
// in commands.cpp.
std::span<const Command> commands();

Handler describe_run(CLI::App& app);
Handler describe_paper(CLI::App& app);
Handler describe_merge(CLI::App& app);
Handler describe_table(CLI::App& app);
Handler describe_report(CLI::App& app);
Handler describe_watch(CLI::App& app);
Handler describe_serve(CLI::App& app);
Handler describe_train(CLI::App& app);
Handler describe_log(CLI::App& app);
Handler describe_evaluate(CLI::App& app);
Handler describe_list(CLI::App& app);
Handler describe_inspect(CLI::App& app);
Handler describe_data(CLI::App& app);
Handler describe_completion(CLI::App& app);
Handler describe_man(CLI::App& app);

}  // namespace sau::cli
