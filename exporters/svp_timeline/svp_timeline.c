/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the tasks and calls of a board as traces in the vendor's format: a file of tasks and a
 * file of calls for every device, model and batch. Times are those of the board's own clock.
 */
#include "svp_timeline.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/helpers/storage.h>
#include <svp-rows.h>

#include "call-nesting.h"

#define FILES_MAX 4096u
/* Number of rows of a stream: one for each unit, and one for captures, which only stream 0 uses. */
#define ROWS_OF_STREAM 4u
#define CAPTURE_ROW 3u

/* A row of a trace. */
typedef struct Row {
    guint64 pid, tid;
} Row;

typedef struct File {
    gboolean is_acl;
    guint32 device, model, batch;
    char name[SVP_MODEL_MAX + 1];
    GHashTable *rows; /* elements of type Row */
} File;

enum { EVENT_CAPTURE, EVENT_TASK, EVENT_CALL };

typedef struct Event {
    guint32 type;
    guint32 file;
    guint32 capture;
    guint32 reserved;
    union {
        SvpTask task;
        SvpCall call;
    };
} Event;

typedef struct Timeline {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    SvpRows *rows;
    GPtrArray *files; /* elements of type File */
    StrobeExternalSorter *events;
    StrobeSafeFile *out;
    StrobeJsonWriter json;
    guint n_left_out;
    /* number of calls that begin inside another call of their thread and end after that call */
    guint64 n_crossing;
} Timeline;

static guint hash_row(gconstpointer key)
{
    const Row *row = key;

    return (guint)strobe_hash_pair(strobe_hash_key(), row->pid, row->tid);
}

static gboolean equal_rows(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(Row)) == 0;
}

static void free_file(gpointer data)
{
    File *file = data;

    g_hash_table_unref(file->rows);
    g_free(file);
}

static StrobeStatus timeline_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                  void **state)
{
    Timeline *line = g_new0(Timeline, 1);

    line->host = host;
    line->self = self;
    line->rows = svp_rows_new(host, self);
    line->files = g_ptr_array_new_with_free_func(free_file);
    line->events = strobe_external_sorter_new(host->storage(self));
    *state = line;
    return STROBE_OK;
}

static void timeline_close(void *state)
{
    Timeline *line = state;

    strobe_safe_file_discard(line->out);
    svp_rows_free(line->rows);
    g_ptr_array_unref(line->files);
    strobe_external_sorter_free(line->events);
    g_free(line);
}

static StrobeStatus fail_storage(const Timeline *line, int error)
{
    return strobe_storage_fail(line->host, line->self, "the records of a board", error);
}

static StrobeStatus timeline_batch(void *state, const StrobeView *records, size_t n)
{
    Timeline *line = state;
    int error = svp_rows_take(line->rows, records, n);

    return error ? fail_storage(line, error) : STROBE_OK;
}

/* ---- finding the file of an event ---- */

/* Returns the index of a file, and adds the file if necessary. Returns G_MAXUINT if there are too
 * many files. */
static guint file_index(Timeline *line, gboolean is_acl, guint32 device, guint32 model,
                        guint32 batch, StrobeStringId model_name)
{
    char name[SVP_MODEL_MAX + 1];

    svp_rows_model_name(line->rows, model_name, name);
    for (guint i = 0; i < line->files->len; i++) {
        const File *file = g_ptr_array_index(line->files, i);

        if (file->is_acl == is_acl && file->device == device && file->model == model &&
            file->batch == batch && !strcmp(file->name, name))
            return i;
    }
    if (line->files->len == FILES_MAX)
        return G_MAXUINT;
    File *file = g_new0(File, 1);
    *file = (File){.is_acl = is_acl, .device = device, .model = model, .batch = batch};
    strcpy(file->name, name);
    file->rows = g_hash_table_new_full(hash_row, equal_rows, g_free, NULL);
    g_ptr_array_add(line->files, file);
    return line->files->len - 1;
}

