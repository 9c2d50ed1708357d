/* SPDX-License-Identifier: Apache-2.0 */
#include "open-marks.h"

#include <strobe/helpers/keyed-hash.h>

/* A slot for a pair of thread and name. The slot stays after the mark's end, because the same pair
 * will come again. */
typedef struct Slot {
    guint64 thread;
    gint64 time;
    guint32 name;
    guint8 is_used, is_open;
} Slot;

struct OpenMarks {
    Slot *slots;
    guint n_slots, n_used; /* n_slots: a power of two; n_used: at most half of them */
};

OpenMarks *open_marks_new(void)
{
    OpenMarks *m = g_new0(OpenMarks, 1);

    m->n_slots = 1024;
    m->slots = g_new0(Slot, m->n_slots);
    return m;
}

void open_marks_free(OpenMarks *m)
{
    g_free(m->slots);
    g_free(m);
}

static guint place_of(const OpenMarks *m, guint64 thread, guint32 name)
{
    return (guint)strobe_hash_pair(strobe_hash_key(), thread, name) & (m->n_slots - 1);
}

static Slot *find_slot(const OpenMarks *m, guint64 thread, guint32 name)
{
    guint at = place_of(m, thread, name);

    while (m->slots[at].is_used && (m->slots[at].thread != thread || m->slots[at].name != name))
        at = (at + 1) & (m->n_slots - 1);
    return &m->slots[at];
}

static void grow_slots(OpenMarks *m)
{
    Slot *old = m->slots;
    guint n = m->n_slots;

    m->n_slots *= 2;
    m->slots = g_new0(Slot, m->n_slots);
    m->n_used = 0;
    for (guint i = 0; i < n; i++)
        if (old[i].is_open) {
            *find_slot(m, old[i].thread, old[i].name) = old[i];
            m->n_used++;
        }
    g_free(old);
}

gboolean open_marks_put(OpenMarks *m, guint64 thread, guint32 name, gint64 time)
{
    Slot *slot = find_slot(m, thread, name);

    if (!slot->is_used && m->n_used * 2 >= m->n_slots) {
        if (m->n_slots >= 2 * OPEN_MARKS_MAX)
            return FALSE;
        grow_slots(m);
        slot = find_slot(m, thread, name);
    }
    m->n_used += !slot->is_used;
    *slot = (Slot){.thread = thread, .time = time, .name = name, .is_used = 1, .is_open = 1};
    return TRUE;
}

gboolean open_marks_take(OpenMarks *m, guint64 thread, guint32 name, gint64 *time)
{
    Slot *slot = find_slot(m, thread, name);

    if (!slot->is_open)
        return FALSE;
    slot->is_open = 0;
    *time = slot->time;
    return TRUE;
}

guint64 open_marks_steps(const OpenMarks *m)
{
    guint64 n = 0;

    for (guint at = 0; at < m->n_slots; at++)
        if (m->slots[at].is_used)
            n += (at - place_of(m, m->slots[at].thread, m->slots[at].name)) & (m->n_slots - 1);
    return n;
}
