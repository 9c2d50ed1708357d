/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flight recorder of a session: what makes its ring be dumped without a call that waits, namely
 * strobe_dump(), a signal, a step that took too long. Each sets a word in the pool; the writer
 * makes the dump (dump-maker.h).
 */
#ifndef STROBE_CORE_FLIGHT_H
#define STROBE_CORE_FLIGHT_H

#include <glib.h>
#include "config-buffer.h"

typedef struct StrobeFlight StrobeFlight;

/* Begins to listen; one per process. What cannot be listened to (a signal that the program uses) is
 * logged. */
StrobeFlight *strobe_flight_start(const StrobeDumpConfig *config);
/* NULL is allowed. */
void strobe_flight_stop(StrobeFlight *flight);
/* In a forked child: the signal is the child's own again. */
void strobe_flight_forget(void);

/* Requests a dump of the process's flight recorder and returns; FALSE when there is none. Any
 * thread, and in a signal handler. */
gboolean strobe_flight_request(void);
/* A step took this long. NULL is allowed. */
void strobe_flight_step(StrobeFlight *flight, gint64 step, double seconds);

#endif
