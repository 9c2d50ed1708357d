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

/* Starts the thread. Call this before any other thread is made. */
void strobe_signal_cleanup_begin(void);

/* strobe_signal_cleanup_add registers an incomplete folder, strobe_signal_cleanup_remove removes it
 * from the list. Any thread may call them; the path is copied. */
void strobe_signal_cleanup_add(const char *folder);
void strobe_signal_cleanup_remove(const char *folder);

/* Makes the folder (0750) and registers it, with no signal in between. Returns 0, or -1 with
 * errno. */
int strobe_signal_cleanup_make(const char *folder);

/* Removes the incomplete folders at once. A signal handler that ends the process may call this
 * function, because it uses neither a lock nor the heap. Other threads may still make files in the
 * folders; the next run removes the folders that stay. */
void strobe_signal_cleanup_abandon(void);

/* Between strobe_signal_cleanup_hold and _release signals have no effect, for a step that must not
 * be interrupted. The calls of a thread may nest. */
void strobe_signal_cleanup_hold(void);
void strobe_signal_cleanup_release(void);

#endif
