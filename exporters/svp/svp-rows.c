/* SPDX-License-Identifier: Apache-2.0 */
#include "svp-rows.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>

#define CAPTURES_MAX 1000000u
#define FREQUENCIES_MAX 1000000u
#define FIRSTS_MAX 1024u
#define EXACT_MAX 9007199254740992.0 /* all integers up to this number are exact in a double */

enum { KIND_TASK, KIND_PMU, KIND_LAYER, KIND_CAPTURE, KIND_CALL, KIND_FREQUENCY, KINDS };

const char *const svp_rows_wants[] = {"device_task", "device_pmu",    "svp.layer", "svp.capture",
                                      "api_call",    "svp.frequency", NULL};

/* The parts of a task, in the order in which they are joined. */
enum { PART_LAYER, PART_PMU, PART_TASK };

typedef struct Part {
    guint64 task;
    guint64 capture; /* id of the capture; STROBE_ABSENT_U64: none */
    guint32 part;
    guint32 reserved;
    SvpTask row;
} Part;

struct SvpRows {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    gint64 offset; /* time of a record minus time of the board */
    StrobeKindNames kinds;
    StrobeBinder binders[KINDS];
    GArray *captures;    /* elements of type SvpCapture */
    GHashTable *indices; /* id of a capture -> 1 + index */
    GHashTable *batches; /* model -> 1 + batch */
    GArray *frequencies;
    /* elements of type SvpCall: the first call of a model in each process and device */
    GArray *firsts;
    StrobeExternalSorter *parts, *tasks, *calls;
    int error;
};

/* ---- fields of the records ---- */

enum { TASK_TASK, TASK_CONNECTION, TASK_ID, TASK_STREAM, TASK_CORE, TASK_OP_TYPE };
static const StrobeWantedField task_fields[] = {
    {"task", STROBE_FIELD_LINK},   {"connection", STROBE_FIELD_LINK},
    {"task_id", STROBE_FIELD_U32}, {"stream", STROBE_FIELD_U32},
    {"core", STROBE_FIELD_STRING}, {"op_type", STROBE_FIELD_STRING},
};
enum { PMU_TASK, PMU_METRICS, PMU_VALUE };
static const StrobeWantedField pmu_fields[] = {
    {"task", STROBE_FIELD_LINK},
    {"metrics", STROBE_FIELD_STRING},
    {"value_00", STROBE_FIELD_F64},
};
enum { LAYER_TASK, LAYER_ID, LAYER_ORI_NAME };
static const StrobeWantedField layer_fields[] = {
    {"task", STROBE_FIELD_LINK},
    {"layer_id", STROBE_FIELD_U32},
    {"ori_name", STROBE_FIELD_STRING},
};
enum {
    CAPTURE_ID,
    CAPTURE_PIC,
    CAPTURE_DEVICE,
    CAPTURE_MODEL,
    CAPTURE_NUMBER,
    CAPTURE_BATCH,
    CAPTURE_PICS,
    CAPTURE_TASKS,
    CAPTURE_FIRST
};
static const StrobeWantedField capture_fields[] = {
    {"id", STROBE_FIELD_LINK},   {"current_pic", STROBE_FIELD_U64}, {"device", STROBE_FIELD_U32},
    {"model", STROBE_FIELD_U32}, {"number", STROBE_FIELD_U32},      {"batch", STROBE_FIELD_U32},
    {"pics", STROBE_FIELD_U32},  {"tasks", STROBE_FIELD_U32},       {"is_first", STROBE_FIELD_BOOL},
};
enum { CALL_LEVEL, CALL_MODE, CALL_ITEM, CALL_DEVICE, CALL_MODEL, CALL_CONNECTION, CALL_STATUS };
static const StrobeWantedField call_fields[] = {
    {"level", STROBE_FIELD_STRING},   {"mode", STROBE_FIELD_STRING},
    {"item", STROBE_FIELD_STRING},    {"svp.device", STROBE_FIELD_U32},
    {"svp.model", STROBE_FIELD_U32},  {"connection", STROBE_FIELD_LINK},
    {"svp.status", STROBE_FIELD_I32},
};
enum { FREQUENCY_MHZ, FREQUENCY_DEVICE, FREQUENCY_CORE };
static const StrobeWantedField frequency_fields[] = {
    {"frequency", STROBE_FIELD_F64},
    {"device", STROBE_FIELD_U32},
    {"core", STROBE_FIELD_U32},
};

