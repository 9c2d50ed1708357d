# SPDX-License-Identifier: Apache-2.0
"""`strobe plugins` lists the plugins with their options, and why some of them cannot be used."""

import os
import re
import shutil
import signal
import time

from support import BUILD, StrobeTest, bad_plugin, program


class PluginsTest(StrobeTest):
    def component(self, files, name, kind):
        found = [
            component
            for file in files
            for component in file.get("components", [])
            if (component["name"], component["type"]) == (name, kind)
        ]
        self.assertEqual(len(found), 1, "%s %s" % (kind, name))
        return found[0]

    def test_bundled_plugins_are_found(self):
        files = self.json("plugins")
        for name in ("cpu_op", "gc", "host_sys", "metadata", "fake"):
            self.component(files, name, "collector")
        for name in ("chrome_trace", "comm_json", "csv", "stacks"):
            self.component(files, name, "exporter")
        for file in files:
            self.assertNotIn("error", file)
            self.assertTrue(file["version"] and file["license"], file)
            self.assertTrue(os.path.exists(file["file"]))

    def test_options_are_declared_in_full(self):
        fake = self.component(self.json("plugins", "fake"), "fake", "collector")
        self.assertTrue(fake["simulated"])
        options = {option["name"]: option for option in fake["options"]}
        self.assertEqual(options["records"]["type"], "int")
        self.assertEqual(options["records"]["default"], "1000")
        self.assertTrue(options["records"]["range"])
        self.assertEqual(options["names"]["choices"], ["plain", "hostile"])
        for option in options.values():
            self.assertTrue(option["summary"].endswith("."), option)

    def test_list_for_people(self):
        text = self.strobe("plugins").stdout
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^Name +Type +Version +Works here +Summary")
        fake = [line for line in lines if line.startswith("fake ")]
        self.assertEqual(len(fake), 1)
        self.assertIn("[simulated]", fake[0])

    def test_one_for_people(self):
        text = self.strobe("plugins", "fake").stdout
        self.assertIn("simulated", text)
        self.assertRegex(text, r"\n +records +int +1000 ")
        self.assertEqual(text, self.strobe("plugins", "fake.fake").stdout)

    def test_unknown_name(self):
        done = self.strobe("plugins", "fkae", code=4)
        self.assertIn('did you mean "fake"', done.stderr)

    def test_reference_page(self):
        text = self.strobe("plugins", "--markdown").stdout
        self.assertIn("\n### `fake`\n", text)
        self.assertRegex(text, r"\n\| `records` \| int \| `1000` \|")
        self.assertNotIn(str(BUILD), text)
        for words in (["fake"], ["--json"]):
            self.assertIn("--markdown prints all plugins", self.strobe("plugins", "--markdown", *words, code=2).stderr)

    def test_folders_come_first(self):
        folder = self.work / "mine"
        folder.mkdir(mode=0o755)
        bundled = self.json("plugins", "fake")[0]["file"]
        shutil.copy(bundled, folder / "fake.so")
        files = self.json("plugins", "fake", "--plugin-path", folder)
        self.assertEqual([file["file"] for file in files], [str(folder / "fake.so"), bundled])
        self.assertEqual([file["shadowed"] for file in files], [False, True])
        self.assertIn("shadowed", self.strobe("plugins", "--plugin-path", folder).stdout)

    def test_folder_that_is_not_there(self):
        """If the name of a folder is wrong, every command says so, and does not take it for a
        folder without plugins."""
        missing, ran = self.work / "missing", self.work / "ran"
        file = self.work / "a.so"
        file.write_text("")
        for command in ("plugins", "show", "analyse", "import", "export", "diff", "run"):
            for folder, why in ((missing, "No such file"), (file, "Not a directory")):
                with self.subTest((command, folder)):
                    words = {"plugins": (), "diff": ("a", "b"), "export": ("-o", self.out, "a"),
                             "run": ("-o", self.out, "--", "touch", ran)}.get(command, ("a",))
                    done = self.strobe(command, "--plugin-path", folder, *words, code=4)
                    self.assertIn('"%s" (--plugin-path): %s' % (folder, why), done.stderr)
                    self.assertEqual(done.stdout, "")
        self.assertFalse(ran.exists() or self.out.exists())

    def test_folder_of_the_environment_that_is_not_there(self):
        self.environment["STROBE_PLUGIN_PATH"] = "%s::%s" % (self.work, self.work / "missing")
        done = self.strobe("plugins", "fake")
        says = 'warning: Cannot look for plugins in "%s/missing" (STROBE_PLUGIN_PATH)' % self.work
        self.assertEqual(done.stderr.count("warning"), 1)
        self.assertIn(says, done.stderr)
        done = self.strobe("run", "-o", self.out, "--collect", "fake:records=10", "--", "true")
        self.assertEqual(done.stderr.count(says), 1)


