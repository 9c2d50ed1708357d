/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include <string.h>

#include <strobe/helpers/fields.h>
#include <strobe/helpers/gaps.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>

#define STEPS_MAX 1048576

typedef struct Step {
    gint64 number, begin_ns, end_ns;
} Step;

struct StrobeLedger {
    GArray *entries;    /* of StrobeLedgerEntry */
    GArray *steps;      /* of Step */
    GHashTable *by_key; /* cause and track to the place in entries, from 1 */
    StrobeGaps *gaps;
};

StrobeLedger *strobe_ledger_new(void)
{
    StrobeLedger *ledger = g_new0(StrobeLedger, 1);

    ledger->entries = g_array_new(FALSE, TRUE, sizeof(StrobeLedgerEntry));
    ledger->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    ledger->by_key = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    ledger->gaps = strobe_gaps_new();
    return ledger;
}

void strobe_ledger_free(StrobeLedger *ledger)
{
    if (!ledger)
        return;
    g_array_unref(ledger->entries);
    g_array_unref(ledger->steps);
    g_hash_table_unref(ledger->by_key);
    strobe_gaps_free(ledger->gaps);
    g_free(ledger);
}

/* The entry of a cause and a track. */
static StrobeLedgerEntry *entry_of(StrobeLedger *ledger, guint32 cause, StrobeTrackId track)
{
    gint64 key = (gint64)((guint64)cause << 32 | track);
    gpointer place = g_hash_table_lookup(ledger->by_key, &key);
    StrobeLedgerEntry fresh = {cause, track, 0, G_MAXINT64, G_MININT64};

    if (!place) {
        g_array_append_val(ledger->entries, fresh);
        place = GUINT_TO_POINTER(ledger->entries->len);
        g_hash_table_insert(ledger->by_key, g_memdup2(&key, sizeof key), place);
    }
    return &g_array_index(ledger->entries, StrobeLedgerEntry, GPOINTER_TO_UINT(place) - 1);
}

static void add_loss(StrobeLedger *ledger, const StrobeView *record)
{
    const StrobeKindView *kind = record->kind;
    guint64 n = strobe_field_u64(record, strobe_field_offset(kind, "count", STROBE_FIELD_U64), 0);
    guint32 cause = strobe_field_u32(record, strobe_field_offset(kind, "cause", STROBE_FIELD_U32),
                                     STROBE_LOSS_CAUSES);
    guint32 track =
        strobe_field_u32(record, strobe_field_offset(kind, "lane", STROBE_FIELD_TRACK), 0);

    strobe_gaps_add_record(ledger->gaps, record);
    if (!n || cause >= STROBE_LOSS_CAUSES)
        return;
    StrobeLedgerEntry *entry = entry_of(ledger, cause, track);
    entry->n += n;
    entry->begin_ns = MIN(entry->begin_ns, record->begin_ns);
    entry->end_ns = MAX(entry->end_ns, record->end_ns);
}

static void add_step(StrobeLedger *ledger, const StrobeView *record)
{
    guint32 offset = strobe_field_offset(record->kind, "number", STROBE_FIELD_I64);
    Step step = {strobe_field_i64(record, offset, -1), record->begin_ns, record->end_ns};

    if (ledger->steps->len < STEPS_MAX)
        g_array_append_val(ledger->steps, step);
}

void strobe_ledger_add(StrobeLedger *ledger, const StrobeView *record)
{
    if (strcmp(record->kind->name, "loss") == 0)
        add_loss(ledger, record);
    else if (strcmp(record->kind->name, "step") == 0)
        add_step(ledger, record);
}

void strobe_ledger_add_damage(StrobeLedger *ledger)
{
    strobe_gaps_add(ledger->gaps, 0, G_MININT64, G_MAXINT64);
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
    const StrobeLedgerEntry *x = a, *y = b;

    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    return x->track < y->track ? -1 : x->track > y->track;
}

GArray *strobe_ledger_entries(const StrobeLedger *ledger)
{
    GArray *sorted = g_array_copy(ledger->entries);

    g_array_sort(sorted, compare_entries);
    return sorted;
}

GArray *strobe_ledger_incomplete_steps(StrobeLedger *ledger)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));

    for (guint i = 0; i < ledger->steps->len; i++) {
        const Step *step = &g_array_index(ledger->steps, Step, i);
        if (strobe_gaps_touch(ledger->gaps, 0, step->begin_ns, step->end_ns))
            g_array_append_val(numbers, step->number);
    }
    return numbers;
}
