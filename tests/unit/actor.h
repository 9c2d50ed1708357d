/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an action in a thread that is held at a test point inside of the action, and reads the
 * recorded result. */
#ifndef STROBE_TESTS_ACTOR_H
#define STROBE_TESTS_ACTOR_H

#include <strobe/strobe.h>
#include "hold.h"
#include "pool.h"

#define BLOCK_MARKS (STROBE_BLOCK_DATA / 24) /* number of marks that fill a block */

/* A thread that records "before", and then calls `act`. */
struct actor {
    const char *point;
    void (*act)(struct actor *actor);
    const char *text;
    /* the thread does not record "before", so that its first record is that of the action */
    gboolean is_new;
    Hold *hold;
    GThread *thread;
};

/* actor_hold starts the thread and waits until it is held. actor_finish lets it continue and waits
 * for its end. */
void actor_hold(struct actor *actor);
void actor_finish(struct actor *actor);

void act_nothing(struct actor *actor);
void act_mark(struct actor *actor);
void act_range(struct actor *actor);
void act_async(struct actor *actor); /* records an async span */
/* Records BLOCK_MARKS + 1 marks, so that a full block is passed to the writer. */
void act_many(struct actor *actor);

/* Returns a table that maps each name to the number of records of `kind` with this name in the
 * session's last capture. */
GHashTable *names_of(StrobeSession *session, const char *kind);
guint count_of(GHashTable *names, const char *name);
guint marks_of(StrobeSession *session, const char *name);

/* lost_by returns the losses of the last window for one cause, lost_in_all for all causes. */
guint64 lost_by(guint32 cause);
guint64 lost_in_all(void);

#endif
