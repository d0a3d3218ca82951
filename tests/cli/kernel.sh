#!/usr/bin/env bash
# SAU_KERNEL chooses the instruction set. Results of two sets differ only by rounding, a run records
# which one it used, and an unknown name is refused.
set -euo pipefail
sau=$1
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

fail() {
  echo "kernel: $1" >&2
  exit 1
}

run() {
  "$sau" run --problem linear-5-5 --agent sau-ucb --agent ts --steps 300 --trials 3 --threads 1 \
    --quiet --json --out "$temporary/$1"
}

SAU_KERNEL=portable run portable >"$temporary/portable.json"
SAU_KERNEL=portable run again >"$temporary/again.json"
run auto >"$temporary/auto.json"
diff -r "$temporary/portable/cells" "$temporary/again/cells" || fail "portable is not repeatable"
grep -q '"kernel":"portable"' "$temporary/portable/sessions.jsonl" || fail "the kernel is not recorded"
python3 - "$temporary/portable.json" "$temporary/auto.json" <<'END' || fail "the kernels disagree"
import json, sys
portable, auto = (json.load(open(name))["cells"] for name in sys.argv[1:])
for a, b in zip(portable, auto):
    x, y = a["regret"]["mean"], b["regret"]["mean"]
    assert abs(x - y) <= 1e-9 * abs(x), (a["agent"], x, y)
END

status=0
SAU_KERNEL=sse9 run none 2>"$temporary/error" || status=$?
[[ $status -eq 2 ]] || fail "exit code $status for an unknown kernel, expected 2"
grep -q 'SAU_KERNEL=sse9 is not allowed; expected one of auto, portable, neon, avx2, avx512' "$temporary/error" ||
  fail "said: $(cat "$temporary/error")"
echo "kernel: ok"
