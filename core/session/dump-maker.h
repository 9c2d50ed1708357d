/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the result directories of a flight recorder's dumps, in the writer. The program may be
 * gone. So the data for the result directory come from the writer's setup (writer-setup.h), the
 * metadata of the recording window's capture, the small files of that window's result directory,
 * and the log in the pool.
 */
#ifndef STROBE_CORE_DUMP_MAKER_H
#define STROBE_CORE_DUMP_MAKER_H

#include "writer-setup.h"

typedef struct StrobeDumpMaker {
    StrobeWriterSetup *setup; /* not owned; NULL: no dump can be made */
    /* number of dumps by signal and slow step, and time of the last of these dumps */
    gint64 n_limited, last_ns;
} StrobeDumpMaker;

/* Makes a dump as StrobeWriterLoopProgram.make_dump describes; `maker` is a StrobeDumpMaker. */
int strobe_dump_maker_make(void *maker, struct StrobeWriterLoop *loop, uint32_t why,
                           const char *reason, char path[PATH_MAX]);

#endif