class BadPluginsTest(StrobeTest):
    """No bad plugin ends the listing or hides the good plugins."""

    def setUp(self):
        super().setUp()
        self.folder = self.work / "bad"
        self.folder.mkdir(mode=0o755)

    def add(self, source, name="bad.so"):
        path = self.folder / name
        shutil.copy(source, path)
        path.chmod(0o644)
        return path

    def assertRefused(self, reason, name="bad"):
        files = self.json("plugins", "--plugin-path", self.folder)
        error = [file["error"] for file in files if file["name"] == name]
        self.assertEqual(len(error), 1, files)
        self.assertRegex(error[0], re.compile(reason, re.IGNORECASE))
        self.assertTrue([file for file in files if file["name"] == "fake" and "error" not in file])
        text = self.strobe("plugins", "--plugin-path", self.folder).stdout
        self.assertRegex(text, r"%s\.so was refused: " % name)

    def test_no_library_at_all(self):
        (self.folder / "bad.so").write_text("no ELF file")
        (self.folder / "bad.so").chmod(0o644)
        self.assertRefused("cannot be loaded")

    def test_empty(self):
        (self.folder / "bad.so").touch(mode=0o644)
        self.assertRefused("cannot be loaded")

    def test_library_that_is_no_plugin(self):
        self.add(bad_plugin("no_symbol"))
        self.assertRefused("strobe_plugin_1")

    def test_another_abi(self):
        self.add(bad_plugin("wrong_abi"))
        self.assertRefused(r"ABI \d+, this Strobe has ABI")

    def test_crash(self):
        self.add(bad_plugin("fatal/crashes"))
        self.assertRefused("crash")

    def test_crash_when_opened(self):
        """The crash ends the command; a message names the plugin."""
        self.add(bad_plugin("fatal/open_crashes"), "open_crashes.so")
        done = self.strobe(
            "run", "-o", self.out, "--plugin-path", self.folder, "--collect", "open_crashes", "--",
            program("marked-program"), code=-signal.SIGKILL)
        self.assertIn("while it opened a plugin: collector open_crashes in process", done.stderr)
        done = self.record(program("marked-program"))
        self.assertNotIn("while it opened", done.stderr)

    def test_exit(self):
        self.add(program("plugin-that-exits.so"))
        self.assertRefused("ended the process")

    def test_hang(self):
        self.add(bad_plugin("fatal/hangs"))
        begin = time.monotonic()
        files = self.json("plugins", "--plugin-path", self.folder)
        self.assertLess(time.monotonic() - begin, 30)
        error = [file["error"] for file in files if file["name"] == "bad"]
        self.assertEqual(len(error), 1, files)
        self.assertIn("does not come back", error[0])
        self.assertTrue([file for file in files if file["name"] == "fake"])

    def test_what_it_prints_is_no_output(self):
        self.add(program("plugin-that-prints.so"))
        done = self.strobe("plugins", "--json", "--plugin-path", self.folder)
        self.assertNotIn("noise", done.stdout)

    def test_another_name(self):
        self.add(self.json("plugins", "fake")[0]["file"])
        self.assertRefused("fake")

    def test_world_writable(self):
        path = self.add(self.json("plugins", "fake")[0]["file"], "fake.so")
        path.chmod(0o666)
        files = self.json("plugins", "fake", "--plugin-path", self.folder)
        self.assertIn("writable", files[0]["error"])

    def test_name_of_a_refused_plugin(self):
        self.add(bad_plugin("no_symbol"))
        text = self.strobe("plugins", "bad", "--plugin-path", self.folder).stdout
        self.assertIn("refused", text)
        done = self.strobe(
            "run", "-o", self.out, "--plugin-path", self.folder, "--collect", "bad", "--", "true",
            code=4,
        )
        self.assertIn("strobe_plugin_1", done.stderr)
