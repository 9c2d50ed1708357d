/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records to the files FRAMEWORK/torch.* and profiler_info.json. Raw times are times of
 * CLOCK_MONOTONIC_RAW, as in files of torch_npu; if the recording does not say how this clock
 * differs from the time since the epoch, they are times since the epoch. */
#include "torch-raw.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/safe-file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler-info.h"
#include "python-events.h"
#include "raw-record.h"

#define FRAMEWORK "FRAMEWORK"
#define DEVICE_TYPE_NPU 20
#define TEXT_OF_RECORD 1 /* type of the text in a record that has only one text */

enum { OP_RANGE, OP_MARK, MEMORY_USAGE, TRACER_FUNC, TRACER_HASH, GC_RECORD, N_FILES };

static const char *const file_names[N_FILES] = {
    [OP_RANGE] = "torch.op_range",
    [OP_MARK] = "torch.op_mark",
    [MEMORY_USAGE] = "torch.memory_usage",
    [TRACER_FUNC] = "torch.python_tracer_func",
    [TRACER_HASH] = "torch.python_tracer_hash",
    [GC_RECORD] = "torch.gc_record",
};

/* Types of the records in the files. */
static const guint16 record_types[N_FILES] = {
    [OP_RANGE] = 1, [OP_MARK] = 2, [MEMORY_USAGE] = 3, [TRACER_HASH] = 4};

enum { CPU_OP, TASK_QUEUE, MEMORY_EVENT, PYTHON_CALL, GC, STEP, N_KINDS };

static const char *const kind_names[N_KINDS] = {"cpu_op",      "task_queue", "memory_event",
                                                "python_call", "gc",         "step"};

enum { SEQUENCE, FORWARD, SCOPE, ASYNC, TYPES, SHAPES, STACK, MODULES, N_OP };

static const StrobeWantedField op_fields[N_OP] = {
    [SEQUENCE] = {"sequence", STROBE_FIELD_I64},
    [FORWARD] = {"forward_thread", STROBE_FIELD_U64},
    [SCOPE] = {"scope", STROBE_FIELD_U8},
    [ASYNC] = {"is_async", STROBE_FIELD_BOOL},
    [TYPES] = {"types", STROBE_FIELD_STRING},
    [SHAPES] = {"shapes", STROBE_FIELD_STRING},
    [STACK] = {"stack", STROBE_FIELD_STACK},
    [MODULES] = {"cpu_op.modules", STROBE_FIELD_STRING},
};
enum { TEXT_NAME = 2, TEXT_TYPES, TEXT_SHAPES, TEXT_STACK = 8, TEXT_MODULES };

enum { STEP_NUMBER, STEP_THREAD, N_STEP };

static const StrobeWantedField step_fields[N_STEP] = {
    [STEP_NUMBER] = {"number", STROBE_FIELD_I64},
    [STEP_THREAD] = {"thread", STROBE_FIELD_U64},
};
#define USER_RANGE 7 /* at::RecordScope::USER_SCOPE */

enum { CORRELATION, IS_DEQUEUE, N_MARK };

static const StrobeWantedField mark_fields[N_MARK] = {
    [CORRELATION] = {"correlation", STROBE_FIELD_LINK},
    [IS_DEQUEUE] = {"is_dequeue", STROBE_FIELD_BOOL},
};

enum { ADDRESS, SIZE, ALLOCATED, RESERVED, ACTIVE, STREAM, ACTION, DEVICE, COMPONENT, N_MEMORY };

static const StrobeWantedField memory_fields[N_MEMORY] = {
    [ADDRESS] = {"address", STROBE_FIELD_U64},
    [SIZE] = {"size", STROBE_FIELD_I64},
    [ALLOCATED] = {"total_allocated", STROBE_FIELD_I64},
    [RESERVED] = {"total_reserved", STROBE_FIELD_I64},
    [ACTIVE] = {"total_active", STROBE_FIELD_I64},
    [STREAM] = {"stream", STROBE_FIELD_U64},
    [ACTION] = {"action", STROBE_FIELD_U32},
    [DEVICE] = {"device", STROBE_FIELD_I32},
    [COMPONENT] = {"component", STROBE_FIELD_STRING},
};
#define ACTIONS 3u /* number of actions: allocation, release, release of the block */

