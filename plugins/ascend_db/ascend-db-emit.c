/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-emit.h"

#include <string.h>

#include <ascend-kinds.h>

const StrobeKind *const ascend_db_kinds[ASCEND_DB_KINDS] = {
    ASCEND_KINDS,
    OTHER_STANDARD_KINDS,
};

const StrobeKind *ascend_db_kind(const char *name)
{
    for (guint i = 0; i < ASCEND_DB_KINDS; i++)
        if (!strcmp(ascend_db_kinds[i]->name, name))
            return ascend_db_kinds[i];
    return NULL;
}

static StrobeKindId id_of(Import *import, const StrobeKind *kind)
{
    StrobeKindId id = GPOINTER_TO_UINT(g_hash_table_lookup(import->kind_ids, kind));

    if (id || g_hash_table_contains(import->kind_ids, kind))
        return id;
    if (import->host->kind(import->self, kind, &id) != STROBE_OK) {
        import->host->damage(import->self, kind->name, "no room for another kind of record");
        id = 0;
    }
    g_hash_table_insert(import->kind_ids, (gpointer)kind, GUINT_TO_POINTER(id));
    return id;
}

void *import_emit(Import *import, const StrobeKind *kind, StrobeTrackId track, StrobeStringId name,
                  gint64 begin_ns, gint64 end_ns)
{
    StrobeKindId id = id_of(import, kind);
    void *fields;

    if (!id || import->is_full)
        return NULL;
    fields = import->host->emit(import->self, id, track, name, begin_ns, end_ns);
    import->is_full = !fields;
    return fields;
}

StrobeStringId import_intern(Import *import, const char *text)
{
    return *text ? import->host->intern(import->self, text, strlen(text)) : 0;
}

/* ---- tracks ---- */

StrobeTrackId import_thread(Import *import, guint64 global_tid, const char *group)
{
    char name[32];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .device = -1,
                               .id = global_tid & G_MAXUINT32,
                               .name = name,
                               .group = group};

    g_snprintf(name, sizeof name, "Thread %" G_GUINT64_FORMAT, track.id);
    return import->host->track(import->self, &track, global_tid >> 32);
}

StrobeTrackId import_stream(Import *import, guint64 pid, gint32 device, guint64 stream)
{
    char name[32];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_STREAM,
                               .device = device,
                               .id = stream,
                               .name = name,
                               .group = "Ascend Hardware"};

    g_snprintf(name, sizeof name, "Stream %" G_GUINT64_FORMAT, stream);
    return import->host->track(import->self, &track, pid);
}

StrobeTrackId import_counter(Import *import, gint32 device, const char *group)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_COUNTER,
                               .device = device,
                               .group = group};

    return import->host->track(import->self, &track, import->pid);
}
