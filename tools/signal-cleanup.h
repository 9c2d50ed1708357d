/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removes incomplete folders when a signal interrupts a command.
 *
 * A thread receives SIGINT, SIGTERM and SIGHUP, removes the registered folders and then lets the
 * signal end the process, so that the parent process sees the signal. A signal that was ignored
 * when the command began stays ignored.
 */
#ifndef STROBE_TOOLS_SIGNAL_CLEANUP_H
#define STROBE_TOOLS_SIGNAL_CLEANUP_H

#include <glib.h>

/* Starts it. Call it before any other thread is made. */
void strobe_signal_cleanup_begin(void);

/* Registers an incomplete folder, or unregisters it. Any thread; the path is copied. */
void strobe_signal_cleanup_add(const char *folder);
void strobe_signal_cleanup_remove(const char *folder);

/* Makes the folder (0750) and registers it, with no signal in between. 0, or -1 with errno. */
int strobe_signal_cleanup_make(const char *folder);

/* Removes the incomplete folders now, without a lock or the heap, for a signal handler that ends
 * the process. Other threads may still work; the next run removes their files. */
void strobe_signal_cleanup_abandon(void);

/* Between these calls signals have no effect: for a step that must not be interrupted. Calls of
 * a thread may nest. */
void strobe_signal_cleanup_hold(void);
void strobe_signal_cleanup_release(void);

#endif
