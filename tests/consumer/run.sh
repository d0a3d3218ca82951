#!/usr/bin/env bash
# Installs a build into a temporary folder, then builds and runs a small project with it: once with
# find_package(sau), once with pkg-config.
# usage: run.sh <build folder> [<cmake>]
set -euo pipefail

build=$1
cmake=${2:-cmake}
cxx=${CXX:-c++}
here=$(cd "$(dirname "$0")" && pwd)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
prefix=$temporary/prefix

"$cmake" --install "$build" --prefix "$prefix" >/dev/null

# The installed files must not refer to the source or build tree.
source=$(cd "$here/../.." && pwd)
config=$(find "$prefix" -name sau-config.cmake)
if grep -rnF -e "$source" "$(dirname "$config")" "$prefix"/lib*/pkgconfig; then
  echo "the installed package names the source tree" >&2
  exit 1
fi

# Users of the package need none of the libraries that sau is built with.
"$cmake" -S "$here" -B "$temporary/cmake" -G Ninja -D CMAKE_PREFIX_PATH="$prefix" \
  -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON \
  -D CMAKE_DISABLE_FIND_PACKAGE_Boost=ON -D CMAKE_DISABLE_FIND_PACKAGE_CLI11=ON >/dev/null
"$cmake" --build "$temporary/cmake" >"$temporary/log" || { cat "$temporary/log" >&2; exit 1; }
"$temporary/cmake/consumer"
"$temporary/cmake/lab_consumer"

pc=$(find "$prefix" -name sau.pc)
export PKG_CONFIG_PATH=${pc%/*}
for package in sau sau-lab; do
  # shellcheck disable=SC2046,SC2086  # the flags are several words
  "$cxx" -std=c++20 ${CXXFLAGS:-} "$here/main.cpp" -o "$temporary/$package" \
    $(pkg-config --cflags --libs "$package")
  "$temporary/$package"
done

if [[ -x $prefix/bin/sau ]]; then
  "$prefix/bin/sau" --help >/dev/null
fi
echo "consumer: find_package and pkg-config work"
