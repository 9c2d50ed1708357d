/* SPDX-License-Identifier: Apache-2.0 */
#include "import-copy.h"

#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>
#include <string.h>

#include "error.h"
#include "reader.h"

#define VIEWS 512u

/* State of the copy of a capture. Ids of the capture's reader are converted to ids of the import's
 * capture. */
typedef struct Copy {
    StrobeImportCapture *to;
    StrobeReader *from;
    const StrobeCopyWish *wish;
    GHashTable *kinds;   /* const StrobeKindView * to id */
    GHashTable *strings; /* id to id */
    GHashTable *stacks;
    GHashTable *tracks;
    gint64 offset; /* the reader's times minus CLOCK_MONOTONIC */
    guint64 n_records, n_kindless;
} Copy;

static guint32 find_copied(GHashTable *table, guint32 id)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(table, GUINT_TO_POINTER(id)));
}

static guint32 store_copied(GHashTable *table, guint32 id, guint32 copied)
{
    g_hash_table_insert(table, GUINT_TO_POINTER(id), GUINT_TO_POINTER(copied));
    return copied;
}

static StrobeStringId copy_string(Copy *copy, StrobeStringId id)
{
    guint32 copied = id ? find_copied(copy->strings, id) : 0;

    if (id == 0 || copied)
        return copied;
    StrobeText text = strobe_reader_string(copy->from, id);
    return store_copied(copy->strings, id,
                        strobe_import_capture_intern(copy->to, text.bytes, text.length, FALSE));
}

static StrobeStackId copy_stack(Copy *copy, StrobeStackId id)
{
    guint32 copied = id ? find_copied(copy->stacks, id) : 0;
    const StrobeStringId *frames;

    if (id == 0 || copied)
        return copied;
    gsize n = strobe_reader_stack(copy->from, id, &frames);
    g_autofree StrobeStringId *ours = g_new(StrobeStringId, n + 1);
    for (gsize i = 0; i < n; i++)
        ours[i] = copy_string(copy, frames[i]);
    return n ? store_copied(copy->stacks, id,
                            strobe_import_capture_intern(copy->to, (const char *)ours,
                                                         n * sizeof *ours, TRUE))
             : 0;
}

static StrobeTrackId copy_track(Copy *copy, StrobeTrackId id)
{
    guint32 copied = id ? find_copied(copy->tracks, id) : 0;
    const StrobeTrackView *view = id && !copied ? strobe_reader_track(copy->from, id) : NULL;

    if (!view)
        return copied;
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = view->type,
                               .device = view->device,
                               .id = view->number,
                               .name = *view->name ? view->name : NULL,
                               .group = *view->group ? view->group : NULL};
    return store_copied(copy->tracks, id, strobe_import_capture_track(copy->to, &track, view->pid));
}

/* Returns the id of the kind in the import's capture. 0: its declaration contradicts an existing
 * declaration. */
static StrobeKindId copy_kind(Copy *copy, const StrobeKindView *view)
{
    StrobeField fields[STROBE_KIND_FIELDS_MAX];
    const StrobeKind kind = {.struct_size = sizeof kind,
                             .shape = view->shape,
                             .name = view->name,
                             .summary = view->summary,
                             .fields = fields,
                             .n_fields = view->n_fields};
    gpointer id;
    char reason[256];

    if (g_hash_table_lookup_extended(copy->kinds, view, NULL, &id))
        return GPOINTER_TO_UINT(id);
    for (guint32 i = 0; i < view->n_fields; i++)
        fields[i] = (StrobeField){.name = view->fields[i].name,
                                  .type = view->fields[i].type,
                                  .unit = view->fields[i].unit,
                                  .summary = view->fields[i].summary};
    StrobeKindId ours = strobe_import_capture_kind(copy->to, &kind, reason, sizeof reason);
    if (!ours)
        copy->wish->damage(copy->wish->user, copy->wish->part, reason);
    g_hash_table_insert(copy->kinds, (gpointer)view, GUINT_TO_POINTER(ours));
    return ours;
}

