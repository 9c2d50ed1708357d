/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command leaves when it is interrupted: nothing half made.
 *
 * SIGINT, SIGTERM and SIGHUP are taken by a thread that removes the folders told here and then lets
 * the signal end the process, so that whoever started it sees how it ended. A signal that was
 * ignored when the command began stays ignored.
 */
#ifndef STROBE_TOOLS_SIGNAL_CLEANUP_H
#define STROBE_TOOLS_SIGNAL_CLEANUP_H

#include <glib.h>

/* From now on. Before any other thread is made. */
void strobe_signal_cleanup_begin(void);

/* The folder is half made, or no more. Any thread; the path is copied. */
void strobe_signal_cleanup_add(const char *folder);
void strobe_signal_cleanup_remove(const char *folder);

/* Makes the folder (0750) and tells it, with no interruption between. 0, or -1 with errno. */
int strobe_signal_cleanup_make(const char *folder);

/* Removes what is half made now, without a lock and the heap: for a signal handler that ends the
 * process. Other threads may still be at it: what they make meanwhile goes with the next run. */
void strobe_signal_cleanup_abandon(void);

/* Between these no interruption is acted upon: for a step that must not be left half done. A thread
   may hold it several times over. */
void strobe_signal_cleanup_hold(void);
void strobe_signal_cleanup_release(void);

#endif
