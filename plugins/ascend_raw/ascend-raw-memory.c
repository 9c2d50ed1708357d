/* SPDX-License-Identifier: Apache-2.0 */
/* Reads torch.memory_usage: allocations and releases. */
#include "framework-files.h"

#define MEMORY_BYTES 77u
#define TYPE_NPU 20
#define TELL_EVERY 65536u

enum { AT_COMPONENT = 58, AT_ACTION, AT_ALLOCATOR, AT_THREAD };

typedef struct Memory {
    Raw *raw;
    StrobeStringId cpu, caching, workspace;
    guint64 n_strange; /* number of records with an unknown component or action */
} Memory;

static StrobeStringId component_of(Memory *m, gint type, guint component)
{
    m->n_strange += component > 1;
    if (type != TYPE_NPU)
        return m->cpu;
    return component == 1 ? m->workspace : m->caching;
}

static void take_event(Memory *m, const guchar *at)
{
    Raw *raw = m->raw;
    gint type = (gint8)at[56];
    gboolean is_external = at[AT_ALLOCATOR] != 0;
    RawKind kind = is_external ? RAW_MEMORY_EVENT_FULL : RAW_MEMORY_EVENT;
    struct strobe_memory_event *fields;
    gint64 time = raw_clock_ns(&raw->clock, raw_i64(at + 8));

    fields = raw_emit(raw, kind,
                      raw_thread_track(raw, raw_u64(at + AT_THREAD + 8), raw_u64(at + AT_THREAD)),
                      0, time, time);
    if (!fields)
        return;
    m->n_strange += at[AT_ACTION] > 2;
    fields->address = raw_u64(at);
    fields->size = raw_i64(at + 16);
    fields->total_allocated = raw_i64(at + 24);
    fields->total_reserved = raw_i64(at + 32);
    fields->total_active = raw_i64(at + 40);
    fields->stream = raw_u64(at + 48);
    fields->action = at[AT_ACTION];
    fields->device = type == TYPE_NPU ? (gint8)at[57] : -1;
    fields->component = component_of(m, type, at[AT_COMPONENT]);
    if (is_external)
        *(guint8 *)raw_more(raw, kind, fields, MORE_EXTERNAL) = 1;
}

void memory_usage_import(Raw *raw)
{
    const RawFile *file = &raw->files.files[RAW_MEMORY_USAGE];
    Memory m = {.raw = raw};
    TlvReader reader;
    TlvRecord record;

    if (!file->name)
        return;
    m.cpu = raw_intern(raw, "CPU");
    m.caching = raw_intern(raw, "PTA");
    m.workspace = raw_intern(raw, "WORKSPACE");
    tlv_init(&reader, file->fd, MEMORY_BYTES);
    while (!raw->is_full && tlv_next(&reader, &record)) {
        take_event(&m, record.fixed);
        if (reader.n_records % TELL_EVERY == 0)
            raw_progress(raw, &reader.stream);
    }
    if (m.n_strange)
        raw_damage(raw, file->name,
                   "%" G_GUINT64_FORMAT " records have an unknown component or action",
                   m.n_strange);
    raw_tell_tlv(raw, file, &reader);
    tlv_clear(&reader);
}
