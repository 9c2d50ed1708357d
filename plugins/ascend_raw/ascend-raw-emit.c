/* SPDX-License-Identifier: Apache-2.0 */
/* Emits kinds, tracks, records and damage for all parts of the importer. */
#include <stdarg.h>
#include <string.h>

#include "../ascend_text/trace-kinds.h"
#include <ascend-kinds.h>
#include "ascend-raw-emit.h"

#define PROGRESS_BYTES (4u << 20)

/* ---- kinds ---- */

static const StrobeField more_of_cpu_op[] = {
    {"ascend_raw.modules", STROBE_FIELD_STRING, 0, "", "Hierarchy of modules."},
    {"ascend_raw.tensors", STROBE_FIELD_STRING, 0, "", "Metadata of the tensors among the inputs."},
    {"ascend_raw.tensor_lists", STROBE_FIELD_STRING, 0, "",
     "Metadata of the lists of tensors among the inputs."},
    {"ascend_raw.scalars", STROBE_FIELD_STRING, 0, "", "Types of the scalars among the inputs."},
    {"ascend_raw.extra", STROBE_FIELD_STRING, 0, "", "Further arguments."},
    {"ascend_raw.end_thread", STROBE_FIELD_U64, 0, "",
     "Thread that ended the operator, if it is a different one."},
};
static const StrobeField more_of_memory_event[] = {
    {"ascend_raw.is_external", STROBE_FIELD_BOOL, 0, "", "A user's own allocator made it."},
};

static const StrobeField parameter_fields[] = {
    {"key", STROBE_FIELD_U64, 0, "", "Key of the module, or of the optimizer's step."},
    {"role", STROBE_FIELD_STRING, 0, "", "module, optimizer or state (of an optimizer)."},
    {"tensor", STROBE_FIELD_STRING, 0, "", "Metadata of the tensor."},
    {"gradient", STROBE_FIELD_STRING, 0, "", "Metadata of its gradient."},
};
static const StrobeKind parameter_kind =
    STROBE_KIND("ascend_raw.parameter", INSTANT, parameter_fields,
                "A tensor of a module or an optimizer, as it was when the profiler first saw it.");

const StrobeKind *const ascend_raw_kinds[ASCEND_RAW_KINDS] = {
    &parameter_kind,
    ASCEND_KINDS,
    OTHER_STANDARD_KINDS,
    &ascend_text_event_kind,
};

static const StrobeKind *extend_kind(MoreKind *more, const StrobeKind *base,
                                     const StrobeField *fields, guint n)
{
    more->kind = *base;
    more->n_base = base->n_fields;
    memcpy(more->fields, base->fields, base->n_fields * sizeof *fields);
    memcpy(more->fields + base->n_fields, fields, n * sizeof *fields);
    more->kind.fields = more->fields;
    more->kind.n_fields = base->n_fields + n;
    return &more->kind;
}

static const StrobeKind *declare_kind(Raw *raw, RawKind kind)
{
    switch (kind) {
    case RAW_CPU_OP:
        return &strobe_kind_cpu_op;
    case RAW_CPU_OP_FULL:
        return extend_kind(&raw->more[0], &strobe_kind_cpu_op, more_of_cpu_op,
                           G_N_ELEMENTS(more_of_cpu_op));
    case RAW_STEP:
        return &strobe_kind_step;
    case RAW_TASK_QUEUE:
        return &strobe_kind_task_queue;
    case RAW_MEMORY_EVENT:
        return &strobe_kind_memory_event;
    case RAW_MEMORY_EVENT_FULL:
        return extend_kind(&raw->more[1], &strobe_kind_memory_event, more_of_memory_event,
                           G_N_ELEMENTS(more_of_memory_event));
    case RAW_PYTHON_CALL:
        return &strobe_kind_python_call;
    case RAW_GC:
        return &strobe_kind_gc;
    case RAW_DIAGNOSTIC:
        return &strobe_kind_diagnostic;
    default:
        return &parameter_kind;
    }
}

void *raw_more(const Raw *raw, RawKind kind, void *fields, guint index)
{
    const MoreKind *more = &raw->more[kind == RAW_CPU_OP_FULL ? 0 : 1];

    return (char *)fields + strobe_kind_offset(&more->kind, more->n_base + index);
}