#define BINDER(fields_) {.wanted = fields_, .n_wanted = G_N_ELEMENTS(fields_)}
static const StrobeBinder binders[KINDS] = {
    [KIND_TASK] = BINDER(task_fields),   [KIND_PMU] = BINDER(pmu_fields),
    [KIND_LAYER] = BINDER(layer_fields), [KIND_CAPTURE] = BINDER(capture_fields),
    [KIND_CALL] = BINDER(call_fields),   [KIND_FREQUENCY] = BINDER(frequency_fields),
};

SvpRows *svp_rows_new(const StrobeConsumerHost *host, StrobeInstance *self)
{
    SvpRows *rows = g_new0(SvpRows, 1);
    StrobeStorage *storage = host->storage(self);

    rows->host = host;
    rows->self = self;
    rows->offset = g_ascii_strtoll(host->metadata_value(self, "monotonic_offset_ns"), NULL, 10);
    rows->kinds = (StrobeKindNames){.names = svp_rows_wants, .n_names = KINDS};
    memcpy(rows->binders, binders, sizeof binders);
    rows->captures = g_array_new(FALSE, TRUE, sizeof(SvpCapture));
    rows->indices = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    rows->batches = g_hash_table_new(strobe_hash_of_pointer, NULL);
    rows->frequencies = g_array_new(FALSE, FALSE, sizeof(SvpFrequency));
    rows->firsts = g_array_new(FALSE, FALSE, sizeof(SvpCall));
    rows->parts = strobe_external_sorter_new(storage);
    rows->tasks = strobe_external_sorter_new(storage);
    rows->calls = strobe_external_sorter_new(storage);
    return rows;
}

void svp_rows_free(SvpRows *rows)
{
    g_array_unref(rows->captures);
    g_hash_table_unref(rows->indices);
    g_hash_table_unref(rows->batches);
    g_array_unref(rows->frequencies);
    g_array_unref(rows->firsts);
    strobe_external_sorter_free(rows->parts);
    strobe_external_sorter_free(rows->tasks);
    strobe_external_sorter_free(rows->calls);
    g_free(rows);
}

static void keep_error(SvpRows *rows, int error)
{
    if (!rows->error)
        rows->error = error;
}

int svp_rows_error(const SvpRows *rows)
{
    return rows->error;
}

/* Converts the times of a record to the board's clock. The results are at least 0. */
static void take_times(const SvpRows *rows, const StrobeView *view, gint64 *begin, gint64 *end)
{
    if (__builtin_sub_overflow(view->begin_ns, rows->offset, begin) || *begin < 0)
        *begin = 0;
    if (__builtin_sub_overflow(view->end_ns, rows->offset, end) || *end < *begin)
        *end = *begin;
}

static const StrobeTrackView *track_of(const SvpRows *rows, const StrobeView *view)
{
    return view->track ? rows->host->track(rows->self, view->track) : NULL;
}

/* ---- reading records ---- */

/* Returns the index of the capture with this id, and adds the capture if necessary. Returns
 * G_MAXUINT if there are too many captures. */
static guint capture_index(SvpRows *rows, guint64 id)
{
    guint index = GPOINTER_TO_UINT(g_hash_table_lookup(rows->indices, &id));

    if (index)
        return index - 1;
    if (rows->captures->len == CAPTURES_MAX)
        return G_MAXUINT;
    const SvpCapture capture = {.id = id};
    g_array_append_val(rows->captures, capture);
    g_hash_table_insert(rows->indices, g_memdup2(&id, sizeof id),
                        GUINT_TO_POINTER(rows->captures->len));
    return rows->captures->len - 1;
}

static void take_capture(SvpRows *rows, const StrobeView *view, const guint32 *at)
{
    guint index = capture_index(rows, strobe_field_u64(view, at[CAPTURE_ID], 0));
    SvpCapture *capture =
        index == G_MAXUINT ? NULL : &g_array_index(rows->captures, SvpCapture, index);

    if (!capture || capture->is_reported)
        return;
    take_times(rows, view, &capture->begin_ns, &capture->end_ns);
    capture->current_pic = strobe_field_u64(view, at[CAPTURE_PIC], 0);
    capture->device = strobe_field_u32(view, at[CAPTURE_DEVICE], 0);
    capture->model = strobe_field_u32(view, at[CAPTURE_MODEL], 0);
    capture->number = strobe_field_u32(view, at[CAPTURE_NUMBER], index + 1);
    capture->batch = strobe_field_u32(view, at[CAPTURE_BATCH], 1);
    capture->pics = strobe_field_u32(view, at[CAPTURE_PICS], 1);
    capture->tasks = strobe_field_u32(view, at[CAPTURE_TASKS], STROBE_ABSENT_U32);
    capture->is_first = strobe_field_u8(view, at[CAPTURE_FIRST], 0);
    capture->is_reported = TRUE;
    capture->name = view->name;
    g_hash_table_insert(rows->batches, GUINT_TO_POINTER(capture->model),
                        GUINT_TO_POINTER(MIN(capture->batch, G_MAXUINT - 1) + 1));
}

