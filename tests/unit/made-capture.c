/* SPDX-License-Identifier: Apache-2.0 */
#include "made-capture.h"

#include <string.h>
#include <strobe/kinds.h>
#include "crc32c.h"
#include "kind-declaration.h"
#include "kind-table.h"

#define KIND_STEP 1u
#define KIND_CPU_OP 2u
#define FIRST_STACK 2000u
#define STACKS 50u
#define BLOCK_BYTES (60u << 10)
#define STEP_RECORDS 20000u
#define DISTANCE_NS 1000u /* time between successive records of a thread buffer */
#define SPAN_NS 900u

/* ---- blocks ---- */

void made_capture_block(MadeCapture *made, guint32 type, guint32 thread_buffer, guint64 sequence,
                        guint32 offset, const void *payload, gsize bytes)
{
    struct strobe_block_header header = {
        .payload_crc = strobe_crc32c(0, payload, bytes),
        .type = type,
        .payload_bytes = (guint32)bytes,
        .window = made->window,
        .thread_buffer = thread_buffer,
        .sequence = sequence,
        .offset = offset,
        .track = thread_buffer == STROBE_THREAD_BUFFER_NONE ? 0 : MADE_TRACK + thread_buffer,
        .pair = {.ticks = made->now_ns,
                 .monotonic_ns = (gint64)made->now_ns,
                 .realtime_ns = (gint64)made->now_ns + MADE_EPOCH_NS,
                 .boottime_ns = (gint64)made->now_ns},
    };

    memcpy(header.magic, STROBE_BLOCK_MAGIC, sizeof header.magic);
    header.header_crc = strobe_crc32c(0, &header, sizeof header);
    g_assert_cmpuint(fwrite(&header, 1, sizeof header, made->file), ==, sizeof header);
    g_assert_cmpuint(fwrite(payload, 1, bytes, made->file), ==, bytes);
}

static void put_of_none(MadeCapture *made, guint32 type, guint64 sequence, const GByteArray *bytes)
{
    made_capture_block(made, type, STROBE_THREAD_BUFFER_NONE, sequence, 0, bytes->data, bytes->len);
}

static void put_text(GByteArray *bytes, const char *text)
{
    g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text) + 1);
}

static void put_kind(GByteArray *bytes, const StrobeKind *kind, guint32 id)
{
    guint start = bytes->len;
    struct strobe_stored_kind head = {0, id, kind->shape, kind->n_fields};

    g_byte_array_append(bytes, (const guint8 *)&head, sizeof head);
    put_text(bytes, kind->name);
    put_text(bytes, kind->summary);
    for (guint32 i = 0; i < kind->n_fields; i++) {
        guint8 type = (guint8)kind->fields[i].type;
        g_byte_array_append(bytes, &type, 1);
        put_text(bytes, kind->fields[i].name);
        put_text(bytes, kind->fields[i].unit ? kind->fields[i].unit : "");
        put_text(bytes, kind->fields[i].summary ? kind->fields[i].summary : "");
    }
    while ((bytes->len - start) % 8)
        g_byte_array_append(bytes, (const guint8 *)"", 1);
    head.bytes = bytes->len - start;
    memcpy(bytes->data + start, &head, sizeof head);
}

static void put_kinds(MadeCapture *made)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    put_kind(bytes, &strobe_kind_step, KIND_STEP);
    put_kind(bytes, &strobe_kind_cpu_op, KIND_CPU_OP);
    put_kind(bytes, &strobe_kind_marker, STROBE_KIND_ID_MARKER);
    put_kind(bytes, &strobe_kind_marker_instant, STROBE_KIND_ID_MARKER_INSTANT);
    put_of_none(made, STROBE_BLOCK_KINDS, 0, bytes);
}

static void put_string(GByteArray *bytes, guint32 id, const void *text, guint32 n, guint32 flag)
{
    guint32 head[2] = {id, n | flag};

    g_byte_array_append(bytes, (const guint8 *)head, sizeof head);
    g_byte_array_append(bytes, text, n);
    while (bytes->len % 4)
        g_byte_array_append(bytes, (const guint8 *)"", 1);
}

static void put_strings(MadeCapture *made)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    char name[32];

    for (guint32 i = 0; i < MADE_NAMES; i++) {
        g_snprintf(name, sizeof name, "operation_%u", i);
        put_string(bytes, MADE_FIRST_NAME + i, name, (guint32)strlen(name), 0);
    }
    for (guint32 i = 0; i < STACKS; i++) {
        guint32 frames[3] = {MADE_FIRST_NAME + i, MADE_FIRST_NAME + 2 * i, MADE_FIRST_NAME};
        put_string(bytes, FIRST_STACK + i, frames, sizeof frames, STROBE_STRING_IS_STACK);
    }
    put_of_none(made, STROBE_BLOCK_STRINGS, 0, bytes);
}

