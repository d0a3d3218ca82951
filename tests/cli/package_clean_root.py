#!/usr/bin/env python3
"""The Debian package on a clean root: installed with what it depends on, the tour of the service, and removed.

The root is made by debootstrap from the mirror that this machine's apt uses, and kept in the build folder, so
that later runs only unpack it. Needs root and a network; without them the test is skipped and says why."""

import sys

sys.dont_write_bytecode = True

import os
import pathlib
import shutil
import subprocess
import tarfile
import unittest

from _support import PROGRAM, SauTestCase, make_package

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tools"))
import check_docs  # noqa: E402

PAGE = SOURCE / "docs" / "service.md"
APT_HELPER = "/usr/lib/apt/apt-helper"

# Runs in a mount namespace of its own, on a root in memory. Arguments: the root as a tar file, the package, the
# tour, apt's settings for proxies, a folder that keeps downloaded packages, an empty folder.
INSIDE = r"""
set -eu
tar=$1 package=$2 tour=$3 proxies=$4 archives=$5 root=$6
mount -t tmpfs tmpfs "$root"
tar --extract --file "$tar" --directory "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$archives" "$root/var/cache/apt/archives"
cp "$package" "$root/tmp/sau.deb"
cp "$tour" "$root/tmp/tour.sh"
cp "$proxies" "$root/etc/apt/apt.conf.d/99proxies"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cat > "$root/tmp/steps.sh" <<'STEPS'
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/tmp DEBIAN_FRONTEND=noninteractive
everything() { find / -xdev \( -path /proc -o -path /tmp -o -path /dev -o -path /var/cache -o -path /var/lib/dpkg \
  -o -path /var/lib/apt -o -path /var/log \) -prune -o -not -type d -print | sort; }
cd /tmp
apt-get update -qq
apt-get satisfy -qq --yes --no-install-recommends curl "$(dpkg-deb --field sau.deb Depends)" > satisfied.txt
everything > before.txt
dpkg --install sau.deb > installed.txt
dpkg --listfiles sau
command -v sau
mkdir tour
(cd tour && bash ../tour.sh > ../tour.txt 2>&1) || { cat tour.txt; exit 1; }
echo TOUR DONE
mkdir -p /etc/sau
echo SAU_OPTIONS=--threads 2 > /etc/sau/service.conf
sau serve /var/lib/sau --port 0 > serve.txt 2>&1 &
server=$!
until grep -q http:// serve.txt; do sleep 0.1; kill -0 $server; done
kill -TERM $server
wait $server
dpkg --remove sau > removed.txt
dpkg --purge sau
everything > after.txt
echo LEFT
comm -13 before.txt after.txt
echo GONE
comm -23 before.txt after.txt
STEPS
chroot "$root" /bin/bash /tmp/steps.sh
"""


def mirror():
    """Address and name of the release that this machine's apt uses; None if it does not say."""
    if shutil.which("apt-get") is None:
        return None
    with open("/etc/os-release", encoding="utf-8") as file:
        release = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    said = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages"],
        capture_output=True, encoding="utf-8", check=False)
    for line in said.stdout.splitlines():
        address, name, component = line.split()
        if name == release.get("VERSION_CODENAME") and component == "main":
            return address, name
    return None


class CleanRoot(SauTestCase):
    def cannot(self, why):
        print(f"\n!! SKIPPED: the package was not tested on a clean root: {why}", file=sys.stderr, flush=True)
        self.skipTest(why)

    def run_or_fail(self, *command, **more):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              check=False, **more)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])
        return done.stdout

    def root_of(self, address, name, place):
        """A tar file of a new system without anything of ours; made once."""
        made = place / f"{name}.tar"
        if made.exists():
            return made
        folder = self.path("new")
        self.run_or_fail("debootstrap", "--variant=minbase", name, folder, address)
        with tarfile.open(self.path("new.tar"), "w") as file:
            file.add(folder, arcname=".")
        self.run_or_fail("rm", "--recursive", "--one-file-system", folder)
        shutil.move(self.path("new.tar"), made)
        return made

    def test_the_tour_and_nothing_left_but_the_data(self):
        if os.geteuid() != 0:
            self.cannot("debootstrap needs root")
        for needed in ("debootstrap", "cpack", "dpkg-shlibdeps", "unshare"):
            if shutil.which(needed) is None:
                self.cannot(f"{needed} is not installed")
        found = mirror()
        if found is None:
            self.cannot("apt knows no mirror of this release; try apt-get update")
        address, name = found
        if subprocess.run([APT_HELPER, "download-file", f"{address}dists/{name}/InRelease", self.path("InRelease")],
                          capture_output=True, check=False).returncode != 0:
            self.cannot("apt's mirror cannot be reached")
        build = pathlib.Path(PROGRAM).resolve().parent
        place = build / "clean-root"
        archives = place / "archives"
        (archives / "partial").mkdir(parents=True, exist_ok=True)
        root = self.root_of(address, name, place)

        commands = [command for language, start, lines in check_docs.blocks(PAGE)
                    if language == "console session" for command in check_docs.session_commands(start, lines)]
        self.write("tour.sh", check_docs.session_script(commands).encode())
        proxies = self.run_or_fail("apt-config", "dump", "Acquire")
        self.write("proxies", "".join(line + "\n" for line in proxies.splitlines()
                                      if "Proxy" in line and line.endswith('";')).encode())
        os.mkdir(self.path("root"))
        said = self.run_or_fail("unshare", "--mount", "bash", "-c", INSIDE, "inside", str(root), make_package(self),
                                self.path("tour.sh"), self.path("proxies"), str(archives), self.path("root"))
        files, rest = said.split("TOUR DONE\n")
        for wanted in ("/usr/bin/sau", "/usr/lib/systemd/system/sau.service", "/usr/lib/systemd/system/sau.socket",
                       "/usr/share/man/man1/sau-serve.1", "/usr/share/bash-completion/completions/sau"):
            self.assertIn(wanted + "\n", files)
        left, gone = rest.split("LEFT\n")[1].split("GONE\n")
        self.assertEqual([line for line in left.splitlines() if not line.startswith("/var/lib/sau/")], [])
        self.assertIn("/var/lib/sau/model.sau", left.splitlines())
        self.assertEqual(gone, "")


if __name__ == "__main__":
    unittest.main()