enum { CALL_ID, CALL_PARENT, N_CALL };

static const StrobeWantedField call_fields[N_CALL] = {
    [CALL_ID] = {"id", STROBE_FIELD_LINK},
    [CALL_PARENT] = {"parent", STROBE_FIELD_LINK},
};

typedef struct RawFiles {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    int folder;
    StrobeSafeFile *files[N_FILES]; /* NULL: the file has no record yet */
    int error;                      /* errno value of the first failure of a file; 0: none */
    gint64 clock_offset_ns;         /* time since the epoch minus raw time; 0: unknown */
    gboolean has_steps;             /* the source contains steps among its operators */
    GByteArray *bytes;
    GString *text;
    StrobeKindNames kinds;
    StrobeBinder op, step, mark, memory, call;
    PythonEvents *events;
    GHashTable *keys; /* a set of the ids of the functions' names */
} RawFiles;

/* ---- files ---- */

static StrobeStatus report_error(RawFiles *raw, int error)
{
    return raw->host->fail(raw->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                           "Cannot write the raw files: folder=\"%s/" FRAMEWORK "\": %s",
                           raw->host->metadata(raw->self)->directory_path, g_strerror(error));
}

/* Writes the bytes of `raw` to the file. The first record makes the file. */
static void write_bytes(RawFiles *raw, guint file)
{
    if (raw->error)
        return;
    if (!raw->files[file])
        raw->files[file] = strobe_safe_file_create(raw->folder, file_names[file]);
    raw->error = raw->files[file]
                     ? strobe_safe_file_write(raw->files[file], (const char *)raw->bytes->data,
                                              raw->bytes->len)
                     : errno;
}

static void begin_record(RawFiles *raw, guint file)
{
    raw_record_begin(raw->bytes, record_types[file]);
}

static void end_record(RawFiles *raw, guint file)
{
    raw_record_end(raw->bytes);
    write_bytes(raw, file);
}

static void add_number(RawFiles *raw, guint64 value)
{
    raw_record_add_u64(raw->bytes, value);
}

static void add_time(RawFiles *raw, gint64 ns)
{
    raw_record_add_u64(raw->bytes, (guint64)profiler_info_raw_time(ns, raw->clock_offset_ns));
}

/* Writes a text, even if it is empty; writes nothing if `id` is 0. For example, the text of the
 * shapes of an operator that has only scalars is empty. */
static void add_string(RawFiles *raw, guint16 type, StrobeStringId id)
{
    StrobeText text = raw->host->string(raw->self, id);

    if (id)
        raw_record_add_text(raw->bytes, type, text.bytes, text.length);
}

/* ---- properties of tracks ---- */

static const StrobeTrackView *track_of(RawFiles *raw, const StrobeView *record)
{
    return raw->host->track(raw->self, record->track);
}

static guint64 thread_of(RawFiles *raw, const StrobeView *record)
{
    const StrobeTrackView *track = track_of(raw, record);

    return track ? track->number : 0;
}

static guint64 process_of(RawFiles *raw, const StrobeView *record)
{
    const StrobeTrackView *track = track_of(raw, record);

    return track && track->pid ? track->pid : raw->host->metadata(raw->self)->pid;
}

/* ---- records ---- */