static int add_event(Timeline *line, guint file, gint64 begin, gboolean is_inner, Row row,
                     Event *event)
{
    GHashTable *rows;

    if (file == G_MAXUINT) {
        line->n_left_out++;
        return 0;
    }
    event->file = file;
    rows = ((File *)g_ptr_array_index(line->files, file))->rows;
    if (!g_hash_table_contains(rows, &row))
        g_hash_table_add(rows, g_memdup2(&row, sizeof row));
    return strobe_external_sorter_add(
        line->events, (StrobeSortKey){file, begin * 2 + (is_inner != 0)}, event, sizeof *event);
}

static guint file_of_capture(Timeline *line, const SvpCapture *capture)
{
    return file_index(line, FALSE, capture->device, capture->model, capture->batch, capture->name);
}

static Row row_of_task(const SvpTask *task)
{
    /* a unit with an unknown name is in the row SVP_UNIT_CORE */
    const guint32 unit = task->unit < SVP_UNITS ? task->unit : SVP_UNIT_CORE;

    return (Row){task->device, (guint64)task->stream * ROWS_OF_STREAM + unit};
}

static int add_tasks(Timeline *line)
{
    gboolean *has_tasks = g_new0(gboolean, svp_rows_n_captures(line->rows));
    const SvpTask *task;
    int error = 0;

    while (!error && (task = svp_rows_next_task(line->rows))) {
        const SvpCapture *capture = svp_rows_capture(line->rows, task->capture);
        Event event = {.type = EVENT_TASK, .task = *task};

        has_tasks[task->capture] = TRUE;
        error = add_event(line, file_of_capture(line, capture), task->begin_ns, TRUE,
                          row_of_task(task), &event);
    }
    for (guint i = 0; !error && i < svp_rows_n_captures(line->rows); i++) {
        const SvpCapture *capture = svp_rows_capture(line->rows, i);
        Event event = {.type = EVENT_CAPTURE, .capture = i};

        if (capture->is_reported && has_tasks[i])
            error = add_event(line, file_of_capture(line, capture), capture->begin_ns, FALSE,
                              (Row){capture->device, CAPTURE_ROW}, &event);
    }
    g_free(has_tasks);
    return error ? error : svp_rows_error(line->rows);
}

/* Returns the row of a call. Viewers need numbers, so an unknown process or thread is 0. */
static Row row_of_call(const SvpCall *call)
{
    return (Row){call->pid == SVP_ABSENT ? 0 : call->pid, call->tid == SVP_ABSENT ? 0 : call->tid};
}

static int add_calls(Timeline *line)
{
    g_autoptr(GHashTable) threads = call_nesting_new();
    const SvpCall *call;
    int error = 0;

    while (!error && (call = svp_rows_next_call(line->rows))) {
        Event event = {.type = EVENT_CALL, .call = *call};
        guint file = file_index(line, TRUE, call->device, call->model,
                                svp_rows_batch(line->rows, call->model), call->item);

        line->n_crossing += !call_nesting_add(threads, call);
        error = add_event(line, file, call->begin_ns, FALSE, row_of_call(call), &event);
    }
    return error ? error : svp_rows_error(line->rows);
}

/* ---- writing events ---- */

static void put_text(Timeline *line, StrobeStringId id)
{
    const StrobeText text = line->host->string(line->self, id);

    strobe_json_text(&line->json, text.bytes, text.length);
}

static void put_uint(Timeline *line, const char *key, guint64 value)
{
    strobe_json_key(&line->json, key);
    if (value == SVP_ABSENT)
        strobe_json_string(&line->json, "N/A");
    else
        strobe_json_uint(&line->json, value);
}

static void put_us(Timeline *line, const char *key, gint64 ns)
{
    char text[SVP_NUMBER_MAX];

    strobe_json_key(&line->json, key);
    strobe_json_raw(&line->json, text, svp_format_us(text, (guint64)ns));
}

