#!/usr/bin/env bash
# clang-tidy on what a configured build/ compiles of src/, apps/ and python/: silent unless it
# finds something.
# The warnings of clang itself are switched off: the build has those of the compiler.
# usage: tools/tidy.sh [FILE...]    without files: all of them, in the batches of a unity build
set -euo pipefail

# suspicious-include: batches are files that include source files.
if [[ $# -gt 0 ]]; then
  failed=0
  for file in "$@"; do
    if ! found=$(clang-tidy -p build --quiet --extra-arg=-Wno-everything \
      --checks=-bugprone-suspicious-include "$file" 2>&1); then
      printf '%s\n' "$found" | grep -v 'warnings generated'
      failed=1
    fi
  done
  exit $failed
fi

python3 - <<'PYTHON' | xargs -r -n 1 -P "${JOBS:-$(nproc)}" "$0"
import json, os, re
root = os.getcwd()
for entry in json.load(open("build/compile_commands.json")):
    path = os.path.relpath(entry["file"], root)
    if re.match(r"(src|apps|python)/|build/(python/)?CMakeFiles/sau_\w+\.dir/Unity/", path):
        print(path)
PYTHON
