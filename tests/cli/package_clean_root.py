#!/usr/bin/env python3
"""The Debian package on a clean root: installed with what it depends on, the tour of the service, and removed.

The root is made by debootstrap from the mirror that this machine's apt uses, and kept in the build folder, so
that later runs only unpack it. Needs root and a network; without them the test is skipped and says why."""

import sys

sys.dont_write_bytecode = True

import json
import os
import pathlib
import re
import shlex
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

# Runs in a mount namespace of its own, on a root in memory. Arguments: the root as a tar file, the package, what to
# run inside, apt's settings for proxies, a folder that keeps downloaded packages, an empty folder, a script of the
# test.
INSIDE = r"""
set -eu
tar=$1 package=$2 steps=$3 proxies=$4 archives=$5 root=$6 script=$7
mount -t tmpfs tmpfs "$root"
tar --extract --file "$tar" --directory "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$archives" "$root/var/cache/apt/archives"
cp "$package" "$root/tmp/sau.deb"
cp "$steps" "$root/tmp/steps.sh"
cp "$script" "$root/tmp/script.sh"
cp "$proxies" "$root/etc/apt/apt.conf.d/99proxies"
cp /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" /bin/bash /tmp/steps.sh
"""

TOUR_STEPS = r"""
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
(cd tour && bash ../script.sh > ../tour.txt 2>&1) || { cat tour.txt; exit 1; }
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
"""

# What an engine does with the container's recipe: the script has its RUN, the other lines come as variables.
CONTAINER_STEPS = r"""
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/tmp DEBIAN_FRONTEND=noninteractive
cd /
sh /tmp/script.sh > /tmp/run.txt 2>&1 || { cat /tmp/run.txt; exit 1; }
test ! -e /tmp/sau.deb
mkdir -p /etc/sau
echo a-key-of-the-container > /etc/sau/keys
chmod 400 /etc/sau/keys
chown "$owner" /etc/sau/keys
setpriv --reuid "$user" --regid "$user" --init-groups --inh-caps=-all "${command[@]}" --port 0 > /tmp/serve.txt 2>&1 &
server=$!
until grep -q http:// /tmp/serve.txt; do sleep 0.1; kill -0 $server || { cat /tmp/serve.txt; exit 1; }; done
port=$(sed -n 's|^serving .*http://0.0.0.0:\([0-9]*\)/.*|\1|p' /tmp/serve.txt)
ps -o user= -p $server 2> /dev/null || stat -c %U /proc/$server
exec 3<> "/dev/tcp/127.0.0.1/$port"
printf 'POST /personalizer/v1.0/rank HTTP/1.0\r\nOcp-Apim-Subscription-Key: %s\r\nContent-Length: 24\r\n\r\n%s' \
  a-key-of-the-container '{"actions":[{"id":"a"}]}' >&3
cat <&3
kill "-$signal" $server
wait $server
echo STOPPED
ls "$volume"/*
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

    def root_and_more(self):
        """A clean root as a tar file, apt's settings, and a folder for downloaded packages."""
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
        proxies = self.run_or_fail("apt-config", "dump", "Acquire")
        self.write("proxies", "".join(line + "\n" for line in proxies.splitlines()
                                      if "Proxy" in line and line.endswith('";')).encode())
        return str(root), self.path("proxies"), str(archives)

    def inside(self, steps, script):
        """Runs the steps on a clean root, with a script at hand."""
        root, proxies, archives = self.root_and_more()
        self.write("steps.sh", steps.encode())
        self.write("script.sh", script.encode())
        os.mkdir(self.path("root"))
        return self.run_or_fail("unshare", "--mount", "bash", "-c", INSIDE, "inside", root, make_package(self),
                                self.path("steps.sh"), proxies, archives, self.path("root"), self.path("script.sh"))

    def test_the_steps_of_the_container(self):
        text = (SOURCE / "contrib" / "Containerfile").read_text(encoding="utf-8")
        lines = [line for line in text.replace("\\\n", " ").splitlines() if line and line[0] != "#"]
        recipe = dict(line.split(None, 1) for line in lines)
        self.assertEqual(len(recipe), len(lines), "an instruction is there twice")
        self.assertEqual(recipe["COPY"], "sau_*.deb /tmp/sau.deb")
        uid = re.search(r"--uid (\d+)", recipe["RUN"]).group(1)
        self.assertIn(f"chown {uid} keys", text)
        variables = {"user": recipe["USER"], "owner": uid, "volume": recipe["VOLUME"], "signal": recipe["STOPSIGNAL"]}
        command = json.loads(recipe["ENTRYPOINT"]) + json.loads(recipe["CMD"])
        steps = "set -eu\n" + "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items())
        steps += f"command=({shlex.join(command)})\n" + CONTAINER_STEPS
        said = self.inside(steps, recipe["RUN"])
        self.assertIn("201 Created", said)
        self.assertIn('"rewardActionId":"a"', said)
        self.assertIn("sau\n", said)
        self.assertIn("model.sau", said.split("STOPPED\n")[1].split())

    def test_the_tour_and_nothing_left_but_the_data(self):
        commands = [command for language, start, lines in check_docs.blocks(PAGE)
                    if language == "console session" for command in check_docs.session_commands(start, lines)]
        said = self.inside(TOUR_STEPS, check_docs.session_script(commands))
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
