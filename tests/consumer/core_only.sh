#!/usr/bin/env bash
# Configures, builds and installs the core library alone, with all packages hidden that only the
# laboratory or the program needs; then builds and runs the consumer with it.
# usage: core_only.sh <folder> [<cmake>]
set -euo pipefail

mkdir -p "$1"
folder=$(cd "$1" && pwd)
cmake=${2:-cmake}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

# PkgConfig finds Cairo and LZ4.
hidden=()
for package in Boost CLI11 CURL Cairo OpenSSL PkgConfig RocksDB prometheus-cpp simdjson; do
  hidden+=(-D "CMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done

run() {
  "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
}

# A copy of the sources, compiled with the commands of the preset `release`, so that a compiler cache
# has the objects.
tree=$folder/tree
mkdir -p "$tree"
rm -rf "$tree"/{cmake,include,src}
cp -a "$root"/{CMakeLists.txt,cmake,include,src} "$tree"
run "$cmake" -S "$tree" -B "$tree/build" -G Ninja "${hidden[@]}" -D SAU_BUILD_PROGRAM=OFF \
  -D SAU_BUILD_TESTS=OFF -D SAU_BUILD_EXAMPLES=OFF -D SAU_BUILD_BENCH=OFF \
  -D CMAKE_BUILD_TYPE=Release -D CMAKE_UNITY_BUILD=ON -D SAU_WERROR=ON
if grep -E '^(SAU_NODE|SAU_NPM|.*(CAIRO|RocksDB|simdjson|CURL)[^=]*)=/' "$tree/build/CMakeCache.txt"; then
  echo "a build of the core looked for packages that only the program needs" >&2
  exit 1
fi
run "$cmake" --build "$tree/build"
rm -rf "$folder/prefix"
run "$cmake" --install "$tree/build" --prefix "$folder/prefix"
libraries=$(cd "$folder/prefix" && find . -name '*.a' -printf '%f ')
if [[ $libraries != "libsau.a " || -e $folder/prefix/bin ]]; then
  echo "more than the core was installed: $libraries" >&2
  exit 1
fi

rm -rf "$folder/consumer"
run "$cmake" -S "$here" -B "$folder/consumer" -G Ninja "${hidden[@]}" \
  -D CMAKE_PREFIX_PATH="$folder/prefix"
run "$cmake" --build "$folder/consumer"
"$folder/consumer/consumer"
echo "core only: built, installed and used without the packages of the program"
