#include "cluster/spool_writer.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "serve/safe_note.hpp"

namespace sau::detail {

namespace {

constexpr std::chrono::milliseconds kProbePause{1000};

}  // namespace

SpoolWriter::SpoolWriter(Spool& spool, std::size_t queue, std::function<void()> wrote,
                         std::function<void(const std::string&)> note)
    : spool_(spool), limit_(queue), wrote_(std::move(wrote)), note_(std::move(note)) {}

void SpoolWriter::start() {
  thread_ = std::thread([this] { run(); });
}

void SpoolWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

std::size_t SpoolWriter::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void SpoolWriter::submit(std::string record, Written written) {
  std::optional<Failure> failure;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      failure = Failure{Failure::Code::kUnavailable, "the service is stopping"};
    } else if (queue_.size() >= limit_) {
      failure = Failure{Failure::Code::kOverloaded, "too many requests wait to be written"};
    } else {
      queue_.push_back({std::move(record), std::move(written)});
    }
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): it was moved only if there is no failure
  if (failure) return written(*failure);
  wake_.notify_one();
}

void SpoolWriter::run() {
  std::vector<Waiting> batch;
  for (bool stopping = false; !stopping;) {
    {
      std::unique_lock lock(mutex_);
      const auto has_work = [this] { return stopping_ || !queue_.empty(); };
      if (broken()) {
        wake_.wait_for(lock, kProbePause, has_work);
      } else {
        wake_.wait(lock, has_work);
      }
      batch.clear();
      batch.swap(queue_);
      stopping = stopping_;
    }
    if (!batch.empty()) {
      write(batch);
    } else if (broken() && !stopping) {
      probe();
    }
  }
}

// Callers stay away from a node that is not ready, so it must find out by itself.
void SpoolWriter::probe() {
  call_safely(note_, "the spool cannot be tried: ", [this] {
    if (!spool_.probe().ok()) return;
    broken_ = false;
    note_("the spool can be written again");
  });
}

// No exception leaves the thread.
void SpoolWriter::write(std::vector<Waiting>& batch) {
  Sequence number = spool_.last();
  std::optional<Failure> failure;
  try {
    std::vector<std::string> records;
    records.reserve(batch.size());
    for (Waiting& each : batch) records.push_back(std::move(each.record));
    if (const Status written = spool_.append(records); !written.ok()) failure = written.failure();
  } catch (const std::exception& error) {
    failure = Failure{Failure::Code::kUnavailable, error.what()};
  }
  if (failure.has_value() != broken_.exchange(failure.has_value())) {
    note_safely(note_, failure ? "" : "the spool can be written again",
                failure ? failure->message.c_str() : "");
  }
  for (const Waiting& each : batch) {
    ++number;
    call_safely(note_, "an answer could not be given: ", [&] {
      each.written(failure ? Result<Sequence>(*failure) : Result<Sequence>(number));
    });
  }
  if (!failure) call_safely(note_, "the shipper could not be woken: ", wrote_);
}

}  // namespace sau::detail
