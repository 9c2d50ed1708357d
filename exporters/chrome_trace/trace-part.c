/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-part.h"

#define TEXT_BYTES (32u * 1024) /* text of this size is moved to the log */

/* The stored form of a record that waits. */
typedef struct Waiting {
    const struct TraceKind *kind; /* NULL: the entry is text, which follows */
    const TraceRow *row;
    StrobeView view;
    guint64 fields[];
} Waiting;

void trace_part_init(TracePart *part, StrobeStorage *storage, gboolean is_sorted)
{
    *part = (TracePart){.log = is_sorted ? NULL : strobe_record_log_new(storage),
                        .sorter = is_sorted ? strobe_external_sorter_new(storage) : NULL};
    trace_out_init(&part->text, NULL);
}

void trace_part_clear(TracePart *part)
{
    strobe_record_log_free(part->log);
    strobe_external_sorter_free(part->sorter);
    trace_out_clear(&part->text);
    *part = (TracePart){0};
}

static void *reserve_bytes(TracePart *part, gint64 key, gsize length)
{
    if (part->sorter)
        return strobe_external_sorter_reserve(part->sorter, (StrobeSortKey){key, 0}, length);
    return strobe_record_log_reserve(part->log, length);
}

static void add_bytes(TracePart *part, gint64 key, const char *bytes, gsize length)
{
    Waiting *text = reserve_bytes(part, key, sizeof text->kind + length);

    part->has_records = TRUE;
    if (!text)
        return;
    text->kind = NULL;
    memcpy(&text->row, bytes, length);
}

static void flush_text(TracePart *part)
{
    if (part->text.used)
        add_bytes(part, 0, part->text.bytes, part->text.used);
    part->text.used = 0;
}

void trace_part_add_record(TracePart *part, gint64 key, const struct TraceKind *kind,
                           gsize field_bytes, const TraceRow *row, const StrobeView *record)
{
    Waiting *waiting;

    if (G_UNLIKELY(part->text.used))
        flush_text(part);
    part->has_records = TRUE;
    waiting = reserve_bytes(part, key, sizeof *waiting + field_bytes);
    if (!waiting)
        return;
    waiting->kind = kind;
    waiting->row = row;
    waiting->view = *record;
    memcpy(waiting->fields, record->fields, field_bytes);
}

void trace_part_add_text(TracePart *part, gint64 key, const TraceOut *event)
{
    add_bytes(part, key, event->bytes, event->used);
}

TraceOut *trace_part_text(TracePart *part)
{
    if (part->text.used > TEXT_BYTES)
        flush_text(part);
    return &part->text;
}

/* The bits of a double, read as an integer, sort like the double if it is not negative. The bits of
 * negative numbers sort in the reverse order, so they are converted. */
gint64 trace_part_key_of_time(gint64 time_ns)
{
    double us = (double)((long double)time_ns / 1000.0L);
    gint64 bits;

    memcpy(&bits, &us, sizeof bits);
    return bits < 0 ? G_MININT64 - bits : bits;
}

gboolean trace_part_has_events(const TracePart *part)
{
    return part->has_records || part->text.has_events;
}

int trace_part_error(const TracePart *part)
{
    if (part->is_written)
        return 0;
    return part->sorter ? strobe_external_sorter_error(part->sorter)
                        : strobe_record_log_error(part->log);
}

/* ---- writing ---- */

typedef struct Writing {
    TraceOut *out;
    TracePartCompose compose;
    void *user;
} Writing;

static void write_waiting(const Writing *writing, Waiting *waiting, gsize length)
{
    if (!waiting->kind) {
        trace_out_sink(writing->out, (const char *)&waiting->row, length - sizeof waiting->kind);
        return;
    }
    waiting->view.fields = waiting->fields;
    writing->compose(writing->user, waiting->kind, &waiting->view, waiting->row);
}

static int write_sorted(TracePart *part, const Writing *writing)
{
    Waiting *waiting;
    size_t length;

    while ((waiting = strobe_external_sorter_next(part->sorter, &length)))
        write_waiting(writing, waiting, length);
    return strobe_external_sorter_error(part->sorter);
}

static int write_log(TracePart *part, const Writing *writing)
{
    StrobeRecordLogReader *reader = strobe_record_log_read(part->log);
    Waiting *waiting;
    size_t length;
    int error;

    while ((waiting = strobe_record_log_next(reader, &length)))
        write_waiting(writing, waiting, length);
    error = strobe_record_log_reader_error(reader);
    strobe_record_log_reader_free(reader);
    return error;
}

void trace_part_write(TracePart *part, TraceOut *out, TracePartCompose compose, void *user)
{
    const Writing writing = {out, compose, user};
    int error;

    flush_text(part);
    error = part->sorter ? write_sorted(part, &writing) : write_log(part, &writing);
    if (!out->error)
        out->error = error;
    trace_part_clear(part);
    part->is_written = TRUE;
}