static Part *add_part(SvpRows *rows, guint64 task, guint32 part)
{
    const StrobeSortKey key = {(gint64)task, part};
    Part *added = strobe_external_sorter_reserve(rows->parts, key, sizeof *added);

    if (!added) {
        keep_error(rows, strobe_external_sorter_error(rows->parts));
        return NULL;
    }
    memset(added, 0, sizeof *added);
    added->task = task;
    added->part = part;
    return added;
}

static void take_task(SvpRows *rows, const StrobeView *view, const guint32 *at)
{
    const StrobeTrackView *track = track_of(rows, view);
    const StrobeStringId core = strobe_field_u32(view, at[TASK_CORE], 0);
    const guint unit = svp_unit_find(rows->host->string(rows->self, core).bytes);
    Part *part = add_part(rows, strobe_field_u64(view, at[TASK_TASK], 0), PART_TASK);

    if (!part)
        return;
    part->capture = strobe_field_u64(view, at[TASK_CONNECTION], STROBE_ABSENT_U64);
    take_times(rows, view, &part->row.begin_ns, &part->row.end_ns);
    part->row.name = view->name;
    part->row.core = core;
    part->row.unit = unit;
    part->row.task_id = strobe_field_u32(view, at[TASK_ID], 0);
    part->row.stream = strobe_field_u32(view, at[TASK_STREAM], 0);
    part->row.type = strobe_field_u32(view, at[TASK_OP_TYPE], 0);
    part->row.device = track && track->device > 0 ? (guint32)track->device : 0;
}

/* Adds the counters of a task. The record has the names and values of the counters, in any
 * order. */
static void take_pmu(SvpRows *rows, const StrobeView *view, const guint32 *at)
{
    const char *name =
        rows->host->string(rows->self, strobe_field_u32(view, at[PMU_METRICS], 0)).bytes;
    Part *part = add_part(rows, strobe_field_u64(view, at[PMU_TASK], 0), PART_PMU);

    for (guint i = 0; part && i < SVP_COUNTERS; i++)
        part->row.counters[i] = SVP_ABSENT;
    if (!part || at[PMU_VALUE] == STROBE_FIELD_MISSING)
        return;
    for (guint i = 0; *name && at[PMU_VALUE] + i * 8 + 8 <= strobe_view_field_bytes(view->kind);
         i++) {
        const gsize length = strcspn(name, ";");
        const guint counter = svp_counter_find(name, length);
        const double value = strobe_view_f64(view, at[PMU_VALUE] + i * 8);

        if (counter < SVP_COUNTERS && value >= 0 && value <= EXACT_MAX)
            part->row.counters[counter] = (guint64)value;
        name += length + (name[length] == ';');
    }
}

static void take_layer(SvpRows *rows, const StrobeView *view, const guint32 *at)
{
    Part *part = add_part(rows, strobe_field_u64(view, at[LAYER_TASK], 0), PART_LAYER);

    if (!part)
        return;
    part->row.layer_id = strobe_field_u32(view, at[LAYER_ID], 0);
    part->row.ori_name = strobe_field_u32(view, at[LAYER_ORI_NAME], 0);
    part->row.has_layer = TRUE;
}

static SvpCall *find_first(const SvpRows *rows, const SvpCall *call)
{
    for (guint i = 0; i < rows->firsts->len; i++) {
        SvpCall *first = &g_array_index(rows->firsts, SvpCall, i);

        if (first->pid == call->pid && first->device == call->device)
            return first;
    }
    return NULL;
}

static void note_first(SvpRows *rows, const SvpCall *call)
{
    SvpCall *first = call->model == STROBE_ABSENT_U32 ? NULL : find_first(rows, call);

    if (first && first->begin_ns > call->begin_ns)
        *first = *call;
    else if (!first && call->model != STROBE_ABSENT_U32 && rows->firsts->len < FIRSTS_MAX)
        g_array_append_val(rows->firsts, *call);
}

