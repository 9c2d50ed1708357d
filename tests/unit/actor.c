/* SPDX-License-Identifier: Apache-2.0 */
#include "actor.h"

#include <strobe/kinds.h>
#include "kind-table.h"
#include "async-span.h"
#include "recorder.h"
#include "support.h"

static gpointer actor_main(gpointer data)
{
    struct actor *actor = data;

    if (!actor->is_new)
        strobe_mark("before");
    __atomic_store_n(&actor->hold, hold_me_at(actor->point, 1), __ATOMIC_RELEASE);
    actor->act(actor);
    return NULL;
}

void actor_hold(struct actor *actor)
{
    actor->hold = NULL;
    actor->thread = g_thread_new("actor", actor_main, actor);
    while (!__atomic_load_n(&actor->hold, __ATOMIC_ACQUIRE))
        g_usleep(50);
    hold_wait(actor->hold);
}

void actor_finish(struct actor *actor)
{
    hold_release(actor->hold);
    g_thread_join(actor->thread);
}

void act_mark(struct actor *actor)
{
    strobe_mark(actor->text);
}

void act_async(struct actor *actor)
{
    const struct strobe_marker fields = {0};
    guint64 key = STROBE_KEY_OF_THREAD | 1;

    strobe_thread_buffer_async_open(NULL, key, STROBE_KIND_ID_MARKER, actor->text, 0);
    strobe_thread_buffer_async_close(NULL, key, STROBE_KIND_ID_MARKER, &fields, sizeof fields);
}

void act_range(struct actor *actor)
{
    strobe_range_end(strobe_range_begin(actor->text));
}

void act_many(struct actor *actor)
{
    for (guint i = 0; i < BLOCK_MARKS + 1; i++)
        strobe_mark(actor->text);
}

void act_nothing(struct actor *actor)
{
}

/* ---- reading captures ---- */

static void count_name(const StrobeView *view, StrobeText name, gpointer user)
{
    GHashTable *names = user;
    gpointer old = g_hash_table_lookup(names, name.bytes);

    g_hash_table_insert(names, g_strdup(name.bytes), GUINT_TO_POINTER(GPOINTER_TO_UINT(old) + 1));
}

GHashTable *names_of(StrobeSession *session, const char *kind)
{
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *capture = capture_of(session);

    read_capture(capture, kind, count_name, names);
    return names;
}

guint count_of(GHashTable *names, const char *name)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(names, name));
}

guint marks_of(StrobeSession *session, const char *name)
{
    g_autoptr(GHashTable) names = names_of(session, "marker_instant");
    return count_of(names, name);
}

guint64 lost_by(guint32 cause)
{
    uint64_t lost[STROBE_LOSS_CAUSES];

    strobe_recorder_losses(lost);
    return lost[cause];
}

guint64 lost_in_all(void)
{
    uint64_t lost[STROBE_LOSS_CAUSES];
    guint64 sum = 0;

    strobe_recorder_losses(lost);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        sum += lost[i];
    return sum;
}
