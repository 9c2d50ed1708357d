/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the private folder and the environment that connect the processes of a command to the
 * run. */
#ifndef STROBE_TOOLS_RUN_FOLDER_H
#define STROBE_TOOLS_RUN_FOLDER_H

#include "folder.h"
#include "run-claim.h"
#include "run-request.h"

/*
 * In addition to the variables that core/session/attach.h lists, the environment contains
 *   STROBE_RUN_LIBRARY         libstrobe.so, for processes that have none
 *   STROBE_RUN_TORCH=1         a process whose PyTorch has no bridge builds it
 *   STROBE_RUN_LATE=1          each process checks libraries that it loads late
 *   the variables of run-variables.h, for each variable to which Strobe adds a path.
 * In addition to the files that attach.h lists, the folder contains "notes": messages of processes
 * for the user, and "optimizers": classes of optimizers that stepped but are not the class that
 * --step-on names.
 */
typedef struct StrobeRunFolder {
    StrobeFreshFolder own;
} StrobeRunFolder;

/* Makes the folder and writes the configuration into it. The report file that the configuration
 * names is in the folder too. */
gboolean strobe_run_folder_make(StrobeRunFolder *folder, StrobeConfig *config, GError **error);
/* Removes the folder. Processes that outlive the command then start no new session. */
void strobe_run_folder_remove(StrobeRunFolder *folder);

/* Whether the libraries can be in LD_PRELOAD. Prints a message for the first library that
 * cannot. */
gboolean strobe_run_preload_check(char *const *libraries);

/* Returns the environment for the command; free with g_strfreev. If a variable cannot be set,
 * prints on stderr what cannot be recorded. */
char **strobe_run_folder_environment(const StrobeRunFolder *folder, const StrobeRunFlags *flags,
                                     const StrobeRunReach *reach);

/* Puts the Python package and its bootstrap at the start of PYTHONPATH. Takes and returns an
 * environment like g_environ_setenv. If that is not possible, prints a message on stderr. */
char **strobe_run_inject_python(char **environment);

/* Returns the lines of a file in the folder ("directories", "dropped", "notes"), at most `max`;
 * free with g_strfreev. */
char **strobe_run_folder_lines(const StrobeRunFolder *folder, const char *name, guint max);

/* Returns "collector NAME in process P" for each collector that was being opened when its process
 * ended, at most `max`; free with g_strfreev. */
char **strobe_run_folder_cut_openings(const StrobeRunFolder *folder, guint max);

/* Reads which process records the run. FALSE: none does. */
gboolean strobe_run_folder_claim(const StrobeRunFolder *folder, StrobeClaim *claim);

#endif