void *raw_emit(Raw *raw, RawKind kind, StrobeTrackId track, StrobeStringId name, gint64 begin_ns,
               gint64 end_ns)
{
    void *fields;

    if (G_UNLIKELY(!raw->kinds[kind]) &&
        raw->host->kind(raw->self, declare_kind(raw, kind), &raw->kinds[kind])) {
        raw->is_full = TRUE;
        return NULL;
    }
    if (G_UNLIKELY(begin_ns < 0)) {
        raw->n_outside++;
        begin_ns = 0;
    }
    if (G_UNLIKELY(end_ns < begin_ns)) {
        raw->n_backward++;
        end_ns = begin_ns;
    }
    fields = raw->host->emit(raw->self, raw->kinds[kind], track, name, begin_ns, end_ns);
    raw->is_full |= !fields;
    return fields;
}

StrobeStringId raw_intern(Raw *raw, const char *text)
{
    return raw->host->intern(raw->self, text, strlen(text));
}

/* ---- tracks ---- */

static StrobeTrackId make_thread(Raw *raw, guint64 pid, guint64 tid)
{
    char name[40];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .device = -1,
                               .id = tid,
                               .name = name};

    g_snprintf(name, sizeof name, "Thread %" G_GUINT64_FORMAT, tid);
    return raw->host->track(raw->self, &track, pid);
}

StrobeTrackId raw_thread_track(Raw *raw, guint64 pid, guint64 tid)
{
    guint at = (guint)((tid * 0x9e3779b1u ^ pid) % TRACK_SLOTS);

    if (raw->tracks[at].id && raw->tracks[at].tid == tid && raw->tracks[at].pid == pid)
        return raw->tracks[at].id;
    if (!raw->pid)
        raw->pid = pid;
    raw->tracks[at].pid = pid;
    raw->tracks[at].tid = tid;
    raw->tracks[at].id = make_thread(raw, pid, tid);
    return raw->tracks[at].id;
}

StrobeTrackId raw_process_track(Raw *raw)
{
    const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_PROCESS, .device = -1};

    return raw->host->track(raw->self, &track, raw->pid);
}

/* ---- reports of the import ---- */

void raw_damage(Raw *raw, const char *file, const char *format, ...)
{
    g_autofree char *reason = NULL;
    va_list args;

    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    raw->host->damage(raw->self, file, reason);
}

void raw_progress(Raw *raw, const ByteStream *stream)
{
    guint64 done = raw->n_bytes + byte_stream_place(stream);

    raw->host->progress(raw->self, MIN(done, raw->files.size), raw->files.size);
}

StrobeExternalSorter *raw_sorter(Raw *raw)
{
    return strobe_external_sorter_new(raw->host->storage(raw->self));
}

void raw_tell_stream(Raw *raw, const RawFile *file, const ByteStream *stream, guint64 n_records)
{
    if (stream->error)
        raw_damage(raw, file->name, "offset %" G_GUINT64_FORMAT ": %s", byte_stream_place(stream),
                   g_strerror(stream->error));
    else if (stream->size < file->size)
        raw_damage(raw, file->name, "was cut while it was read");
    if (raw->n_backward)
        raw_damage(raw, file->name, "%" G_GUINT64_FORMAT " records end before they begin",
                   raw->n_backward);
    if (raw->n_outside)
        raw_damage(raw, file->name, "%" G_GUINT64_FORMAT " records begin before 1970",
                   raw->n_outside);
    raw->n_backward = raw->n_outside = 0;
    raw->n_bytes += file->size;
    raw->host->found(raw->self, file->name, n_records);
}

void raw_tell_tlv(Raw *raw, const RawFile *file, const TlvReader *r)
{
    if (r->is_torn)
        raw_damage(raw, file->name,
                   "offset %" G_GUINT64_FORMAT
                   ": the last record is not complete: %" G_GUINT64_FORMAT " bytes are lost",
                   byte_stream_place(&r->stream), byte_stream_left(&r->stream));
    if (r->n_short)
        raw_damage(raw, file->name,
                   "%" G_GUINT64_FORMAT " records are shorter than the %" G_GSIZE_FORMAT
                   " bytes of their fixed part, and lost",
                   r->n_short, r->fixed);
    if (r->n_long)
        raw_damage(raw, file->name,
                   "%" G_GUINT64_FORMAT " records are longer than %u MiB, and lost", r->n_long,
                   TLV_RECORD_MAX >> 20);
    if (r->n_cut)
        raw_damage(raw, file->name,
                   "%" G_GUINT64_FORMAT " records have a field that reaches past their end",
                   r->n_cut);
    if (text_cache_n_invalid(raw->texts) > raw->n_invalid)
        raw_damage(raw, file->name,
                   "%" G_GUINT64_FORMAT " texts are not UTF-8, and are read as N/A",
                   text_cache_n_invalid(raw->texts) - raw->n_invalid);
    raw->n_invalid = text_cache_n_invalid(raw->texts);
    raw_tell_stream(raw, file, &r->stream, r->n_records);
}
