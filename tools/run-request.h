/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and checks the configuration of a run, from the configuration file and the flags. */
#ifndef STROBE_TOOLS_RUN_REQUEST_H
#define STROBE_TOOLS_RUN_REQUEST_H

#include "config.h"
#include "memory-flags.h"
#include "options.h"
#include "registry.h"

/* The flags, as the user typed them. NULL: not given. */
typedef struct StrobeRunFlags {
    char *config, *output, *schedule, *buffer, *rotate, *dump, *step_on, *generation, *as;
    char *on, *project; /* the board, and the folder that is sent to the board */
    char **collect, **export, **plugin_path, **preload, **environment;
    StrobeMemoryFlags memory;
    gboolean follow, strict, no_defaults;
} StrobeRunFlags;

/* The processes that the collectors may record. */
typedef struct StrobeRunReach {
    /* a process may record even if only collectors that work in any process can work in it */
    gboolean any_process;
    gboolean late_library; /* a collector uses a library that a program may load at any time */
    gboolean torch;        /* a collector loads the bridge to PyTorch, which a process may build */
} StrobeRunReach;

void strobe_run_flags_clear(StrobeRunFlags *flags);

/* Makes the configuration: reads the file, then applies the flags, which override it. Adds the
 * default components if no component is named. Makes the path of the output folder absolute,
 * because the command may change its working directory. NULL with an error. */
StrobeConfig *strobe_run_configure(const StrobeRunFlags *flags, GError **error);

/* Finds every component and checks its options, so that such an error cannot occur later in the
 * command. Removes default components that this build lacks. Prints on stderr which named
 * collectors cannot work on this machine. `follow`: every process of the command records. FALSE
 * with an error. */
gboolean strobe_run_check(StrobeConfig *config, StrobeRegistry *registry, gboolean follow,
                          StrobeRunReach *reach, GError **error);

/* Checks the components like strobe_run_check, for a run on a board, where only collectors that
 * sample a program from outside work. Removes default collectors that do not. Does not check
 * whether a collector can work on this machine. FALSE with an error. */
gboolean strobe_run_check_outside(StrobeConfig *config, StrobeRegistry *registry, GError **error);

/* Returns the setting "NAME=VALUE" that makes the collector sample inside the program (free it).
 * NULL: it has no such setting, or the user set the option. */
char *strobe_run_otherwise(const StrobeComponent *component, const StrobeConfigComponent *wanted);

/* Returns the values of the component's options, as configured. NULL with an error. */
StrobeOptions *strobe_run_options(const StrobeComponent *component,
                                  const StrobeConfigComponent *wanted, GError **error);

/* Returns the names of the configured collectors that work in any process or, if `any_process` is
 * FALSE, of the others, for example "cpu_op, gc". Free it. */
char *strobe_run_collector_names(const StrobeConfig *config, StrobeRegistry *registry,
                                 gboolean any_process);

#endif