static void add_stack(RawFiles *raw, StrobeStackId stack)
{
    const StrobeStringId *frames = NULL;
    size_t n = raw->host->stack_frames(raw->self, stack, &frames);

    g_string_truncate(raw->text, 0);
    for (size_t i = 0; i < n; i++) {
        StrobeText frame = raw->host->string(raw->self, frames[i]);

        if (i)
            g_string_append_c(raw->text, ';');
        g_string_append_len(raw->text, frame.bytes, (gssize)frame.length);
    }
    if (n)
        raw_record_add_text(raw->bytes, TEXT_STACK, raw->text->str, raw->text->len);
}

/* Begins the record of an operator and writes its numbers; the texts follow. */
static void begin_op(RawFiles *raw, const StrobeView *record, guint64 thread, gint64 sequence,
                     guint64 forward, guint8 scope, gboolean is_async)
{
    begin_record(raw, OP_RANGE);
    add_time(raw, record->begin_ns);
    add_time(raw, record->end_ns);
    add_number(raw, (guint64)sequence);
    add_number(raw, process_of(raw, record));
    add_number(raw, thread);
    add_number(raw, thread);
    add_number(raw, forward);
    raw_record_add_u8(raw->bytes, scope);
    raw_record_add_u8(raw->bytes, is_async != 0);
}

static void take_op(RawFiles *raw, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&raw->op, record->kind);

    begin_op(raw, record, thread_of(raw, record), strobe_field_i64(record, at[SEQUENCE], -1),
             strobe_field_u64(record, at[FORWARD], 0), strobe_field_u8(record, at[SCOPE], 0),
             strobe_field_u8(record, at[ASYNC], 0));
    add_string(raw, TEXT_NAME, record->name);
    add_string(raw, TEXT_TYPES, strobe_field_u32(record, at[TYPES], 0));
    add_string(raw, TEXT_SHAPES, strobe_field_u32(record, at[SHAPES], 0));
    add_stack(raw, strobe_field_u32(record, at[STACK], 0));
    add_string(raw, TEXT_MODULES, strobe_field_u32(record, at[MODULES], 0));
    end_record(raw, OP_RANGE);
}

/* Writes a step as a user range, as torch_npu's profiler does. */
static void take_step(RawFiles *raw, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&raw->step, record->kind);
    const guint64 thread = strobe_field_u64(record, at[STEP_THREAD], 0);
    const gint64 number = strobe_field_i64(record, at[STEP_NUMBER], 0);
    g_autofree char *name = g_strdup_printf("ProfilerStep#%" G_GINT64_FORMAT, MAX(number, 0));

    if (raw->has_steps)
        return;
    begin_op(raw, record, thread && thread != STROBE_ABSENT_U64 ? thread : thread_of(raw, record),
             -1, 0, USER_RANGE, FALSE);
    raw_record_add_text(raw->bytes, TEXT_NAME, name, strlen(name));
    end_record(raw, OP_RANGE);
}

/* Writes a mark of the queue. `category`: 0 is the begin and 1 the end of an enqueue, 2 is the
 * begin and 3 the end of a dequeue. */
static void write_mark(RawFiles *raw, const StrobeView *record, gint64 at_ns, guint category,
                       guint64 correlation)
{
    StrobeText name = raw->host->string(raw->self, record->name);
    const char *at = memchr(name.bytes, '@', name.length);
    /* length of the prefix, for example "Dequeue@" */
    const gsize before = at ? (gsize)(at + 1 - name.bytes) : 0;

    begin_record(raw, OP_MARK);
    add_time(raw, at_ns);
    add_number(raw, category);
    add_number(raw, correlation);
    add_number(raw, thread_of(raw, record));
    add_number(raw, process_of(raw, record));
    raw_record_add_text(raw->bytes, TEXT_OF_RECORD, name.bytes + before, name.length - before);
    end_record(raw, OP_MARK);
}

static void take_mark(RawFiles *raw, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&raw->mark, record->kind);
    const guint64 correlation = strobe_field_u64(record, at[CORRELATION], 0);
    const guint begin = strobe_field_u8(record, at[IS_DEQUEUE], 0) ? 2 : 0;

    /* in torch_npu's profiler the correlation of an enqueue is known only at its end */
    write_mark(raw, record, record->begin_ns, begin, begin ? correlation : 0);
    write_mark(raw, record, record->end_ns, begin + 1, correlation);
}

