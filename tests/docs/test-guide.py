#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the C code of docs/plugin-guide.md: a collector, an exporter and a test."""

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

FLAGS = ("-std=gnu11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fvisibility=hidden",
         "-I", TOP / "sdk" / "include")
LIBRARIES = ("-L", BUILD / "sdk", "-lstrobe-sdk", "-lpthread", "-ldl", "-lm")

# A collector with the page's code, which records once for each sample.
COLLECTOR = """
#include <strobe/strobe-plugin.h>
#include <stdlib.h>

struct faults {
    uint64_t minor;
};
static const StrobeField fields_of_faults[] = {{"minor", STROBE_FIELD_U64, 0, "", "Page faults."}};
static const StrobeKind faults_kind = STROBE_KIND("my_faults.faults", COUNTER, fields_of_faults, "Page faults.");
static const StrobeKind *const kinds[] = {&faults_kind};
static const StrobeOption options[] = {
    {.struct_size = sizeof(StrobeOption), .type = STROBE_OPTION_DURATION, .name = "interval",
     .default_value = "10ms", .min = 1e6, .max = 60e9, .summary = "Time between two samples."}};
typedef struct State {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId kind;
} State;

static void record_faults(const State *state, uint64_t minor)
{
    const StrobeHost *host = state->host;
    StrobeInstance *self = state->self;
    StrobeKindId kind = state->kind;
    StrobeTrackId track = 0;
    const char *text = "faults";
    size_t length = 6;
    int64_t begin = host->now(), end = 0;

@BLOCK@
}

static StrobeStatus state_open(const StrobeHost *host, StrobeInstance *self, void **made)
{
    State *state = calloc(1, sizeof *state);

    if (!state)
        return STROBE_ERROR_MEMORY;
    state->host = host;
    state->self = self;
    *made = state;
    return host->kind(self, &faults_kind, &state->kind);
}
static StrobeStatus state_start(void *state)
{
    return STROBE_OK;
}
static int64_t state_interval(void *state)
{
    return ((State *)state)->host->option_int(((State *)state)->self, "interval");
}
static void state_sample(void *state)
{
    record_faults(state, 42);
}
static const StrobeCollectorOps ops = {.struct_size = sizeof(StrobeCollectorOps), .open = state_open,
    .start = state_start, .stop = state_start, .sample_interval = state_interval,
    .sample = state_sample, .close = free};
static const StrobeComponent component = {.struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR, .flags = STROBE_COMPONENT_ANY_PROCESS, .name = "my_faults", .summary = "Page faults.", .ops = &ops,
    .options = options, .n_options = 1, .kinds = kinds, .n_kinds = 1};
STROBE_PLUGIN(component, .name = "my_faults", .version = "1.0.0", .summary = "Page faults.",
              .license = "Apache-2.0", .vendor = "example");
"""

# The page's exporter, with the descriptor that the page describes.
EXPORTER = """
#include <strobe/helpers/number.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/strobe-plugin.h>
#include <stdlib.h>

@BLOCK@

static const char *const wants[] = {"*", NULL};
static const StrobeComponent component = {.struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER, .name = "count", .summary = "Counts records.", .ops = &count_ops,
    .wants = wants};
STROBE_PLUGIN(component, .name = "count", .version = "1.0.0", .summary = "Counts records.",
              .license = "Apache-2.0", .vendor = "example");
"""

TEST = """
#include <glib.h>
#include "mock-host.h"

int main(void)
{
@BLOCK@
    return 0;
}
"""


def c_blocks():
    return re.findall(r"```c\n(.*?)```", (TOP / "docs" / "plugin-guide.md").read_text(), re.S)


class GuideTest(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="strobe-guide-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.record, self.exporter, self.test = c_blocks()
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("STROBE_", "PYTHON", "LD_"))}
        self.environment["HOME"] = str(self.work)

    def run_good(self, *words):
        done = subprocess.run([str(word) for word in words], cwd=self.work, env=self.environment,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, "%s\n%s" % (" ".join(map(str, words)), done.stdout + done.stderr))
        return done.stdout

    def compile(self, name, text, block, *flags):
        source = (self.work / name).with_suffix(".c")
        source.parent.mkdir(exist_ok=True)
        self.assertIn("@BLOCK@", text)
        source.write_text(text.replace("@BLOCK@", block))
        self.run_good("cc", *FLAGS, source, "-o", self.work / name, *flags, *LIBRARIES)

    def make_collector(self):
        self.compile("build/my_faults.so", COLLECTOR, self.record, "-shared", "-fPIC")

    def strobe(self, *words):
        return self.run_good(BUILD / "tools" / "strobe", *words)

    def test_collector_and_exporter(self):
        """There is a record for each sample; the exporter counts all records of the capture."""
        self.make_collector()
        self.compile("build/count.so", EXPORTER, self.exporter, "-shared", "-fPIC")
        self.strobe("run", "-o", "out", "--no-default-collectors", "--plugin-path", "build", "--collect",
                    "my_faults:interval=5ms", "--export", "count", "--export", "csv", "--", "sleep", "0.3")
        (output,) = self.work.glob("out/*_ascend_pt/ASCEND_PROFILER_OUTPUT")
        kinds = json.loads(self.strobe("info", "--json", output.parent))[0]["kinds"]
        self.assertGreater(kinds["my_faults.faults"], 5)
        self.assertEqual(int((output / "count.txt").read_text()), sum(kinds.values()))
        (table,) = output.glob("*faults*.csv")
        head, *rows = table.read_text().splitlines()
        self.assertEqual(len(rows), kinds["my_faults.faults"])
        self.assertIn("42", rows[0].split(","))

    def test_mock_host(self):
        self.make_collector()
        flags = self.run_good("pkg-config", "--cflags", "--libs", "glib-2.0").split()
        self.compile("test", TEST, self.test, "-I", TOP / "sdk" / "check", *flags, "-L",
                     BUILD / "plugins" / "fixture", "-Wl,-rpath," + str(BUILD / "plugins" / "fixture"),
                     "-lstrobe-mock-host")
        self.run_good(self.work / "test")

    def test_a_wrong_block_is_found(self):
        """The mock host's test fails if the collector does not commit."""
        self.record = self.record.replace("host->commit(writer);", "")
        # g_assert aborts
        with self.assertRaisesRegex(AssertionError, "^-6 != 0 : %s/test\n" % self.work):
            self.test_mock_host()


if __name__ == "__main__":
    tap.main()
