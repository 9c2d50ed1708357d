# SPDX-License-Identifier: Apache-2.0
"""A session that begins in a call of the loader does not read the environment, which the program
may have changed or may be changing: it uses the environment as it was before main."""

import shutil
import subprocess
import unittest

from npu import HOME
from support import StrobeTest

PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lib64/libascendcl.so", getenv("ASCEND_HOME_PATH"));
    setenv("STROBE_TEST_CHANGED", "by the program", 1);
    unsetenv("STROBE_TEST_REMOVED");
    setenv("STROBE_TEST_ADDED", "by the program", 1);
    /* What the session needs to be found is not the program's business either. */
    setenv("STROBE_PLUGIN_PATH", "/nowhere", 1);
    setenv("STROBE_RUN_DIR", "/nowhere", 1);
    if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        return 1;
    dlsym(RTLD_DEFAULT, "aclInit"); /* the library is seen with the call that follows */
    for (int i = 0; i < 500; i++) {
        usleep(10000);
        snprintf(path, sizeof path, "%s/lib64/libmspti.so", getenv("ASCEND_HOME_PATH"));
        if (dlopen(path, RTLD_NOW | RTLD_NOLOAD))
            return usleep(100000);
    }
    return 2;
}
"""
NAMES = ("CHANGED", "REMOVED", "ADDED")


@unittest.skipUnless(shutil.which("cc"), "needs a compiler")
class EnvironmentBesideTest(StrobeTest):
    def test_as_before_main(self):
        source, program = self.work / "program.c", self.work / "program"
        source.write_text(PROGRAM)
        subprocess.run(["cc", "-o", program, source, "-ldl"], check=True)
        self.environment.update(ASCEND_HOME_PATH=str(HOME), STROBE_TEST_CHANGED="before",
                                STROBE_TEST_REMOVED="before")
        self.environment.pop("STROBE_TEST_ADDED", None)
        self.strobe("run", "-o", self.out, "--collect", "npu_task", "--collect",
                    "metadata:env=" + "+".join("STROBE_TEST_" + name for name in NAMES),
                    "--", program)
        rows = self.json("show", "--json", "--table", "metadata", "--limit", "1000",
                         self.out)[0]["rows"]
        found = {row["name"]: row["value"] for row in rows}
        self.assertEqual([found["env.STROBE_TEST_" + name] for name in NAMES],
                         ["before", "before", ""])


if __name__ == "__main__":
    unittest.main()