static void take_call(SvpRows *rows, const StrobeView *view, const guint32 *at)
{
    const StrobeTrackView *track = track_of(rows, view);
    const StrobeStringId level = strobe_field_u32(view, at[CALL_LEVEL], 0);
    gint64 begin, end;

    if (strcmp(rows->host->string(rows->self, level).bytes, "acl"))
        return;
    take_times(rows, view, &begin, &end);
    SvpCall *call =
        strobe_external_sorter_reserve(rows->calls, (StrobeSortKey){begin, -end}, sizeof *call);
    if (!call) {
        keep_error(rows, strobe_external_sorter_error(rows->calls));
        return;
    }
    *call = (SvpCall){.begin_ns = begin,
                      .end_ns = end,
                      .pid = track && track->pid ? track->pid : SVP_ABSENT,
                      .tid = track && track->number ? track->number : SVP_ABSENT,
                      .device = strobe_field_u32(view, at[CALL_DEVICE], 0),
                      .model = strobe_field_u32(view, at[CALL_MODEL], STROBE_ABSENT_U32),
                      .name = view->name,
                      .mode = strobe_field_u32(view, at[CALL_MODE], 0),
                      .item = strobe_field_u32(view, at[CALL_ITEM], 0),
                      .connection = strobe_field_u64(view, at[CALL_CONNECTION], STROBE_ABSENT_U64),
                      .status = strobe_field_i32(view, at[CALL_STATUS], 0)};
    note_first(rows, call);
}

static void take_frequency(SvpRows *rows, const StrobeView *view, const guint32 *at)
{
    SvpFrequency sample = {.device = strobe_field_u32(view, at[FREQUENCY_DEVICE], 0),
                           .core = strobe_field_u32(view, at[FREQUENCY_CORE], 0),
                           .mhz = strobe_field_f64(view, at[FREQUENCY_MHZ], 0)};
    gint64 end;

    if (!isfinite(sample.mhz) || sample.mhz < 0 || rows->frequencies->len == FREQUENCIES_MAX)
        return;
    take_times(rows, view, &sample.time_ns, &end);
    g_array_append_val(rows->frequencies, sample);
}

int svp_rows_take(SvpRows *rows, const StrobeView *records, size_t n)
{
    static void (*const take[KINDS])(SvpRows *, const StrobeView *, const guint32 *) = {
        [KIND_TASK] = take_task,       [KIND_PMU] = take_pmu,   [KIND_LAYER] = take_layer,
        [KIND_CAPTURE] = take_capture, [KIND_CALL] = take_call, [KIND_FREQUENCY] = take_frequency,
    };

    for (size_t i = 0; i < n; i++) {
        guint32 kind = strobe_kind_place(&rows->kinds, records[i].kind);

        if (kind < KINDS)
            take[kind](rows, &records[i],
                       strobe_binder_offsets(&rows->binders[kind], records[i].kind));
    }
    return rows->error;
}

/* ---- joining ---- */

static void add_task(SvpRows *rows, const Part *part, const Part *layer, const Part *pmu)
{
    guint index =
        part->capture == STROBE_ABSENT_U64 ? G_MAXUINT : capture_index(rows, part->capture);
    SvpTask row = part->row;
    int error;

    /* the task does not belong to a board, or there are too many captures */
    if (index == G_MAXUINT)
        return;
    row.capture = index;
    g_array_index(rows->captures, SvpCapture, index).n_tasks++;
    for (guint i = 0; i < SVP_COUNTERS; i++)
        row.counters[i] = pmu ? pmu->row.counters[i] : SVP_ABSENT;
    if (layer) {
        row.has_layer = TRUE;
        row.layer_id = layer->row.layer_id;
        row.ori_name = layer->row.ori_name;
    }
    error = strobe_external_sorter_add(rows->tasks, (StrobeSortKey){index, row.task_id}, &row,
                                       sizeof row);
    keep_error(rows, error);
}

static int compare_frequencies(gconstpointer a, gconstpointer b)
{
    const SvpFrequency *one = a, *other = b;

    if (one->device != other->device)
        return one->device < other->device ? -1 : 1;
    if (one->core != other->core)
        return one->core < other->core ? -1 : 1;
    return one->time_ns < other->time_ns ? -1 : one->time_ns > other->time_ns;
}

