/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triggers of a session's flight recorder that do not wait: strobe_dump(), a signal, and a slow
 * step. Each trigger sets a word in the pool; the writer then makes the dump (dump-maker.h).
 */
#ifndef STROBE_CORE_FLIGHT_H
#define STROBE_CORE_FLIGHT_H

#include <glib.h>
#include "config-buffer.h"

typedef struct StrobeFlight StrobeFlight;

/* Begins to listen for triggers; a process can have one StrobeFlight. Logs a warning for a trigger
 * that cannot be used (a signal that the program handles). */
StrobeFlight *strobe_flight_start(const StrobeDumpConfig *config);
/* Stops listening for triggers and frees `flight`; NULL is allowed. */
void strobe_flight_stop(StrobeFlight *flight);
/* Call it in a forked child: restores the child's own handling of the signal. */
void strobe_flight_forget(void);

/* Requests a dump of the process's flight recorder and returns at once; FALSE if there is no flight
 * recorder. Any thread, also in a signal handler. */
gboolean strobe_flight_request(void);
/* Call it after each step with its duration: a slow step requests a dump. `flight` may be NULL. */
void strobe_flight_step(StrobeFlight *flight, gint64 step, double seconds);

#endif
