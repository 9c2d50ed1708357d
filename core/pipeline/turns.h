/* SPDX-License-Identifier: Apache-2.0 */
/* Of calls that are made side by side, what has to be done in their order. */
#ifndef STROBE_CORE_TURNS_H
#define STROBE_CORE_TURNS_H

#include <glib.h>

typedef struct StrobeTurns StrobeTurns;

/* For calls 0, 1 and so on, of which no more than `most` are told apart: whoever makes them begins
 * none before all that lie so far and further below it have ended. */
StrobeTurns *strobe_turns_new(guint most);
void strobe_turns_free(StrobeTurns *turns);

/* Call `turn`: waits until all below it have ended. */
void strobe_turns_wait(StrobeTurns *turns, guint64 turn);
void strobe_turns_end(StrobeTurns *turns, guint64 turn);

#endif
