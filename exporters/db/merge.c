/* SPDX-License-Identifier: Apache-2.0 */
#include "merge.h"

#include <strobe/kinds.h>

#define WAITING_MAX 1024u

/* Names of the fields that identify the measured object. */
static const char *const keys[] = {"id", "device", "die", "module", "port", "processor", NULL};

typedef struct Waiting {
    StrobeView record; /* its fields are in `fields` */
    gboolean is_part;  /* some of its fields are absent */
    guint8 *fields;
} Waiting;

struct Merge {
    DbKind *kind;
    KindTake take;
    guint32 bytes;  /* size of a record's fields */
    guint8 *is_key; /* for each field: TRUE if its name is one of `keys` */
    guint8 *absent; /* values of the fields of a record in which all fields are absent */
    Waiting *waiting;
    guint n;
};

static guint32 size_of(const StrobeKindView *view)
{
    guint32 bytes = 0;

    for (guint32 i = 0; i < view->n_fields; i++)
        bytes = MAX(bytes, view->fields[i].offset + strobe_field_size(view->fields[i].type));
    return bytes;
}

Merge *merge_new(DbKind *kind, KindTake take)
{
    const StrobeKindView *view = kind->view;
    Merge *merge = g_new0(Merge, 1);

    merge->kind = kind;
    merge->take = take;
    merge->bytes = size_of(view);
    merge->absent = g_malloc0(merge->bytes + 1);
    merge->is_key = g_new0(guint8, view->n_fields + 1);
    for (guint32 i = 0; i < view->n_fields; i++) {
        merge->is_key[i] = g_strv_contains(keys, view->fields[i].name);
        strobe_field_put_absent(merge->absent + view->fields[i].offset, view->fields[i].type);
    }
    merge->waiting = g_new0(Waiting, WAITING_MAX);
    return merge;
}

void merge_free(Merge *merge)
{
    for (guint i = 0; i < WAITING_MAX; i++)
        g_free(merge->waiting[i].fields);
    g_free(merge->waiting);
    g_free(merge->absent);
    g_free(merge->is_key);
    g_free(merge);
}

static gboolean is_absent(const Merge *merge, const StrobeFieldView *field, const guint8 *fields)
{
    guint32 size = strobe_field_size(field->type);

    if (field->type == STROBE_FIELD_F64) {
        double value;

        memcpy(&value, fields + field->offset, sizeof value);
        return value != value;
    }
    return !memcmp(fields + field->offset, merge->absent + field->offset, size);
}

static gboolean is_same_row(const Merge *merge, const Waiting *waiting, const StrobeView *record)
{
    const StrobeKindView *view = merge->kind->view;

    if (waiting->record.track != record->track || waiting->record.name != record->name ||
        waiting->record.end_ns != record->end_ns)
        return FALSE;
    for (guint32 i = 0; i < view->n_fields; i++) {
        const StrobeFieldView *field = &view->fields[i];
        const guint8 *fields = record->fields;

        if (merge->is_key[i]
                ? memcmp(waiting->fields + field->offset, fields + field->offset,
                         strobe_field_size(field->type)) != 0
                : !is_absent(merge, field, waiting->fields) && !is_absent(merge, field, fields))
            return FALSE;
    }
    return TRUE;
}

static gboolean is_part(const Merge *merge, const guint8 *fields)
{
    const StrobeKindView *view = merge->kind->view;

    for (guint32 i = 0; i < view->n_fields; i++)
        if (!merge->is_key[i] && is_absent(merge, &view->fields[i], fields))
            return TRUE;
    return FALSE;
}

static void add_to(const Merge *merge, Waiting *waiting, const guint8 *fields)
{
    const StrobeKindView *view = merge->kind->view;

    for (guint32 i = 0; i < view->n_fields; i++) {
        const StrobeFieldView *field = &view->fields[i];

        if (!is_absent(merge, field, fields))
            memcpy(waiting->fields + field->offset, fields + field->offset,
                   strobe_field_size(field->type));
    }
    waiting->is_part = is_part(merge, waiting->fields);
}

void merge_end(Db *db, Merge *merge)
{
    for (guint i = 0; i < merge->n; i++) {
        merge->waiting[i].record.fields = merge->waiting[i].fields;
        merge->take(db, merge->kind, &merge->waiting[i].record);
    }
    merge->n = 0;
}

static void let_wait(Merge *merge, const StrobeView *record, gboolean part)
{
    Waiting *waiting = &merge->waiting[merge->n++];

    if (!waiting->fields)
        waiting->fields = g_malloc(merge->bytes + 1);
    memcpy(waiting->fields, record->fields, merge->bytes);
    waiting->record = *record;
    waiting->is_part = part;
}

void merge_take(Db *db, DbKind *kind, const StrobeView *record)
{
    Merge *merge = kind->merge;
    gboolean part = is_part(merge, record->fields);

    if (merge->n &&
        (merge->waiting[0].record.begin_ns != record->begin_ns || merge->n == WAITING_MAX))
        merge_end(db, merge);
    for (guint i = 0; part && i < merge->n; i++)
        if (merge->waiting[i].is_part && is_same_row(merge, &merge->waiting[i], record)) {
            add_to(merge, &merge->waiting[i], record->fields);
            return;
        }
    let_wait(merge, record, part);
}
