#!/usr/bin/env bash
# Runs tools/setup.sh with a fake package manager that only records what it is asked.
set -euo pipefail

setup=$(cd "$(dirname "$0")/.." && pwd)/tools/setup.sh
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
mkdir "$temporary/bin"

# A package counts as installed if it is in the file `installed`.
cat >"$temporary/bin/dpkg-query" <<END
#!/bin/sh
for package; do :; done
grep -qx -- "\$package" "$temporary/installed" && echo installed
END
cat >"$temporary/bin/apt-get" <<END
#!/bin/sh
echo "\$@" >>"$temporary/asked"
END
printf '#!/bin/sh\nexec "$@"\n' >"$temporary/bin/sudo"
chmod +x "$temporary"/bin/*
export PATH=$temporary/bin:$PATH
unset SAU_SETUP

fail() {
  echo "setup.sh: $1" >&2
  exit 1
}

: >"$temporary/asked"
"$setup" --list test >"$temporary/installed"
"$setup" test >"$temporary/out"
[[ ! -s $temporary/asked ]] || fail "used the network with nothing to install"
[[ $(wc -l <"$temporary/out") -eq 1 ]] || fail "said more than one line with nothing to install"

"$setup" --list build | grep -vx -e cmake -e libfmt-dev >"$temporary/installed"
"$setup" build >/dev/null
[[ $(head -n 1 "$temporary/asked") == *update* ]] || fail "did not update the lists first"
[[ $(tail -n 1 "$temporary/asked") == *"cmake libfmt-dev" ]] ||
  fail "asked for '$(tail -n 1 "$temporary/asked")', not only for cmake and libfmt-dev"

# Not through a pipe: grep -q ends it early, and the script would fail because nobody reads on.
has() {  # list, package
  "$setup" --list "$1" >"$temporary/list" || fail "the list $1 cannot be printed"
  grep -qx -e "$2" "$temporary/list"
}
has python pybind11-dev || fail "the list python has no pybind11-dev"
has python cmake || fail "the list python has no cmake"
! has python npm || fail "the list python has packages that only the program needs"
! has python libgtest-dev || fail "the list python has packages of the tests"

! has build '.*openmpi.*' || fail "the program needs MPI"
has aarch64 g++-aarch64-linux-gnu || fail "the list aarch64 has no compiler"
! has test texlive-latex-base || fail "the list test has LaTeX, which is large"

# A machine with only the commands that the script uses.
mkdir "$temporary/few"
for tool in bash sh cat env grep id; do
  ln -s "$(command -v "$tool")" "$temporary/few/$tool"
done
bare=$temporary/bin:$temporary/few
"$setup" --list build | grep -vx -e nodejs -e npm >"$temporary/installed"
PATH=$bare "$setup" build >/dev/null
[[ $(tail -n 1 "$temporary/asked") == *"nodejs npm"* ]] || fail "did not ask for nodejs and npm"
# Both commands exist without their packages.
printf '#!/bin/sh\n' >"$temporary/bin/node"
cp "$temporary/bin/node" "$temporary/bin/npm"
chmod +x "$temporary/bin/node" "$temporary/bin/npm"
: >"$temporary/asked"
PATH=$bare "$setup" build >/dev/null
[[ ! -s $temporary/asked ]] || fail "asked for nodejs or npm, whose commands exist"

"$setup" nonsense >/dev/null 2>&1 && fail "accepted an unknown list"
echo "setup.sh installs what is missing, and nothing else"
