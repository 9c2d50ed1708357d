/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors that run outside the program, in the writer process: a thread of their own opens,
 * starts and stops them, a sampler (sampler.h) calls them. They record into the program's pool, on
 * thread buffers of the writer process.
 */
#ifndef STROBE_CORE_OUTSIDE_H
#define STROBE_CORE_OUTSIDE_H

#include "pool.h"
#include "registry.h"
#include "writer-setup.h"

typedef struct StrobeOutside StrobeOutside;

/* Does the collector run there if it can? */
gboolean strobe_component_is_outside(const StrobeComponent *component);

/* `program`: its number as this process sees it, 0: it does not. The collectors that the setup
 * names, for a process that has this pool mapped and joins it; NULL: there are none. A collector
 * that cannot be had is reported to the program. `setup` must outlive it.
 */
StrobeOutside *strobe_outside_new(struct pool_header *pool, pid_t program,
                                  const StrobeWriterSetup *setup);
/* Closes the collectors. NULL is allowed. */
void strobe_outside_free(StrobeOutside *outside);

/* A window has begun, whose capture lies at this path: returns at once. */
void strobe_outside_begin(StrobeOutside *outside, guint32 window, const char *capture);
/* It has ended: waits until no collector records in it, for some seconds at most. Returns how many
 * threads will not stop recording. */
guint strobe_outside_end(StrobeOutside *outside, guint64 end);
/* Looks whether the program has paused a collector; to be called now and then. */
void strobe_outside_look(StrobeOutside *outside);

#endif
