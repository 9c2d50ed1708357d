/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the timelines that the vendor's tool made from a JOB whose data only the tool can read:
 * task_time_* and acl_*. Their times are in us with three decimals, so they are exact in ns. */
#include <string.h>
#include <strobe/helpers/json-scanner.h>
#include <strobe/kinds.h>
#include <unistd.h>

#include <external-folder.h>
#include "svp_job.h"

#define TEXT_MAX 512u
#define TASKS_PREFIX "task_time_"

static const char calls_prefix[] = "acl_";

/* The content of one event of the timeline. */
typedef struct Event {
    char name[TEXT_MAX], phase[8], unit[64], mode[64];
    gint64 begin, duration; /* ns; -1: missing */
    gint64 pid, tid, stream, task;
} Event;

/* The state while one file is read. */
typedef struct Timeline {
    Job *job;
    const char *part;
    char model[SVP_FILE_NAME_MAX];
    guint32 device, model_id, batch;
    guint64 capture; /* id of the present capture; 0: none */
    /* table of the present capture, which has its layers and counters; NULL: there is none */
    VendorSummary *summary;
    gboolean is_joined; /* all rows of the table that were read so far match the tasks */
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

static void emit_frequency(Timeline *line, guint64 mhz)
{
    struct svp_frequency *fields =
        emit_record(line, &svp_kind_frequency, track_of(line, STROBE_TRACK_STREAM, 0, 0), "",
                    line->capture_begin, line->capture_begin);

    if (!fields)
        return;
    fields->frequency = (double)mhz;
    fields->device = line->device;
    fields->core = 0;
}

/* Ends the present capture. The file does not mark captures: a new capture begins where the task
 * numbers restart. */
static void end_capture(Timeline *line)
{
    struct svp_capture *fields;

    if (!line->capture)
        return;
    if (line->summary && line->summary->mhz != SVP_ABSENT)
        emit_frequency(line, line->summary->mhz);
    fields = emit_record(line, &svp_kind_capture, track_of(line, STROBE_TRACK_STREAM, 0, 0),
                         line->model, line->capture_begin, line->capture_end);
    if (!fields)
        return;
    fields->id = line->capture;
    fields->current_pic = line->summary ? line->summary->parts.current_pic
                                        : (guint64)(line->n_captures - 1) * line->batch;
    fields->device = line->device;
    fields->model = line->model_id;
    fields->number = line->n_captures;
    fields->batch = line->batch;
    fields->pics = line->summary ? line->summary->parts.pics : line->batch;
    fields->tasks = line->n_tasks;
    fields->is_first = line->n_captures == 1;
}

/* Returns the first table of the model that was not assigned to a capture yet, and marks the table
 * as used. The tables have the same order as the captures. */
static VendorSummary *take_summary(const Timeline *line)
{
    for (guint i = 0; i < line->job->summaries->len; i++) {
        VendorSummary *summary = g_ptr_array_index(line->job->summaries, i);

        if (summary->is_used || summary->parts.device != line->device ||
            summary->parts.model_id != line->model_id || summary->parts.batch != line->batch ||
            strcmp(summary->parts.model, line->model))
            continue;
        summary->is_used = TRUE;
        return summary;
    }
    return NULL;
}

static void begin_capture(Timeline *line, const Event *event)
{
    end_capture(line);
    line->summary = take_summary(line);
    line->is_joined = line->summary != NULL;
    line->capture = line->job->host->link_ids(line->job->self, 1);
    line->capture_begin = line->capture_end = event->begin;
    line->n_captures++;
    line->n_tasks = 0;
}

/* Returns the row of the present task in the capture's table; NULL: there is none. If the row does
 * not match the task, reports this and ignores the table from now on. */
static const VendorRow *find_row(Timeline *line, const Event *event)
{
    const guint index = line->n_tasks - 1;
    const VendorRow *row = line->is_joined && index < line->summary->rows->len
                               ? g_ptr_array_index(line->summary->rows, index)
                               : NULL;

    if (!line->is_joined || (row && row->ns == event->duration &&
                             !strncmp(row->name, event->name, sizeof event->name - 1)))
        return row;
    line->job->host->damage(line->job->self, line->summary->part,
                            "its rows do not match the tasks of the timeline: layers and counters "
                            "from that task on are left out");
    line->is_joined = FALSE;
    return NULL;
}

static void emit_layer(Timeline *line, const VendorRow *row, guint64 task, const Event *event)
{
    const StrobeTrackId track = track_of(line, STROBE_TRACK_STREAM, (guint64)event->stream, 0);
    struct svp_layer *layer =
        emit_record(line, &svp_kind_layer, track, event->name, event->begin, event->begin);

    if (!layer)
        return;
    layer->task = task;
    layer->layer_id = row->layer_id == G_MAXUINT32 ? STROBE_ABSENT_U32 : row->layer_id;
    layer->ori_name = intern_text(line, row->ori_name ? row->ori_name : "");
}

static void emit_counters(Timeline *line, const VendorRow *row, guint64 task, const Event *event)
{
    gboolean has_any = FALSE;
    struct strobe_device_pmu *pmu;

    for (guint i = 0; i < SVP_COUNTERS; i++)
        has_any |= row->counters[i] != SVP_ABSENT;
    pmu = has_any ? emit_record(line, &strobe_kind_device_pmu,
                                track_of(line, STROBE_TRACK_STREAM, (guint64)event->stream, 0), "",
                                event->begin, event->begin + event->duration)
                  : NULL;
    if (!pmu)
        return;
    pmu->task = task;
    pmu->metrics = intern_text(line, svp_metrics);
    for (guint i = 0; i < SVP_COUNTERS; i++)
        if (row->counters[i] != SVP_ABSENT)
            pmu->value[i] = (double)row->counters[i];
}

static void take_task(Timeline *line, const Event *event)
{
    struct strobe_device_task *task;
    const VendorRow *row;
    guint64 id;

    if (event->task < 0 || event->stream < 0 || event->task > G_MAXINT32 ||
        event->stream > G_MAXINT32) /* the event is not a task */
        return;
    if (!line->capture || event->task <= line->last_task)
        begin_capture(line, event);
    line->last_task = event->task;
    line->n_tasks++;
    line->capture_end = MAX(line->capture_end, event->begin + event->duration);
    row = find_row(line, event);
    task = emit_record(line, &strobe_kind_device_task,
                       track_of(line, STROBE_TRACK_STREAM, (guint64)event->stream, 0), event->name,
                       event->begin, event->begin + event->duration);
    if (!task)
        return;
    task->task = id = line->job->host->link_ids(line->job->self, 1);
    task->connection = line->capture;
    task->task_id = (guint32)event->task;
    task->stream = (guint32)event->stream;
    task->model = line->model_id;
    task->core = intern_text(line, event->unit);
    task->is_kernel = 1;
    if (!row)
        return;
    task->op_type = intern_text(line, row->type ? row->type : "");
    emit_layer(line, row, id, event);
    emit_counters(line, row, id, event);
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
        event->begin = job_read_thousandths(text, length);
    else if (!strcmp(key, "dur"))
        event->duration = job_read_thousandths(text, length);
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

/* Reads one event and its arguments, up to the end of its JSON object. Returns FALSE if the text is
 * not JSON. */
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
                                "a part of it is not JSON: the part before that is used");
    end_capture(line);
}

