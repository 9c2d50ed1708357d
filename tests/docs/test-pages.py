#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generated pages are up to date, the declared keys are those of the core, all links have a
target, and the code in README.md runs."""

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

KEYS = json.loads((TOP / "docs" / "config-keys.json").read_text())
UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30,
         "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}
FINEST = {"size": "B", "duration": "ns"}


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)


def all_pages():
    """The pages of the source tree, without build folders."""
    folders = [p for p in TOP.iterdir() if p.is_dir() and not p.name.startswith((".git", "build"))]
    return [*TOP.glob("*.md"), *(TOP / ".github").rglob("*.md"),
            *(page for folder in folders for page in folder.rglob("*.md"))]


def anchors_of(page):
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
            for heading in headings}


# Without these plugins, some that the pages name are missing.
WITH_ALL = unittest.skipUnless(
    all((BUILD / "plugins" / (name + ".so")).exists() for name in ("ascend_db", "opencl")),
    "built without SQLite or the OpenCL headers")


class ScratchTest(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="strobe-docs-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("STROBE_", "PYTHON", "LD_"))
        }
        self.environment["HOME"] = str(self.work)


    def run_script(self, text):
        """Runs a Python script of a page."""
        script = self.work / "script.py"
        script.write_text(text)
        self.environment["PYTHONPATH"] = str(BUILD / "python")
        done = run("/usr/bin/python3", script, cwd=self.work, env=self.environment)
        self.assertEqual(done.returncode, 0, text + done.stderr)
        self.assertNotIn("ERROR", done.stderr, text)
        return done


class PagesTest(unittest.TestCase):
    @WITH_ALL
    def test_generated_pages_are_fresh(self):
        done = run(TOP / "docs" / "generate", "--build", BUILD, "--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @WITH_ALL
    def test_a_stale_page_is_found(self):
        """Changes a copy, so that a failure of the test does no harm."""
        with tempfile.TemporaryDirectory() as folder:
            docs = pathlib.Path(folder) / "docs"
            docs.mkdir()
            for name in ("generate", "config-keys.json", "config.md", "kinds.md", "cli.md"):
                shutil.copy(TOP / "docs" / name, docs / name)
            page = docs / "kinds.md"
            page.write_text(page.read_text().replace("`sequence` | i64", "`sequence` | u64", 1))
            done = run(docs / "generate", "--build", BUILD, "--check")
            self.assertEqual(done.returncode, 1, done.stderr)
            told = "docs/kinds.md is stale. Run: ninja -C build && docs/generate"
            self.assertIn(told, done.stdout)
            self.assertNotIn("config.md", done.stdout)

    def test_links_lead_somewhere(self):
        for page in all_pages():
            for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)]*)\)", page.read_text()):
                if "://" in target:
                    continue
                found = page.parent / target if target else page
                self.assertTrue(found.exists(), "%s: %s" % (page, target))
                if anchor and found.suffix == ".md":
                    self.assertIn(anchor, anchors_of(found), "%s: %s" % (page, target))

    def test_paths_named_in_code_quotes_exist(self):
        """Checks names such as `core/recorder/thread-buffer.c`; names with a blank or a variable
        part are left out."""
        folders = "|".join(p.name for p in TOP.iterdir() if p.is_dir() and p.name[0] != ".")
        pattern = re.compile(r"`((?:%s)/[\w./-]*)`" % folders)
        for page in [TOP / "README.md", TOP / "SECURITY.md", *TOP.glob("docs/**/*.md")]:
            for target in pattern.findall(page.read_text()):
                if not target.startswith("build"):
                    self.assertTrue((TOP / target).exists(), "%s: %s" % (page, target))


class TopicsTest(unittest.TestCase):
    """docs/topics has one page for each topic, as its index says."""

    FOLDER = TOP / "docs" / "topics"

    def pages(self):
        return sorted(p for p in self.FOLDER.glob("*.md") if p.name != "README.md")

    def test_each_is_in_the_index(self):
        index = (self.FOLDER / "README.md").read_text()
        linked = re.findall(r"\]\(([\w-]+\.md)\)", index)
        self.assertEqual(sorted(linked), [page.name for page in self.pages()])

    def test_each_ends_with_what_was_rejected(self):
        for page in self.pages():
            with self.subTest(page.name):
                last = re.split(r"^#+ ", page.read_text(), flags=re.M)[-1]
                heading, _, rest = last.partition("\n")
                self.assertEqual(heading, "Rejected, and why")
                lines = rest.strip().splitlines()
                self.assertEqual(lines[:2], ["| alternative | reason |", "|---|---|"])
                self.assertGreater(len(lines), 2)
                for line in lines:
                    self.assertTrue(line.startswith("|"), line)


class KeysTest(ScratchTest):
    """docs/config-keys.json lists the keys that core/config/config.c accepts."""

    def accepts(self, value):
        path = self.work / "config.json"
        path.write_text(json.dumps(value))
        done = run(BUILD / "docs" / "print-config", path)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done

    def with_key(self, key, value):
        config = {}
        inner = config
        *sections, last = key.split(".")
        for section in sections:
            inner = inner.setdefault("fake" if section == "NAME" else section, {})
        if sections == ["schedule"]:
            inner["active"] = 1
        inner[last] = value
        return config

    def test_keys_are_those_of_the_core(self):
        sections = {"": set()}
        for key in KEYS:
            section, _, name = key["key"].rpartition(".")
            if section != "collectors.NAME":
                sections.setdefault(section, set()).add(name)
        for section, names in sections.items():
            wrong = self.with_key(section + ".zzz" if section else "zzz", 1)
            done = self.accepts(wrong)
            self.assertEqual(done.returncode, 3)
            known = re.search(r"\(known: (.*)\)", done.stderr)[1].split(", ")
            self.assertEqual(set(known), names, section)

    def test_types_are_those_of_the_core(self):
        of_type = {"object": {}, "integer": 7, "boolean": True, "text": "x", "size": "64MB",
                   "duration": "1s", "number": 2.5}
        for key in KEYS:
            for name, value in of_type.items():
                if {name, key["type"]} <= {"text", "size", "duration"}:
                    continue  # all of these are texts in JSON
                if (key["type"], name) == ("number", "integer"):
                    continue
                if key["key"] == "schedule" and name == "object":
                    value = {"active": 1}
                with self.subTest(key=key["key"], type=name):
                    done = self.accepts(self.with_key(key["key"], value))
                    self.assertEqual(done.returncode, 0 if name == key["type"] else 3, done.stderr)

    def near(self, key, limit, by):
        """A value that differs from a limit by `by` of the smallest steps."""
        if key["type"] == "integer":
            return limit + by
        if key["type"] == "number":
            return limit + by * 0.001
        if limit == "0s" and by < 0:
            return "-1ns"
        number, unit = re.fullmatch(r"(\d+)(\w+)", limit).groups()
        return "%d%s" % (int(number) * UNITS[unit] + by, FINEST[key["type"]])

    def test_ranges_are_those_of_the_core(self):
        for key in KEYS:
            for end, outward in (("min", -1), ("max", 1)):
                if end not in key:
                    continue
                for by, code in ((0, 0), (outward, 3)):
                    value = self.near(key, key[end], by)
                    with self.subTest(key=key["key"], value=value):
                        done = self.accepts(self.with_key(key["key"], value))
                        self.assertEqual(done.returncode, code, done.stderr)


    def test_choices_are_those_of_the_core(self):
        for key in KEYS:
            for choice in key.get("choices", ()):
                with self.subTest(key=key["key"], value=choice):
                    done = self.accepts(self.with_key(key["key"], choice))
                    self.assertEqual(done.returncode, 0, done.stderr)


class ReadmeTest(ScratchTest):
    """Runs the code blocks of README.md as they are printed there."""

    TEXT = (TOP / "README.md").read_text()

    def blocks(self, language, n):
        found = re.findall(r"```%s\n(.*?)```" % language, self.TEXT, re.S)
        self.assertEqual(len(found), n, language)
        return found

    def block(self, language):
        return self.blocks(language, 1)[0]

    def test_flags(self):
        """The flags of "strobe run"; the commands are not installed here."""
        lines = [line for block in self.blocks("sh", 5) for line in block.splitlines()]
        lines = [line.split(" -- ")[0] for line in lines if line.startswith("strobe run")]
        self.assertGreaterEqual(len(lines), 4)
        for line in lines:
            words = [BUILD / "tools" / "strobe", *line.split()[1:], "--", "true"]
            done = run(*words, cwd=self.work, env=self.environment)
            self.assertEqual(done.returncode, 0, "%s\n%s" % (line, done.stderr))

    def test_c_program(self):
        source = self.work / "program.c"
        source.write_text(self.block("c"))
        program = self.work / "program"
        done = run("cc", "-std=c11", "-pedantic", "-Wall", "-Werror", source, "-o", program,
                   "-I", TOP / "sdk" / "include", "-I", TOP / "core" / "include",
                   "-L", BUILD / "core", "-lstrobe")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.environment["LD_LIBRARY_PATH"] = str(BUILD / "core")
        done = run(program, cwd=self.work, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        directory = pathlib.Path(done.stdout.strip())
        capture = self.work / directory / "FRAMEWORK" / "capture.strobe"
        self.assertTrue(capture.exists(), directory)
        done = run(BUILD / "tools" / "strobe", "info", "--json", directory, cwd=self.work,
                   env=self.environment)
        kinds = json.loads(done.stdout)[0]["kinds"]
        self.assertEqual(kinds.get("marker"), 3, kinds)
        self.assertEqual(kinds.get("counter"), 3, kinds)

    def test_configuration(self):
        path = self.work / "config.json"
        path.write_text(self.block("json"))
        done = run(BUILD / "docs" / "print-config", path)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless((BUILD / "python" / "strobe").is_dir(), "built without the Python package")
    def test_python_scripts(self):
        if run("/usr/bin/python3", "-c", "import torch").returncode:
            self.skipTest("no PyTorch")
        said = [self.run_script(text).stdout.strip() for text in self.blocks("python", 2)]
        made = "ASCEND_PROFILER_OUTPUT/trace_view.json"
        self.assertEqual(len(list(self.work.glob("result/*_ascend_pt/" + made))), 1)
        self.assertTrue((self.work / said[1] / made).exists(), said)


class ScriptsTest(ScratchTest):
    """Runs the scripts of other pages, each separately."""

    @unittest.skipUnless((BUILD / "python" / "strobe").is_dir(), "built without the Python package")
    def test_they_run(self):
        if run("/usr/bin/python3", "-c", "import torch").returncode:
            self.skipTest("no PyTorch")
        for page, n in (("python.md", 4), ("marks.md", 3)):
            texts = re.findall(r"```python\n(.*?)```", (TOP / "docs" / page).read_text(), re.S)
            self.assertEqual(len(texts), n, page)
            for text in texts:
                with self.subTest(page):
                    self.run_script(text)
        made = list(self.work.glob("dynamic/result/*_ascend_pt/FRAMEWORK/capture.strobe"))
        self.assertEqual(len(made), 1)


if __name__ == "__main__":
    tap.main()
