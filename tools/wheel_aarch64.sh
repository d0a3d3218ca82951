#!/usr/bin/env bash
# Makes a wheel of the Python package for aarch64 on another machine, installs it into an arm64 Python
# under QEMU, plays there, and compares the regrets with those of this machine's wheel.
# usage: wheel_aarch64.sh [X86_WHEEL]   default: the newest in build/wheel, which `make wheel` makes
# Debian's g++-aarch64-linux-gnu compiles and qemu-user runs; arm64_sysroot.sh gets the libraries.
set -euo pipefail
cd "$(dirname "$0")/.."

own=${1:-$(ls -t build/wheel/sau-*_"$(uname -m)".whl 2>/dev/null | head -1 || true)}
if [[ ! -f $own ]]; then
  echo "wheel_aarch64: no wheel of this machine to compare with; 'make wheel' makes it" >&2
  exit 1
fi
for tool in aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64:qemu-user patchelf:patchelf; do
  if ! command -v "${tool%%:*}" > /dev/null; then
    echo "wheel_aarch64: ${tool%%:*} was not found; install ${tool##*:}" >&2
    exit 1
  fi
done
work=$PWD/build/aarch64
sysroot=$work/sysroot
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$work"
tools/arm64_sysroot.sh "$sysroot"

# Like the preset `program`, but with the Python package and without the program.
cmake -S . -B "$work" -G Ninja --toolchain cmake/aarch64.cmake -D SAU_SYSROOT="$sysroot" \
  -D CMAKE_BUILD_TYPE=Release -D CMAKE_UNITY_BUILD=ON -D SAU_BUILD_PYTHON=ON -D SAU_BUILD_PAGE=ON \
  -D SAU_BUILD_PROGRAM=OFF -D SAU_BUILD_TESTS=OFF -D SAU_BUILD_BENCH=OFF -D SAU_BUILD_EXAMPLES=OFF
cmake --build "$work" --target sau_python -j "${JOBS:-$(nproc)}"
rm -f build/wheel/sau-*_aarch64.whl
"$python" -m pip wheel --disable-pip-version-check --no-index --no-deps --no-build-isolation \
  --config-settings=build-dir="$work" --config-settings=carry=libraries -w build/wheel ./python
wheel=$(ls build/wheel/sau-*_aarch64.whl)

echo "== $wheel under QEMU"
there=(qemu-aarch64 -L "$sysroot" "$sysroot/usr/bin/python3")
rm -rf "$work/site" "$work/own_site"
"${there[@]}" -m pip install --disable-pip-version-check --no-index --no-deps --quiet \
  --target "$work/site" "$wheel"
"$python" -m pip install --disable-pip-version-check --no-index --no-deps --quiet \
  --target "$work/own_site" "$own"
SAU_KERNEL=portable PYTHONPATH=$work/own_site "$python" tools/play_small.py > "$work/own.json"
SAU_KERNEL=portable PYTHONPATH=$work/site "${there[@]}" tools/play_small.py > "$work/there.json"
PYTHONPATH=$work/site "${there[@]}" tools/play_small.py > "$work/neon.json"
"$python" tools/play_small.py --compare "$work/own.json" "$work/there.json" "$work/neon.json"
ls -l "$wheel"
