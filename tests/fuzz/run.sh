#!/usr/bin/env bash
# Builds the fuzz targets in this folder with clang, libFuzzer and sanitizers, and runs each for
# some seconds from its corpus, with a fixed seed. A failure leaves its input in FOLDER.
# usage: run.sh FOLDER [SECONDS]
set -euo pipefail

folder=$1
seconds=${2:-10}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

compiler=(clang++)
command -v ccache >/dev/null && compiler=(ccache clang++)
sanitizers=-fsanitize=fuzzer,address,undefined
flags=(-std=c++20 -O1 -g1 -DSAU_CHECKED -D_GLIBCXX_ASSERTIONS -fno-sanitize-recover=all
  -I "$root/include" -I "$root/src")

echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' \
  >"$folder/probe.cpp"
if ! clang++ $sanitizers "$folder/probe.cpp" -o "$folder/probe" 2>"$folder/probe.log"; then
  echo "fuzz: skipped: clang++ with libFuzzer is missing (Debian: clang, libclang-rt-dev)"
  exit 77
fi

compile() {  # source, from the root
  local object=$folder/${1//\//_}.o
  "${compiler[@]}" $sanitizers "${flags[@]}" -c "$root/$1" -o "$object"
}

build() {  # target, libraries, sources
  local target=$1 libraries=$2 objects=()
  shift 2
  for source in "$@" "tests/fuzz/$target.cpp"; do
    compile "$source"
    objects+=("$folder/${source//\//_}.o")
  done
  # shellcheck disable=SC2086
  clang++ $sanitizers "${objects[@]}" $libraries -o "$folder/$target"
}

run() {  # target, corpus, further options
  local target=$1 corpus=$2
  shift 2
  mkdir -p "$folder/$corpus"
  "$folder/$target" "$folder/$corpus" "$here/corpus/$corpus" -seed=1 -max_len=4096 \
    -max_total_time="$seconds" -timeout=100 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$folder/$target-" "$@" >"$folder/$target.log" 2>&1 || {
    tail -n 40 "$folder/$target.log"
    echo "fuzz: $target FAILED"
    return 1
  }
  awk -v name="$target" '/stat::number_of_executed_units/ {n = $2}
    /stat::average_exec_per_sec/ {r = $2} / cov: / {c = $0}
    END {sub(/.* cov: /, "", c); sub(/ .*/, "", c)
         printf "%s: %d executions, %d per second, %d edges\n", name, n, r, c}' "$folder/$target.log"
}

# Each target starts from the seeds alone: inputs found by an earlier run would change the test.
rm -rf "$folder/rank_request" "$folder/log_reader" "$folder/dsjson"
build rank_request_fuzz "-lfmt -lsimdjson" src/serve/rank_request.cpp src/serve/chosen_parts.cpp \
  src/serve/configuration.cpp src/core/time_text.cpp src/core/json_text.cpp src/core/text.cpp
build dsjson_fuzz "-lfmt -lsimdjson -lz" src/serve/rank_request.cpp src/serve/chosen_parts.cpp \
  src/serve/request_outline.cpp src/serve/vw_features.cpp src/serve/decision_text.cpp src/serve/configuration.cpp \
  src/store/dsjson.cpp src/store/dsjson_line.cpp src/store/dsjson_features.cpp \
  src/store/line_file.cpp src/core/time_text.cpp src/core/json_text.cpp src/core/text.cpp
build log_reader_fuzz "-lfmt -llz4 -lz" src/store/record.cpp src/store/decision_record.cpp \
  src/store/wal_check.cpp src/core/file.cpp
run rank_request_fuzz rank_request -dict="$here/request.dict" &
first=$!
run log_reader_fuzz log_reader -max_len=512
run dsjson_fuzz dsjson -dict="$here/request.dict"
wait "$first"