static void begin_meta(Timeline *line, const char *name, Row row)
{
    strobe_json_begin_object(&line->json);
    strobe_json_key(&line->json, "name");
    strobe_json_string(&line->json, name);
    strobe_json_key(&line->json, "ph");
    strobe_json_string(&line->json, "M");
    put_uint(line, "pid", row.pid);
    put_uint(line, "tid", row.tid);
    strobe_json_key(&line->json, "args");
    strobe_json_begin_object(&line->json);
}

static void end_meta(Timeline *line)
{
    strobe_json_end_object(&line->json);
    strobe_json_end_object(&line->json);
}

static void put_name(Timeline *line, const char *what, Row row, const char *name)
{
    begin_meta(line, what, row);
    strobe_json_key(&line->json, "name");
    strobe_json_string(&line->json, name);
    end_meta(line);
}

static char *name_of_row(const File *file, Row row)
{
    static const char *const units[] = {"AA CORE", "AA CPU", "AA VECTOR CORE"};
    const guint unit = (guint)(row.tid % ROWS_OF_STREAM);

    if (file->is_acl)
        return row.tid ? g_strdup_printf("Thread %" G_GUINT64_FORMAT, row.tid)
                       : g_strdup("Thread N/A");
    if (unit == CAPTURE_ROW)
        return g_strdup("Captures");
    return g_strdup_printf("Stream %" G_GUINT64_FORMAT " %s", row.tid / ROWS_OF_STREAM,
                           units[unit]);
}

static int compare_rows(gconstpointer a, gconstpointer b)
{
    const Row *one = *(Row *const *)a, *other = *(Row *const *)b;

    if (one->pid != other->pid)
        return one->pid < other->pid ? -1 : 1;
    return one->tid < other->tid ? -1 : one->tid > other->tid;
}

/* Writes the names of processes and threads, which must precede all other events. */
static void put_rows(Timeline *line, const File *file)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new();
    const Row *before = NULL;
    GHashTableIter each;
    gpointer key;

    g_hash_table_iter_init(&each, file->rows);
    while (g_hash_table_iter_next(&each, &key, NULL))
        g_ptr_array_add(rows, key);
    g_ptr_array_sort(rows, compare_rows);
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = g_ptr_array_index(rows, i);
        g_autofree char *name = name_of_row(file, *row);
        g_autofree char *process =
            file->is_acl ? g_strdup("ACL")
                         : g_strdup_printf("Task Scheduler (device %u)", file->device);

        if (!before || before->pid != row->pid)
            put_name(line, "process_name", (Row){row->pid, file->is_acl ? row->tid : 0}, process);
        put_name(line, "thread_name", *row, name);
        begin_meta(line, "thread_sort_index", *row);
        put_uint(line, "sort_index", row->tid);
        end_meta(line);
        before = row;
    }
}

static void put_times(Timeline *line, Row row, gint64 begin, gint64 end)
{
    strobe_json_key(&line->json, "ph");
    strobe_json_string(&line->json, "X");
    put_uint(line, "pid", row.pid);
    put_uint(line, "tid", row.tid);
    put_us(line, "ts", begin);
    put_us(line, "dur", end - begin);
    strobe_json_key(&line->json, "args");
    strobe_json_begin_object(&line->json);
}

static void put_capture(Timeline *line, const SvpCapture *capture)
{
    g_autofree char *name = g_strdup_printf("capture %u", capture->number);

    strobe_json_string(&line->json, name);
    put_times(line, (Row){capture->device, CAPTURE_ROW}, capture->begin_ns, capture->end_ns);
    put_uint(line, "Batch Num", capture->batch);
    put_uint(line, "Input Pic Num", capture->pics);
    put_uint(line, "Current Pic Count", capture->current_pic);
}

/* Writes the name of the unit with blanks, for example "AA CORE". */
static void put_unit(Timeline *line, const SvpTask *task)
{
    g_autofree char *unit =
        g_strdup(task->unit < SVP_UNITS ? svp_unit_names[task->unit]
                                        : line->host->string(line->self, task->core).bytes);

    strobe_json_key(&line->json, "Task Type");
    strobe_json_string(&line->json, g_strdelimit(unit, "_", ' '));
}

