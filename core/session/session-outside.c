/* SPDX-License-Identifier: Apache-2.0 */
/* The program's side of collectors that run in the writer process. */
#include "session.h"

#include "error.h"
#include "log.h"
#include "outside.h"
#include "recorder.h"

#define NUMBERS_MAX 64u /* number of bits in the pool's word of paused collectors */

GArray *strobe_session_find_outside(const StrobeSession *session, GPtrArray *kinds)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < session->collectors->len; i++) {
        const StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (c->number > NUMBERS_MAX || !strobe_component_is_outside(c->component))
            continue;
        g_array_append_val(numbers, c->number);
        for (guint k = 0; k < c->component->n_kinds; k++)
            g_ptr_array_add(kinds, (gpointer)c->component->kinds[k]);
    }
    return numbers;
}

void strobe_session_place_outside(StrobeSession *session, const GArray *outside)
{
    for (guint i = 0; i < outside->len; i++) {
        const guint number = g_array_index(outside, guint, i);
        StrobeCollector *c = g_ptr_array_index(session->collectors, number - 1);
        g_atomic_int_set(&c->phase, STROBE_COLLECTOR_OUTSIDE);
    }
}

static gboolean records_operators(const StrobeSession *session)
{
    for (guint i = 0; i < session->collectors->len; i++) {
        const StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (c->is_started && strobe_component_emits(c->component, "cpu_op"))
            return TRUE;
    }
    return FALSE;
}

void strobe_session_end_stand_ins(StrobeSession *session)
{
    if (!session->directory || !records_operators(session))
        return;
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (c->is_default && (c->component->flags & STROBE_COMPONENT_STAND_IN) &&
            g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_OUTSIDE)
            strobe_recorder_pause(c->number, TRUE);
    }
}

static void keep_failure(StrobeSession *session, guint number, const char *text)
{
    if (number > session->collectors->len)
        return;
    StrobeCollector *c = g_ptr_array_index(session->collectors, number - 1);
    if (!c->failure)
        c->failure = g_error_new_literal(STROBE_ERROR, STROBE_ERROR_FAILED, text);
}

void strobe_session_take_messages(StrobeSession *session)
{
    guint32 length, level, collector;
    const char *bytes;

    while ((bytes = strobe_recorder_take_message(&length, &level, &collector))) {
        g_autofree char *text = g_strndup(bytes, length);
        if (collector)
            keep_failure(session, collector, text);
        else
            strobe_log((gint32)level, "%s", text);
    }
}