static void put_tracks(MadeCapture *made)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    for (guint32 id = MADE_TRACK; id <= MADE_STEPS_TRACK; id++) {
        struct strobe_stored_track track = {.id = id,
                                            .type = id == MADE_STEPS_TRACK ? STROBE_TRACK_STEPS
                                                                           : STROBE_TRACK_THREAD,
                                            .device = -1,
                                            .pid = 4711,
                                            .number = 4711 + id};
        g_byte_array_append(bytes, (const guint8 *)&track, sizeof track);
    }
    put_of_none(made, STROBE_BLOCK_TRACKS, 0, bytes);
}

MadeCapture *made_capture_begin(const char *path, guint64 segment, const char *pool_id)
{
    MadeCapture *made = g_new0(MadeCapture, 1);
    g_autofree char *metadata = g_strdup_printf(
        "{\"pid\": 4711, \"host\": \"made\", \"command\": \"load\", \"pool\": \"\", "
        "\"pool_id\": \"%s\"}",
        pool_id);

    made->file = fopen(path, "wxe");
    g_assert_nonnull(made->file);
    made->now_ns = MADE_BEGIN_NS;
    made->window = 1;
    made_capture_block(made, STROBE_BLOCK_METADATA, STROBE_THREAD_BUFFER_NONE, segment, 0, metadata,
                       strlen(metadata));
    put_kinds(made);
    put_tracks(made);
    put_strings(made);
    return made;
}

void made_capture_seal(MadeCapture *made, guint64 end_ns, gboolean continued)
{
    struct strobe_stored_seal seal = {
        .begin_ticks = MADE_BEGIN_NS, .end_ticks = end_ns, .continued = continued != FALSE};

    made->now_ns = MAX(made->now_ns, end_ns);
    made_capture_block(made, STROBE_BLOCK_SEAL, STROBE_THREAD_BUFFER_NONE, 0, 0, &seal,
                       sizeof seal);
}

void made_capture_end(MadeCapture *made)
{
    g_assert_cmpint(fclose(made->file), ==, 0);
    g_free(made);
}

/* ---- records ---- */

static guint put_head(guint64 *out, guint32 kind, guint32 name, guint words)
{
    out[0] = (guint64)name << 32 | kind << 16 | words;
    return words;
}

guint made_marker(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 argument)
{
    out[1] = begin_ns;
    out[2] = end_ns;
    out[3] = argument;
    return put_head(out, STROBE_KIND_ID_MARKER, MADE_FIRST_NAME + (guint32)(argument % MADE_NAMES),
                    4);
}

guint made_unfinished(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 argument)
{
    guint words = STROBE_UNFINISHED_WORDS | STROBE_RECORD_UNFINISHED | STROBE_RECORD_HAS_TRACK;

    out[1] = begin_ns;
    out[2] = end_ns;
    out[3] = MADE_TRACK;
    out[4] = argument;
    put_head(out, STROBE_KIND_ID_MARKER, MADE_FIRST_NAME, words);
    return STROBE_UNFINISHED_WORDS;
}

guint made_named(guint64 *out, guint64 time_ns, guint32 string, const char *name)
{
    guint32 n = (guint32)strlen(name), id = STROBE_STRING_INLINE | string;
    guint words = 2 + (n + 7) / 8;

    out[words - 1] = 0;
    out[1] = n;
    memcpy(out + 2, name, n);
    put_head(out, STROBE_KIND_STRING, id, words);
    out[words + 1] = time_ns;
    out[words + 2] = string;
    return words + put_head(out + words, STROBE_KIND_ID_MARKER_INSTANT, id, 3);
}

static guint put_instant(guint64 *out, guint64 time_ns, guint64 argument)
{
    out[1] = time_ns;
    out[2] = argument;
    return put_head(out, STROBE_KIND_ID_MARKER_INSTANT, MADE_FIRST_NAME, 3);
}

static guint put_operator(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 i)
{
    struct strobe_cpu_op op = {.sequence = (gint64)(i / 16), .stack = 0};
    const guint words = (sizeof op + 7) / 8;

    if (i % 32 == 0)
        op.stack = FIRST_STACK + (guint32)(i / 32 % STACKS);
    if (i % 3 == 0)
        op.forward_thread = 1;
    out[1] = begin_ns;
    out[2] = end_ns;
    memset(out + 3, 0, words * sizeof *out);
    memcpy(out + 3, &op, sizeof op);
    return put_head(out, KIND_CPU_OP, MADE_FIRST_NAME + (guint32)(i / 16 % MADE_NAMES), 3 + words);
}

