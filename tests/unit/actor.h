/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that acts and is held at a test point in the midst of it; what was recorded in the end.
 */
#ifndef STROBE_TESTS_ACTOR_H
#define STROBE_TESTS_ACTOR_H

#include <strobe/strobe.h>
#include "hold.h"
#include "pool.h"

#define BLOCK_MARKS (STROBE_BLOCK_DATA / 24) /* that fill a block */

/* Records "before", then acts. */
struct actor {
    const char *point;
    void (*act)(struct actor *actor);
    const char *text;
    gboolean is_new; /* its first record is the act */
    Hold *hold;
    GThread *thread;
};

/* Starts it and waits until it is held; lets it go on and waits for its end. */
void actor_hold(struct actor *actor);
void actor_finish(struct actor *actor);

void act_nothing(struct actor *actor);
void act_mark(struct actor *actor);
void act_range(struct actor *actor);
void act_async(struct actor *actor); /* an async span */
/* Fills blocks until one has been handed over: BLOCK_MARKS + 1 marks. */
void act_many(struct actor *actor);

/* How often each name of a record of `kind` occurs in the session's last capture. */
GHashTable *names_of(StrobeSession *session, const char *kind);
guint count_of(GHashTable *names, const char *name);
guint marks_of(StrobeSession *session, const char *name);

/* Losses of the last window. */
guint64 lost_by(guint32 cause);
guint64 lost_in_all(void);

#endif
