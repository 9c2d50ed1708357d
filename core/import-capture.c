/* SPDX-License-Identifier: Apache-2.0 */
#include "import-capture.h"

#include <errno.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>
#include "capture-format.h"
#include "capture-writer.h"
#include "error.h"
#include "kind-table.h"
#include "record-sorter.h"
#include "string-table.h"

#define KINDS_MAX 256u
#define TRACKS_MAX STROBE_POOL_TRACKS
#define STRING_BYTES_MAX (1u << 20)
#define BLOCK_BYTES (1u << 20)
#define TIME_MAX (((gint64)1 << 61) - 1)

struct kind {
    StrobeKind *declaration; /* a copy: the importer's own lives only as long as its run */
    guint64 *absent;         /* the fields as they are to begin with */
    guint32 words;           /* of the fields */
    guint64 n;
};

struct StrobeImportCapture {
    struct kind kinds[KINDS_MAX]; /* by id */
    guint n_kinds;
    GStringChunk *texts; /* of kinds */
    GArray *tracks;      /* of struct strobe_stored_track */
    GHashTable *places;  /* the stored track without its id, to the id */
    StrobeStringTable *strings;
    guint32 n_strings; /* ids dealt out, 0 among them */
    StrobeRecordSorter *sorter;
    gint64 begin, end, base; /* base: added when records are written */
    guint64 n_records, n_refused, n_bent;
    GByteArray *block;
};

static guint hash_track(gconstpointer key)
{
    const guint32 *words = key;
    guint hash = 5381;

    for (gsize i = 1; i < sizeof(struct strobe_stored_track) / 4; i++)
        hash = hash * 33 + words[i];
    return hash;
}

static gboolean equal_tracks(gconstpointer a, gconstpointer b)
{
    return memcmp((const char *)a + 4, (const char *)b + 4,
                  sizeof(struct strobe_stored_track) - 4) == 0;
}

/* Of a record as it lies in the capture, but for the base of its times. */
static StrobeRecordKey key_of(gconstpointer user, const guint64 *record)
{
    const StrobeImportCapture *c = user;
    gboolean has_end = c->kinds[record[0] >> 16 & 0xffff].declaration->shape == STROBE_SHAPE_SPAN;

    return (StrobeRecordKey){.begin = (gint64)record[1],
                             .end = (gint64)record[1 + has_end],
                             .words = record[0] & STROBE_RECORD_WORDS_MASK};
}

StrobeImportCapture *strobe_import_capture_new(int scratch, gsize memory_bytes)
{
    StrobeImportCapture *c = g_new0(StrobeImportCapture, 1);

    c->texts = g_string_chunk_new(4096);
    c->tracks = g_array_new(FALSE, TRUE, sizeof(struct strobe_stored_track));
    c->places = g_hash_table_new_full(hash_track, equal_tracks, g_free, NULL);
    c->strings = strobe_string_table_new(1);
    c->n_strings = 1;
    c->sorter = strobe_record_sorter_new(scratch, memory_bytes, key_of, c);
    c->block = g_byte_array_new();
    strobe_import_capture_intern(c, "", 0, FALSE); /* id 1 */
    return c;
}

void strobe_import_capture_free(StrobeImportCapture *c)
{
    if (!c)
        return;
    for (guint i = 1; i <= c->n_kinds; i++) {
        g_free(c->kinds[i].absent);
        g_free((StrobeField *)c->kinds[i].declaration->fields);
        g_free(c->kinds[i].declaration);
    }
    g_string_chunk_free(c->texts);
    g_array_unref(c->tracks);
    g_hash_table_unref(c->places);
    strobe_string_table_free(c->strings);
    strobe_record_sorter_free(c->sorter);
    g_byte_array_unref(c->block);
    g_free(c);
}

/* ---- kinds ---- */

static void put_absent(char *at, guint32 type)
{
    static const guint64 u64 = STROBE_ABSENT_U64;
    static const gint64 i64 = STROBE_ABSENT_I64;
    static const guint32 u32 = STROBE_ABSENT_U32;
    static const gint32 i32 = STROBE_ABSENT_I32;
    double f64 = STROBE_ABSENT_F64;

    switch (type) {
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        memcpy(at, &u64, sizeof u64);
        break;
    case STROBE_FIELD_I64:
        memcpy(at, &i64, sizeof i64);
        break;
    case STROBE_FIELD_U32:
        memcpy(at, &u32, sizeof u32);
        break;
    case STROBE_FIELD_I32:
        memcpy(at, &i32, sizeof i32);
        break;
    case STROBE_FIELD_F64:
        memcpy(at, &f64, sizeof f64);
        break;
    default:
        break; /* 0: no string, no stack, no track, false */
    }
}

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

