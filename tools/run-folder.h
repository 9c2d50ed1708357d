/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the private folder of a run, and the environment through which the processes of the command
 * find the folder. */
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

/* Whether all libraries can be in LD_PRELOAD. Prints a message about the first one that cannot. */
gboolean strobe_run_preload_check(char *const *libraries);

/* Returns the environment for the command; free with g_strfreev. If a variable cannot be set,
 * prints on stderr which data cannot be recorded. */
char **strobe_run_folder_environment(const StrobeRunFolder *folder, const StrobeRunFlags *flags,
                                     const StrobeRunReach *reach);

/* Puts the Python package and its bootstrap at the start of PYTHONPATH, or prints a message on
 * stderr if that is not possible. Takes and returns an environment like g_environ_setenv. */
char **strobe_run_inject_python(char **environment);

/* Returns the first lines, at most `max`, of the file `name` in the folder, for example "notes";
 * free with g_strfreev. */
char **strobe_run_folder_lines(const StrobeRunFolder *folder, const char *name, guint max);

/* Returns "collector NAME in process P" for each collector that was being opened when its process
 * ended, at most `max`; free with g_strfreev. */
char **strobe_run_folder_cut_openings(const StrobeRunFolder *folder, guint max);

/* Reads which process records the run. FALSE: no process does. */
gboolean strobe_run_folder_claim(const StrobeRunFolder *folder, StrobeClaim *claim);

#endif
