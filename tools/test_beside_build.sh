#!/usr/bin/env bash
# Runs tests, and meanwhile builds PRESET with the processor time that the tests leave: many of them wait
# for clocks and disks. The build has the lowest priority, so the tests hardly notice it. Its output goes
# to build/PRESET.log; an error in it is not reported here, because the step of PRESET builds again.
# usage: test_beside_build.sh PRESET JOBS COMMAND...
set -uo pipefail

preset=$1
jobs=$2
shift 2

mkdir -p build
# A session of its own, so that all its processes can be ended together.
# shellcheck disable=SC2016  # the inner shell expands them
setsid nice -n 19 sh -c 'cmake --preset "$1" && cmake --build --preset "$1" -j "$2"' build \
  "$preset" "$jobs" >"build/$preset.log" 2>&1 &
builder=$!
trap 'kill -- "$builder" "-$builder" 2>/dev/null' EXIT
trap 'exit 1' INT TERM

"$@" || exit 1
if kill -0 "$builder" 2>/dev/null; then
  printf 'Waiting for the build of %s, see build/%s.log\n' "$preset" "$preset"
fi
wait "$builder"
exit 0
