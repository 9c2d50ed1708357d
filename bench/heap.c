/* SPDX-License-Identifier: Apache-2.0 */
/* heap FOLDER: measures the ns of a malloc and its free. With heap-preload.so in LD_PRELOAD, also
 * measures them in sessions that record every block, only blocks of at least 1 MB (of which there
 * are none), one block in 512 KB, or every block with its call path, and measures the ns of a
 * span. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "measure.h"

#define REPEATS 15
#define PAIRS 100000

static void *(*volatile take)(size_t) = malloc; /* volatile, so that the compiler keeps the calls */
static void (*volatile give)(void *) = free;

static double time_pairs(void)
{
    double begin = now_ns();

    for (int i = 0; i < PAIRS; i++)
        give(take(256));
    return (now_ns() - begin) / PAIRS;
}

static double time_spans(void)
{
    double begin = now_ns();

    for (int i = 0; i < PAIRS; i++)
        strobe_range_end(strobe_range_begin("benchmark"));
    return (now_ns() - begin) / PAIRS;
}

static void in_session(const char *folder, const char *name, const char *options, int with_spans)
{
    Samples pairs = {.name = name}, spans = {.name = "span"};
    char config[200];

    snprintf(config, sizeof config,
             "\"buffer\": {\"policy\": \"ring\"}, \"collectors\": {\"heap\": {%s}}", options);
    StrobeSession *session = session_begin_with(folder, config);
    for (int i = 0; i < REPEATS; i++) {
        samples_add(&pairs, time_pairs());
        if (with_spans)
            samples_add(&spans, time_spans());
    }
    session_stop(session);
    strobe_session_free(session);
    samples_print(&pairs);
    if (with_spans)
        samples_print(&spans);
}

int main(int argc, char **argv)
{
    static Samples shut = {.name = "shut"};
    const char *preload = getenv("LD_PRELOAD");

    if (argc < 2)
        fail("usage", "heap FOLDER");
    for (int i = 0; i < REPEATS; i++)
        samples_add(&shut, time_pairs());
    samples_print(&shut);
    if (!preload || !strstr(preload, "heap"))
        return 0;
    in_session(argv[1], "every", "", 1);
    in_session(argv[1], "none", "\"threshold\": \"1MB\"", 0);
    in_session(argv[1], "sampled", "\"sampling\": \"512KB\"", 0);
    in_session(argv[1], "stacks", "\"stacks\": true", 0);
    return 0;
}
