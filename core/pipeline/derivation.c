/* SPDX-License-Identifier: Apache-2.0 */
#include "derivation.h"

#include <string.h>
#include "pass-ends.h"

/* What all passes share while they end. */
struct derivations {
    StrobeReader *reader;
    StrobeGaps *gaps;
    StrobeConsumers *consumers;
    StrobePassEnds *ends;
    const GPtrArray *passes, *others;
};

/* A pass whose records are handed on. */
struct derivation {
    const struct derivations *shared;
    StrobeConsumer *pass;
    gboolean *stored;             /* of each of its kinds, whether the capture holds it itself */
    gboolean *unwanted;           /* that, or nobody takes it */
    StrobeDerivedCount *left_out; /* of each kind, by the thread in which the pass ends */
};

/* Does the capture hold records of this derived kind itself? (An import of what the source derived:
 * they stand, the pass's own do not.) */
static gboolean is_stored(StrobeReader *reader, const char *kind)
{
    const StrobeKindView *view;

    for (guint32 i = 0; (view = strobe_reader_kind(reader, i)); i++)
        if (strcmp(view->name, kind) == 0)
            return TRUE;
    return FALSE;
}

/* By now all losses are known, which they were not yet when the record was emitted. */
static StrobeView derived_view(const struct derivation *derivation,
                               const struct StrobeSpooled *record, StrobeDerivedCount *counts)
{
    StrobeDerivedCount *count = &counts[record->kind];
    StrobeView view = {.kind = &derivation->pass->kinds[record->kind].view,
                       .fields = record + 1,
                       .begin_ns = record->begin_ns,
                       .end_ns = record->end_ns,
                       .track = record->track,
                       .name = record->name,
                       .flags = record->flags};

    if (view.track &&
        strobe_gaps_touch(derivation->shared->gaps, view.track, view.begin_ns, view.end_ns))
        view.flags |= STROBE_VIEW_INCOMPLETE;
    count->n++;
    count->n_incomplete += (view.flags & STROBE_VIEW_INCOMPLETE) != 0;
    return view;
}

/* When it returns, consumers may still have batches of this piece, and none of the one before. */
static void feed_piece(gpointer user, const char *piece, gsize bytes)
{
    const struct derivation *derivation = user;
    StrobeConsumers *consumers = derivation->shared->consumers;
    StrobeView *views = strobe_consumers_room(consumers);
    gsize n = 0, at = 0;
    guint n_fed = 0;

    while (at < bytes) {
        const struct StrobeSpooled *record = (const void *)(piece + at);
        if (!derivation->stored[record->kind])
            views[n++] = derived_view(derivation, record, derivation->pass->counts);
        at += sizeof *record + record->field_bytes;
        if (n == STROBE_BATCH || (n && at >= bytes)) {
            strobe_consumers_feed(consumers, n);
            views = strobe_consumers_room(consumers); /* there is: one less is under way */
            n = 0;
            n_fed++;
        }
    }
    if (!bytes || n_fed + 1 < strobe_consumers_n_batches(consumers))
        strobe_consumers_settle(consumers);
}

/* A record that nobody takes is counted all the same. */
static void count_left_out(gpointer user, const char *piece, gsize bytes)
{
    const struct derivation *derivation = user;
    const struct StrobeSpooled *record = (const void *)piece;

    (void)bytes;
    if (!derivation->stored[record->kind])
        derived_view(derivation, record, derivation->left_out);
}

/* `of_caller`: of the caller's own only. */
static gboolean has_wanting(const GPtrArray *consumers, const char *kind, gboolean of_caller)
{
    for (guint i = 0; i < consumers->len; i++) {
        const StrobeConsumer *consumer = g_ptr_array_index(consumers, i);

        if ((consumer->is_of_caller || !of_caller) && g_hash_table_contains(consumer->wanted, kind))
            return TRUE;
    }
    return FALSE;
}

/* Exporters take what it derives, at most: they only look texts up, while it interns. */
static gboolean interns_alone(const struct derivations *shared, const StrobeConsumer *pass)
{
    for (guint32 k = 0; k < pass->component->n_kinds; k++) {
        const char *kind = pass->kinds[k].view.name;

        if (has_wanting(shared->passes, kind, FALSE) || has_wanting(shared->others, kind, TRUE))
            return FALSE;
    }
    return TRUE;
}

