/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a process under `strobe run` records.
 *
 * `strobe run` makes a private folder and names it in STROBE_RUN_DIR. The folder holds:
 *   config.json    the merged configuration (output.report is "<folder>/directories")
 *   claim          the process that records (run-claim.h)
 *   directories    the result directories, one on each line, appended when each is made
 *   dropped        result directories of a process whose claim another process has taken over
 *   writers        a FIFO: the pools that need a writer (run-link.h)
 *   opening.P.T    exists while thread T of process P opens the collector that the file names
 *
 * It also sets these variables:
 *   STROBE_RUN_FOLLOW=1   every process in which a collector can work records, whether or not it
 *                         has the claim
 *   STROBE_RUN_ANY=1      a process records even if only collectors that work in any process do
 *   STROBE_RUN_STEP_ON    first, any, manual or a class name; the Python bootstrap reads it
 */
#ifndef STROBE_CORE_ATTACH_H
#define STROBE_CORE_ATTACH_H

#include <strobe/strobe.h>

enum {
    STROBE_PROCESS_NATIVE = 1, /* a native process with marks or libraries for a collector */
    STROBE_PROCESS_LINKED = 2, /* the program itself uses libstrobe */
    STROBE_PROCESS_PYTHON = 3,
    STROBE_PROCESS_STARTING = 4 /* any other program, before its main */
};

/* Decides whether this process records. If so, claims the run, and makes and starts the session. If
 * not, *session is NULL and the status is STROBE_UNAVAILABLE. In a process that already records, a
 * call confirms that it is the right process. The writer ends the window of a native process;
 * Python stops the session itself. Exported from libstrobe for the preload library and the Python
 * module; not part of the public API. */
STROBE_API StrobeStatus strobe_run_attach(int process, StrobeSession **session,
                                          StrobeError **error);

/* Call it when the session has started collectors. If this is the attached session of a native
 * process, and some of its collectors must be stopped before the process ends, registers an exit
 * handler for this. */
void strobe_run_watch_exit(const StrobeSession *session);

/* Does this process record only until a better process is found, because only collectors that work
 * in any process work here so far? */
int strobe_run_is_for_now(void);

/* Can the collector work in this process? 1: now; 2: perhaps later; 0: no; -1: there is no such
 * collector. Exported for the Python module. */
STROBE_API int strobe_run_can_collect(const char *collector);

/* Returns the session that was attached or made in this process, NULL if there is none. Exported
 * for the Python module. */
STROBE_API StrobeSession *strobe_run_session(void);

#endif
