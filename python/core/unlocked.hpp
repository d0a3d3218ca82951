#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <cstddef>

#include "agent.hpp"

namespace sau::python {

// Calls work(i) for every row, without the interpreter's lock, so that other threads can run. The
// agent is marked as busy meanwhile. Signals are checked a few times a second: Ctrl-C ends it.
template <class F>
void for_rows_unlocked(AgentCore& core, std::size_t rows, F&& work) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPatience = std::chrono::milliseconds(100);
  constexpr std::size_t kBlock = 16;  // rows between looks at the clock
  const struct Busy {
    explicit Busy(AgentCore& at_work) : core(at_work) { core.busy = true; }
    ~Busy() { core.busy = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    AgentCore& core;
  } busy(core);
  for (std::size_t i = 0; i < rows;) {
    {
      const py::gil_scoped_release unlocked;
      const auto start = Clock::now();
      while (i < rows) {
        work(i);
        if (++i % kBlock == 0 && Clock::now() - start > kPatience) break;
      }
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

}  // namespace sau::python
