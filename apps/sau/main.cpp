#include "commands.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  return sau::cli::run_program(
      {.name = "sau",
       .description = "Exploration for contextual bandits by Sample Average Uncertainty.",
       .footer = "Start here:\n"
                 "  sau list                                    what there is to choose from\n"
                 "  sau run --problem bernoulli --agent sau_ucb --agent ucb1 --trials 50\n"
                 "  sau paper --only multi-armed --trials 20    a part of the paper, shortened\n"
                 "'sau COMMAND --help' explains a command.",
       .commands = sau::cli::commands()},
      argc, argv);
}
