/* SPDX-License-Identifier: Apache-2.0 */
/* The request of a run: the configuration merged from file and flags, and checked. */
#ifndef STROBE_TOOLS_RUN_REQUEST_H
#define STROBE_TOOLS_RUN_REQUEST_H

#include "config.h"
#include "memory-flags.h"
#include "options.h"
#include "registry.h"

/* Flags as given; NULL if not given. */
typedef struct StrobeRunFlags {
    char *config, *output, *schedule, *buffer, *rotate, *dump, *step_on, *generation, *as;
    char *on, *project; /* the board, and the folder that is sent to it */
    char **collect, **export, **plugin_path, **preload, **environment;
    StrobeMemoryFlags memory;
    gboolean follow, strict, no_defaults;
} StrobeRunFlags;

/* The processes that the collectors may record. */
typedef struct StrobeRunReach {
    gboolean any_process;  /* a named collector works in any process, or all do */
    gboolean late_library; /* a collector uses a library that a program may load at any time */
    gboolean torch;        /* a collector loads the bridge to PyTorch, which a process may build */
} StrobeRunReach;

void strobe_run_flags_clear(StrobeRunFlags *flags);

/* File first, then flags; default components if none is named; the output folder becomes
 * absolute, because the command may change its working directory. */
StrobeConfig *strobe_run_configure(const StrobeRunFlags *flags, GError **error);

/* Finds every component and checks its options, so that no such error occurs once the command
 * runs; removes missing default collectors. Prints on stderr which named collectors cannot work
 * on this machine. `follow`: every process records. */
gboolean strobe_run_check(StrobeConfig *config, StrobeRegistry *registry, gboolean follow,
                          StrobeRunReach *reach, GError **error);

/* The same for a run on a board, where only collectors that sample from outside work: removes the
 * other default ones. Probes nothing. */
gboolean strobe_run_check_outside(StrobeConfig *config, StrobeRegistry *registry, GError **error);

/* The option of such a collector that makes it sample inside the program, "NAME=VALUE", if it has
 * one and the user set none; NULL: no (free it). */
char *strobe_run_otherwise(const StrobeComponent *component, const StrobeConfigComponent *wanted);

/* The component's configured options, NULL on an error. */
StrobeOptions *strobe_run_options(const StrobeComponent *component,
                                  const StrobeConfigComponent *wanted, GError **error);

/* "cpu_op, gc": the collectors that work in any process, or the others. Free it. */
char *strobe_run_collector_names(const StrobeConfig *config, StrobeRegistry *registry,
                                 gboolean any_process);

#endif