int svp_rows_join(SvpRows *rows)
{
    Part layer = {.task = STROBE_ABSENT_U64}, pmu = layer;
    const Part *part;
    size_t length;

    while (!rows->error && (part = strobe_external_sorter_next(rows->parts, &length))) {
        if (part->part == PART_LAYER)
            layer = *part;
        else if (part->part == PART_PMU)
            pmu = *part;
        else
            add_task(rows, part, layer.task == part->task && layer.row.has_layer ? &layer : NULL,
                     pmu.task == part->task && pmu.part == PART_PMU ? &pmu : NULL);
    }
    keep_error(rows, strobe_external_sorter_error(rows->parts));
    g_array_sort(rows->frequencies, compare_frequencies);
    return rows->error;
}

/* ---- output ---- */

guint svp_rows_n_captures(const SvpRows *rows)
{
    return rows->captures->len;
}

const SvpCapture *svp_rows_capture(const SvpRows *rows, guint index)
{
    return &g_array_index(rows->captures, SvpCapture, index);
}

guint32 svp_rows_batch(const SvpRows *rows, guint32 model)
{
    g_autofree char *key = g_strdup_printf("svp.batch.%u", model);
    const char *entry = rows->host->metadata_value(rows->self, key);
    guint64 batch;

    if (g_ascii_string_to_unsigned(entry, 10, 0, G_MAXUINT32, &batch, NULL))
        return (guint32)batch;
    batch = GPOINTER_TO_UINT(g_hash_table_lookup(rows->batches, GUINT_TO_POINTER(model)));
    return batch ? (guint32)batch - 1 : 1;
}

const GArray *svp_rows_frequencies(const SvpRows *rows)
{
    return rows->frequencies;
}

gboolean svp_capture_is_cut(const SvpCapture *capture)
{
    return capture->tasks != STROBE_ABSENT_U32 && capture->n_tasks < capture->tasks;
}

/* Returns the mean clock frequency during the capture. The frequency of a sample applies until the
 * next sample of its core. */
static double mean_mhz(const SvpRows *rows, const SvpCapture *capture)
{
    double sum = 0, whole = 0;

    for (guint i = 0; i < rows->frequencies->len; i++) {
        const SvpFrequency *sample = &g_array_index(rows->frequencies, SvpFrequency, i);
        const SvpFrequency *next = sample + 1;
        gboolean is_last = i + 1 == rows->frequencies->len || next->device != sample->device ||
                           next->core != sample->core;
        const gint64 from = MAX(sample->time_ns, capture->begin_ns);
        const gint64 until = is_last ? capture->end_ns : MIN(next->time_ns, capture->end_ns);

        if (sample->device != capture->device || until <= from)
            continue;
        sum += sample->mhz * (double)(until - from);
        whole += (double)(until - from);
    }
    return whole > 0 ? sum / whole : -1;
}

guint64 svp_rows_capture_mhz(const SvpRows *rows, const SvpCapture *capture)
{
    const double mean = mean_mhz(rows, capture);
    guint64 reported;

    if (mean >= 0 && mean < 1e9)
        return (guint64)(mean + 0.5);
    return g_ascii_string_to_unsigned(rows->host->metadata_value(rows->self, "svp.frequency_mhz"),
                                      10, 0, G_MAXUINT32, &reported, NULL)
               ? reported
               : SVP_ABSENT;
}

const SvpTask *svp_rows_next_task(SvpRows *rows)
{
    size_t length;
    const SvpTask *task = strobe_external_sorter_next(rows->tasks, &length);

    if (!task)
        keep_error(rows, strobe_external_sorter_error(rows->tasks));
    return task;
}

const SvpCall *svp_rows_next_call(SvpRows *rows)
{
    size_t length;
    SvpCall *call = strobe_external_sorter_next(rows->calls, &length);

    if (!call) {
        keep_error(rows, strobe_external_sorter_error(rows->calls));
        return NULL;
    }
    const SvpCall *first = call->model == STROBE_ABSENT_U32 ? find_first(rows, call) : NULL;
    if (first) {
        call->model = first->model;
        call->item = first->item;
    } else if (call->model == STROBE_ABSENT_U32) {
        call->model = 0;
    }
    return call;
}

void svp_rows_model_name(const SvpRows *rows, StrobeStringId name, char out[SVP_MODEL_MAX + 1])
{
    const StrobeText text = rows->host->string(rows->self, name);

    svp_model_name(text.bytes, text.length, out);
}
