#!/usr/bin/env bash
# Makes a folder with the libraries, the headers and the Python of Debian for arm64, to compile for
# aarch64 on another machine. Needs no root, and changes nothing outside the folder.
# usage: arm64_sysroot.sh FOLDER
# The packages come from the system's own package sources. Where these have no arm64 (Ubuntu keeps it
# elsewhere), SAU_ARM64_SOURCES names a file like /etc/apt/sources.list with sources of the same release.
set -euo pipefail

if [[ $# -ne 1 ]]; then
  echo "usage: arm64_sysroot.sh FOLDER" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
apt=$folder.apt

# The libraries that the Python package is compiled with, and what runs it.
mapfile -t packages < <("$here/setup.sh" --list python | grep -e '-dev$')
packages+=(libc6-dev libstdc++-12-dev python3-numpy python3-pip)

# apt gets a state of its own in which nothing is installed, so it fetches everything that is needed.
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
: > "$apt/status"
cat > "$apt/apt.conf" <<END
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
#clear APT::Architectures;
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Keep-Downloaded-Packages "true";
APT::Sandbox::User "root";
Binary::apt::APT::Keep-Downloaded-Packages "true";
Debug::NoLocking "true";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Cache::archives "$apt/cache/archives";
END
if [[ -n ${SAU_ARM64_SOURCES:-} ]]; then
  cat >> "$apt/apt.conf" <<END
Dir::Etc::sourcelist "$(realpath "$SAU_ARM64_SOURCES")";
Dir::Etc::sourceparts "/dev/null";
END
fi
# A source without arm64 is no error: what matters is that the packages are found.
apt-get -c "$apt/apt.conf" -qq update || true
apt-get -c "$apt/apt.conf" -qq install -y --download-only "${packages[@]}"

# Names of the files, asked for with an empty cache because apt names only those it would download.
mkdir -p "$apt/none/partial"
wanted=$(apt-get -c "$apt/apt.conf" -o Dir::Cache::archives="$apt/none" -qq install -y --print-uris \
  "${packages[@]}" | awk '{print $2}')
if [[ -f $folder/.packages && $(cat "$folder/.packages") == "$wanted" ]]; then
  echo "sysroot: $folder is up to date"
  exit 0
fi
rm -rf "$folder"
# As on a Debian system, /lib and /bin are links into /usr.
mkdir -p "$folder"/usr/{bin,lib,sbin}
ln -s usr/bin usr/lib usr/sbin "$folder"
while read -r deb; do
  dpkg-deb --fsys-tarfile "$apt/cache/archives/$deb" |
    tar -x -C "$folder" --keep-directory-symlink --no-same-owner
done <<< "$wanted"
# Links to absolute paths would leave the folder.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfrT "$folder$(readlink "$link")" "$link"
done
# The packages of BLAS and LAPACK, which NumPy links, make these links when they are installed.
for library in blas lapack; do
  ln -sf "$library/lib$library.so.3" "$folder/usr/lib/aarch64-linux-gnu/lib$library.so.3"
done
printf '%s\n' "$wanted" > "$folder/.packages"
echo "sysroot: unpacked $(wc -l <<< "$wanted") packages into $folder"