/* ---- files ---- */

/* Reads {prefix}{device}.{model}.{model_id}.{batch}.json. Names of data files have two more
 * numbers. */
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
        read_events(&line, json, strcmp(prefix, calls_prefix) == 0);
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
    return g_str_has_prefix(name, calls_prefix) ? calls_prefix : NULL;
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

        if (prefix_of(name) && !(job->n_call_files && prefix_of(name) == calls_prefix))
            read_file(job, folder, name, prefix_of(name));
    }
    close(folder);
}

/* ---- tables without a timeline ---- */

/* Imports the layers of a table that has no timeline. The table has the duration of each layer but
 * not its begin, so each layer begins at the end of the layer before. */
static void lay_out(Job *job, VendorSummary *summary, gint64 *at)
{
    Timeline line = {.job = job,
                     .part = summary->part,
                     .device = summary->parts.device,
                     .model_id = summary->parts.model_id,
                     .batch = summary->parts.batch,
                     .last_task = -1};

    g_strlcpy(line.model, summary->parts.model, sizeof line.model);
    for (guint i = 0; i < summary->rows->len && !line.is_full; i++) {
        const VendorRow *row = g_ptr_array_index(summary->rows, i);
        Event event = {.begin = *at, .duration = row->ns, .stream = 0, .task = i};

        keep_text(event.name, sizeof event.name, row->name, strlen(row->name));
        take_task(&line, &event);
        *at += row->ns;
    }
    end_capture(&line);
}

void job_summaries_lay_out(Job *job)
{
    gint64 at = 0;

    for (guint i = 0; i < job->summaries->len; i++) {
        VendorSummary *summary = g_ptr_array_index(job->summaries, i);

        if (summary->is_used || !summary->rows->len)
            continue;
        job->host->damage(job->self, summary->part,
                          "no timeline has its layers: each layer begins at the end of the one "
                          "before, from 0 on, because the times of their begins are not known");
        lay_out(job, summary, &at);
    }
}
