/* SPDX-License-Identifier: Apache-2.0 */
#include "capture-contents.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "filter.h"
#include "loss-report.h"
#include "progress-bar.h"

#define BATCH 512

const char *strobe_shape_name(guint32 shape)
{
    static const char *const names[] = {
        [STROBE_SHAPE_SPAN] = "span",       [STROBE_SHAPE_INSTANT] = "instant",
        [STROBE_SHAPE_COUNTER] = "counter", [STROBE_SHAPE_MEMORY] = "memory",
        [STROBE_SHAPE_LINK] = "link",
    };

    return shape < G_N_ELEMENTS(names) && names[shape] ? names[shape] : "unknown";
}

static void free_kind(gpointer data)
{
    g_free(((StrobeKindCount *)data)->name);
    g_free(data);
}

static void free_track(gpointer data)
{
    g_free(((StrobeTrackCount *)data)->label);
    g_free(data);
}

static void free_loss(gpointer data)
{
    g_free(((StrobeLossCount *)data)->thread);
    g_free(data);
}

void strobe_contents_free(StrobeContents *contents)
{
    if (!contents)
        return;
    g_ptr_array_unref(contents->kinds);
    g_ptr_array_unref(contents->tracks);
    g_ptr_array_unref(contents->losses);
    g_ptr_array_unref(contents->device_clocks);
    g_clear_pointer(&contents->incomplete_steps, g_array_unref);
    g_clear_pointer(&contents->metadata, json_object_unref);
    g_strfreev(contents->damage);
    g_free(contents->clock_events);
    g_free(contents);
}

/* Returns the count of the kind, and adds it if it is new. Kinds with the same name are counted
 * together; a plugin may define a kind again with more fields. */
static StrobeKindCount *kind_of(GHashTable *by_name, GPtrArray *kinds, const StrobeKindView *view)
{
    StrobeKindCount *kind = g_hash_table_lookup(by_name, view->name);

    if (!kind) {
        kind = g_new0(StrobeKindCount, 1);
        kind->name = g_strdup(view->name);
        kind->shape = view->shape;
        g_ptr_array_add(kinds, kind);
        g_hash_table_insert(by_name, kind->name, kind);
    }
    return kind;
}

static void count_record(StrobeContents *contents, const StrobeReader *reader, GHashTable *by_name,
                         GArray *per_track, const StrobeView *record)
{
    guint32 track = record->track <= strobe_reader_n_tracks(reader) ? record->track : 0;
    StrobeKindCount *kind = kind_of(by_name, contents->kinds, record->kind);

    kind->n++;
    if (record->kind->shape == STROBE_SHAPE_SPAN)
        kind->total_ns += record->end_ns - record->begin_ns;
    if (track >= per_track->len)
        g_array_set_size(per_track, track + 1);
    g_array_index(per_track, guint64, track)++;
}

static void add_tracks(StrobeContents *contents, const StrobeReader *reader,
                       const GArray *per_track)
{
    for (guint32 id = 0; id < per_track->len; id++) {
        guint64 n = g_array_index(per_track, guint64, id);
        const StrobeTrackView *view = id ? strobe_reader_track(reader, id) : NULL;
        if (n == 0)
            continue;
        StrobeTrackCount *track = g_new0(StrobeTrackCount, 1);
        track->label = view ? strobe_track_label(view) : g_strdup("unknown");
        track->pid = view ? view->pid : 0;
        track->n = n;
        g_ptr_array_add(contents->tracks, track);
    }
}

static void free_device_clock(gpointer data)
{
    StrobeDeviceClockEntry *entry = data;
    g_free(entry->label);
    g_free(entry);
}

static void add_device_clocks(StrobeContents *contents, const StrobeReader *reader)
{
    const StrobeClockView *clock;

    for (guint32 i = 0; (clock = strobe_reader_device_clock(reader, i)); i++) {
        const StrobeTrackView *track = strobe_reader_track(reader, clock->track);
        StrobeDeviceClockEntry *entry = g_new0(StrobeDeviceClockEntry, 1);
        entry->label = track ? strobe_track_label(track) : g_strdup("unknown");
        entry->clock = *clock;
        g_ptr_array_add(contents->device_clocks, entry);
    }
}

