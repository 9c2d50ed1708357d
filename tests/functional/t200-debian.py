# SPDX-License-Identifier: Apache-2.0
"""The Debian packages: their lists of files; and, in the long suite, the packages that
dpkg-buildpackage makes."""

import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import BUILD, STROBE, SYSTEM_PYTHON, TOP, StrobeTest
import tap

DEBIAN = TOP / "debian"
# A version of debhelper.
NOT_LISTED = {"debhelper-compat"}
PROGRAM = """
#include <strobe/strobe.h>

int main(void)
{
    StrobeRange range = strobe_range_begin("work");

    strobe_range_end(range);
    return strobe_enabled();
}
"""


def introspect(what):
    done = subprocess.run(["meson", "introspect", "--" + what, str(BUILD)], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def paragraphs(path):
    """The paragraphs of a control file, as dictionaries."""
    for part in path.read_text().strip().split("\n\n"):
        yield dict(re.findall(r"^(\S+):\s*(.*(?:\n .*)*)", part, re.M))


def package_names():
    return [part["Package"] for part in paragraphs(DEBIAN / "control") if "Package" in part]


def patterns_of(path):
    return [line.split()[0] for line in path.read_text().splitlines() if line and line[0] != "#"]


def installed_files():
    """Returns source or built file -> its path in a package."""
    options = {option["name"]: option["value"] for option in introspect("buildoptions")}
    installed = introspect("installed")
    site = next(path for path in installed.values() if path.endswith("/strobe/__init__.py"))
    folders = [(str(pathlib.Path(site).parents[1]), "usr/lib/python3/dist-packages"),
               (os.path.join(options["prefix"], options["libdir"]), "usr/lib/TRIPLET"),
               (options["prefix"], "usr")]
    files = {}
    for source, path in installed.items():
        folder, place = next(pair for pair in folders if path.startswith(pair[0] + "/"))
        files[source] = place + path[len(folder):]
    return files


def matches(path, pattern):
    """Does the pattern match, by the rules of dh_install? A folder stands for all files in it."""
    parts = path.split("/")
    wanted = pattern.split("/")
    return len(parts) >= len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


class Lists(unittest.TestCase):
    """debian/ lists the files that the build installs."""

    def test_version(self):
        version = re.search(r"^ *version: '([^']+)'", (TOP / "meson.build").read_text(), re.M)[1]
        self.assertRegex((DEBIAN / "changelog").read_text(), r"\Astrobe \(%s\) " % re.escape(version))

    def lists(self):
        found = {name: patterns_of(DEBIAN / (name + ".install")) for name in package_names()}
        self.assertEqual(len(found), 5)
        return dict(found, nowhere=patterns_of(DEBIAN / "not-installed"))

    @unittest.skipUnless((BUILD / "python" / "strobe").is_dir(), "built without the Python package")
    def test_each_file_is_in_one_package(self):
        lists = self.lists()
        bridge = lists["strobe-torch"][0]
        for path in installed_files().values():
            owners = {name for name, patterns in lists.items() for pattern in patterns
                      if matches(path, pattern)}
            if matches(path, bridge):  # debian/rules leaves the bridge out of the package strobe
                owners.discard("strobe")
            self.assertEqual(len(owners), 1, "%s: %s" % (path, owners))

    @unittest.skipUnless(shutil.which("help2man") and shutil.which("cmark-gfm")
                         and (BUILD / "plugins" / "opencl.so").exists(), "built without a part")
    def test_each_pattern_has_a_file(self):
        paths = set(installed_files().values())
        for name, patterns in self.lists().items():
            for pattern in patterns:
                if name != "strobe-torch":  # without libtorch there is no such package
                    self.assertTrue(any(matches(path, pattern) for path in paths), pattern)

    def test_product_is_all_that_is_installed(self):
        """debian/rules and pip build only this target."""
        made = set()
        for tool in "inputs", "query":  # "inputs" leaves out the inputs of the alias itself
            done = subprocess.run(["ninja", "-C", str(BUILD), "-t", tool, "product"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            made |= {str(BUILD / line.strip(" |")) for line in done.stdout.splitlines()}
        self.assertGreater(len(made), 500)
        statements = (BUILD / "build.ninja").read_text()
        for source in installed_files():
            place = os.path.relpath(source, BUILD)
            if source.startswith(str(BUILD) + "/") and "build %s:" % place in statements:
                self.assertTrue(source in made, source)

    def test_needed_packages_are_installed_by_dev(self):
        source = next(paragraphs(DEBIAN / "control"))
        needed = set(re.findall(r"(?:^|,)\s*([a-z0-9.+-]+)", source["Build-Depends"])) - NOT_LISTED
        self.assertIn("meson", needed)
        lists = re.findall(r"^for_(?:build|test)='([^']*)'", (TOP / "dev").read_text(), re.M)
        self.assertEqual(needed - set(" ".join(lists).split()), set())


def copy_tree(folder):
    """Copies the source tree without built files."""
    shutil.copytree(TOP, folder, symlinks=True, ignore=shutil.ignore_patterns(
        "build*", ".git", ".mesonpy-*", "__pycache__", "shared"))


@tap.long_test
class Packages(StrobeTest):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("dpkg-buildpackage"):
            raise unittest.SkipTest("no dpkg-buildpackage")
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="strobe-debian-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        source = cls.scratch / "source"
        copy_tree(source)
        missing = cls.run_in(source, "dpkg-checkbuilddeps")
        if missing.returncode:
            raise unittest.SkipTest(missing.stderr.strip())
        made = cls.run_in(source, "dpkg-buildpackage", "-b", "-us", "-uc")
        if made.returncode:
            raise AssertionError(made.stdout[-4000:] + made.stderr[-4000:])
        cls.files = {path.name.split("_")[0]: path for path in cls.scratch.glob("*.deb")
                     if "-dbgsym_" not in path.name}
        cls.root = cls.scratch / "root"
        for path in cls.files.values():
            subprocess.run(["dpkg", "-x", path, cls.root], check=True)
        (cls.libraries,) = [path.parent for path in cls.root.glob("usr/lib/*/libstrobe.so.0")]

    @classmethod
    def run_in(cls, folder, *words):
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith(("PYTHON", "STROBE_", "LD_", "MESON", "NINJA", "DEB_"))}
        variables["DEB_BUILD_OPTIONS"] = "terse"
        return subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True)

    def setUp(self):
        super().setUp()
        self.environment.update(LD_LIBRARY_PATH=str(self.libraries),
                                PYTHONPATH=str(self.root / "usr/lib/python3/dist-packages"),
                                STROBE_PLUGIN_PATH=str(self.libraries / "strobe"),
                                PKG_CONFIG_SYSROOT_DIR=str(self.root),
                                PKG_CONFIG_PATH=str(self.libraries / "pkgconfig"))

    def run_good(self, *words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              cwd=self.work, env=self.environment, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def strobe(self, *words):
        return self.run_good(self.root / "usr/bin/strobe", *words)

    def field(self, package, name):
        return self.run_good("dpkg-deb", "-f", self.files[package], name).strip()

    def test_names(self):
        self.assertEqual(set(self.files) | {"strobe-torch"}, set(package_names()))

    def test_dependencies(self):
        version = self.field("strobe", "Version")
        self.assertIn("strobe (= %s)" % version, self.field("libstrobe0", "Depends"))
        self.assertIn("libstrobe0 (= %s)" % version, self.field("libstrobe-dev", "Depends"))
        self.assertRegex(self.field("python3-strobe", "Depends"), r"libstrobe0 \(.*python3|python3.*libstrobe0 \(")
        self.assertRegex(self.field("strobe", "Depends"), r"libglib2\.0-0.*libsqlite3-0")
        for name in "strobe", "libstrobe0", "libstrobe-dev", "python3-strobe":
            self.assertNotRegex(self.field(name, "Depends"), "torch")

    def test_documents(self):
        share = self.root / "usr" / "share"
        for name in self.files:
            licence = (share / "doc" / name / "copyright").read_text()
            self.assertIn("Apache-2.0", licence)
        for place in ("doc/strobe/html/index.html", "man/man1/strobe-run.1.gz",
                      "bash-completion/completions/strobe", "zsh/vendor-completions/_strobe",
                      "fish/vendor_completions.d/strobe.fish"):
            self.assertTrue((share / place).is_file(), place)
        page = self.run_good("zcat", share / "man/man1/strobe-run.1.gz")
        self.assertIn("schedule", page)

    def test_command(self):
        theirs = {plugin["name"] for plugin in json.loads(self.strobe("plugins", "--json"))}
        self.command = STROBE
        ours = {plugin["name"] for plugin in
                json.loads(self.run_good(STROBE, "plugins", "--json", "--plugin-path", BUILD / "plugins"))}
        self.assertEqual(theirs, ours)
        self.strobe("run", "-o", self.out, "--collect", "fake:records=50", "--", "true")
        kinds = json.loads(self.strobe("info", "--json", self.result()))[0]["kinds"]
        self.assertGreaterEqual(sum(kinds.values()), 50)

    def test_python(self):
        self.strobe("run", "-o", self.out, "--collect", "gc:threshold=0ms", "--", SYSTEM_PYTHON, "-c",
                    "import gc, strobe; print(strobe.__file__); gc.collect()")
        kinds = json.loads(self.strobe("info", "--json", self.result()))[0]["kinds"]
        self.assertGreater(kinds["gc"], 0)
        place = self.run_good(SYSTEM_PYTHON, "-c", "from strobe import profiler, command; print(command.find())")
        self.assertEqual(place.strip(), str(self.root / "usr/bin/strobe"))

    def test_program(self):
        source = self.work / "program.c"
        source.write_text(PROGRAM)
        flags = self.run_good("pkg-config", "--cflags", "--libs", "strobe").split()
        self.run_good("cc", "-Wall", "-Werror", source, "-o", self.work / "program", *flags)
        self.run_good(self.work / "program")
        needed = self.run_good("objdump", "-p", self.work / "program")
        self.assertIn("libstrobe.so.0", needed)

    @unittest.skipUnless(os.geteuid() == 0, "dpkg --root needs root")
    def test_nothing_is_left(self):
        root = self.work / "system"
        for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
            (root / folder).mkdir(parents=True)
        (root / "var/lib/dpkg/status").write_text("")
        self.run_good("dpkg", "--root", root, "--force-depends", "--unpack", *self.files.values())
        self.assertTrue((root / "usr/bin/strobe").is_file())
        self.assertTrue((root / "usr/lib/python3/dist-packages/strobe/__init__.py").is_file())
        self.run_good("dpkg", "--root", root, "--force-depends", "--purge", *self.files)
        left = [path for path in root.rglob("*") if path.relative_to(root).parts[:3] != ("var", "lib", "dpkg")]
        self.assertEqual({str(path.relative_to(root)) for path in left}, {"var", "var/lib"})
