/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a run for the tests of findings, which add problems to it. */
#ifndef STROBE_TEST_FINDING_RUN_H
#define STROBE_TEST_FINDING_RUN_H

#include <glib.h>
#include <strobe/kinds.h>

#include "mock-consumer-host.h"

extern const StrobePlugin strobe_plugin_1;

#define MS G_GINT64_CONSTANT(1000000)
#define STEPS 10
#define STEP_NS (100 * MS)
#define THREAD 4711

typedef struct Run {
    StrobeMockHost *mock;
    StrobeTrackId thread;
} Run;

void add_operator(Run *run, const char *name, int64_t begin, int64_t end);
void add_step(Run *run, int64_t number, int64_t begin, int64_t end);
void add_gc(Run *run, StrobeTrackId track, int64_t begin, int64_t end);
/* Returns a run without problems: ten steps of 100 ms. Each has 2 ms for the next batch, 1 ms of
 * garbage collection and 80 ms of nested operators. */
Run clean_run(void);
const struct strobe_finding *find_finding(Run *run, const char *id);
guint count_findings(Run *run);
void finish_run(Run *run);
/* Checks that `id` is the only finding and has texts. Returns the finding. */
const struct strobe_finding *expect_only(Run *run, const char *id, const char *severity);

#endif