static void add_known(RawFiles *raw, const StrobeView *record, uint32_t offset)
{
    const gint64 value = strobe_field_i64(record, offset, STROBE_ABSENT_I64);

    add_number(raw, value == STROBE_ABSENT_I64 ? 0 : (guint64)value);
}

/* Writes an event of memory if it is of the framework's allocators. CANN itself records the events
 * of GE and of the process. */
static void take_memory(RawFiles *raw, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&raw->memory, record->kind);
    const char *component =
        raw->host->string(raw->self, strobe_field_u32(record, at[COMPONENT], 0)).bytes;
    const guint32 action = strobe_field_u32(record, at[ACTION], ACTIONS);
    const gint32 device = strobe_field_i32(record, at[DEVICE], -1);
    const guint64 stream = strobe_field_u64(record, at[STREAM], STROBE_ABSENT_U64);

    if (action >= ACTIONS || !strcmp(component, "GE") || !strcmp(component, "APP"))
        return;
    begin_record(raw, MEMORY_USAGE);
    add_number(raw, strobe_field_u64(record, at[ADDRESS], 0));
    add_time(raw, record->begin_ns);
    add_known(raw, record, at[SIZE]);
    add_known(raw, record, at[ALLOCATED]);
    add_known(raw, record, at[RESERVED]);
    add_known(raw, record, at[ACTIVE]);
    add_number(raw, stream == STROBE_ABSENT_U64 ? 0 : stream);
    raw_record_add_u8(raw->bytes, device < 0 ? 0 : DEVICE_TYPE_NPU);
    raw_record_add_u8(raw->bytes, (guint8)MAX(device, -1));
    raw_record_add_u8(raw->bytes, !strcmp(component, "WORKSPACE"));
    raw_record_add_u8(raw->bytes, device < 0 ? 0 : (guint8)action);
    raw_record_add_u8(raw->bytes, 0); /* 0: this is not an allocator of the program itself */
    add_number(raw, thread_of(raw, record));
    add_number(raw, process_of(raw, record));
    end_record(raw, MEMORY_USAGE);
}

static void take_call(RawFiles *raw, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&raw->call, record->kind);

    if (g_hash_table_add(raw->keys, GUINT_TO_POINTER(record->name))) {
        g_autofree char *text =
            python_events_text(raw->host->string(raw->self, record->name).bytes, record->name);

        begin_record(raw, TRACER_HASH);
        add_number(raw, record->name);
        raw_record_add_text(raw->bytes, TEXT_OF_RECORD, text, strlen(text));
        end_record(raw, TRACER_HASH);
    }
    python_events_add(raw->events,
                      &(PythonCall){.begin_ns = record->begin_ns,
                                    .end_ns = MAX(record->end_ns, record->begin_ns),
                                    .thread = thread_of(raw, record),
                                    .pid = process_of(raw, record),
                                    .key = record->name,
                                    .id = strobe_field_u64(record, at[CALL_ID], 0),
                                    .parent = strobe_field_u64(record, at[CALL_PARENT], 0)});
}

/* Writes a garbage collection: numbers only, without the type and length of other records. */
static void take_collection(RawFiles *raw, const StrobeView *record)
{
    g_byte_array_set_size(raw->bytes, 0);
    add_number(raw, process_of(raw, record));
    add_time(raw, record->begin_ns);
    add_time(raw, record->end_ns);
    write_bytes(raw, GC_RECORD);
}

static int write_events(RawFiles *raw)
{
    PythonEvent event;

    while (python_events_next(raw->events, &event)) {
        g_byte_array_set_size(raw->bytes, 0);
        add_time(raw, event.at_ns);
        add_number(raw, event.call->thread);
        add_number(raw, event.call->pid);
        add_number(raw, event.call->key);
        raw_record_add_u8(raw->bytes, event.is_return != 0);
        write_bytes(raw, TRACER_FUNC);
    }
    return python_events_error(raw->events);
}

