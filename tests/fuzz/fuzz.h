/* SPDX-License-Identifier: Apache-2.0 */
/* One fuzz target per fuzz-NAME.c. libFuzzer calls it, or corpus-test.c does with the seeds and
 * mutations of them. It must not crash, leak, hang or write outside of its folder, whatever the
 * bytes; what they yield where they are accepted is checked. */
#ifndef STROBE_TESTS_FUZZ_H
#define STROBE_TESTS_FUZZ_H

#include <glib.h>

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n);

/* Name of the target, as in fuzz-NAME.c; for the report. */
extern const char fuzz_target[];

/* Ends the program where a promise was broken: libFuzzer and the test both take that as a find. */
#define FUZZ_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            g_printerr("%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
