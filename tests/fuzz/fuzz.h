/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a fuzz target; each fuzz-NAME.c is one. libFuzzer calls it, or corpus-test.c
 * calls it with the seeds and with mutations of them. For any input, it must not crash, leak, hang
 * or write outside of its folder. If the code accepts the input, the target checks the result. */
#ifndef STROBE_TESTS_FUZZ_H
#define STROBE_TESTS_FUZZ_H

#include <glib.h>

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n);

/* Name of the target, NAME in fuzz-NAME.c, for messages. */
extern const char fuzz_target[];

/* Ends the program if the condition, a promise of the code, is FALSE. libFuzzer and corpus-test.c
 * report this. */
#define FUZZ_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            g_printerr("%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