/* ---- the exporter ---- */

static void raw_files_close(void *state)
{
    RawFiles *raw = state;

    for (guint i = 0; i < N_FILES; i++)
        strobe_safe_file_discard(raw->files[i]);
    if (raw->folder >= 0) {
        close(raw->folder);
        unlinkat(raw->host->metadata(raw->self)->directory, FRAMEWORK, AT_REMOVEDIR);
    }
    python_events_free(raw->events);
    g_hash_table_unref(raw->keys);
    g_byte_array_unref(raw->bytes);
    g_string_free(raw->text, TRUE);
    g_free(raw);
}

static StrobeStatus raw_files_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                   void **state)
{
    const int directory = host->metadata(self)->directory;
    RawFiles *raw = g_new0(RawFiles, 1);

    raw->host = host;
    raw->self = self;
    raw->clock_offset_ns = profiler_info_clock_offset(host, self);
    raw->has_steps = strstr(host->metadata_value(self, "source"), "\"ascend_") != NULL;
    raw->bytes = g_byte_array_new();
    raw->text = g_string_new(NULL);
    raw->keys = g_hash_table_new(NULL, NULL);
    raw->kinds.names = kind_names;
    raw->kinds.n_names = N_KINDS;
    raw->op = (StrobeBinder){.wanted = op_fields, .n_wanted = N_OP};
    raw->step = (StrobeBinder){.wanted = step_fields, .n_wanted = N_STEP};
    raw->mark = (StrobeBinder){.wanted = mark_fields, .n_wanted = N_MARK};
    raw->memory = (StrobeBinder){.wanted = memory_fields, .n_wanted = N_MEMORY};
    raw->call = (StrobeBinder){.wanted = call_fields, .n_wanted = N_CALL};
    raw->events = python_events_new(host->storage(self));
    raw->folder = -1;
    if (mkdirat(directory, FRAMEWORK, 0750) == 0)
        raw->folder = openat(directory, FRAMEWORK, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (raw->folder < 0) {
        StrobeStatus status = report_error(raw, errno);
        raw_files_close(raw);
        return status;
    }
    *state = raw;
    return STROBE_OK;
}

static StrobeStatus raw_files_batch(void *state, const StrobeView *records, size_t n)
{
    static void (*const takes[N_KINDS])(RawFiles *, const StrobeView *) = {
        [CPU_OP] = take_op,        [TASK_QUEUE] = take_mark, [MEMORY_EVENT] = take_memory,
        [PYTHON_CALL] = take_call, [GC] = take_collection,   [STEP] = take_step};
    RawFiles *raw = state;

    for (size_t i = 0; i < n && !raw->error; i++) {
        const uint32_t kind = strobe_kind_place(&raw->kinds, records[i].kind);

        if (kind < N_KINDS)
            takes[kind](raw, &records[i]);
    }
    return raw->error ? report_error(raw, raw->error) : STROBE_OK;
}

static StrobeStatus raw_files_end(void *state)
{
    RawFiles *raw = state;
    gboolean is_empty = TRUE;
    int error = write_events(raw);

    error = raw->error ? raw->error : error;
    for (guint i = 0; i < N_FILES && !error; i++)
        if (raw->files[i]) {
            is_empty = FALSE;
            error = strobe_safe_file_finish(g_steal_pointer(&raw->files[i]));
        }
    if (!error && !is_empty)
        error = profiler_info_write(raw->host, raw->self);
    return error ? report_error(raw, error) : STROBE_OK;
}

const StrobeConsumerOps raw_files_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = raw_files_open,
    .batch = raw_files_batch,
    .end = raw_files_end,
    .close = raw_files_close,
};
