/* SPDX-License-Identifier: Apache-2.0 */
#include "loss-report.h"

#include <string.h>

#include <strobe/helpers/fields.h>
#include <strobe/helpers/gaps.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>

#define STEPS_MAX 1048576

typedef struct Step {
    gint64 number, begin_ns, end_ns;
} Step;

struct StrobeLossReport {
    GArray *entries;    /* of StrobeLossReportEntry */
    GArray *steps;      /* of Step */
    GHashTable *by_key; /* cause and track -> 1 + index in entries */
    StrobeGaps *gaps;
};

StrobeLossReport *strobe_loss_report_new(void)
{
    StrobeLossReport *loss_report = g_new0(StrobeLossReport, 1);

    loss_report->entries = g_array_new(FALSE, TRUE, sizeof(StrobeLossReportEntry));
    loss_report->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    loss_report->by_key = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    loss_report->gaps = strobe_gaps_new();
    return loss_report;
}

void strobe_loss_report_free(StrobeLossReport *loss_report)
{
    if (!loss_report)
        return;
    g_array_unref(loss_report->entries);
    g_array_unref(loss_report->steps);
    g_hash_table_unref(loss_report->by_key);
    strobe_gaps_free(loss_report->gaps);
    g_free(loss_report);
}

/* Finds or adds the entry for a cause and a track. */
static StrobeLossReportEntry *entry_of(StrobeLossReport *loss_report, guint32 cause,
                                       StrobeTrackId track)
{
    gint64 key = (gint64)((guint64)cause << 32 | track);
    gpointer place = g_hash_table_lookup(loss_report->by_key, &key);
    StrobeLossReportEntry fresh = {cause, track, 0, G_MAXINT64, G_MININT64};

    if (!place) {
        g_array_append_val(loss_report->entries, fresh);
        place = GUINT_TO_POINTER(loss_report->entries->len);
        g_hash_table_insert(loss_report->by_key, g_memdup2(&key, sizeof key), place);
    }
    return &g_array_index(loss_report->entries, StrobeLossReportEntry, GPOINTER_TO_UINT(place) - 1);
}

static void add_loss(StrobeLossReport *loss_report, const StrobeView *record)
{
    const StrobeKindView *kind = record->kind;
    guint64 n = strobe_field_u64(record, strobe_field_offset(kind, "count", STROBE_FIELD_U64), 0);
    guint32 cause = strobe_field_u32(record, strobe_field_offset(kind, "cause", STROBE_FIELD_U32),
                                     STROBE_LOSS_CAUSES);
    guint32 track =
        strobe_field_u32(record, strobe_field_offset(kind, "thread", STROBE_FIELD_TRACK), 0);

    strobe_gaps_add_record(loss_report->gaps, record);
    if (!n || cause >= STROBE_LOSS_CAUSES)
        return;
    StrobeLossReportEntry *entry = entry_of(loss_report, cause, track);
    entry->n += n;
    entry->begin_ns = MIN(entry->begin_ns, record->begin_ns);
    entry->end_ns = MAX(entry->end_ns, record->end_ns);
}

static void add_step(StrobeLossReport *loss_report, const StrobeView *record)
{
    guint32 offset = strobe_field_offset(record->kind, "number", STROBE_FIELD_I64);
    Step step = {strobe_field_i64(record, offset, -1), record->begin_ns, record->end_ns};

    if (loss_report->steps->len < STEPS_MAX)
        g_array_append_val(loss_report->steps, step);
}

void strobe_loss_report_add(StrobeLossReport *loss_report, const StrobeView *record)
{
    if (strcmp(record->kind->name, "loss") == 0)
        add_loss(loss_report, record);
    else if (strcmp(record->kind->name, "step") == 0)
        add_step(loss_report, record);
}

void strobe_loss_report_add_damage(StrobeLossReport *loss_report)
{
    strobe_gaps_add(loss_report->gaps, 0, G_MININT64, G_MAXINT64);
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
    const StrobeLossReportEntry *x = a, *y = b;

    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    return x->track < y->track ? -1 : x->track > y->track;
}

GArray *strobe_loss_report_entries(const StrobeLossReport *loss_report)
{
    GArray *sorted = g_array_copy(loss_report->entries);

    g_array_sort(sorted, compare_entries);
    return sorted;
}

GArray *strobe_loss_report_incomplete_steps(StrobeLossReport *loss_report)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));

    for (guint i = 0; i < loss_report->steps->len; i++) {
        const Step *step = &g_array_index(loss_report->steps, Step, i);
        if (strobe_gaps_touch(loss_report->gaps, 0, step->begin_ns, step->end_ns))
            g_array_append_val(numbers, step->number);
    }
    return numbers;
}
