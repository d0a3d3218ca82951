#include "mpi_job.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "laboratory.hpp"
#include "sau/run/remote.hpp"

namespace sau::cli {
namespace {

constexpr int kTag = 1;

// MPI calls come from one thread at a time: the runner's while trials are played, otherwise main.
class MpiLink final : public Link {
 public:
  void send(unsigned to, const std::string& bytes) override {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(to), kTag,
             MPI_COMM_WORLD);
  }

  std::optional<Message> receive() override {
    int arrived = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Message message{static_cast<unsigned>(status.MPI_SOURCE),
                    std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, kTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
  }
};

// The most players on one machine. All ranks must call it together.
unsigned most_on_one_machine(int rank) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  const int plays = rank == 0 ? 0 : 1;
  int here = 0, most = 0;
  MPI_Allreduce(&plays, &here, 1, MPI_INT, MPI_SUM, machine);
  MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_free(&machine);
  return static_cast<unsigned>(std::max(1, most));
}

// All that a player does. Any failure ends the job; what was written stays.
void play_as_rank(int rank, Link& link) {
  try {
    limit_memory();
    play_for_host(link);
    return;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sau: rank %d: %s\n", rank, error.what());
  } catch (...) {
    std::fprintf(stderr, "sau: rank %d failed for an unknown reason\n", rank);
  }
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int host(Link& link, unsigned count, unsigned together, int argc, char** argv,
         int (*program)(int, char**)) {
  RemotePlayers remote(link, count, together);
  set_players(&remote);
  const int code = program(argc, argv);
  set_players(nullptr);
  std::fflush(nullptr);
  // Nobody waits for trials of a run that was stopped.
  if (!remote.dismiss()) MPI_Abort(MPI_COMM_WORLD, code);
  return code;
}

}  // namespace

int run_job(int argc, char** argv, int (*program)(int, char**)) {
  int level = 0, rank = 0, ranks = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (level < MPI_THREAD_SERIALIZED) {
    if (rank == 0) std::fputs("sau: this MPI cannot be used with threads\n", stderr);
    MPI_Finalize();
    return 1;
  }
  const unsigned together = most_on_one_machine(rank);
  MpiLink link;
  int code = 0;
  if (rank > 0) {
    play_as_rank(rank, link);
  } else if (ranks == 1) {
    code = program(argc, argv);
  } else {
    code = host(link, static_cast<unsigned>(ranks - 1), together, argc, argv, program);
  }
  MPI_Finalize();
  return code;
}

}  // namespace sau::cli
