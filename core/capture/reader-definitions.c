/* SPDX-License-Identifier: Apache-2.0 */
#include "reader-definitions.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>
#include "capture-format.h"
#include "kind-declaration.h"
#include "thread-buffer.h"

struct StrobeDefinitions {
    StrobeReaderKind *by_id[STROBE_KINDS_MAX];
    GPtrArray *kinds;          /* of StrobeReaderKind, in order of definition */
    GPtrArray *texts;          /* copies of the definitions; the views point into them */
    GArray *tracks;            /* of StrobeReaderTrack, indexed by number - 1 */
    GHashTable *track_numbers; /* captured id -> number */
    gboolean has_clocks;
};

static void free_kind(gpointer data)
{
    StrobeReaderKind *kind = data;
    g_free((void *)(uintptr_t)kind->view.fields);
    g_free(kind);
}

StrobeDefinitions *strobe_definitions_new(void)
{
    StrobeDefinitions *d = g_new0(StrobeDefinitions, 1);

    d->kinds = g_ptr_array_new_with_free_func(free_kind);
    d->texts = g_ptr_array_new_with_free_func(g_free);
    d->tracks = g_array_new(FALSE, TRUE, sizeof(StrobeReaderTrack));
    d->track_numbers = g_hash_table_new(strobe_hash_of_pointer, NULL);
    return d;
}

void strobe_definitions_free(StrobeDefinitions *d)
{
    if (!d)
        return;
    g_ptr_array_unref(d->kinds);
    g_ptr_array_unref(d->texts);
    g_array_unref(d->tracks);
    g_hash_table_unref(d->track_numbers);
    g_free(d);
}

/* ---- kinds ---- */

gboolean strobe_reader_kind_lay_out(StrobeReaderKind *kind, StrobeFieldView *fields)
{
    guint32 at = 0;

    kind->n_string_fields = kind->n_track_fields = 0;
    for (guint32 i = 0; i < kind->view.n_fields; i++) {
        guint32 size = strobe_field_size(fields[i].type);
        if (size == 0)
            return FALSE;
        at = (at + size - 1) / size * size;
        fields[i].offset = at;
        if (fields[i].type == STROBE_FIELD_STRING || fields[i].type == STROBE_FIELD_STACK)
            kind->string_offsets[kind->n_string_fields++] = at;
        else if (fields[i].type == STROBE_FIELD_TRACK)
            kind->track_offsets[kind->n_track_fields++] = at;
        at += size;
    }
    kind->view.fields = fields;
    kind->field_words = (at + 7) / 8;
    kind->has_end = kind->view.shape == STROBE_SHAPE_SPAN;
    return TRUE;
}

/* Returns the NUL-terminated text at *at and moves *at past it; NULL if the text does not end
 * before `end`. */
static const char *take_text(const char **at, const char *end)
{
    const char *text = *at;
    const char *nul = memchr(text, 0, (size_t)(end - text));

    if (!nul)
        return NULL;
    *at = nul + 1;
    return text;
}

static gboolean take_fields(StrobeFieldView *fields, guint32 n, const char *at, const char *end)
{
    for (guint32 i = 0; i < n; i++) {
        if (at >= end)
            return FALSE;
        fields[i].type = (guint8)*at++;
        fields[i].name = take_text(&at, end);
        fields[i].unit = fields[i].name ? take_text(&at, end) : NULL;
        fields[i].summary = fields[i].unit ? take_text(&at, end) : NULL;
        if (!fields[i].summary)
            return FALSE;
    }
    return TRUE;
}

/* Is the kind with this name a derived kind? A capture contains derived kinds if an importer read
 * them from its source. Consumers treat records of derived kinds like the output of a pass. */
static guint32 is_derived(const char *name)
{
    guint32 derived = 0;

    for (gsize i = 0; strobe_standard_kinds[i]; i++) {
        /* the raw kinds come before operator_detail */
        derived |= strobe_standard_kinds[i] == &strobe_kind_operator_detail;
        if (strcmp(strobe_standard_kinds[i]->name, name) == 0)
            return derived;
    }
    return 0;
}