static void add_losses(StrobeContents *contents, const StrobeReader *reader,
                       const StrobeLossReport *loss_report)
{
    g_autoptr(GArray) entries = strobe_loss_report_entries(loss_report);

    for (guint i = 0; i < entries->len; i++) {
        const StrobeLossReportEntry *entry = &g_array_index(entries, StrobeLossReportEntry, i);
        const StrobeTrackView *track =
            entry->track ? strobe_reader_track(reader, entry->track) : NULL;
        StrobeLossCount *loss = g_new0(StrobeLossCount, 1);
        loss->cause = entry->cause;
        loss->thread = track ? strobe_track_label(track) : NULL;
        loss->number = track ? track->number : 0;
        loss->n = entry->n;
        loss->begin_ns = entry->begin_ns;
        loss->end_ns = entry->end_ns;
        g_ptr_array_add(contents->losses, loss);
    }
}

static int compare_counts(gconstpointer a, gconstpointer b)
{
    const StrobeKindCount *first = *(StrobeKindCount *const *)a;
    const StrobeKindCount *second = *(StrobeKindCount *const *)b;

    if (first->n != second->n)
        return first->n < second->n ? 1 : -1;
    return strcmp(first->name, second->name);
}

static void finish_contents(StrobeContents *contents, StrobeReader *reader)
{
    JsonObject *metadata = strobe_reader_metadata(reader);
    const char *const *damage = strobe_reader_damage(reader);

    contents->metadata = metadata ? json_object_ref(metadata) : NULL;
    contents->stats = *strobe_reader_stats(reader);
    contents->damage = g_strdupv((char **)damage);
    const StrobeClockEvent *events = strobe_reader_clock_events(reader, &contents->n_clock_events);
    contents->clock_events = g_memdup2(events, contents->n_clock_events * sizeof *events);
    g_ptr_array_sort(contents->kinds, compare_counts);
    for (guint i = 0; i < contents->kinds->len; i++) {
        const StrobeKindCount *kind = g_ptr_array_index(contents->kinds, i);
        if (strcmp(kind->name, "collector_call") == 0)
            contents->overhead_ns = kind->total_ns;
        else if (strcmp(kind->name, "step") == 0)
            contents->n_steps = kind->n;
    }
}

static void count_all(StrobeContents *contents, StrobeLossReport *loss_report, StrobeReader *reader,
                      GArray *per_track, GError **error)
{
    g_autoptr(GHashTable) by_name = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    StrobeView records[BATCH];
    guint64 n_read = 0;
    gsize n;

    for (guint turn = 0; (n = strobe_reader_next(reader, records, BATCH, error)) > 0; turn++) {
        for (gsize i = 0; i < n; i++) {
            count_record(contents, reader, by_name, per_track, &records[i]);
            strobe_loss_report_add(loss_report, &records[i]);
        }
        n_read += n;
        if (turn % 64 == 0)
            strobe_bar_show((gpointer) "counting", strobe_reader_progress(reader), n_read);
    }
    strobe_bar_clear();
}

StrobeContents *strobe_contents_read(const char *source, GError **error)
{
    StrobeReader *reader = strobe_reader_open(source, error);
    GError *failure = NULL;

    if (!reader)
        return NULL;
    StrobeContents *contents = g_new0(StrobeContents, 1);
    StrobeLossReport *loss_report = strobe_loss_report_new();
    contents->kinds = g_ptr_array_new_with_free_func(free_kind);
    contents->tracks = g_ptr_array_new_with_free_func(free_track);
    contents->losses = g_ptr_array_new_with_free_func(free_loss);
    contents->device_clocks = g_ptr_array_new_with_free_func(free_device_clock);
    g_autoptr(GArray) per_track = g_array_new(FALSE, TRUE, sizeof(guint64));
    count_all(contents, loss_report, reader, per_track, &failure);
    if (strobe_reader_stats(reader)->n_damaged)
        strobe_loss_report_add_damage(loss_report);
    add_tracks(contents, reader, per_track);
    add_losses(contents, reader, loss_report);
    add_device_clocks(contents, reader);
    contents->incomplete_steps = strobe_loss_report_incomplete_steps(loss_report);
    strobe_loss_report_free(loss_report);
    finish_contents(contents, reader);
    strobe_reader_free(reader);
    if (failure) {
        g_propagate_error(error, failure);
        g_clear_pointer(&contents, strobe_contents_free);
    }
    return contents;
}
