/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flight recorder of a session: what makes its ring be dumped - a call, a signal, a step that
 * took too long - and the thread in which that is done, so that the program goes on.
 */
#ifndef STROBE_CORE_FLIGHT_H
#define STROBE_CORE_FLIGHT_H

#include <glib.h>
#include "config-buffer.h"

typedef struct StrobeFlight StrobeFlight;

/* Writes a dump; returns the result directory (free it), NULL on failure. Called in the flight's
 * thread or in that of strobe_flight_dump(), one at a time. */
typedef char *(*StrobeFlightDump)(gpointer user, const char *reason, GError **error);

/* Tells the program of a dump; in the same thread, with the signals that the program has there. */
typedef void (*StrobeFlightTell)(gpointer user, const char *directory);

/* Begins to listen; one per process. What cannot be listened to (a signal that the program uses) is
 * logged. */
StrobeFlight *strobe_flight_start(const StrobeDumpConfig *config, StrobeFlightDump dump,
                                  StrobeFlightTell tell, gpointer user);
/* Waits for a dump that is being written. NULL is allowed. */
void strobe_flight_stop(StrobeFlight *flight);
/* In a forked child: the parent's thread is not here, its signal is the child's own again. */
void strobe_flight_forget(void);

/* Dumps in this thread. An error when called from within a dump: from the function that is told. */
char *strobe_flight_dump(StrobeFlight *flight, const char *reason, GError **error);
/* Is this thread within a dump? NULL is allowed. */
gboolean strobe_flight_is_inside(StrobeFlight *flight);
/* Asks the process's flight recorder for a dump and returns; FALSE when there is none. Any thread,
 * and in a signal handler. */
gboolean strobe_flight_request(void);
/* A step took this long. NULL is allowed. */
void strobe_flight_step(StrobeFlight *flight, gint64 step, double seconds);

#endif
