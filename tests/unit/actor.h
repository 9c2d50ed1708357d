/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that does an action and is held at a test point inside of it; and functions that read
 * the recorded result. */
#ifndef STROBE_TESTS_ACTOR_H
#define STROBE_TESTS_ACTOR_H

#include <strobe/strobe.h>
#include "hold.h"
#include "pool.h"

#define BLOCK_MARKS (STROBE_BLOCK_DATA / 24) /* marks that fill a block */

/* The thread records "before", and then acts. */
struct actor {
    const char *point;
    void (*act)(struct actor *actor);
    const char *text;
    gboolean is_new; /* its first record is the action */
    Hold *hold;
    GThread *thread;
};

/* Starts the thread and waits until it is held; lets it continue and waits for its end. */
void actor_hold(struct actor *actor);
void actor_finish(struct actor *actor);

void act_nothing(struct actor *actor);
void act_mark(struct actor *actor);
void act_range(struct actor *actor);
void act_async(struct actor *actor); /* an async span */
/* Fills blocks until one has been handed over: BLOCK_MARKS + 1 marks. */
void act_many(struct actor *actor);

/* For each name, the number of records of `kind` in the session's last capture. */
GHashTable *names_of(StrobeSession *session, const char *kind);
guint count_of(GHashTable *names, const char *name);
guint marks_of(StrobeSession *session, const char *name);

/* The losses of the last window. */
guint64 lost_by(guint32 cause);
guint64 lost_in_all(void);

#endif
