/* SPDX-License-Identifier: Apache-2.0 */
/* The timelines that the vendor's tool made of a JOB whose data only it can read: task_time_* and
 * acl_*. Times are us with three decimals there, so ns here. */
#include <string.h>
#include <strobe/helpers/json-scanner.h>
#include <strobe/kinds.h>
#include <unistd.h>

#include "../common/external-folder.h"
#include "svp_job.h"

#define TEXT_MAX 512u
#define TASKS_PREFIX "task_time_"
#define CALLS_PREFIX "acl_"

/* Content of an event. */
typedef struct Event {
    char name[TEXT_MAX], phase[8], unit[64], mode[64];
    gint64 begin, duration; /* ns; -1: not told */
    gint64 pid, tid, stream, task;
} Event;

/* One file. */
typedef struct Timeline {
    Job *job;
    const char *part;
    char model[SVP_FILE_NAME_MAX];
    guint32 device, model_id, batch;
    guint64 capture; /* id of the present one; 0: none */
    gint64 last_task, capture_begin, capture_end;
    guint32 n_captures, n_tasks;
    guint64 n_rows;
    gboolean is_full;
} Timeline;

static StrobeStringId intern_text(const Timeline *line, const char *text)
{
    return *text ? line->job->host->intern(line->job->self, text, strlen(text)) : 0;
}

static void *emit_record(Timeline *line, const StrobeKind *kind, StrobeTrackId track,
                         const char *name, gint64 begin, gint64 end)
{
    StrobeKindId id = 0;
    void *fields = NULL;

    if (line->job->host->kind(line->job->self, kind, &id) == STROBE_OK)
        fields =
            line->job->host->emit(line->job->self, id, track, intern_text(line, name), begin, end);
    line->is_full |= !fields;
    line->n_rows++;
    return fields;
}

static StrobeTrackId track_of(const Timeline *line, guint32 type, guint64 number, gint64 pid)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = type,
                               .device = type == STROBE_TRACK_STREAM ? (gint32)line->device : -1,
                               .id = number};

    return line->job->host->track(line->job->self, &track, pid > 0 ? (guint64)pid : 0);
}

/* ---- records ---- */

/* The tool says only where tasks begin again from 0: there another inference was captured. */
static void end_capture(Timeline *line)
{
    struct svp_capture *fields;

    if (!line->capture)
        return;
    fields = emit_record(line, &svp_kind_capture, track_of(line, STROBE_TRACK_STREAM, 0, 0),
                         line->model, line->capture_begin, line->capture_end);
    if (!fields)
        return;
    fields->id = line->capture;
    fields->current_pic = (guint64)(line->n_captures - 1) * line->batch;
    fields->device = line->device;
    fields->model = line->model_id;
    fields->number = line->n_captures;
    fields->batch = fields->pics = line->batch;
    fields->tasks = line->n_tasks;
    fields->is_first = line->n_captures == 1;
}

static void begin_capture(Timeline *line, const Event *event)
{
    end_capture(line);
    line->capture = line->job->host->link_ids(line->job->self, 1);
    line->capture_begin = line->capture_end = event->begin;
    line->n_captures++;
    line->n_tasks = 0;
}

static void take_task(Timeline *line, const Event *event)
{
    struct strobe_device_task *task;

    if (event->task < 0 || event->stream < 0 || event->task > G_MAXINT32 ||
        event->stream > G_MAXINT32) /* a bar that is no task */
        return;
    if (!line->capture || event->task <= line->last_task)
        begin_capture(line, event);
    line->last_task = event->task;
    line->n_tasks++;
    line->capture_end = MAX(line->capture_end, event->begin + event->duration);
    task = emit_record(line, &strobe_kind_device_task,
                       track_of(line, STROBE_TRACK_STREAM, (guint64)event->stream, 0), event->name,
                       event->begin, event->begin + event->duration);
    if (!task)
        return;
    task->task = line->job->host->link_ids(line->job->self, 1);
    task->connection = line->capture;
    task->task_id = (guint32)event->task;
    task->stream = (guint32)event->stream;
    task->model = line->model_id;
    task->core = intern_text(line, event->unit);
    task->is_kernel = 1;
}

static void take_call(Timeline *line, const Event *event)
{
    struct svp_api_call *call =
        emit_record(line, &svp_kind_api_call,
                    track_of(line, STROBE_TRACK_THREAD, (guint64)MAX(event->tid, 0), event->pid),
                    event->name, event->begin, event->begin + event->duration);

    if (!call)
        return;
    call->level = intern_text(line, "acl");
    call->mode = intern_text(line, event->mode);
    call->item = intern_text(line, line->model);
    call->device = line->device;
    call->model = line->model_id;
}

/* ---- events ---- */

/* A number of us, to ns; -1: none, or out of range. */
static gint64 read_us(const char *text, gsize length)
{
    gint64 ns = 0, unit = 1000;
    gboolean is_fraction = FALSE;

    if (length == 0 || length > 24)
        return -1;
    for (gsize i = 0; i < length; i++) {
        if (text[i] == '.' && !is_fraction) {
            is_fraction = TRUE;
        } else if (!g_ascii_isdigit(text[i]) || ns > G_MAXINT64 / 10000) {
            return -1;
        } else if (!is_fraction) {
            ns = ns * 10 + (text[i] - '0') * 1000;
        } else if (unit > 1) {
            unit /= 10;
            ns += (text[i] - '0') * unit;
        }
    }
    return ns;
}

static gint64 read_int(const char *text, gsize length)
{
    char digits[24];
    gint64 value;

    g_strlcpy(digits, text, MIN(length + 1, sizeof digits));
    return g_ascii_string_to_signed(digits, 10, 0, G_MAXINT64, &value, NULL) ? value : -1;
}

