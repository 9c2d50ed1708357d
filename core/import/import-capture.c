/* SPDX-License-Identifier: Apache-2.0 */
#include "import-capture.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>
#include "error.h"
#include "import-capture-parts.h"
#include "kind-declaration.h"
#include "pool.h"
#include "memory-shares.h"

#define TRACKS_MAX STROBE_POOL_TRACKS
#define STRING_BYTES_MAX (1u << 20)
#define TIME_MAX (((gint64)1 << 61) - 1)

struct thread {
    guint64 pid, tid;
};

static guint hash_thread(gconstpointer key)
{
    const struct thread *thread = key;

    return (guint)strobe_hash_pair(strobe_hash_key(), thread->pid, thread->tid);
}

static gboolean equal_threads(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(struct thread)) == 0;
}

static guint hash_track(gconstpointer key)
{
    const guint bytes = sizeof(struct strobe_stored_track) - 4;

    return (guint)strobe_hash_bytes(strobe_hash_key(), (const char *)key + 4, bytes);
}

static gboolean equal_tracks(gconstpointer a, gconstpointer b)
{
    return memcmp((const char *)a + 4, (const char *)b + 4,
                  sizeof(struct strobe_stored_track) - 4) == 0;
}

static StrobeImportCapture *new_capture(const char *folder, gsize memory_bytes,
                                        guint32 first_string)
{
    StrobeImportCapture *c = g_new0(StrobeImportCapture, 1);

    c->texts = g_string_chunk_new(4096);
    c->tracks = g_array_new(FALSE, TRUE, sizeof(struct strobe_stored_track));
    c->places = g_hash_table_new_full(hash_track, equal_tracks, g_free, NULL);
    c->strings = strobe_string_table_new(first_string);
    c->first_string = c->n_strings = first_string;
    c->first_track = 1;
    c->storage = strobe_storage_new(folder);
    c->storage->sorter_bytes = memory_bytes;
    c->sorter = strobe_external_sorter_new(c->storage);
    c->block = g_byte_array_new();
    strobe_import_capture_intern(c, "", 0, FALSE); /* the empty text gets the first id */
    return c;
}

StrobeImportCapture *strobe_import_capture_new(const char *folder, gsize memory_bytes)
{
    return new_capture(folder, memory_bytes, 1);
}

void strobe_import_capture_free(StrobeImportCapture *c)
{
    if (!c)
        return;
    for (guint i = 1; i <= c->n_kinds; i++) {
        g_free(c->kinds[i].absent);
        if (c->kinds[i].declaration)
            g_free((StrobeField *)c->kinds[i].declaration->fields);
        g_free(c->kinds[i].declaration);
    }
    g_clear_pointer(&c->threads, g_hash_table_unref);
    g_clear_pointer(&c->reported, g_hash_table_unref);
    g_free(c->dropped);
    g_string_chunk_free(c->texts);
    g_array_unref(c->tracks);
    g_hash_table_unref(c->places);
    strobe_string_table_free(c->strings);
    strobe_external_sorter_free(c->sorter);
    strobe_storage_free(c->storage);
    g_byte_array_unref(c->block);
    g_free(c);
}

/* ---- kinds ---- */

static const char *copy_text(StrobeImportCapture *c, const char *text)
{
    return text ? g_string_chunk_insert_const(c->texts, text) : NULL;
}

static StrobeKind *copy_kind(StrobeImportCapture *c, const StrobeKind *declaration)
{
    StrobeKind *kind = g_memdup2(declaration, sizeof *kind);
    StrobeField *fields = g_memdup2(declaration->fields, kind->n_fields * sizeof *fields);

    for (guint32 i = 0; i < kind->n_fields; i++) {
        fields[i].name = copy_text(c, fields[i].name);
        fields[i].unit = copy_text(c, fields[i].unit);
        fields[i].summary = copy_text(c, fields[i].summary);
    }
    kind->struct_size = sizeof *kind;
    kind->name = copy_text(c, kind->name);
    kind->summary = copy_text(c, kind->summary);
    kind->fields = fields;
    return kind;
}