static void put_task(Timeline *line, const SvpTask *task)
{
    put_text(line, task->name);
    put_times(line, row_of_task(task), task->begin_ns, task->end_ns);
    put_unit(line, task);
    put_uint(line, "Stream Id", task->stream);
    put_uint(line, "Task Id", task->task_id);
}

static void put_call(Timeline *line, const SvpCall *call)
{
    put_text(line, call->name);
    put_times(line, row_of_call(call), call->begin_ns, call->end_ns);
    strobe_json_key(&line->json, "Mode");
    put_text(line, call->mode);
    put_uint(line, "Process_Id", call->pid);
    put_uint(line, "Thread_Id", call->tid);
}

static void put_event(Timeline *line, const Event *event)
{
    strobe_json_begin_object(&line->json);
    strobe_json_key(&line->json, "name");
    if (event->type == EVENT_CAPTURE)
        put_capture(line, svp_rows_capture(line->rows, event->capture));
    else if (event->type == EVENT_TASK)
        put_task(line, &event->task);
    else
        put_call(line, &event->call);
    strobe_json_end_object(&line->json);
    strobe_json_end_object(&line->json);
}

/* ---- files ---- */

static int begin_file(Timeline *line, const File *file)
{
    g_autofree char *name =
        g_strdup_printf("%s_%u.%s.%u.%u.json", file->is_acl ? "acl" : "task_time", file->device,
                        file->name, file->model, file->batch);

    line->out = strobe_safe_file_create(line->host->metadata(line->self)->directory, name);
    if (!line->out)
        return errno;
    strobe_json_init(&line->json, strobe_safe_file_write, line->out, STROBE_JSON_LINES);
    strobe_json_begin_array(&line->json);
    put_rows(line, file);
    return 0;
}

static int end_file(Timeline *line)
{
    StrobeSafeFile *out = line->out;
    int error;

    if (!out)
        return 0;
    strobe_json_end_array(&line->json);
    error = strobe_json_flush(&line->json);
    line->out = NULL;
    if (error)
        strobe_safe_file_discard(out);
    return error ? error : strobe_safe_file_finish(out);
}

/* Returns the next event; NULL: there are no more. */
static const Event *next_event(Timeline *line, int *error)
{
    size_t length;
    const Event *event = strobe_external_sorter_next(line->events, &length);

    if (!event)
        *error = strobe_external_sorter_error(line->events);
    return event;
}

/* Writes the files one after the other. The events are sorted by file. */
static int write_files(Timeline *line)
{
    guint file = G_MAXUINT;
    const Event *event;
    int error = 0;

    while (!error && (event = next_event(line, &error))) {
        if (event->file != file) {
            error = end_file(line);
            file = event->file;
            if (!error)
                error = begin_file(line, g_ptr_array_index(line->files, file));
        }
        if (!error)
            put_event(line, event);
    }
    return error ? error : end_file(line);
}

static StrobeStatus timeline_end(void *state)
{
    Timeline *line = state;
    int error = svp_rows_join(line->rows);

    if (!error)
        error = add_tasks(line);
    if (!error)
        error = add_calls(line);
    if (error)
        return fail_storage(line, error);
    if (line->n_left_out)
        line->host->log(line->self, STROBE_LOG_WARNING,
                        "%u events are in no timeline: more than %u files", line->n_left_out,
                        FILES_MAX);
    if (line->n_crossing)
        line->host->log(line->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " calls begin in another call of their thread and end "
                        "after it: viewers may draw them wrongly",
                        line->n_crossing);
    error = write_files(line);
    if (!error)
        return STROBE_OK;
    return line->host->fail(line->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                            "Cannot write a timeline: folder=\"%s\": %s",
                            line->host->metadata(line->self)->directory_path, g_strerror(error));
}

const StrobeConsumerOps svp_timeline_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = timeline_open,
    .batch = timeline_batch,
    .end = timeline_end,
    .close = timeline_close,
};
