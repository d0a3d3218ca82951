#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing.
# usage: setup.sh [LIST]           build: libraries and program (default); python: the Python package;
#                                  test: both, and the tests; aarch64: python, and what makes its wheel
#                                  for aarch64; latex: what tests/cli/latex.py needs (160 MB)
#        setup.sh --list [LIST]    print the names and do nothing
# SAU_SETUP=skip does nothing, for tools installed by other means.
set -euo pipefail

build_packages=(g++ cmake ninja-build ccache pkg-config git
  libcli11-dev libfmt-dev nlohmann-json3-dev zlib1g-dev liblzma-dev libarchive-dev
  libcurl4-openssl-dev libssl-dev libboost-dev libxxhash-dev libcairo2-dev fonts-dejavu-core)
program_packages=(nodejs npm librocksdb-dev liblz4-dev libsimdjson-dev prometheus-cpp-dev
  libnats-dev)
python_packages=(pybind11-dev python3 python3-dev python3-numpy python3-pip python3-venv patchelf)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev libeigen3-dev
  clang-format clang-tidy clang libclang-rt-dev lld llvm chromium qemu-user curl openssl libfaketime
  debootstrap libopenmpi-dev openmpi-bin nats-server
  python3-pytest python3-pandas python3-matplotlib python3-sklearn mypy)
aarch64_packages=(g++-aarch64-linux-gnu qemu-user nodejs npm)
latex_packages=(texlive-latex-base texlive-latex-recommended lmodern)
# These count as installed if the command exists: newer versions may come from elsewhere, and then
# Debian's packages would conflict with them.
declare -A command_of=([nodejs]=node [npm]=npm)

list_only=no
if [[ ${1:-} == --list ]]; then
  list_only=yes
  shift
fi
case ${1:-build} in
  build) packages=("${build_packages[@]}" "${program_packages[@]}") ;;
  python) packages=("${build_packages[@]}" "${python_packages[@]}") ;;
  test)
    packages=("${build_packages[@]}" "${program_packages[@]}" "${python_packages[@]}"
      "${test_packages[@]}")
    ;;
  aarch64) packages=("${build_packages[@]}" "${python_packages[@]}" "${aarch64_packages[@]}") ;;
  latex) packages=("${latex_packages[@]}") ;;
  *)
    echo "setup: unknown list '$1'; known: build, python, test, aarch64, latex" >&2
    exit 2
    ;;
esac

if [[ $list_only == yes ]]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi
if [[ ${SAU_SETUP:-} == skip ]]; then
  echo "setup: skipped"
  exit 0
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  # Not a failure: the tools may be installed, and cmake names those that are missing.
  cat <<END
setup: this is not a Debian or Ubuntu system, so nothing is installed. You need:
  a C++20 compiler (g++ 12 or newer), cmake 3.25, ninja, pkg-config, git, and the libraries
  CLI11 2.1, fmt 9, nlohmann-json 3.11, zlib 1.2, liblzma 5.4, libarchive 3.6, libcurl 7.85,
  OpenSSL 3, Boost 1.74 (headers), xxHash 0.8 (headers), Cairo 1.16 with its SVG, PDF and PNG surfaces, a
  sans-serif font; for the program also RocksDB 7.8, LZ4 1.9, simdjson 3, prometheus-cpp 1.0, and Node.js 18
  with npm for its pages; ccache if you like, and an MPI 3 library such as Open MPI 4.1 for sau-mpi; for clusters NATS' C client 3.4 (libnats); for the Python package also Python 3.11 with its
  headers, NumPy 1.22 and pybind11 2.10, and patchelf 0.14 to make wheels (for aarch64 also
  g++ 12 for aarch64, qemu-aarch64, and Debian's apt-get); for the tests also GoogleTest 1.12, Google Benchmark 1.7,
  Eigen 3.4, clang, clang-format, clang-tidy, lld and llvm-symbolizer 14, Chromium at /usr/bin/chromium, qemu-x86_64, libfaketime, debootstrap 1.0, Open MPI 4.1 with mpirun, nats-server 2.9, pytest 7,
  pandas 1.5, matplotlib 3.6, scikit-learn 1.2, mypy 1.0; pdflatex with booktabs and lmodern if you like.
  Debian calls them: ${packages[*]}
END
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  if [[ -n ${command_of[$package]:-} ]] && command -v "${command_of[$package]}" >/dev/null; then
    continue
  fi
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $state == installed ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: all ${#packages[@]} packages are installed"
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    cat >&2 <<END
setup: missing packages, and neither root nor sudo to install them. Have an administrator run
  apt-get install ${missing[*]}
or set SAU_SETUP=skip if the tools are installed by other means.
END
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
# `env` because sudo drops the environment.
as_root+=(env DEBIAN_FRONTEND=noninteractive)
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