static void set_kind(StrobeImportCapture *c, struct import_kind *kind,
                     const StrobeKind *declaration)
{
    kind->declaration = copy_kind(c, declaration);
    c->has_end[kind - c->kinds] = declaration->shape == STROBE_SHAPE_SPAN;
    kind->is_reported = c->reported && g_hash_table_contains(c->reported, declaration->name);
    kind->words = (strobe_kind_offset(declaration, declaration->n_fields) + 7) / 8;
    kind->absent = g_new0(guint64, kind->words + 1);
    for (guint32 i = 0; i < declaration->n_fields; i++)
        strobe_field_put_absent((char *)kind->absent + strobe_kind_offset(declaration, i),
                                declaration->fields[i].type);
}

StrobeKindId strobe_import_capture_kind(StrobeImportCapture *c, const StrobeKind *kind, char *error,
                                        gsize size)
{
    if (!kind || !strobe_kind_check(kind, error, size))
        return 0;
    for (guint id = 1; id <= c->n_kinds; id++) {
        const StrobeKind *old = c->kinds[id].declaration;

        if (!old || strcmp(old->name, kind->name))
            continue;
        if (strobe_kind_is_same(kind, old))
            return id;
        if (!strobe_kind_is_extension(kind, old, error, size))
            return 0;
    }
    if (c->n_kinds + 1 >= IMPORT_KINDS_MAX) {
        g_snprintf(error, size, "too many kinds (at most %u)", IMPORT_KINDS_MAX - 1);
        return 0;
    }
    set_kind(c, &c->kinds[++c->n_kinds], kind);
    return c->n_kinds;
}

guint strobe_import_capture_n_kinds(const StrobeImportCapture *c)
{
    return c->n_kinds;
}

/* Adds a kind of the recorded capture, which keeps its id. */
static void take_kind(StrobeImportCapture *c, const StrobeKindView *view)
{
    StrobeField fields[STROBE_KIND_FIELDS_MAX];
    const StrobeKind kind = {.struct_size = sizeof kind,
                             .shape = view->shape,
                             .name = view->name,
                             .summary = view->summary,
                             .fields = fields,
                             .n_fields = view->n_fields};
    char error[256];

    for (guint32 i = 0; i < view->n_fields; i++)
        fields[i] = (StrobeField){.name = view->fields[i].name,
                                  .type = view->fields[i].type,
                                  .unit = view->fields[i].unit,
                                  .summary = view->fields[i].summary};
    if (view->id == 0 || view->id >= IMPORT_KINDS_MAX || c->kinds[view->id].declaration)
        return;
    c->n_kinds = c->n_taken_kinds = MAX(c->n_kinds, view->id);
    if (strobe_kind_check(&kind, error, sizeof error))
        set_kind(c, &c->kinds[view->id], &kind);
}

static void take_track(StrobeImportCapture *c, const StrobeTrackView *view, guint32 id)
{
    const struct thread thread = {view->pid, view->number};

    c->first_track = MAX(c->first_track, id < G_MAXUINT32 - TRACKS_MAX ? id + 1 : 1);
    if (view->type == STROBE_TRACK_THREAD)
        g_hash_table_insert(c->threads, g_memdup2(&thread, sizeof thread), GUINT_TO_POINTER(id));
}

StrobeImportCapture *strobe_import_capture_new_beside(const char *folder, gsize memory_bytes,
                                                      const StrobeReader *recorded)
{
    StrobeImportCapture *c = new_capture(folder, memory_bytes, STROBE_POOL_STRINGS);

    c->threads = g_hash_table_new_full(hash_thread, equal_threads, g_free, NULL);
    for (guint32 i = 0; i < strobe_reader_n_kinds(recorded); i++)
        take_kind(c, strobe_reader_kind(recorded, i));
    for (guint32 i = 1; i <= strobe_reader_n_tracks(recorded); i++)
        take_track(c, strobe_reader_track(recorded, i), strobe_reader_captured_track(recorded, i));
    return c;
}

