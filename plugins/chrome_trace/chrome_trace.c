/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a Chrome trace to records. */
#include "chrome_trace.h"

#include "trace-flow-events.h"
#include "trace-equal-spans.h"
#include "events.h"
#include "trace-metadata.h"
#include "open-spans.h"
#include "stack-frames.h"

/* ---- recognizing a source ---- */

/* Decompresses the first bytes of a gzip file. */
static gssize inflate_head(const StrobeSource *source, char *bytes, gsize size)
{
    ByteSource *in = byte_source_new(source->descriptor);
    gsize used = 0;
    gssize n;

    while (used < size && (n = byte_source_read(in, bytes + used, size - used)) > 0)
        used += (gsize)n;
    byte_source_free(in);
    return (gssize)used;
}

static gboolean has_text(const char *bytes, gsize length, const char *text)
{
    return memmem(bytes, length, text, strlen(text)) != NULL;
}

static void probe_text(const char *bytes, gsize length, StrobeSourceProbe *answer)
{
    const char *at = bytes, *end = bytes + length;

    if (length >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
        at += 3;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    if (at == end || (*at != '{' && *at != '[')) {
        return;
    }
    length = (gsize)(end - at);
    if (*at == '{' && has_text(at, length, "\"deviceProperties\"") &&
        has_text(at, length, "\"schemaVersion\"")) {
        answer->score = 95;
        answer->format = "trace of PyTorch's profiler (Kineto)";
    } else if ((*at == '{' && has_text(at, length, "\"traceEvents\"")) ||
               (has_text(at, length, "\"ph\"") && has_text(at, length, "\"pid\""))) {
        answer->score = 80;
        answer->format = "Chrome trace";
    } else {
        answer->reason = "JSON that does not begin with events of a trace";
    }
}

/* Returns whether the file has an event. Reads all members before the first event, because a file
 * may begin with long members. */
static gboolean begins_with_event(const StrobeSource *source)
{
    ByteSource *in = byte_source_new(source->descriptor);
    EventReader *reader = event_reader_new(in, 0);
    g_autofree Event *event = g_new0(Event, 1);
    const char *error;
    int result;

    byte_source_limit(in, EVENT_BYTES_MAX + STROBE_SOURCE_HEAD);
    do
        result = event_reader_next(reader, event, &error);
    while (result == EVENT_MEMBER || result == EVENT_FRAME);
    if (result == EVENT_ONE && !event_reader_is_object(reader) &&
        (!event->phase.length || !event->pid.type))
        result = EVENT_DAMAGE;
    event_reader_free(reader);
    byte_source_free(in);
    return result == EVENT_ONE;
}

static void probe_behind_head(const StrobeSource *source, StrobeSourceProbe *answer)
{
    if (!begins_with_event(source))
        return;
    answer->score = 80;
    answer->format = "Chrome trace";
    answer->reason = NULL;
}

static void chrome_trace_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    gsize n = source->n_head;

    if (source->is_folder || n == 0)
        return;
    if (byte_source_is_gzip(source->head, source->n_head)) {
        g_autofree char *bytes = g_malloc(STROBE_SOURCE_HEAD);
        n = (gsize)inflate_head(source, bytes, STROBE_SOURCE_HEAD);
        probe_text(bytes, n, answer);
    } else {
        probe_text((const char *)source->head, n, answer);
    }
    if (answer->reason && n == STROBE_SOURCE_HEAD)
        probe_behind_head(source, answer);
}

/* ---- events ---- */

static void list_phase(Import *import, const Event *event)
{
    g_autofree char *name = g_strndup(event->phase.text, MIN(event->phase.length, 32));
    g_autofree char *text = g_strdup_printf("phase \"%s\"", name);

    import->host->unknown(import->self, import->part, text, 1);
}

static void take_by_phase(Import *import, Row *row, const Event *event, gint64 stated)
{
    const gint64 begin = MAX(stated, 0);

    switch (event->phase.length == 1 ? event->phase.text[0] : 0) {
    case 'X':
        spans_take(import, row, event, stated);
        break;
    case 'B':
    case 'b':
    case 'S':
        open_spans_begin(import, row, event, begin);
        break;
    case 'E':
    case 'e':
    case 'F':
        open_spans_end(import, row, event, begin);
        break;
    case 's':
    case 't':
    case 'f':
        take_flow(import, row, event, begin);
        break;
    case 'C':
        take_counter(import, row, event, begin);
        break;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
        if (VALUE_IS(&event->name, "[memory]"))
            take_memory(import, row, event, begin);
        else
            take_instant(import, row, event, begin);
        break;
    default:
        list_phase(import, event);
        take_instant(import, row, event, begin);
    }
}

/* Sets `time` to the event's time plus the base. Returns FALSE if the event has no valid time, or
 * if the sum overflows. */