/* Who made a pass take part may want only some of what it derives. */
static void begin_derivation(struct derivation *derivation, const struct derivations *shared,
                             StrobeConsumer *pass)
{
    const guint32 n_kinds = pass->component->n_kinds;

    *derivation =
        (struct derivation){shared, pass, g_new0(gboolean, n_kinds + 1),
                            g_new0(gboolean, n_kinds + 1), g_new0(StrobeDerivedCount, n_kinds + 1)};
    for (guint32 k = 0; k < n_kinds; k++) {
        const char *kind = pass->kinds[k].view.name;

        derivation->stored[k] = is_stored(shared->reader, kind);
        derivation->unwanted[k] =
            derivation->stored[k] || (!has_wanting(shared->passes, kind, FALSE) &&
                                      !has_wanting(shared->others, kind, FALSE));
    }
    pass->interns_alone = interns_alone(shared, pass);
    if (pass->spool)
        strobe_spool_leave_out(pass->spool, derivation->unwanted, count_left_out, derivation);
}

static void end_derivation(struct derivation *derivation)
{
    for (guint32 k = 0; k < derivation->pass->component->n_kinds; k++) {
        derivation->pass->counts[k].n += derivation->left_out[k].n;
        derivation->pass->counts[k].n_incomplete += derivation->left_out[k].n_incomplete;
    }
    strobe_consumer_close(derivation->pass); /* those behind it need what it held */
    g_free(derivation->stored);
    g_free(derivation->unwanted);
    g_free(derivation->left_out);
}

/* ---- what is left ---- */

/* Of the kinds that it wants, those that passes from `next` on make. */
static GPtrArray *find_left(const struct derivation *all, const GPtrArray *passes, guint next,
                            const StrobeConsumer *consumer)
{
    GPtrArray *left = g_ptr_array_new();

    for (guint i = next; i < passes->len; i++)
        for (guint32 k = 0; k < all[i].pass->component->n_kinds; k++) {
            const char *kind = all[i].pass->kinds[k].view.name;

            if (!all[i].stored[k] && g_hash_table_contains(consumer->wanted, kind))
                g_ptr_array_add(left, (gpointer)(uintptr_t)kind);
        }
    return left;
}

/* Exporters finish what they can, while the next passes end. */
static void tell_left(const struct derivations *shared, const struct derivation *all, guint next)
{
    gboolean has_news = FALSE;

    for (guint i = 0; i < shared->others->len; i++) {
        StrobeConsumer *consumer = g_ptr_array_index(shared->others, i);
        g_autoptr(GPtrArray) left = NULL;

        if (consumer->is_of_caller || !consumer->ops->kinds_left)
            continue;
        left = find_left(all, shared->passes, next, consumer);
        if (left->len == 0 || (next && left->len == consumer->n_left))
            continue;
        consumer->n_left = left->len;
        g_ptr_array_add(left, NULL);
        consumer->left = g_steal_pointer(&left);
        has_news = TRUE;
    }
    if (!has_news)
        return;
    strobe_pass_ends_begin(shared->ends);
    strobe_consumers_call(shared->consumers, strobe_consumer_kinds_left);
}

void strobe_derive(StrobeReader *reader, StrobeGaps *gaps, StrobeConsumers *consumers,
                   const GPtrArray *passes, const GPtrArray *others,
                   void (*ended)(gpointer user, double share), gpointer user)
{
    StrobePassEnds *ends = strobe_pass_ends_new(passes, strobe_consumers_n_threads(consumers));
    const struct derivations shared = {reader, gaps, consumers, ends, passes, others};
    g_autofree struct derivation *all = g_new0(struct derivation, passes->len + 1);

    for (guint i = 0; i < passes->len; i++)
        begin_derivation(&all[i], &shared, g_ptr_array_index(passes, i));
    tell_left(&shared, all, 0);
    for (guint i = 0; i < passes->len; i++) {
        strobe_pass_ends_end(ends, i, feed_piece, &all[i]);
        end_derivation(&all[i]);
        tell_left(&shared, all, i + 1);
        if (ended)
            ended(user, (double)(i + 1) / passes->len);
    }
    strobe_pass_ends_free(ends);
}
