/* SPDX-License-Identifier: Apache-2.0 */
/* Of calls that are made side by side, what has to be done in their order. */
#ifndef STROBE_CORE_TURNS_H
#define STROBE_CORE_TURNS_H

#include <glib.h>

typedef struct StrobeTurns StrobeTurns;

/* For calls 0 to n - 1. Whoever makes them begins none before all below it have begun. */
StrobeTurns *strobe_turns_new(guint n);
void strobe_turns_free(StrobeTurns *turns);

/* None of them has ended. */
void strobe_turns_begin(StrobeTurns *turns);
/* Call `index`: waits until all below it have ended. */
void strobe_turns_wait(StrobeTurns *turns, guint index);
void strobe_turns_end(StrobeTurns *turns, guint index);

#endif