static gboolean take_time(const Import *import, const Event *event, gint64 *time)
{
    return value_to_us(&event->ts, time, NULL) &&
           !__builtin_add_overflow(*time, import->base, time);
}

static void note_time(Import *import, gint64 time)
{
    import->first = import->has_times ? MIN(import->first, time) : time;
    import->last = import->has_times ? MAX(import->last, time) : time;
    import->has_times = TRUE;
}

static void take_event(Import *import, const Event *event)
{
    gint64 begin;

    import->n_events++;
    if (VALUE_IS(&event->phase, "M")) {
        rows_take_metadata(import->rows, event);
        return;
    }
    if (!event->phase.length || !take_time(import, event, &begin)) {
        import_damage(import, event, "an event without a phase or a time");
        return;
    }
    if (G_UNLIKELY(event->is_overfull))
        import_damage(import, event, "arguments beyond the first 255 are left out");
    if (begin < 0)
        import_damage(import, event,
                      "a time before zero, where a capture begins: the part before it "
                      "is cut off");
    note_time(import, MAX(begin, 0));
    take_by_phase(import, rows_of_event(import->rows, event), event, begin);
}

/* ---- the file ---- */

static void take_result(Import *import, int result, const Event *event, const char *error)
{
    if (result == EVENT_ONE)
        take_event(import, event);
    else if (result == EVENT_MEMBER)
        metadata_take(import, event);
    else if (result == EVENT_DAMAGE)
        import_damage(import, event, error);
}

/* Returns whether the event refers to frames that may come later in the file. */
static gboolean lacks_frames(Import *import, const EventReader *reader, const Event *event)
{
    if (G_LIKELY(!event_names_frames(event)) || stack_frames_are_known(import->frames))
        return FALSE;
    if (event_reader_is_object(reader))
        return TRUE;
    stack_frames_set_known(import->frames); /* an array has no frames */
    return FALSE;
}

/* Reads the events from the one at `begin` on, or the whole file if `begin` is 0. If the frames of
 * an event have not been read, reads only frames from there on, and returns the offset of the
 * event. Otherwise returns 0. */
static guint64 read_from(Import *import, int descriptor, guint64 begin)
{
    ByteSource *source = byte_source_new(descriptor);
    EventReader *reader = event_reader_new(source, begin);
    g_autofree Event *event = g_new0(Event, 1);
    const guint64 total = MAX(byte_source_total(source), 1);
    guint64 lacking = 0, n = 0;
    const char *error = NULL;
    int result;

    while (!import->is_full && !import->is_failed &&
           (result = event_reader_next(reader, event, &error)) != EVENT_END) {
        if (result == EVENT_FRAME && !begin) {
            stack_frames_take(import, event);
            if (!lacking)
                stack_frames_set_known(import->frames);
        } else if (!lacking && result == EVENT_ONE && lacks_frames(import, reader, event)) {
            lacking = event->offset;
        } else if (!lacking) {
            take_result(import, result, event, error);
        }
        if (n++ % 8192 == 0)
            import->host->progress(import->self, MIN(byte_source_position(source), total), total);
    }
    event_reader_free(reader);
    byte_source_free(source);
    return lacking;
}

/* Reads the file. Usually the frames come after the events that refer to them. A record cannot get
 * its stack later, so the file is read again from the first event on that refers to a later
 * frame. */
static void read_all(Import *import, int descriptor)
{
    guint64 lacking = read_from(import, descriptor, 0);

    stack_frames_set_known(import->frames);
    if (lacking && !import->is_full && !import->is_failed)
        read_from(import, descriptor, lacking);
}

static StrobeStatus chrome_trace_import(const StrobeImporterHost *host, StrobeInstance *self,
                                        const StrobeSource *source)
{
    gboolean is_full, is_failed;
    Import import;

    import_init(&import, host, self, source->path);
    import.rows = rows_new(&import);
    import.open = open_spans_new();
    import.metadata = metadata_new();
    import.frames = stack_frames_new();
    read_all(&import, source->descriptor);
    equal_spans_finish(&import);
    open_spans_finish(&import);
    flow_events_finish(&import);
    stack_frames_finish(&import);
    metadata_finish(&import);
    rows_finish(import.rows);
    host->found(self, import.part, import.n_events);
    metadata_free(import.metadata);
    flow_events_free(import.flow_events);
    stack_frames_free(import.frames);
    open_spans_free(import.open);
    rows_free(import.rows);
    is_full = import.is_full;
    is_failed = import.is_failed;
    import_clear(&import);
    if (is_failed)
        return STROBE_ERROR_ARGUMENT;
    if (is_full)
        return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__, "The capture has no room");
    return STROBE_OK;
}

const StrobeImporterOps chrome_trace_importer_ops = {
    .struct_size = sizeof(StrobeImporterOps),
    .probe = chrome_trace_probe,
    .import = chrome_trace_import,
};