static void set_kind(StrobeImportCapture *c, struct kind *kind, const StrobeKind *declaration)
{
    kind->declaration = copy_kind(c, declaration);
    kind->words = (strobe_kind_offset(declaration, declaration->n_fields) + 7) / 8;
    kind->absent = g_new0(guint64, kind->words + 1);
    for (guint32 i = 0; i < declaration->n_fields; i++)
        put_absent((char *)kind->absent + strobe_kind_offset(declaration, i),
                   declaration->fields[i].type);
}

StrobeKindId strobe_import_capture_kind(StrobeImportCapture *c, const StrobeKind *kind, char *error,
                                        gsize size)
{
    if (!kind || !strobe_kind_check(kind, error, size))
        return 0;
    for (guint id = 1; id <= c->n_kinds; id++) {
        const StrobeKind *old = c->kinds[id].declaration;

        if (strcmp(old->name, kind->name))
            continue;
        if (strobe_kind_is_same(kind, old))
            return id;
        if (!strobe_kind_is_extension(kind, old, error, size))
            return 0;
    }
    if (c->n_kinds + 1 >= KINDS_MAX) {
        g_snprintf(error, size, "too many kinds (at most %u)", KINDS_MAX - 1);
        return 0;
    }
    set_kind(c, &c->kinds[++c->n_kinds], kind);
    return c->n_kinds;
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
    struct strobe_stored_track stored = stored_track(c, track, pid);
    gpointer known = g_hash_table_lookup(c->places, &stored);

    if (known)
        return GPOINTER_TO_UINT(known);
    if (c->tracks->len == TRACKS_MAX) {
        c->n_refused++;
        return 0;
    }
    stored.id = c->tracks->len + 1;
    g_array_append_val(c->tracks, stored);
    g_hash_table_insert(c->places, g_memdup2(&stored, sizeof stored), GUINT_TO_POINTER(stored.id));
    return stored.id;
}

gboolean strobe_import_capture_retrack(StrobeImportCapture *c, StrobeTrackId id,
                                       const StrobeTrack *track, guint64 pid)
{
    struct strobe_stored_track *stored;

    if (id == 0 || id > c->tracks->len)
        return FALSE;
    stored = &g_array_index(c->tracks, struct strobe_stored_track, id - 1);
    *stored = stored_track(c, track, pid);
    stored->id = id;
    return TRUE;
}

guint64 strobe_import_capture_n_refused(const StrobeImportCapture *c)
{
    return c->n_refused + strobe_string_table_n_refused(c->strings);
}

/* ---- records ---- */

static void bend_times(StrobeImportCapture *c, gint64 *begin, gint64 *end)
{
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

void *strobe_import_capture_add(StrobeImportCapture *c, StrobeKindId kind_id, StrobeTrackId track,
                                StrobeStringId name, gint64 begin_ns, gint64 end_ns, GError **error)
{
    struct kind *kind = kind_id && kind_id <= c->n_kinds ? &c->kinds[kind_id] : NULL;
    gboolean has_end = kind && kind->declaration->shape == STROBE_SHAPE_SPAN;
    guint32 at = 1;

    if (!kind) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_ARGUMENT, "There is no kind %u", kind_id);
        return NULL;
    }
    if (!has_end)
        end_ns = begin_ns;
    bend_times(c, &begin_ns, &end_ns);
    guint32 words = 3 + has_end + kind->words;
    guint64 *record = strobe_record_sorter_add(c->sorter, begin_ns, end_ns, words, error);
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

guint64 strobe_import_capture_n_bent(const StrobeImportCapture *c)
{
    return c->n_bent;
}

/* ---- writing ---- */

static int flush_block(StrobeImportCapture *c, StrobeCaptureWriter *writer, guint32 type)
{
    int error = 0;

    if (c->block->len)
        error = strobe_capture_write_block(writer, type, c->block->data, c->block->len);
    g_byte_array_set_size(c->block, 0);
    return error;
}

