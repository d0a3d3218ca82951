#include "commands.hpp"
#include "mpi_job.hpp"
#include "program.hpp"

namespace {

constexpr sau::cli::Command kCommands[] = {
    {"run", "run agents on problems and compare their regret", sau::cli::describe_run},
    {"paper", "run the paper's experiments", sau::cli::describe_paper},
};

}  // namespace

int main(int argc, char** argv) {
  return sau::cli::run_job(argc, argv, [](int count, char** words) {
    return sau::cli::run_program(
        {.name = "sau-mpi",
         .description =
             "sau run and sau paper on many machines: rank 0 plans and writes, the others play.",
         .footer = "Start it with mpirun, with the flags of sau run or sau paper:\n"
                   "  mpirun -n 17 sau-mpi run --problem wheel --trials 1000 --out wheel\n"
                   "  mpirun -n 17 sau-mpi paper --only tables\n"
                   "Every rank but the first plays one trial at a time.",
         .commands = kCommands},
        count, words);
  });
}
