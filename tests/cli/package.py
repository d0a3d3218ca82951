#!/usr/bin/env python3
"""The Debian package, installed, used and removed on a copy of this machine's root that is thrown away."""

import sys

sys.dont_write_bytecode = True

import os
import shutil
import subprocess
import unittest

from _support import SauTestCase, make_package

# Runs in a mount namespace of its own. The copy is an overlay: what is written goes to memory.
# Arguments: the package, an empty folder.
INSIDE = r"""
set -eu
package=$1 work=$2
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/scratch" "$work/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/scratch" "$work/root"
root=$work/root
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/run"
cp "$package" "$root/tmp/sau.deb"
cat > "$root/tmp/steps.sh" <<'STEPS'
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/tmp
cd /tmp
dpkg --install sau.deb > installed.txt
command -v sau
sau --version
sau run --problem bernoulli --agent sau_ucb --steps 100 --trials 2 --out results --quiet > table.txt
test -s /usr/share/man/man1/sau-serve.1
bash -c '. /usr/share/bash-completion/completions/sau; complete -p sau'
systemd-analyze verify /usr/lib/systemd/system/sau.service /usr/lib/systemd/system/sau.socket
sau serve /var/lib/sau --port 0 > serve.txt 2>&1 &
server=$!
until grep -q 'http://' serve.txt; do sleep 0.1; kill -0 $server; done
port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\).*|\1|p' serve.txt | head -n 1)
curl -sSf -H 'Content-Type: application/json' -d '{"actions":[{"id":"a","features":[]},{"id":"b","features":[]}],"eventId":"e1"}' "http://127.0.0.1:$port/personalizer/v1.0/rank"
curl -sSf -H 'Content-Type: application/json' -d '{"value":1}' "http://127.0.0.1:$port/personalizer/v1.0/events/e1/reward"
kill -TERM $server
wait $server
sau log verify /var/lib/sau
dpkg --remove sau > removed.txt
! command -v sau
dpkg --purge sau
test -d /var/lib/sau
STEPS
chroot "$root" /bin/bash /tmp/steps.sh
umount -R "$root/run" "$root/tmp" "$root/dev" "$root/proc"
cd "$work/upper"
echo LEFT
find . -not -type d -printf '%P\n' | sort
"""


class Package(SauTestCase):
    def field(self, package, name):
        return subprocess.run(["dpkg-deb", "--field", package, name], capture_output=True,
                              encoding="utf-8", check=True).stdout

    def check_mpi(self, packages):
        """Only sau-mpi, which is a package of its own, needs MPI."""
        for name in os.listdir(packages):
            if not name.endswith(".deb"):
                continue
            path = os.path.join(packages, name)
            mpi = name.startswith("sau-mpi_")
            self.assertTrue(mpi or name.startswith("sau_"), name)
            self.assertEqual("openmpi" in self.field(path, "Depends"), mpi, name)
            files = subprocess.run(["dpkg-deb", "--contents", path], capture_output=True,
                                   encoding="utf-8", check=True).stdout
            self.assertEqual("usr/bin/sau-mpi\n" in files, mpi, name)
            self.assertEqual("man1/sau-mpi.1" in files, mpi, name)

    def test_it_leaves_nothing_but_the_data(self):
        if shutil.which("cpack") is None or shutil.which("dpkg-shlibdeps") is None:
            self.skipTest("cpack or dpkg-shlibdeps is missing")
        package = make_package(self)
        self.check_mpi(os.path.dirname(package))
        flags = ["--mount"] if os.geteuid() == 0 else ["--mount", "--user", "--map-root-user"]
        work = self.path("work")
        os.mkdir(work)
        probe = subprocess.run(["unshare", *flags, "sh", "-c", f"mount -t tmpfs tmpfs '{work}'"],
                               capture_output=True, encoding="utf-8", check=False)
        if probe.returncode != 0:
            self.skipTest(f"this user may not mount: {probe.stderr.strip()}")
        done = subprocess.run(["unshare", *flags, "bash", "-c", INSIDE, "inside",
                               package, work],
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('"rewardActionId"', done.stdout)
        self.assertIn("/var/lib/sau is kept", done.stdout)
        left = done.stdout.split("LEFT\n")[1].splitlines()
        strange = [name for name in left if not name.startswith(("var/lib/sau/", "var/lib/dpkg/",
                                                                  "var/log/dpkg.log"))]
        # Caches that dpkg's triggers of other packages write.
        strange = [name for name in strange if not name.startswith("var/cache/")]
        self.assertEqual(strange, [])
        self.assertTrue(any(name.startswith("var/lib/sau/") for name in left))


if __name__ == "__main__":
    unittest.main()
