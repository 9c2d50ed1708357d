# SPDX-License-Identifier: Apache-2.0
"""`strobe run --on`: marks of a program on a board (strobe/strobe.h)."""

import shutil
import subprocess
import unittest

from board_servers import RunOnTest, needs_servers
from support import BUILD, TOP, program

OPEN = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/strobe.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    StrobeSession *session;
    StrobeError *error = NULL;
    StrobeRange outer = strobe_range_begin("outer"), inner = strobe_range_begin("inner");
    int n = argc > 2 ? atoi(argv[2]) : 0;
    char name[32];

    if (fork() == 0) {
        strobe_mark("of the child");
        _exit(0);
    }
    wait(NULL);
    for (int i = 0; i < n; i++)
        strobe_mark("one");
    strobe_range_end(inner);
    strobe_step();
    if (strcmp(argv[1], "session") == 0) {
        printf("%d ", strobe_session_new(NULL, NULL, &session, &error) == STROBE_UNAVAILABLE);
        puts(strobe_error_message(error));
        strobe_error_free(error);
    }
    for (int i = 0; strcmp(argv[1], "stay") == 0 && i < 60000; i++) {
        snprintf(name, sizeof name, "later %d", i);
        strobe_range_end(strobe_range_begin(name));
        if (i == 30)
            fclose(fopen("marked", "w"));
        usleep(1000);
    }
    if (strcmp(argv[1], "kill") == 0)
        raise(SIGKILL);
    if (strcmp(argv[1], "again") == 0) {
        execl("/proc/self/exe", argv[0], "end", "7", NULL);
        return 1;
    }
    strobe_range_end(outer);
    return 0;
}
"""


@needs_servers
class MarksTest(RunOnTest):
    def setUp(self):
        super().setUp()
        shutil.copy(program("marked-program"), self.project)

    def build(self, *flags):
        """A program that is linked with the kit's library."""
        source = self.project / "open.c"
        source.write_text(OPEN)
        subprocess.run(["gcc", "-O1", *flags, "-I%s/core/include" % TOP, "-I%s/sdk/include" % TOP, "-o",
                        self.project / "open", source, BUILD / "board" / "libstrobe-marks.so"], check=True)

    def rows(self, kind):
        (table,) = self.json("show", "--table", kind, "--limit", 100000, self.result())
        return table["rows"]

    def names(self):
        return sorted(row["name"] for kind in ("marker", "marker_instant") for row in self.rows(kind))

    def test_marks(self):
        """Ranges, instants and counters of all threads, beside what collectors see."""
        for server in "sshd", "dropbear":
            board = self.board(server)
            self.run_on("./marked-program", "500", "3")
            counts = self.json("info", self.result())[0]["kinds"]
            self.assertEqual((counts["marker"], counts["marker_instant"], counts["counter"]),
                             (1000, 503, 500))
            self.assertGreater(counts["collector_call"], 0)
            inner = [row for row in self.rows("marker") if row["name"] == "inner"]
            self.assertEqual(sorted(row["argument"] for row in inner), list(range(500)))
            self.assertEqual(len([row for row in self.rows("marker_instant")
                                  if row["name"] == "short"]), 3)
            self.check_clean(board)
            board.stop()
            shutil.rmtree(self.out)

    def test_many(self):
        """More than the pool holds: all are written or counted."""
        self.board()
        self.run_on("./marked-program", "300000")
        info = self.json("info", self.result())[0]
        marks = sum(info["kinds"][kind] for kind in ("marker", "marker_instant", "counter"))
        lost = sum(n for cause, n in info["lost"].items() if cause != "string_cut")
        self.assertEqual(info["offered"], info["stored"] + lost)
        self.assertLessEqual(marks, 1200000)
        self.assertGreaterEqual(marks + lost, 1200000)  # samples are lost too

    def test_killed(self):
        """Marks of a killed program are there, and its open range, to the end."""
        board = self.board()
        self.build()
        self.run_on("./open", "kill", "3", code=128 + 9)
        self.assertEqual(self.names(), ["inner", "one", "one", "one", "outer"])
        self.assertRegex(self.strobe("info", self.result()).stdout, r"unfinished +1\n")
        self.check_clean(board)

    def test_one_process(self):
        """One process of a run marks: no child, and no program that it executes."""
        board = self.board()
        self.build("-no-pie", "-fno-pie")
        self.run_on("./open", "again", "2")
        self.assertEqual(self.names(), ["inner", "one", "one", "outer"])
        self.check_clean(board)

    def test_by_a_script(self):
        """The first process that is linked with the library marks."""
        self.board()
        self.build()
        self.run_on(self.script("./open end 1; ./open end 5\n"), flags=("--project", "."))
        self.assertEqual(self.names(), ["inner", "one", "outer"])

    def test_process_that_outlives_the_run(self):
        """A process that marks runs on when the command has ended: its marks so far are there, and
        its open range."""
        board = self.board()
        self.build()
        self.run_on(self.script("./open stay 3 > /dev/null 2>&1 &\nwhile [ ! -e marked ]; do sleep 0.05; done\n"),
                    flags=("--project", "."))
        names = self.names()
        self.assertEqual([name for name in names if not name.startswith("later ")],
                         ["inner", "one", "one", "one", "outer"])
        self.assertGreater(len(names), 25)
        info = self.json("info", self.result())[0]
        self.assertEqual((info["sealed"], info["unfinished"], info["offered"] - info["stored"],
                          info["damaged"]), (True, 1, 0, 0))
        self.check_clean(board)

    def test_sessions(self):
        self.board()
        self.build()
        done = self.run_on("./open", "session")
        self.assertIn("1 there are no sessions on a board", done.stdout)


if __name__ == "__main__":
    unittest.main()
