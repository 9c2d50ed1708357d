/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is asked to do: the configuration merged from file and flags, and checked. */
#ifndef STROBE_TOOLS_RUN_REQUEST_H
#define STROBE_TOOLS_RUN_REQUEST_H

#include "config.h"
#include "memory-flags.h"
#include "options.h"
#include "registry.h"

/* Flags as given; NULL where one was not. */
typedef struct StrobeRunFlags {
    char *config, *output, *schedule, *buffer, *rotate, *dump, *step_on, *generation, *as;
    char **collect, **export, **plugin_path, **preload;
    StrobeMemoryFlags memory;
    gboolean follow, strict, no_defaults;
} StrobeRunFlags;

/* Which processes the collectors may have a reason to record. */
typedef struct StrobeRunReach {
    gboolean any_process;  /* one works in any process, and is named; or all do */
    gboolean late_library; /* one collects from a library that a program may load at any time */
    gboolean torch;        /* one loads the bridge to PyTorch, which a process may build */
} StrobeRunReach;

void strobe_run_flags_clear(StrobeRunFlags *flags);

/* File first, then flags; the default components where none is named; the output folder made
 * absolute, since the command may change its own. */
StrobeConfig *strobe_run_configure(const StrobeRunFlags *flags, GError **error);

/* Finds every component and checks its options, so that nothing of this can fail once the command
 * runs; takes out what is missing of the default set. Says on stderr which collectors that were
 * named cannot work on this machine. `follow`: every process records. */
gboolean strobe_run_check(StrobeConfig *config, StrobeRegistry *registry, gboolean follow,
                          StrobeRunReach *reach, GError **error);

/* The component's options as configured, NULL if they cannot be. */
StrobeOptions *strobe_run_options(const StrobeComponent *component,
                                  const StrobeConfigComponent *wanted, GError **error);

/* "cpu_op, gc": those that work in any process, or the others. Free it. */
char *strobe_run_collector_names(const StrobeConfig *config, StrobeRegistry *registry,
                                 gboolean any_process);

#endif
