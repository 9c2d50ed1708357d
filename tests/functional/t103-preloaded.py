# SPDX-License-Identifier: Apache-2.0
"""The effect of the preloaded library on programs that do not load the awaited libraries: no
thread, and an unchanged loader; and a library that is loaded while the program ends."""

import shutil
import subprocess
import unittest

from npu import NpuTest

# Starts itself, so that the examined process is a child.
COUNT = "sleep 60 & for i in 1 2 3 4 5; do sleep 0.1; ls /proc/$!/task | wc -l; done; kill $!"
# The loader looks for a program's libraries in the program's own folder only.
ASKING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
int puts(const char *text) { (void)text; return 7; }
void *load_own(void) { return dlopen("libonly-mine.so", RTLD_NOW); }
void *next_puts(void) { return dlsym(RTLD_NEXT, "puts"); }
"""
ASKED = "int mine(void) { return 4; }\n"
CALLER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int puts(const char *text) { (void)text; return 9; }
int main(int argc, char **argv)
{
    void *asking = dlopen(argv[1], RTLD_NOW);
    if (!asking)
        return 10;
    void *(*load_own)(void) = (void *(*)(void))dlsym(asking, "load_own");
    void *(*next_puts)(void) = (void *(*)(void))dlsym(asking, "next_puts");
    if (dlopen("libonly-mine.so", RTLD_NOW))
        return 11;
    void *own = load_own();
    if (!own || ((int (*)(void))dlsym(own, "mine"))() != 4)
        return 12;
    if (next_puts() == dlsym(asking, "puts") || dlsym(RTLD_DEFAULT, "puts") != (void *)puts)
        return 13;
    if (dlopen("/no/such/library.so", RTLD_NOW) || !dlerror() || dlsym(own, "none") || !dlerror())
        return 14;
    return dlerror() ? 15 : 3;
}
"""
# Ends as soon as CANN is loaded. Its data is unusable after its destructor has run, as with C++
# libraries.
ENDING = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char path[4096];
    struct timespec pause = {0, atoi(argv[2]) * 1000L};
    snprintf(path, sizeof path, "%s/lib64/libascendcl.so", getenv("ASCEND_HOME_PATH"));
    void *cann = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!cann || !dlsym(cann, "aclInit"))
        return 10;
    nanosleep(&pause, NULL);
    if (argv[1][0] == 'e')
        exit(3);
    return 3;
}
"""
# Loads CANN in its constructor, where nothing may be opened, because the libraries are not ready.
CONSTRUCTED = r"""
#include <dlfcn.h>
#include <stdlib.h>
int was_open;
int is_open(void) { return dlopen("libmspti.so", RTLD_NOW | RTLD_NOLOAD) != NULL; }
__attribute__((constructor)) static void load(void)
{
    void *cann = dlopen(getenv("CANN"), RTLD_NOW | RTLD_GLOBAL);
    was_open = !cann || !dlsym(cann, "aclInit") || is_open();
}
"""
CONSTRUCTING = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW);
    int *was_open = library ? dlsym(library, "was_open") : NULL;
    int (*is_open)(void) = library ? (int (*)(void))dlsym(library, "is_open") : NULL;
    if (!was_open || !is_open)
        return 10;
    printf("%d %d\n", *was_open, is_open());
    return 0;
}
"""


def can_unshare():
    return subprocess.run(["unshare", "-U", "true"], capture_output=True).returncode == 0


class PreloadedTest(NpuTest):
    def compiled(self, name, text, *flags):
        source = self.script(name + ".c", text)
        subprocess.run(["cc", "-o", self.work / name, source, *flags, "-ldl"], check=True)
        return self.work / name

    def test_no_thread(self):
        done = self.strobe("run", "-o", self.out, "--collect", "npu_task", "--", "sh", "-c", COUNT)
        self.assertEqual(done.stdout.split(), ["1"] * 5)

    @unittest.skipUnless(shutil.which("unshare") and can_unshare(), "needs user namespaces")
    def test_unshare(self):
        """A process with two threads cannot enter a user namespace."""
        done = self.strobe("run", "-o", self.out, "--collect", "npu_task", "--", "unshare", "-U",
                           "sh", "-c", "echo inside")
        self.assertEqual(done.stdout, "inside\n")

    @unittest.skipUnless(shutil.which("cc"), "needs a compiler")
    def test_the_loader_knows_who_calls(self):
        (self.work / "own").mkdir()
        asking = self.compiled("libasking.so", ASKING, "-shared", "-fPIC",
                               "-Wl,-rpath,$ORIGIN/own")
        self.compiled("own/libonly-mine.so", ASKED, "-shared", "-fPIC")
        program = self.compiled("caller", CALLER, "-rdynamic")
        self.assertEqual(subprocess.run([program, asking], cwd=self.work).returncode, 3)
        self.strobe("run", "-o", self.out, "--collect", "npu_task", "--", program, asking, code=3)

    @unittest.skipUnless(shutil.which("cc"), "needs a compiler")
    def test_not_in_a_constructor(self):
        """The call after the constructor opens the collector, before this call returns."""
        library = self.compiled("libconstructed.so", CONSTRUCTED, "-shared", "-fPIC")
        program = self.compiled("constructing", CONSTRUCTING)
        self.environment["CANN"] = self.environment["ASCEND_HOME_PATH"] + "/lib64/libascendcl.so"
        for others in ((), ("--collect", "gc", "--collect", "host_sys")):
            with self.subTest(others=others):
                shutil.rmtree(self.out, ignore_errors=True)
                done = self.strobe("run", "-o", self.out, "--collect", "npu_task", *others, "--",
                                   program, library)
                self.assertEqual(done.stdout.split(), ["0", "1"])

    @unittest.skipUnless(shutil.which("cc"), "needs a compiler")
    def test_the_program_ends_meanwhile(self):
        program = self.compiled("ending", ENDING)
        for i in range(12):
            how, pause = ("exit", "return")[i % 2], (0, 200, 2000, 20000)[i % 4]
            with self.subTest(how=how, pause=pause):
                shutil.rmtree(self.out, ignore_errors=True)
                self.strobe("run", "-o", self.out, "--collect", "npu_task", "--", program, how,
                            pause, code=3)
                self.assertEqual(len(self.results()), 1)
                info = self.json("info", self.result())[0]
                self.assertFalse(info["recovered"])
                self.assertTrue(info["sealed"])


if __name__ == "__main__":
    unittest.main()
