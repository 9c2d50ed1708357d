/* SPDX-License-Identifier: Apache-2.0 */
#include "capture-bytes.h"

#include <stdlib.h>
#include <string.h>
#include "capture-format.h"
#include "crc32c.h"
#include "error.h"
#include "fuzz.h"
#include "reader.h"

void capture_bytes_repair(guint8 *bytes, gsize n)
{
    struct strobe_block_header header;
    gsize at = 0;

    while (at < n && n - at >= sizeof header) {
        guint8 *hit = memmem(bytes + at, n - at, STROBE_BLOCK_MAGIC, sizeof header.magic);
        if (!hit || n - (gsize)(hit - bytes) < sizeof header)
            return;
        memcpy(&header, hit, sizeof header);
        gsize payload = (gsize)(hit - bytes) + sizeof header;
        gsize length = MIN(header.payload_bytes, n - payload);
        header.payload_crc = strobe_crc32c(0, bytes + payload, length);
        header.header_crc = 0;
        header.header_crc = strobe_crc32c(0, &header, sizeof header);
        memcpy(hit, &header, sizeof header);
        at = payload + length;
    }
}

static void check_text(StrobeText text)
{
    FUZZ_REQUIRE(text.bytes);
    FUZZ_REQUIRE(text.bytes[text.length] == 0);
}

static void touch_stack(StrobeReader *reader, StrobeStackId id)
{
    const StrobeStringId *frames;
    gsize n = strobe_reader_stack(reader, id, &frames);

    for (gsize i = 0; i < n; i++)
        check_text(strobe_reader_string(reader, frames[i]));
}

static void check_view(StrobeReader *reader, const StrobeView *view)
{
    const StrobeKindView *kind = view->kind;
    volatile guint8 sink = 0;

    FUZZ_REQUIRE(view->end_ns >= view->begin_ns);
    check_text(strobe_reader_string(reader, view->name));
    if (view->track)
        FUZZ_REQUIRE(strobe_reader_track(reader, view->track));
    for (guint32 i = 0; i < kind->n_fields; i++) {
        const StrobeFieldView *field = &kind->fields[i];
        gsize size = strobe_field_size(field->type);
        for (gsize k = 0; k < size; k++)
            sink = sink ^ ((const guint8 *)view->fields)[field->offset + k];
        if (field->type == STROBE_FIELD_STRING)
            check_text(strobe_reader_string(reader, strobe_view_u32(view, field->offset)));
        if (field->type == STROBE_FIELD_STACK)
            touch_stack(reader, strobe_view_u32(view, field->offset));
    }
}

static void check_clock(StrobeReader *reader)
{
    guint n;
    const StrobeClockEvent *events = strobe_reader_clock_events(reader, &n);

    FUZZ_REQUIRE(n <= STROBE_CLOCK_EVENTS_MAX);
    for (guint i = 0; i < n; i++)
        FUZZ_REQUIRE(events[i].end_ns >= events[i].begin_ns);
}

static void check_device_clocks(StrobeReader *reader)
{
    const StrobeClockView *clock;

    for (guint32 i = 0; (clock = strobe_reader_device_clock(reader, i)); i++) {
        FUZZ_REQUIRE(strobe_reader_track(reader, clock->track));
        FUZZ_REQUIRE(clock->n_knots <= clock->n_pairs);
    }
}

static void check_definitions(StrobeReader *reader)
{
    for (guint32 i = 0; i < strobe_reader_n_kinds(reader); i++)
        FUZZ_REQUIRE(strlen(strobe_reader_kind(reader, i)->name) < G_MAXUINT32);
    for (guint32 id = 1; id <= strobe_reader_n_tracks(reader); id++) {
        const StrobeTrackView *track = strobe_reader_track(reader, id);
        if (track)
            FUZZ_REQUIRE(strlen(track->name) < G_MAXUINT32 && strlen(track->group) < G_MAXUINT32);
    }
    FUZZ_REQUIRE(strobe_reader_metadata(reader));
}

void capture_read_all(const char *path, gsize batch)
{
    g_autoptr(GError) error = NULL;
    g_autofree StrobeView *views = g_new(StrobeView, batch);
    StrobeReader *reader = strobe_reader_open(path, &error);
    guint64 total = 0;
    gsize n;

    if (!reader) {
        FUZZ_REQUIRE(error && strobe_exit_code(error) == 5);
        return;
    }
    if (batch % 2)
        strobe_reader_keep_strings(reader);
    check_definitions(reader);
    check_clock(reader);
    check_device_clocks(reader);
    while ((n = strobe_reader_next(reader, views, batch, &error))) {
        FUZZ_REQUIRE(n <= batch);
        for (gsize i = 0; i < n; i++)
            check_view(reader, &views[i]);
        total += n;
    }
    FUZZ_REQUIRE(!error);
    FUZZ_REQUIRE(strobe_reader_stats(reader)->n_records == total);
    FUZZ_REQUIRE(strobe_reader_progress(reader) >= 0 && strobe_reader_progress(reader) <= 1);
    strobe_reader_free(reader);
}
