#include <cstdio>

#include "mpi_job.hpp"

namespace sau::cli {

int run_job(int /*argc*/, char** /*argv*/, int (*)(int, char**)) {
  std::fputs(
      "sau: sau-mpi was built without MPI; install it (on Debian libopenmpi-dev and openmpi-bin), "
      "configure and build again; sau run --shard and sau merge need no MPI\n",
      stderr);
  return 2;
}

}  // namespace sau::cli
