#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed files suffice: the headers alone, the templates outside of the source tree, a
program with pkg-config.

Installs the build folder into a scratch folder and uses nothing but that.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("STROBE_BUILD") or TOP / "build").resolve()
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

MODES = {
    "C11": ("cc", "-x", "c", "-std=c11", "-Wstrict-prototypes"),
    "C++17": ("c++", "-x", "c++", "-std=c++17"),
}


def find_one(folder, pattern):
    found = list(folder.glob(pattern))
    assert len(found) == 1, "%s: %s" % (pattern, found)
    return found[0]


# Symbols that programs look up in a plugin that is their tool too, and that other plugins and the
# Python package look up in one of Strobe's plugins.
ENTRIES = {
    "marker": ("mstx", "InitInjectionMstx", "InitializeInjectionNvtx2", "__itt_api_init"),
    "memory": ("strobe_memory_roles_1",),
    "opencl": ("clGetLayerInfo", "clInitLayer"),
    "python_call": ("strobe_python_stack_1",),
}


class InstalledTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="strobe-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.root = cls.scratch / "root"
        cls.work = cls.scratch / "work"
        cls.work.mkdir()
        subprocess.run(
            ["meson", "install", "-C", str(BUILD), "--no-rebuild", "--destdir", str(cls.root)],
            check=True, stdout=subprocess.DEVNULL,
        )
        cls.command = find_one(cls.root, "**/bin/strobe")
        cls.headers = find_one(cls.root, "**/include/strobe/strobe.h").parent
        cls.library = find_one(cls.root, "**/libstrobe.so")
        package = find_one(cls.root, "**/strobe-sdk.pc")
        cls.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("STROBE_", "PYTHON", "LD_", "PKG_CONFIG"))
        }
        cls.environment.update(
            HOME=str(cls.work),
            PKG_CONFIG_PATH=str(package.parent),
            PKG_CONFIG_SYSROOT_DIR=str(cls.root),
            LD_LIBRARY_PATH=str(cls.library.parent),
        )
        folder = cls.run_good("pkg-config", "--variable=plugindir", "strobe-sdk").strip()
        cls.plugins = pathlib.Path(folder)

    @classmethod
    def run_any(cls, *words, **options):
        return subprocess.run(
            [str(word) for word in words], capture_output=True, text=True,
            cwd=options.get("cwd", cls.work), env=options.get("env", cls.environment),
        )

    @classmethod
    def run_good(cls, *words, **options):
        done = cls.run_any(*words, **options)
        if done.returncode:
            raise AssertionError("%s: %d\n%s" % (words, done.returncode, done.stdout + done.stderr))
        return done.stdout

    def flags(self, package):
        return self.run_good("pkg-config", "--cflags", "--libs", package).split()

    def strobe(self, *words):
        environment = dict(self.environment, STROBE_PLUGIN_PATH=str(self.plugins))
        return self.run_good(self.command, *words, env=environment)

    # ---- headers ----

    def test_each_header_compiles_alone(self):
        headers = sorted(self.headers.rglob("*.h"))
        self.assertGreaterEqual(len(headers), 15)
        source = self.work / "header"
        for mode, (compiler, *flags) in MODES.items():
            if not shutil.which(compiler):
                continue
            for header in headers:
                name = header.relative_to(self.headers.parent)
                source.write_text("#include <%s>\n" % name)
                with self.subTest(mode=mode, header=name):
                    self.run_good(compiler, *flags, "-pedantic", "-Wall", "-Wextra",
                                  "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only", "-I",
                                  self.headers.parent, source)

    def test_sdk_headers_include_libc_only(self):
        """A plugin's headers include nothing that a target may lack; libc's headers include the
        kernel's headers."""
        allowed = {"elf.h", "link.h", "linux/perf_event.h", "math.h", "pthread.h", "stdbool.h", "stddef.h",
                   "stdint.h", "string.h", "sys/types.h"}
        for header in self.headers.rglob("*.h"):
            for line in header.read_text().splitlines():
                if line.startswith("#include <"):
                    name = line.split("<")[1].split(">")[0]
                    self.assertTrue(name in allowed or name.startswith("strobe/"),
                                    "%s includes %s" % (header.name, name))

    # ---- programs ----

    def test_program(self):
        program = self.work / "program"
        self.run_good("cc", "-std=c11", "-pedantic", "-Wall", "-Werror",
                      TOP / "tests" / "template" / "program.c", "-o", program,
                      *self.flags("strobe"))
        directory = self.run_good(program).strip()
        info = json.loads(self.strobe("info", "--json", directory))[0]
        for kind, n in {"marker": 2, "marker_instant": 2, "counter": 2, "step": 2}.items():
            self.assertGreaterEqual(info["kinds"].get(kind, 0), n, info["kinds"])
        self.assertEqual(info["kinds"]["step"], 2)
        metadata = json.loads((self.work / directory / "profiler_metadata.json").read_text())
        self.assertEqual(metadata["model"], "toy")

    def test_program_by_a_cxx_compiler(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        source = self.work / "program.cc"
        source.write_text(
            "#include <strobe/strobe.h>\n"
            'int main() { auto range = strobe_range_begin("r"); strobe_range_end(range);\n'
            "             return strobe_enabled(); }\n"
        )
        self.run_good("c++", "-std=c++17", "-pedantic", "-Wall", "-Werror", source, "-o",
                      self.work / "program-cc", *self.flags("strobe"))
        self.run_good(self.work / "program-cc")

    # ---- plugins ----

    def build_template(self, name):
        """Builds a copy of an installed template. Returns its build folder."""
        templates = self.run_good("pkg-config", "--variable=templatedir", "strobe-sdk").strip()
        source = self.work / name
        if not source.exists():
            shutil.copytree(pathlib.Path(templates) / name, source)
            self.run_good("meson", "setup", source / "build", source, "--werror")
            self.run_good("ninja", "-C", source / "build")
        return source / "build"

    def test_templates_are_listed(self):
        for name in ("collector", "exporter", "importer"):
            build = self.build_template(name)
            listed = json.loads(self.strobe("plugins", "--json", "--plugin-path", build))
            mine = [p for p in listed if p["file"].startswith(str(build))]
            self.assertEqual(len(mine), 1, listed)
            self.assertNotIn("error", mine[0])
            component = mine[0]["components"][0]
            self.assertEqual((component["name"], component["type"]), ("template_" + name, name))
            self.assertEqual(component["available"], "yes")

    def record_with_templates(self):
        collector, exporter = self.build_template("collector"), self.build_template("exporter")
        out = self.work / "out"
        if not out.exists():
            self.strobe("run", "-o", out, "--plugin-path", collector, "--plugin-path", exporter,
                        "--collect", "template_collector:interval=5ms",
                        "--export", "template_exporter:file=kinds.json", "--export", "csv",
                        "--", "sleep", "0.2")
        return find_one(out, "*_ascend_pt/ASCEND_PROFILER_OUTPUT")

    def test_template_exporter_counts_what_template_collector_records(self):
        output = self.record_with_templates()
        counts = json.loads((output / "kinds.json").read_text())
        info = json.loads(self.strobe("info", "--json", output.parent))[0]
        self.assertGreater(counts["template_collector.faults"], 0)
        self.assertEqual(counts["template_collector.faults"],
                         info["kinds"]["template_collector.faults"])

    def test_other_exporters_show_the_template_kind(self):
        output = self.record_with_templates()
        table = find_one(output, "*faults*.csv").read_text().splitlines()
        self.assertIn("minor", table[0].lower())
        self.assertGreater(len(table), 1)

    def test_template_importer_reads_a_timeline(self):
        source = self.work / "a.timeline"
        source.write_text("#timeline\n2000 500 later\nnonsense\n1000 250 first event\n"
                          "9223372036854775807 1 beyond\n")
        made = json.loads(self.strobe("import", "--json", "-o", self.work / "imported",
                                      "--plugin-path", self.build_template("importer"),
                                      "--export", "csv", source))
        self.assertEqual(made[0]["importer"], "template_importer")
        self.assertEqual(made[0]["found"], [{"part": "events", "count": 2}])
        self.assertEqual([item["part"] for item in made[0]["damaged"]],
                         ["line 3", "line 5"])
        table = (pathlib.Path(made[0]["output"]) / "template_importer.event.csv").read_text()
        self.assertEqual([line.split(",")[0] for line in table.splitlines()[1:]],
                         ["first event", "later"])

    def test_templates_install_where_strobe_looks(self):
        self.run_good("meson", "install", "-C", self.build_template("collector"))
        placed = self.plugins / "template_collector.so"
        self.addCleanup(placed.unlink)
        self.assertIn("template_collector", self.strobe("plugins"))

    def symbols(self, path, which):
        lines = self.run_good("nm", "-D", which, path).splitlines()
        return {line.split()[-1].split("@")[0] for line in lines}

    def test_plugins_export_one_symbol_and_need_none_of_ours(self):
        files = [path for path in self.plugins.glob("*.so") if "-" not in path.name]
        files += [find_one(self.build_template(name), "*.so")
                  for name in ("collector", "exporter", "importer")]
        self.assertGreaterEqual(len(files), 12)
        for path in files:
            with self.subTest(path.name):
                found = self.symbols(path, "--defined-only")
                if path.stem in ENTRIES:
                    found = {name for name in found if not name.startswith(ENTRIES[path.stem])}
                self.assertEqual(found, {"strobe_plugin_1"})
                wanted = self.symbols(path, "--undefined-only")
                self.assertEqual([name for name in wanted if "strobe" in name.lower()], [])

    def test_plugins_need_no_library_of_the_program(self):
        for path in self.plugins.glob("*.so"):
            if path.name.startswith("cpu_op_torch"):
                continue
            needed = re.findall(r"NEEDED\s+(\S+)", self.run_good("objdump", "-p", path))
            self.assertIn("libc.so.6", needed)
            for library in needed:
                self.assertNotRegex(library, "strobe|torch|c10|python", path.name)


if __name__ == "__main__":
    tap.main()
