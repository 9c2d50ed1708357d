/* SPDX-License-Identifier: Apache-2.0 */
/* One fuzz target for each fuzz-NAME.c. libFuzzer calls it, or corpus-test.c calls it with the
 * seeds and with mutations of them. It must not crash, leak, hang or write outside of its
 * folder, whatever the bytes; if the bytes are accepted, it checks the result. */
#ifndef STROBE_TESTS_FUZZ_H
#define STROBE_TESTS_FUZZ_H

#include <glib.h>

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n);

/* Name of the target, as in fuzz-NAME.c; for the report. */
extern const char fuzz_target[];

/* Ends the program because a promise was broken; libFuzzer and the test both report this. */
#define FUZZ_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            g_printerr("%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
