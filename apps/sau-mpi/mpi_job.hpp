#pragma once

namespace sau::cli {

// Runs `program` on rank 0 of an MPI job, with the other ranks as players of its trials; they do
// nothing else. Without other ranks the program's own threads play. Returns the exit code.
//
// mpi_job.cpp has it. A build without MPI has no_mpi_job.cpp instead, which says what is missing.
int run_job(int argc, char** argv, int (*program)(int argc, char** argv));

}  // namespace sau::cli