static guint32 offset_of(const StrobeReaderKind *kind, const char *name, guint32 type)
{
    for (guint32 i = 0; i < kind->view.n_fields; i++)
        if (kind->view.fields[i].type == type && strcmp(kind->view.fields[i].name, name) == 0)
            return kind->view.fields[i].offset;
    return STROBE_FIELD_NONE;
}

/* Does a record of this kind give one moment on two clocks (clock_sync)? */
static gboolean is_clock(StrobeReaderKind *kind)
{
    guint32 *at = kind->clock_offsets;

    at[0] = offset_of(kind, "device_time", STROBE_FIELD_I64);
    at[1] = offset_of(kind, "host_time", STROBE_FIELD_I64);
    at[2] = offset_of(kind, "width_ns", STROBE_FIELD_U64);
    return !kind->has_end && at[0] != STROBE_FIELD_NONE && at[1] != STROBE_FIELD_NONE;
}

static guint32 role_of(StrobeReaderKind *kind)
{
    const char *name = kind->view.name;

    if (strcmp(name, "loss") == 0 && kind->field_words >= 2)
        return STROBE_ROLE_LOSS;
    if (strcmp(name, "clock_sync") == 0 && is_clock(kind))
        return STROBE_ROLE_CLOCK;
    if (strcmp(name, "collector_call") == 0 || strcmp(name, "diagnostic") == 0 ||
        strcmp(name, "metadata") == 0)
        return STROBE_ROLE_CORE;
    return STROBE_ROLE_NONE;
}

/* Adds a kind. FALSE if the kind is invalid or already known, as in a later segment of the
 * capture. */
static gboolean take_kind(StrobeDefinitions *d, const struct strobe_stored_kind *head,
                          const char *texts, const char *end)
{
    if (head->id == 0 || head->id >= STROBE_KINDS_MAX || d->by_id[head->id] ||
        head->n_fields > STROBE_KIND_FIELDS_MAX || head->shape < STROBE_SHAPE_SPAN ||
        head->shape > STROBE_SHAPE_LINK)
        return FALSE;
    StrobeReaderKind *kind = g_new0(StrobeReaderKind, 1);
    StrobeFieldView *fields = g_new0(StrobeFieldView, head->n_fields + 1);
    kind->view.name = take_text(&texts, end);
    kind->view.summary = kind->view.name ? take_text(&texts, end) : NULL;
    kind->view.n_fields = head->n_fields;
    kind->view.shape = head->shape;
    kind->view.id = head->id;
    if (!kind->view.summary || !take_fields(fields, head->n_fields, texts, end) ||
        !strobe_reader_kind_lay_out(kind, fields)) {
        g_free(fields);
        g_free(kind);
        return FALSE;
    }
    kind->role = role_of(kind);
    kind->view.derived = is_derived(kind->view.name);
    d->by_id[head->id] = kind;
    g_ptr_array_add(d->kinds, kind);
    return TRUE;
}

void strobe_definitions_take_kinds(StrobeDefinitions *d, const char *bytes, guint32 n)
{
    char *copy = g_memdup2(bytes, n);
    gboolean is_used = FALSE;
    guint32 at = 0;

    while (n - at >= sizeof(struct strobe_stored_kind)) {
        struct strobe_stored_kind head;
        memcpy(&head, copy + at, sizeof head);
        if (head.bytes < sizeof head || head.bytes > n - at)
            break;
        is_used |= take_kind(d, &head, copy + at + sizeof head, copy + at + head.bytes);
        at += head.bytes;
    }
    if (is_used)
        g_ptr_array_add(d->texts, copy);
    else
        g_free(copy);
}

const StrobeReaderKind *strobe_definitions_kind(const StrobeDefinitions *d, guint32 id)
{
    return id < STROBE_KINDS_MAX ? d->by_id[id] : NULL;
}

const StrobeReaderKind *strobe_definitions_kind_at(const StrobeDefinitions *d, guint32 index)
{
    return index < d->kinds->len ? g_ptr_array_index(d->kinds, index) : NULL;
}

