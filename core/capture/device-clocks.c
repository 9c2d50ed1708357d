/* SPDX-License-Identifier: Apache-2.0 */
#include "device-clocks.h"

#include <string.h>
#include <strobe/kinds.h>
#include "capture-format.h"

struct StrobeDeviceClocks {
    GPtrArray *clocks; /* of StrobeDeviceClock, indexed by number - 1 */
    /* number of the track whose records are the pairs -> number of the clock */
    GHashTable *by_track;
};

StrobeDeviceClocks *strobe_device_clocks_new(void)
{
    StrobeDeviceClocks *clocks = g_new0(StrobeDeviceClocks, 1);

    clocks->clocks = g_ptr_array_new_with_free_func(strobe_device_clock_free);
    clocks->by_track = g_hash_table_new(NULL, NULL);
    return clocks;
}

void strobe_device_clocks_free(StrobeDeviceClocks *clocks)
{
    if (!clocks)
        return;
    g_ptr_array_unref(clocks->clocks);
    g_hash_table_unref(clocks->by_track);
    g_free(clocks);
}

guint32 strobe_device_clocks_count(const StrobeDeviceClocks *clocks)
{
    return clocks->clocks->len;
}

const StrobeDeviceClock *strobe_device_clocks_at(const StrobeDeviceClocks *clocks, guint32 number)
{
    return number && number <= clocks->clocks->len ? clocks->clocks->pdata[number - 1] : NULL;
}

const StrobeClockView *strobe_device_clocks_view(const StrobeDeviceClocks *clocks, guint32 number)
{
    if (!number || number > clocks->clocks->len)
        return NULL;
    return strobe_device_clock_view(clocks->clocks->pdata[number - 1]);
}

/* Returns the number of the clock of a track; adds a clock if there is none. 0 if there are too
 * many clocks. */
static guint32 number_of(StrobeDeviceClocks *clocks, guint32 track)
{
    gpointer key = GUINT_TO_POINTER(track);
    guint32 number = GPOINTER_TO_UINT(g_hash_table_lookup(clocks->by_track, key));

    if (number || clocks->clocks->len == STROBE_DEVICE_CLOCKS_MAX)
        return number;
    g_ptr_array_add(clocks->clocks, strobe_device_clock_new(track));
    g_hash_table_insert(clocks->by_track, key, GUINT_TO_POINTER(clocks->clocks->len));
    return clocks->clocks->len;
}

/* ---- pairs ---- */

static guint64 field_at(const char *fields, guint32 offset, guint64 absent)
{
    guint64 value;

    if (offset == STROBE_FIELD_NONE)
        return absent;
    memcpy(&value, fields + offset, sizeof value);
    return value;
}

/* Adds the pair if the record has the kind clock_sync. Ignores an invalid record, which the decoder
 * reports. */
static void take_record(StrobeDeviceClocks *clocks, const StrobeDefinitions *definitions,
                        const guint64 *record, guint32 words, guint32 track)
{
    const StrobeReaderKind *kind =
        strobe_definitions_kind(definitions, strobe_record_kind(record[0]));
    gboolean has_track = (record[0] & STROBE_RECORD_HAS_TRACK) != 0;

    if (!kind || kind->role != STROBE_ROLE_CLOCK || (record[0] & STROBE_RECORD_UNFINISHED) ||
        words < 2u + has_track + kind->field_words)
        return;
    const char *fields = (const char *)(record + 2 + has_track);
    const StrobeDevicePair pair = {.device_ns = (gint64)field_at(fields, kind->clock_offsets[0], 0),
                                   .host_ns = (gint64)field_at(fields, kind->clock_offsets[1], 0),
                                   .width_ns =
                                       field_at(fields, kind->clock_offsets[2], STROBE_ABSENT_U64)};
    track = strobe_definitions_track_of(definitions, has_track ? (guint32)record[2] : track);
    track = strobe_definitions_clock_track(definitions, track);
    guint32 number = track ? number_of(clocks, track) : 0;
    if (number)
        strobe_device_clock_add(clocks->clocks->pdata[number - 1], &pair);
}

void strobe_device_clocks_take(StrobeDeviceClocks *clocks, const StrobeDefinitions *definitions,
                               const char *block, gsize n, guint32 track)
{
    gsize at = 0;

    for (n &= ~(gsize)7; at + 16 <= n;) {
        const guint64 *record = (const guint64 *)(const void *)(block + at);
        guint32 words = (guint32)(record[0] & STROBE_RECORD_WORDS_MASK);
        if (words == 0 || words * 8 > n - at)
            return;
        if (words >= 2)
            take_record(clocks, definitions, record, words, track);
        at += words * 8;
    }
}

/* ---- tracks ---- */

void strobe_device_clocks_finish(StrobeDeviceClocks *clocks, StrobeDefinitions *definitions,
                                 gint64 begin_ns, gint64 end_ns, guint64 host_error_ns)
{
    for (guint32 id = 1; id <= strobe_definitions_n_tracks(definitions); id++) {
        guint32 of = strobe_definitions_clock_track(definitions, id);
        if (of)
            number_of(clocks, of);
    }
    for (guint i = 0; i < clocks->clocks->len; i++) {
        StrobeDeviceClock *clock = clocks->clocks->pdata[i];
        strobe_device_clock_finish(clock, begin_ns, end_ns);
        strobe_device_clock_view(clock)->host_error_ns = host_error_ns;
    }
    for (guint32 id = 1; id <= strobe_definitions_n_tracks(definitions); id++) {
        guint32 of = strobe_definitions_clock_track(definitions, id);
        guint32 number =
            GPOINTER_TO_UINT(g_hash_table_lookup(clocks->by_track, GUINT_TO_POINTER(of)));
        if (of)
            strobe_definitions_set_clock(definitions, id, number,
                                         strobe_device_clocks_view(clocks, number));
    }
}
