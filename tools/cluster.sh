#!/usr/bin/env bash
# A cluster on this machine, to try things: three NATS servers, two trainers, two nodes, all on
# loopback addresses. Everything is in FOLDER (default: ./cluster).
# usage: cluster.sh up|down|status [FOLDER]
# The nodes are at ports 8080 and 8081, the trainers at 8090 and 8091, NATS at 4222 to 4224; SAU_PORTS=N
# adds N to all of them. SAU names the program (default: sau, or build/sau of this tree).
set -euo pipefail

what=${1:-}
folder=${2:-cluster}
shift_by=${SAU_PORTS:-0}
tree=$(cd "$(dirname "$0")/.." && pwd)
sau=${SAU:-$(command -v sau || echo "$tree/build/sau")}
nats=$(command -v nats-server || echo /usr/sbin/nats-server)

fail() {
  echo "cluster: $1" >&2
  exit 1
}

# Starts a program in the background and notes its process: start NAME COMMAND...
start() {
  local name=$1
  shift
  "$@" >"$folder/$name.log" 2>&1 &
  echo $! >"$folder/$name.pid"
}

ready() {
  for _ in $(seq 3000); do
    if curl -sf "http://127.0.0.1:$1/readyz" >/dev/null; then return 0; fi
    sleep 0.1
  done
  fail "the service at port $1 is not ready after five minutes; see $folder/*.log"
}

up() {
  [[ -x $nats ]] || fail "nats-server is missing (Debian: apt-get install nats-server)"
  [[ -x $sau ]] || fail "$sau is missing: build it, or set SAU"
  ls "$folder"/*.pid >/dev/null 2>&1 && fail "$folder is in use; first: cluster.sh down $folder"
  mkdir -p "$folder"
  local urls="" routes=""
  for i in 0 1 2; do
    urls+=${urls:+,}nats://127.0.0.1:$((4222 + i + shift_by))
    routes+=${routes:+, }\"nats://127.0.0.1:$((6222 + i + shift_by))\"
  done
  for i in 0 1 2; do
    cat >"$folder/nats$i.conf" <<END
server_name: n$i
listen: "127.0.0.1:$((4222 + i + shift_by))"
jetstream { store_dir: "$folder/nats$i" }
cluster { name: sau, listen: "127.0.0.1:$((6222 + i + shift_by))", routes: [$routes] }
END
    start "nats$i" "$nats" -c "$folder/nats$i.conf"
  done
  for i in 0 1; do
    start "trainer$i" "$sau" train "$folder/trainer$i" --join "$urls" --port $((8090 + i + shift_by))
    start "node$i" "$sau" serve "$folder/node$i" --join "$urls" --port $((8080 + i + shift_by))
  done
  for port in 8080 8081 8090 8091; do ready $((port + shift_by)); done
  echo "nodes: http://127.0.0.1:$((8080 + shift_by))/ and http://127.0.0.1:$((8081 + shift_by))/"
  echo "trainers: http://127.0.0.1:$((8090 + shift_by))/ and http://127.0.0.1:$((8091 + shift_by))/"
}

down() {
  local file process
  for name in node0 node1 trainer0 trainer1 nats0 nats1 nats2; do
    file=$folder/$name.pid
    [[ -f $file ]] || continue
    process=$(cat "$file")
    kill "$process" 2>/dev/null || true
    for _ in $(seq 3000); do
      kill -0 "$process" 2>/dev/null || break
      sleep 0.1
    done
    rm "$file"
  done
  echo "the cluster is down; its data stay in $folder"
}

status() {
  local port
  for port in 8080 8081 8090 8091; do
    printf '%s: ' $((port + shift_by))
    curl -s "http://127.0.0.1:$((port + shift_by))/metrics" |
      grep -E '^sau_(spool_records|trainer_leads|stream_lag|model_version|stream_messages_total) ' |
      tr '\n' ' ' || true
    echo
  done
}

case $what in
  up) up ;;
  down) down ;;
  status) status ;;
  *)
    echo "usage: cluster.sh up|down|status [FOLDER]" >&2
    exit 2
    ;;
esac
