#!/usr/bin/env bash
# Runs clang-tidy on the files of src/, apps/ and python/ that a configured build/ compiles. Silent
# unless it finds something. clang's own warnings are off, since the build has the compiler's.
# usage: tools/tidy.sh [FILE...]    without files: all of them, in the batches of a unity build
set -euo pipefail

# No suspicious-include check, because unity batches include source files.
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
