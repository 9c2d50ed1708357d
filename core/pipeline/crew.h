/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that do a number of independent calls side by side with the caller. */
#ifndef STROBE_CORE_CREW_H
#define STROBE_CORE_CREW_H

#include <glib.h>

typedef struct StrobeCrew StrobeCrew;

typedef void (*StrobeCrewCall)(gpointer user, guint index);

/* With as many threads as there are processors besides the caller's, `most` at most. NULL where
 * that is none: strobe_crew_run takes that too. */
StrobeCrew *strobe_crew_new(guint most);
void strobe_crew_free(StrobeCrew *crew);
guint strobe_crew_n_threads(const StrobeCrew *crew); /* besides the caller's */

/* Calls call(user, i) for each i below `n`, once, and returns when all have returned. The 0th is
 * the caller's own; whatever a call did is seen by the next run's, in whichever thread. */
void strobe_crew_run(StrobeCrew *crew, StrobeCrewCall call, gpointer user, guint n);
/* The same within a call of a run, in whichever thread that is: threads that find nothing else to
 * do take part. The calls wait for no others. */
void strobe_crew_share(StrobeCrew *crew, StrobeCrewCall call, gpointer user, guint n);

/* Calls of which each may begin when others have ended. */
typedef struct StrobeCrewFlow {
    gint (*take)(gpointer user);              /* one that may begin, -1: none; under the lock */
    StrobeCrewCall call;                      /* by any thread */
    void (*ended)(gpointer user, guint call); /* under the lock */
} StrobeCrewFlow;

/* The crew's threads make them, when others wait for nothing else; NULL: no more, and none is under
 * way. By the thread that made the crew. */
void strobe_crew_set_flow(StrobeCrew *crew, const StrobeCrewFlow *flow, gpointer user);
/* The same thread makes them too until it finds, under the lock, that what it waits for is so. */
void strobe_crew_flow_until(StrobeCrew *crew, gboolean (*is_so)(gpointer user));
/* What `take` goes by is changed, under the lock. `wakes`: threads that find nothing to do look
 * again. */
void strobe_crew_flow_change(StrobeCrew *crew, void (*change)(gpointer user), gboolean wakes);

#endif