const StrobeKind *strobe_import_capture_kind_at(const StrobeImportCapture *c, StrobeKindId kind)
{
    return kind && kind <= c->n_kinds ? c->kinds[kind].declaration : NULL;
}

guint64 strobe_import_capture_n_records(const StrobeImportCapture *c, StrobeKindId kind)
{
    if (kind == 0)
        return c->n_records;
    return kind <= c->n_kinds ? c->kinds[kind].n : 0;
}

/* ---- strings and tracks ---- */

StrobeStringId strobe_import_capture_intern(StrobeImportCapture *c, const char *bytes, gsize length,
                                            gboolean is_stack)
{
    guint32 id;

    if (length > STRING_BYTES_MAX) {
        c->n_refused++;
        length = STRING_BYTES_MAX;
    }
    id = strobe_string_table_intern(c->strings, bytes, length, is_stack);
    c->n_strings = MAX(c->n_strings, id + 1);
    return id;
}

static guint32 intern_text(StrobeImportCapture *c, const char *text)
{
    return text ? strobe_import_capture_intern(c, text, strlen(text), FALSE) : 0;
}

static struct strobe_stored_track stored_track(StrobeImportCapture *c, const StrobeTrack *track,
                                               guint64 pid)
{
    return (struct strobe_stored_track){.type = track->type,
                                        .clock = STROBE_CLOCK_REALTIME,
                                        .device = track->device,
                                        .pid = pid,
                                        .number = track->id,
                                        .name = intern_text(c, track->name),
                                        .group = intern_text(c, track->group)};
}

StrobeTrackId strobe_import_capture_track(StrobeImportCapture *c, const StrobeTrack *track,
                                          guint64 pid)
{
    const struct thread thread = {pid, track->id};
    gpointer known = c->threads && track->type == STROBE_TRACK_THREAD
                         ? g_hash_table_lookup(c->threads, &thread)
                         : NULL;

    if (known)
        return GPOINTER_TO_UINT(known);
    struct strobe_stored_track stored = stored_track(c, track, pid);
    known = g_hash_table_lookup(c->places, &stored);
    if (known)
        return GPOINTER_TO_UINT(known);
    if (c->tracks->len == TRACKS_MAX) {
        c->n_refused++;
        return 0;
    }
    stored.id = c->first_track + c->tracks->len;
    g_array_append_val(c->tracks, stored);
    g_hash_table_insert(c->places, g_memdup2(&stored, sizeof stored), GUINT_TO_POINTER(stored.id));
    return stored.id;
}

gboolean strobe_import_capture_retrack(StrobeImportCapture *c, StrobeTrackId id,
                                       const StrobeTrack *track, guint64 pid)
{
    struct strobe_stored_track *stored;

    if (id && id < c->first_track)
        return TRUE; /* a track of the recorded capture keeps its description */
    if (id == 0 || id - c->first_track >= c->tracks->len)
        return FALSE;
    stored = &g_array_index(c->tracks, struct strobe_stored_track, id - c->first_track);
    *stored = stored_track(c, track, pid);
    stored->id = id;
    return TRUE;
}

guint64 strobe_import_capture_n_refused(const StrobeImportCapture *c)
{
    return c->n_refused;
}

/* ---- records ---- */

void strobe_import_capture_fill_in(StrobeImportCapture *c)
{
    g_clear_pointer(&c->reported, g_hash_table_unref);
    c->reported = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    for (guint i = 1; i <= c->n_kinds; i++)
        if (c->kinds[i].declaration && c->kinds[i].n)
            g_hash_table_add(c->reported, (gpointer)c->kinds[i].declaration->name);
    for (guint i = 1; i <= c->n_kinds; i++)
        c->kinds[i].is_reported = c->kinds[i].declaration &&
                                  g_hash_table_contains(c->reported, c->kinds[i].declaration->name);
    if (!c->dropped)
        c->dropped = g_new(guint64, STROBE_KIND_FIELDS_MAX);
}

