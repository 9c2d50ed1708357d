/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors that run outside the program, in the writer process. A separate thread opens, starts
 * and stops them, and a sampler (sampler.h) calls them. The collectors record into the program's
 * pool, in thread buffers of the writer process.
 */
#ifndef STROBE_CORE_OUTSIDE_H
#define STROBE_CORE_OUTSIDE_H

#include "pool.h"
#include "registry.h"
#include "writer-setup.h"

typedef struct StrobeOutside StrobeOutside;

/* Should the collector run in the writer process if there is one? */
gboolean strobe_component_is_outside(const StrobeComponent *component);

/* Makes the collectors that the setup names, in a process that has mapped this pool, and begins to
 * record into the pool; NULL: the setup names no collectors. `program` is the program's process id
 * as this process sees it, 0 if it cannot see the program. Reports a missing collector to the
 * program. `setup` must outlive the result. */
StrobeOutside *strobe_outside_new(struct pool_header *pool, pid_t program,
                                  const StrobeWriterSetup *setup);
/* Closes the collectors. NULL is allowed. */
void strobe_outside_free(StrobeOutside *outside);

/* Call it when a window with its capture at the path `capture` has begun: makes the collectors
 * record in the window. Returns at once. */
void strobe_outside_begin(StrobeOutside *outside, guint32 window, const char *capture);
/* Call it when the window has ended: waits some seconds at most until no collector records in the
 * window. Returns the number of threads that have not stopped recording. */
guint strobe_outside_end(StrobeOutside *outside, guint64 end);
/* Checks whether the program has paused a collector; call it regularly. */
void strobe_outside_look(StrobeOutside *outside);

#endif