static guint put_step(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 number)
{
    out[1] = begin_ns;
    out[2] = end_ns;
    out[3] = MADE_STEPS_TRACK;
    out[4] = number;
    out[5] = 4711;
    put_head(out, KIND_STEP, MADE_FIRST_NAME, 6 | STROBE_RECORD_HAS_TRACK);
    return 6;
}

/* ---- the load ---- */

struct thread_buffer {
    guint64 time_ns, sequence, n;
};

/* Writes the next record of a thread buffer, and returns its number of words. Of 16 records, four
 * are operators, of which one contains the three others, ten are marks and two are instants. */
static guint put_record(guint64 *out, struct thread_buffer *thread_buffer, gboolean has_steps)
{
    guint64 i = thread_buffer->n++, begin = thread_buffer->time_ns;

    thread_buffer->time_ns += DISTANCE_NS;
    if (has_steps && i % STEP_RECORDS == STEP_RECORDS - 1)
        return put_step(out, begin - (STEP_RECORDS - 1) * DISTANCE_NS, thread_buffer->time_ns,
                        i / STEP_RECORDS);
    switch (i % 16) {
    case 0:
    case 5:
    case 10:
        return put_operator(out, begin, begin + SPAN_NS, i);
    case 14:
        return put_operator(out, begin - 14 * DISTANCE_NS, begin + SPAN_NS, i);
    case 7:
    case 15:
        return put_instant(out, begin, i);
    default:
        return made_marker(out, begin, begin + SPAN_NS, i);
    }
}

void made_capture_load(const char *path, guint64 n)
{
    MadeCapture *made = made_capture_begin(path, 0, "load");
    struct thread_buffer thread_buffers[MADE_THREAD_BUFFERS];
    g_autofree guint64 *block = g_malloc(BLOCK_BYTES);

    for (guint i = 0; i < MADE_THREAD_BUFFERS; i++)
        thread_buffers[i] = (struct thread_buffer){.time_ns = MADE_BEGIN_NS + i};
    for (guint turn = 0; n; turn++) {
        struct thread_buffer *thread_buffer = &thread_buffers[turn % MADE_THREAD_BUFFERS];
        guint words = 0;
        for (; n && words + 8 <= BLOCK_BYTES / 8; n--)
            words += put_record(block + words, thread_buffer, turn % MADE_THREAD_BUFFERS == 0);
        made->now_ns = MAX(made->now_ns, thread_buffer->time_ns);
        made_capture_block(made, STROBE_BLOCK_RECORDS, turn % MADE_THREAD_BUFFERS,
                           ++thread_buffer->sequence, 0, block, words * 8);
    }
    made_capture_seal(made, made->now_ns, FALSE);
    made_capture_end(made);
}

void made_capture_named(const char *path, guint32 n)
{
    MadeCapture *made = made_capture_begin(path, 0, "a");
    guint64 words[1000];
    guint used = 0;
    char name[64];

    for (guint32 i = 0; i < n; i++) {
        g_snprintf(name, sizeof name, "a name that comes but once, number %u", i);
        used += made_named(words + used, made->now_ns, i, name);
        if (used + 16 > G_N_ELEMENTS(words) || i == n - 1) {
            made_capture_block(made, STROBE_BLOCK_RECORDS, 0, i, 0, words, used * 8);
            used = 0;
        }
    }
    made_capture_end(made);
}

/* ---- reading ---- */

StrobeReader *made_reader(const char *path)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);

    g_assert_no_error(error);
    return reader;
}

char *made_arguments(const char *path, StrobeReaderStats *stats)
{
    StrobeReader *reader = made_reader(path);
    GString *text = g_string_new(NULL);
    StrobeView views[7];
    gsize n;

    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), NULL)))
        for (gsize i = 0; i < n; i++)
            g_string_append_printf(text, "%s%s%" G_GUINT64_FORMAT, text->len ? " " : "",
                                   views[i].flags & STROBE_VIEW_UNFINISHED ? "u" : "",
                                   strobe_view_u64(&views[i], 0));
    if (stats)
        *stats = *strobe_reader_stats(reader);
    strobe_reader_free(reader);
    return g_string_free(text, FALSE);
}

void made_assert_arguments(const char *path, const char *expected)
{
    g_autofree char *found = made_arguments(path, NULL);
    g_assert_cmpstr(found, ==, expected);
}

void made_capture_marker(MadeCapture *made, guint32 thread_buffer, guint64 sequence, guint32 offset,
                         guint64 argument)
{
    guint64 words[8], begin = MADE_BEGIN_NS + argument * 1000000;
    guint n = made_marker(words, begin, begin + 500000, argument);

    made->now_ns = MAX(made->now_ns, begin + 600000);
    made_capture_block(made, STROBE_BLOCK_RECORDS, thread_buffer, sequence, offset, words, n * 8);
}