static void copy_field(Copy *copy, const StrobeView *view, const StrobeFieldView *field, char *to)
{
    const gboolean is_id = field->type == STROBE_FIELD_STRING ||
                           field->type == STROBE_FIELD_STACK || field->type == STROBE_FIELD_TRACK;
    guint32 id = is_id ? strobe_view_u32(view, field->offset) : 0;

    if (field->type == STROBE_FIELD_STRING)
        id = copy_string(copy, id);
    else if (field->type == STROBE_FIELD_STACK)
        id = copy_stack(copy, id);
    else if (field->type == STROBE_FIELD_TRACK)
        id = copy_track(copy, id);
    memcpy(to, is_id ? (const char *)&id : (const char *)view->fields + field->offset,
           strobe_field_size(field->type));
}

static gboolean copy_record(Copy *copy, const StrobeView *view, GError **error)
{
    StrobeKindId kind = copy_kind(copy, view->kind);
    const StrobeTrackId track = copy_track(copy, view->track);
    const StrobeStringId name = copy_string(copy, view->name);
    guint64 texts[STROBE_KIND_FIELDS_MAX] = {0}; /* interned before the record is reserved */

    if (!kind) {
        copy->n_kindless++;
        return TRUE;
    }
    const StrobeKind *declared = strobe_import_capture_kind_at(copy->to, kind);
    for (guint32 i = 0; i < view->kind->n_fields; i++)
        copy_field(copy, view, &view->kind->fields[i], (char *)&texts[i]);
    char *fields =
        strobe_import_capture_add(copy->to, kind, track, name, view->begin_ns - copy->offset,
                                  view->end_ns - copy->offset, error);
    if (!fields)
        return FALSE;
    for (guint32 i = 0; i < view->kind->n_fields; i++)
        memcpy(fields + strobe_kind_offset(declared, i), &texts[i],
               strobe_field_size(declared->fields[i].type));
    copy->n_records++;
    return TRUE;
}

static gboolean copy_records(Copy *copy, GError **error)
{
    g_autofree StrobeView *views = g_new(StrobeView, VIEWS);
    GError *failure = NULL;
    gboolean good = TRUE;
    gsize n;

    while (good && (n = strobe_reader_next(copy->from, views, VIEWS, &failure)))
        for (gsize i = 0; good && i < n; i++)
            good = copy_record(copy, &views[i], error);
    if (failure && good) { /* the records that were read before the failure are kept */
        copy->wish->damage(copy->wish->user, copy->wish->part, failure->message);
        g_error_free(failure);
    }
    return good;
}

static void tell_damage(const Copy *copy)
{
    const StrobeReaderStats *stats = strobe_reader_stats(copy->from);
    const StrobeCopyWish *wish = copy->wish;

    for (const char *const *text = strobe_reader_damage(copy->from); *text; text++)
        wish->damage(wish->user, wish->part, *text);
    if (!stats->sealed)
        wish->damage(wish->user, wish->part, "it was not finished: its end may be missing");
    if (copy->n_kindless) {
        g_autofree char *why = g_strdup_printf(
            "%" G_GUINT64_FORMAT " records are not read: their kinds contradict other kinds",
            copy->n_kindless);
        wish->damage(wish->user, wish->part, why);
    }
}

gboolean strobe_import_copy(StrobeImportCapture *capture, int descriptor,
                            const StrobeCopyWish *wish, guint64 *n, GError **error)
{
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", descriptor);
    Copy copy = {.to = capture, .wish = wish};
    gboolean good;

    copy.from = strobe_reader_open_own(path, error);
    if (!copy.from) {
        g_prefix_error(error, "%s: ", wish->part);
        return FALSE;
    }
    strobe_reader_keep_strings(copy.from);
    copy.offset = strobe_reader_monotonic_offset(copy.from);
    copy.kinds = g_hash_table_new(NULL, NULL);
    copy.strings = g_hash_table_new(strobe_hash_of_pointer, NULL);
    copy.stacks = g_hash_table_new(strobe_hash_of_pointer, NULL);
    copy.tracks = g_hash_table_new(strobe_hash_of_pointer, NULL);
    good = copy_records(&copy, error);
    if (good)
        tell_damage(&copy);
    *n = copy.n_records;
    g_hash_table_unref(copy.kinds);
    g_hash_table_unref(copy.strings);
    g_hash_table_unref(copy.stacks);
    g_hash_table_unref(copy.tracks);
    strobe_reader_free(copy.from);
    return good;
}
