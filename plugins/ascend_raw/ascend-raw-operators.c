/* SPDX-License-Identifier: Apache-2.0 */
/* Reads torch.op_range: operators, in the order in which they ended. */
#include "framework-files.h"
#include "byte-stream.h"

G_STATIC_ASSERT(BYTE_STREAM_MARGIN >= TEXT_CACHE_MARGIN);

#define OP_BYTES 58u
#define STEP_PREFIX "ProfilerStep#"
#define TELL_EVERY 65536u

enum {
    FIELD_NAME = 2,
    FIELD_TYPES,
    FIELD_SHAPES,
    FIELD_TENSORS,
    FIELD_TENSOR_LISTS,
    FIELD_SCALARS,
    FIELD_STACK,
    FIELD_MODULES,
    FIELD_EXTRA
};
#define MORE_BITS                                                                                  \
    (1u << FIELD_TENSORS | 1u << FIELD_TENSOR_LISTS | 1u << FIELD_SCALARS | 1u << FIELD_MODULES |  \
     1u << FIELD_EXTRA)

/* The fixed part of a record. */
typedef struct Operator {
    gint64 begin, end, sequence;
    guint64 pid, thread, end_thread, forward_thread;
    guint8 scope, is_async;
} Operator;

typedef struct Operators {
    Raw *raw;
    guint64 tensor_bytes_left; /* number of bytes of tensors' metadata that may still be imported */
    guint64 n_left_out;        /* number of operators whose tensors were not imported */
} Operators;

static void read_fixed(const Raw *raw, const guchar *at, Operator *op)
{
    op->begin = raw_clock_ns(&raw->clock, raw_i64(at));
    op->end = raw_clock_ns(&raw->clock, raw_i64(at + 8));
    op->sequence = raw_i64(at + 16);
    op->pid = raw_u64(at + 24);
    op->thread = raw_u64(at + 32);
    op->end_thread = raw_u64(at + 40);
    op->forward_thread = raw_u64(at + 48);
    op->scope = at[56];
    op->is_async = at[57] != 0;
}

static StrobeStringId text_of(Raw *raw, const TlvRecord *record, guint field)
{
    if (!(record->present & 1u << field))
        return 0;
    return text_cache_field(raw->texts, record->fields[field].bytes, record->fields[field].length);
}

/* Returns whether the metadata of the operator's tensors is imported. The metadata contains
 * addresses, so its texts never repeat and could fill the table of strings. Therefore their size is
 * limited. */
static gboolean keeps_tensors(Operators *o, const TlvRecord *record)
{
    guint64 bytes = 0;

    for (guint i = FIELD_TENSORS; i <= FIELD_TENSOR_LISTS; i++)
        if (record->present & 1u << i)
            bytes += record->fields[i].length;
    if (bytes > o->tensor_bytes_left) {
        o->n_left_out++;
        return FALSE;
    }
    o->tensor_bytes_left -= bytes;
    return TRUE;
}

static void put_text(Operators *o, void *fields, guint index, const TlvRecord *record, guint field)
{
    StrobeStringId id = text_of(o->raw, record, field);

    memcpy(raw_more(o->raw, RAW_CPU_OP_FULL, fields, index), &id, sizeof id);
}

static void fill_more(Operators *o, const TlvRecord *record, const Operator *op, void *fields)
{
    put_text(o, fields, MORE_MODULES, record, FIELD_MODULES);
    put_text(o, fields, MORE_SCALARS, record, FIELD_SCALARS);
    put_text(o, fields, MORE_EXTRA, record, FIELD_EXTRA);
    if (keeps_tensors(o, record)) {
        put_text(o, fields, MORE_TENSORS, record, FIELD_TENSORS);
        put_text(o, fields, MORE_TENSOR_LISTS, record, FIELD_TENSOR_LISTS);
    }
    if (op->end_thread != op->thread)
        memcpy(raw_more(o->raw, RAW_CPU_OP_FULL, fields, MORE_END_THREAD), &op->end_thread,
               sizeof op->end_thread);
}

/* Emits a step record for an operator whose name shows that it is a step. Passes need this
 * record. */
static void emit_step(Raw *raw, const Operator *op, const TlvText *name, StrobeStringId id)
{
    const gsize n = strlen(STEP_PREFIX);
    const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_STEPS, .device = -1, .name = "Steps"};
    struct strobe_step *fields;
    gint64 number;

    if (name->length <= n || memcmp(name->bytes, STEP_PREFIX, n))
        return;
    g_autofree char *digits = g_strndup(name->bytes + n, name->length - n);
    if (!g_ascii_string_to_signed(digits, 10, 0, G_MAXINT64, &number, NULL))
        return;
    fields = raw_emit(raw, RAW_STEP, raw->host->track(raw->self, &track, op->pid), id, op->begin,
                      op->end);
    if (!fields)
        return;
    fields->number = number;
    fields->thread = op->thread;
}

static void take_operator(Operators *o, const TlvRecord *record)
{
    Raw *raw = o->raw;
    StrobeStringId name = text_of(raw, record, FIELD_NAME);
    struct strobe_cpu_op *fields;
    gboolean has_more;
    Operator op;

    read_fixed(raw, record->fixed, &op);
    has_more = (record->present & MORE_BITS) || op.end_thread != op.thread;
    fields = raw_emit(raw, has_more ? RAW_CPU_OP_FULL : RAW_CPU_OP,
                      raw_thread_track(raw, op.pid, op.thread), name, op.begin, op.end);
    if (!fields)
        return;
    fields->sequence = op.sequence;
    fields->forward_thread = op.forward_thread;
    fields->shapes = text_of(raw, record, FIELD_SHAPES);
    fields->types = text_of(raw, record, FIELD_TYPES);
    if (record->present & 1u << FIELD_STACK)
        fields->stack = text_cache_stack(raw->texts, record->fields[FIELD_STACK].bytes,
                                         record->fields[FIELD_STACK].length);
    fields->scope = op.scope;
    fields->is_async = op.is_async;
    if (has_more)
        fill_more(o, record, &op, fields);
    if (record->present & 1u << FIELD_NAME)
        emit_step(raw, &op, &record->fields[FIELD_NAME], name);
}

void operators_import(Raw *raw)
{
    const RawFile *file = &raw->files.files[RAW_OP_RANGE];
    Operators o = {.raw = raw};
    TlvReader reader;
    TlvRecord record;

    if (!file->name)
        return;
    o.tensor_bytes_left = (guint64)MAX(raw->host->option_int(raw->self, "tensor_bytes"), 0);
    tlv_init(&reader, file->fd, OP_BYTES);
    while (!raw->is_full && tlv_next(&reader, &record)) {
        take_operator(&o, &record);
        if (reader.n_records % TELL_EVERY == 0)
            raw_progress(raw, &reader.stream);
    }
    if (o.n_left_out)
        raw_damage(raw, file->name,
                   "metadata of tensors left out of %" G_GUINT64_FORMAT
                   " operators: option tensor_bytes keeps more",
                   o.n_left_out);
    raw_tell_tlv(raw, file, &reader);
    tlv_clear(&reader);
}