static void keep_text(char *to, gsize size, const char *text, gsize length)
{
    const gsize n = MIN(length, size - 1);

    memcpy(to, text, n);
    to[n] = 0;
}

static void take_member(Event *event, const char *key, const char *text, gsize length)
{
    if (!strcmp(key, "name"))
        keep_text(event->name, sizeof event->name, text, length);
    else if (!strcmp(key, "ph"))
        keep_text(event->phase, sizeof event->phase, text, length);
    else if (!strcmp(key, "ts"))
        event->begin = read_us(text, length);
    else if (!strcmp(key, "dur"))
        event->duration = read_us(text, length);
    else if (!strcmp(key, "pid") || !strcmp(key, "Process_Id"))
        event->pid = read_int(text, length);
    else if (!strcmp(key, "tid") || !strcmp(key, "Thread_Id"))
        event->tid = read_int(text, length);
    else if (!strcmp(key, "Stream Id"))
        event->stream = read_int(text, length);
    else if (!strcmp(key, "Task Id"))
        event->task = read_int(text, length);
    else if (!strcmp(key, "Mode"))
        keep_text(event->mode, sizeof event->mode, text, length);
    else if (!strcmp(key, "Task Type")) {
        keep_text(event->unit, sizeof event->unit, text, length);
        g_strdelimit(event->unit, " ", '_');
    }
}

/* Reads to the end of the event's object, its args in it. FALSE: no JSON. */
static gboolean read_event(StrobeJsonScanner *json, Event *event)
{
    const guint depth = strobe_json_scanner_depth(json);
    char key[64] = "";
    const char *text;
    size_t length;
    int token;

    *event = (Event){.begin = -1, .duration = -1, .stream = -1, .task = -1};
    while ((token = strobe_json_scanner_next(json, &text, &length)) > 0) {
        if (token == STROBE_JSON_KEY)
            keep_text(key, sizeof key, text, length);
        else if (token == STROBE_JSON_STRING || token == STROBE_JSON_NUMBER)
            take_member(event, key, text, length);
        else if (token == STROBE_JSON_OBJECT_END && strobe_json_scanner_depth(json) < depth)
            return TRUE;
    }
    return FALSE;
}

static void read_events(Timeline *line, StrobeJsonScanner *json, gboolean is_acl)
{
    const char *text;
    size_t length;
    gboolean good = strobe_json_scanner_next(json, &text, &length) == STROBE_JSON_ARRAY;
    int token = 0;
    Event event;

    while (good && !line->is_full &&
           (token = strobe_json_scanner_next(json, &text, &length)) == STROBE_JSON_OBJECT) {
        good = read_event(json, &event);
        if (!good || strcmp(event.phase, "X") || event.begin < 0 || event.duration < 0)
            continue;
        if (is_acl)
            take_call(line, &event);
        else
            take_task(line, &event);
    }
    if (!line->is_full && (!good || token != STROBE_JSON_ARRAY_END))
        line->job->host->damage(line->job->self, line->part,
                                "no JSON from some place on: what stands before is taken");
    end_capture(line);
}

/* ---- files ---- */

/* {prefix}{device}.{model}.{model_id}.{batch}.json: as the name of a data file with two numbers
 * behind the model's id. */
static gboolean read_name(Timeline *line, const char *name, const char *prefix)
{
    const gsize skipped = strlen(prefix);
    g_autofree char *bare = g_strndup(name, strlen(name) - strlen(".json"));
    g_autofree char *as_data = g_strconcat("AAcore.", bare + skipped, ".0.0", NULL);
    SvpFileName parts;

    if (svp_file_name_read(as_data, &parts) != SVP_FILE_CORE)
        return FALSE;
    strcpy(line->model, parts.model);
    line->device = parts.device;
    line->model_id = parts.model_id;
    line->batch = parts.batch;
    return TRUE;
}

static void read_file(Job *job, int folder, const char *name, const char *prefix)
{
    g_autofree char *part = g_strconcat("timeline/", name, NULL);
    Timeline line = {.job = job, .part = part, .last_task = -1};
    int file = read_name(&line, name, prefix) ? external_folder_open_file(folder, name) : -1;
    StrobeJsonScanner *json = file >= 0 ? strobe_json_scanner_new(file) : NULL;

    if (json) {
        read_events(&line, json, strcmp(prefix, CALLS_PREFIX) == 0);
        job->host->found(job->self, part, line.n_rows);
        job->n_vendor++;
    }
    strobe_json_scanner_free(json);
    if (file >= 0)
        close(file);
}

static const char *prefix_of(const char *name)
{
    if (!g_str_has_suffix(name, ".json"))
        return NULL;
    if (g_str_has_prefix(name, TASKS_PREFIX))
        return TASKS_PREFIX;
    return g_str_has_prefix(name, CALLS_PREFIX) ? CALLS_PREFIX : NULL;
}

gboolean job_timeline_is_in(int top)
{
    int folder = external_folder_open(top, "timeline");
    gboolean found = FALSE;

    if (folder < 0)
        return FALSE;
    g_autoptr(GPtrArray) names = external_folder_names(folder);
    for (guint i = 0; i < names->len; i++)
        found |= prefix_of(g_ptr_array_index(names, i)) != NULL;
    close(folder);
    return found;
}

void job_timeline_import(Job *job)
{
    int folder = external_folder_open(job->folder, "timeline");

    if (folder < 0)
        return;
    g_autoptr(GPtrArray) names = external_folder_names(folder);
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);

        if (prefix_of(name))
            read_file(job, folder, name, prefix_of(name));
    }
    close(folder);
}