void strobe_import_capture_shift(StrobeImportCapture *c, gint64 ns)
{
    c->shift = ns;
}

static gint64 shift_time(const StrobeImportCapture *c, gint64 time)
{
    gint64 moved;

    return __builtin_add_overflow(time, c->shift, &moved) ? time : moved;
}

static void bend_times(StrobeImportCapture *c, gint64 *begin, gint64 *end)
{
    *begin = shift_time(c, *begin);
    *end = shift_time(c, *end);
    gint64 good_begin = CLAMP(*begin, 0, TIME_MAX - c->base);
    gint64 good_end = CLAMP(*end, good_begin, TIME_MAX - c->base);

    c->n_bent += good_begin != *begin || good_end != *end;
    *begin = good_begin;
    *end = good_end;
    if (c->n_records++ == 0)
        c->begin = good_begin;
    c->begin = MIN(c->begin, good_begin);
    c->end = MAX(c->end, good_end);
}

static void set_sorter_error(const StrobeImportCapture *c, GError **error)
{
    const int code = strobe_external_sorter_error(c->sorter);

    if (code == ENOMEM)
        g_set_error_literal(error, STROBE_ERROR, STROBE_ERROR_IO,
                            "Out of memory: the sorter of imported records gets no more");
    else
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot sort records in the folder for temporary files: %s: %s",
                    c->storage->place, g_strerror(code));
}

static guint64 *reserve_record(StrobeImportCapture *c, gint64 begin_ns, gint64 end_ns,
                               guint32 words, GError **error)
{
    const StrobeSortKey key = {end_ns, -begin_ns};
    guint64 *record = strobe_external_sorter_reserve(c->sorter, key, words * sizeof *record);

    if (!record)
        set_sorter_error(c, error);
    return record;
}

const guint64 *strobe_import_capture_next(StrobeImportCapture *c, guint32 *words, GError **error)
{
    size_t length;
    const guint64 *record = strobe_external_sorter_next(c->sorter, &length);

    if (record)
        *words = (guint32)(length / sizeof *record);
    else if (strobe_external_sorter_error(c->sorter))
        set_sorter_error(c, error);
    return record;
}

void *strobe_import_capture_add(StrobeImportCapture *c, StrobeKindId kind_id, StrobeTrackId track,
                                StrobeStringId name, gint64 begin_ns, gint64 end_ns, GError **error)
{
    struct import_kind *kind = kind_id && kind_id <= c->n_kinds ? &c->kinds[kind_id] : NULL;
    gboolean has_end = kind && c->has_end[kind_id];
    guint32 at = 1;

    if (!kind) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_ARGUMENT, "There is no kind %u", kind_id);
        return NULL;
    }
    if (kind->is_reported)
        return c->dropped;
    if (!has_end)
        end_ns = begin_ns;
    bend_times(c, &begin_ns, &end_ns);
    guint32 words = 3 + has_end + kind->words;
    guint64 *record = reserve_record(c, begin_ns, end_ns, words, error);
    if (!record)
        return NULL;
    kind->n++;
    record[0] = words | STROBE_RECORD_HAS_TRACK | (guint64)kind_id << 16 | (guint64)name << 32;
    record[at++] = (guint64)begin_ns;
    if (has_end)
        record[at++] = (guint64)end_ns;
    record[at++] = track;
    memcpy(record + at, kind->absent, kind->words * 8);
    return record + at;
}

gint64 strobe_import_capture_begin(const StrobeImportCapture *c)
{
    return c->begin;
}

gint64 strobe_import_capture_base(const StrobeImportCapture *c)
{
    return c->base;
}

gboolean strobe_import_capture_time_base(StrobeImportCapture *c, gint64 base)
{
    if (base < 0 || base > TIME_MAX - c->end)
        return FALSE;
    c->base = base;
    return TRUE;
}

void strobe_import_capture_set_temporary(StrobeImportCapture *c)
{
    c->is_temporary = TRUE;
}

guint64 strobe_import_capture_n_bent(const StrobeImportCapture *c)
{
    return c->n_bent;
}