guint32 strobe_definitions_n_kinds(const StrobeDefinitions *d)
{
    return d->kinds->len;
}

/* ---- tracks ---- */

/* Returns the track with a captured id; adds a track if there is none. NULL if there are too many
 * tracks. */
static StrobeReaderTrack *track_of(StrobeDefinitions *d, guint32 captured_id)
{
    guint32 number = strobe_definitions_track_of(d, captured_id);

    if (number == 0) {
        if (d->tracks->len >= STROBE_READER_TRACKS_MAX)
            return NULL;
        number = d->tracks->len + 1;
        g_array_set_size(d->tracks, number);
        g_hash_table_insert(d->track_numbers, GUINT_TO_POINTER(captured_id),
                            GUINT_TO_POINTER(number));
        g_array_index(d->tracks, StrobeReaderTrack, number - 1).view.id = number;
        g_array_index(d->tracks, StrobeReaderTrack, number - 1).captured_id = captured_id;
    }
    return &g_array_index(d->tracks, StrobeReaderTrack, number - 1);
}

gboolean strobe_definitions_take_tracks(StrobeDefinitions *d, const char *bytes, guint32 n)
{
    gboolean took_all = TRUE;

    for (guint32 at = 0; n - at >= sizeof(struct strobe_stored_track);
         at += sizeof(struct strobe_stored_track)) {
        struct strobe_stored_track stored;
        memcpy(&stored, bytes + at, sizeof stored);
        StrobeReaderTrack *track = stored.id ? track_of(d, stored.id) : NULL;
        if (!track) {
            took_all &= stored.id == 0;
            continue;
        }
        track->view.type = stored.type;
        track->view.device = stored.device;
        track->view.pid = stored.pid;
        track->view.number = stored.number;
        track->view.name = track->view.group = "";
        track->clock = MIN(stored.clock, (guint32)STROBE_CLOCK_OF_TRACK);
        track->clock_id = stored.clock - track->clock;
        d->has_clocks |= track->clock == STROBE_CLOCK_OF_TRACK;
        track->name = stored.name;
        track->group = stored.group;
    }
    return took_all;
}

void strobe_definitions_finish(StrobeDefinitions *d, const StrobeStringTable *strings)
{
    for (guint i = 0; i < d->tracks->len; i++) {
        StrobeReaderTrack *track = &g_array_index(d->tracks, StrobeReaderTrack, i);
        track->view.name = strobe_string_table_text(strings, track->name).bytes;
        track->view.group = strobe_string_table_text(strings, track->group).bytes;
    }
}

const StrobeReaderTrack *strobe_definitions_track(const StrobeDefinitions *d, guint32 id)
{
    if (id == 0 || id > d->tracks->len)
        return NULL;
    return &g_array_index(d->tracks, StrobeReaderTrack, id - 1);
}

guint32 strobe_definitions_n_tracks(const StrobeDefinitions *d)
{
    return d->tracks->len;
}

guint32 strobe_definitions_track_of(const StrobeDefinitions *d, guint32 captured_id)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(d->track_numbers, GUINT_TO_POINTER(captured_id)));
}

/* ---- clocks ---- */

gboolean strobe_definitions_have_clocks(const StrobeDefinitions *d)
{
    return d->has_clocks;
}

guint32 strobe_definitions_clock_track(const StrobeDefinitions *d, guint32 id)
{
    const StrobeReaderTrack *track = strobe_definitions_track(d, id);

    if (!track || track->clock != STROBE_CLOCK_OF_TRACK)
        return 0;
    return track->clock_id ? strobe_definitions_track_of(d, track->clock_id) : id;
}

void strobe_definitions_set_clock(StrobeDefinitions *d, guint32 id, guint32 number,
                                  const StrobeClockView *view)
{
    StrobeReaderTrack *track = &g_array_index(d->tracks, StrobeReaderTrack, id - 1);

    track->clock_number = number;
    track->view.clock = view;
}