static int write_kinds(StrobeImportCapture *c, StrobeCaptureWriter *writer)
{
    for (guint id = 1; id <= c->n_kinds; id++) {
        gsize bytes = strobe_kind_stored_bytes(c->kinds[id].declaration);
        guint at = c->block->len;

        g_byte_array_set_size(c->block, (guint)(at + bytes));
        strobe_kind_put((char *)c->block->data + at, c->kinds[id].declaration, id);
    }
    return flush_block(c, writer, STROBE_BLOCK_KINDS);
}

static void put_string(StrobeImportCapture *c, guint32 id)
{
    static const guint8 zeros[4];
    const StrobeStringId *frames;
    gsize n_frames = strobe_string_table_stack(c->strings, id, &frames);
    StrobeText text = {(const char *)frames, n_frames * sizeof *frames};
    guint32 head[2] = {id, 0};

    if (n_frames == 0)
        text = strobe_string_table_text(c->strings, id);
    head[1] = (guint32)text.length | (n_frames ? STROBE_STRING_IS_STACK : 0);
    g_byte_array_append(c->block, (const void *)head, sizeof head);
    g_byte_array_append(c->block, (const void *)text.bytes, (guint)text.length);
    g_byte_array_append(c->block, zeros, (4 - text.length % 4) % 4);
}

static int write_strings(StrobeImportCapture *c, StrobeCaptureWriter *writer)
{
    for (guint32 id = 1; id < c->n_strings; id++) {
        int error = 0;

        put_string(c, id);
        if (c->block->len >= BLOCK_BYTES)
            error = flush_block(c, writer, STROBE_BLOCK_STRINGS);
        if (error)
            return error;
    }
    return flush_block(c, writer, STROBE_BLOCK_STRINGS);
}

static int write_definitions(StrobeImportCapture *c, StrobeCaptureWriter *writer, const char *facts)
{
    int error =
        strobe_capture_write_block(writer, STROBE_BLOCK_FACTS, facts, (guint32)strlen(facts));

    if (!error)
        error = write_kinds(c, writer);
    if (!error && c->tracks->len)
        error = strobe_capture_write_block(writer, STROBE_BLOCK_TRACKS, c->tracks->data,
                                           c->tracks->len *
                                               (guint32)sizeof(struct strobe_stored_track));
    return error ? error : write_strings(c, writer);
}

/* The times behind the header of a record. */
static void add_base(const StrobeImportCapture *c, guint64 *times)
{
    guint32 kind = times[-1] >> 16 & 0xffff;

    times[0] += (guint64)c->base;
    if (c->kinds[kind].declaration->shape == STROBE_SHAPE_SPAN)
        times[1] += (guint64)c->base;
}

static int write_records(StrobeImportCapture *c, StrobeCaptureWriter *writer, GError **failure)
{
    const guint64 *record;
    guint32 words;

    while ((record = strobe_record_sorter_next(c->sorter, &words, failure))) {
        int error = 0;

        g_byte_array_append(c->block, (const void *)record, words * 8);
        if (c->base)
            add_base(c, (guint64 *)(void *)(c->block->data + c->block->len - words * 8) + 1);
        if (c->block->len >= BLOCK_BYTES)
            error = flush_block(c, writer, STROBE_BLOCK_RECORDS);
        if (error)
            return error;
    }
    return *failure ? 0 : flush_block(c, writer, STROBE_BLOCK_RECORDS);
}

gboolean strobe_import_capture_write(StrobeImportCapture *c, int file, const char *facts,
                                     GError **error)
{
    /* Counts of the clock are ns since the epoch here. */
    static const StrobeClockPair pair = {.ns_per_tick = 1};
    g_autofree StrobeCaptureWriter *writer = g_new0(StrobeCaptureWriter, 1);
    StrobeClockTrend trend;
    GError *failure = NULL;
    int number = strobe_capture_writer_init(writer);

    if (number) {
        close(file);
    } else {
        strobe_clock_trend_begin(&trend, 1);
        strobe_capture_writer_resume(writer, file, 1, &trend, &pair);
        number = write_definitions(c, writer, facts);
        if (!number)
            number = write_records(c, writer, &failure);
        if (!number && !failure)
            number = strobe_capture_write_seal(writer, (guint64)(c->begin + c->base),
                                               (guint64)(c->end + c->base), 0);
        if (!number && !failure && fsync(writer->fd))
            number = errno;
        strobe_capture_writer_clear(writer);
    }
    if (failure)
        g_propagate_error(error, failure);
    else if (number)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write the capture: %s",
                    g_strerror(number));
    return !failure && !number;
}
