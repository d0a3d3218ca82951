#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

namespace sau::cli {

// What a command does once its flags are read; returns the exit code.
using Deed = std::function<int()>;

// A command tells CLI11 its flags and returns what to do with them.
struct Command {
  const char* name;
  const char* summary;
  Deed (*describe)(CLI::App& app);
};

// The commands in the order of --help. A new one is its file, its line below and its line in
// commands.cpp.
std::span<const Command> commands();

Deed describe_run(CLI::App& app);
Deed describe_paper(CLI::App& app);
Deed describe_table(CLI::App& app);
Deed describe_report(CLI::App& app);
Deed describe_watch(CLI::App& app);
Deed describe_list(CLI::App& app);
Deed describe_inspect(CLI::App& app);
Deed describe_data(CLI::App& app);
Deed describe_completion(CLI::App& app);

}  // namespace sau::cli
