/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-kernels.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>

#include "diff-marks.h"

#define PATHS_MAX 1000000u
#define HEIGHT_MAX 512u /* maximum number of names on one path */
#define NO_PLACE G_MAXUINT32
#define NO_ROOM 0u /* index in `paths` for all paths for which there is no room */
#define TOP 1u     /* index in `paths` of the empty path */

enum { SCOPE, IS_ASYNC, N_OPERATOR };
enum { TO_BEGIN, TO_TRACK, N_LINK };
enum { IS_COMMUNICATION, OP_TYPE, EXACT, STEP, N_KERNEL };
enum { TASK_CONNECTION, TASK_IS_KERNEL, TASK_TYPE, TASK_BYTES, TASK_EXACT, N_TASK };
enum { CALL_CONNECTION, N_CALL };

static const StrobeWantedField operator_wanted[N_OPERATOR] = {
    [SCOPE] = {"scope", STROBE_FIELD_U8},
    [IS_ASYNC] = {"is_async", STROBE_FIELD_BOOL},
};
static const StrobeWantedField link_wanted[N_LINK] = {
    [TO_BEGIN] = {"to_begin", STROBE_FIELD_I64},
    [TO_TRACK] = {"to_track", STROBE_FIELD_TRACK},
};
static const StrobeWantedField kernel_wanted[N_KERNEL] = {
    [IS_COMMUNICATION] = {"is_communication", STROBE_FIELD_BOOL},
    [OP_TYPE] = {"op_type", STROBE_FIELD_STRING},
    [EXACT] = {"exact_us", STROBE_FIELD_F64},
    [STEP] = {"step", STROBE_FIELD_I64},
};
static const StrobeWantedField task_wanted[N_TASK] = {
    [TASK_CONNECTION] = {"connection", STROBE_FIELD_LINK},
    [TASK_IS_KERNEL] = {"is_kernel", STROBE_FIELD_BOOL},
    [TASK_TYPE] = {"task_type", STROBE_FIELD_STRING},
    [TASK_BYTES] = {"copy_bytes", STROBE_FIELD_U64},
    [TASK_EXACT] = {"exact_us", STROBE_FIELD_F64},
};
static const StrobeWantedField call_wanted[N_CALL] = {
    [CALL_CONNECTION] = {"connection", STROBE_FIELD_LINK},
};

typedef struct Place {
    gint64 begin_ns;
    StrobeTrackId track;
    /* number of the record in the order of arrival, in which an inner operator comes before the
     * operator around it */
    guint32 order;
} Place;

typedef struct Operator {
    Place place;
    gint64 end_ns;
    StrobeStringId name;
    /* path of the operator, with its own name; for a mark the path of the operator around it */
    guint32 path;
    gboolean is_mark;
} Operator;

/* Links a kernel to the operator that launched it. */
typedef struct Link {
    Place kernel, op;
    StrobeStringId op_name;
} Link;

/* A kernel, communication operation, copy or fill. */
typedef struct Value {
    Place place;
    StrobeStringId name;
    gint block;
    /* for a copy or fill, the link id of the call that launched it, which determines its block */
    guint64 connection;
    double ns;
} Value;

/* A task of any type, or a call of a device's library. */
typedef struct Launch {
    guint64 connection;
    gint64 begin_ns;
    StrobeTrackId track;
} Launch;

/* A path: its parent, which is another path, and the name of the innermost operator. */
typedef struct Path {
    guint32 parent, height;
    StrobeStringId name;
    StrobeDiffRow *row; /* the row of the path's kernels */
    gboolean has_row;   /* `row` was looked up; if it is NULL, there was no room for a row */
} Path;

struct StrobeDiffKernels {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    const StrobeDiffSteps *steps;
    gboolean by_name, is_communication;
    StrobeBinder of_operator, of_link, of_kernel, of_task, of_call;
    StrobeDiffMarks marks;
    GArray *operators, *links, *values;
    GArray *tasks, *calls; /* of Launch: only those with a connection */
    GHashTable *first;     /* track -> gint64: begin of the first task whose launch is known */
    gint64 first_call_ns;  /* G_MININT64: none */
    GArray *paths;         /* of Path; the first two are NO_ROOM and TOP */
    GHashTable *index;     /* parent and name of a path -> its index */
};

/* ---- input ---- */

StrobeDiffKernels *strobe_diff_kernels_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                           const StrobeDiffSteps *steps, gboolean by_name,
                                           gboolean is_communication)
{
    StrobeDiffKernels *kernels = g_new0(StrobeDiffKernels, 1);

    /* a key of `index` consists of two ids */
    G_STATIC_ASSERT(sizeof(gpointer) == 2 * sizeof(StrobeStringId));
    kernels->host = host;
    kernels->self = self;
    kernels->steps = steps;
    kernels->by_name = by_name;
    kernels->is_communication = is_communication;
    kernels->of_operator = (StrobeBinder){.wanted = operator_wanted, .n_wanted = N_OPERATOR};
    kernels->of_link = (StrobeBinder){.wanted = link_wanted, .n_wanted = N_LINK};
    kernels->of_kernel = (StrobeBinder){.wanted = kernel_wanted, .n_wanted = N_KERNEL};
    kernels->of_task = (StrobeBinder){.wanted = task_wanted, .n_wanted = N_TASK};
    kernels->of_call = (StrobeBinder){.wanted = call_wanted, .n_wanted = N_CALL};
    strobe_diff_marks_init(&kernels->marks, host, self);
    kernels->operators = g_array_new(FALSE, FALSE, sizeof(Operator));
    kernels->links = g_array_new(FALSE, FALSE, sizeof(Link));
    kernels->values = g_array_new(FALSE, FALSE, sizeof(Value));
    kernels->tasks = g_array_new(FALSE, FALSE, sizeof(Launch));
    kernels->calls = g_array_new(FALSE, FALSE, sizeof(Launch));
    kernels->first_call_ns = G_MININT64;
    kernels->first = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    kernels->paths = g_array_new(FALSE, TRUE, sizeof(Path));
    g_array_set_size(kernels->paths, TOP + 1);
    kernels->index = g_hash_table_new(strobe_hash_of_pointer, g_direct_equal);
    return kernels;
}

void strobe_diff_kernels_free(StrobeDiffKernels *kernels)
{
    if (!kernels)
        return;
    strobe_diff_marks_clear(&kernels->marks);
    g_array_unref(kernels->operators);
    g_array_unref(kernels->links);
    g_array_unref(kernels->values);
    g_array_unref(kernels->tasks);
    g_array_unref(kernels->calls);
    g_hash_table_unref(kernels->first);
    g_array_unref(kernels->paths);
    g_hash_table_unref(kernels->index);
    g_free(kernels);
}

const char *const *strobe_diff_kernels_wants(gboolean by_name)
{
    static const char *const all[] = {"cpu_op",      "kernel_link", "kernel_detail",
                                      "device_task", "api_call",    NULL};

    return by_name ? all + 2 : all;
}

static void add_operator(StrobeDiffKernels *kernels, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&kernels->of_operator, record->kind);
    const Operator op = {
        .place = {record->begin_ns, record->track, kernels->operators->len},
        .end_ns = MAX(record->end_ns, record->begin_ns),
        .name = record->name,
        .is_mark = strobe_diff_marks_have(&kernels->marks, record->name,
                                          strobe_field_u8(record, at[SCOPE], 0)),
    };

    if (!strobe_field_u8(record, at[IS_ASYNC], 0) && kernels->operators->len < NO_PLACE)
        g_array_append_val(kernels->operators, op);
}

static void add_link(StrobeDiffKernels *kernels, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&kernels->of_link, record->kind);
    const Link link = {
        .kernel = {strobe_field_i64(record, at[TO_BEGIN], STROBE_ABSENT_I64),
                   strobe_field_u32(record, at[TO_TRACK], 0), kernels->links->len},
        .op = {record->begin_ns, record->track, 0},
        .op_name = record->name,
    };

    g_array_append_val(kernels->links, link);
}

/* Adds a kernel by its name, or a communication operation by its type, because the name of a
 * communication operation contains numbers. */
static void add_kernel(StrobeDiffKernels *kernels, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&kernels->of_kernel, record->kind);
    gint64 step = strobe_field_i64(record, at[STEP], STROBE_ABSENT_I64);
    double us = strobe_field_f64(record, at[EXACT], NAN);
    StrobeStringId type = kernels->is_communication ? strobe_field_u32(record, at[OP_TYPE], 0) : 0;
    const Value value = {
        .place = {record->begin_ns, record->track, kernels->values->len},
        .connection = STROBE_ABSENT_U64,
        .name = type && *kernels->host->string(kernels->self, type).bytes ? type : record->name,
        .block = step == STROBE_ABSENT_I64 ? strobe_diff_steps_at(kernels->steps, record->begin_ns)
                                           : strobe_diff_steps_of(kernels->steps, step),
        .ns = isnan(us) ? (double)(record->end_ns - record->begin_ns) : us * 1000,
    };

    if ((strobe_field_u8(record, at[IS_COMMUNICATION], 0) != 0) == kernels->is_communication)
        g_array_append_val(kernels->values, value);
}

static void add_launch(GArray *launches, const StrobeView *record, guint64 connection)
{
    const Launch launch = {connection, record->begin_ns, record->track};

    if (connection != STROBE_ABSENT_U64 && connection != 0)
        g_array_append_val(launches, launch);
}

static gboolean is_copy_or_fill(const StrobeDiffKernels *kernels, const StrobeView *record,
                                const uint32_t *at)
{
    guint32 type = strobe_field_u32(record, at[TASK_TYPE], 0);
    const char *text = kernels->host->string(kernels->self, type).bytes;

    if (strobe_field_u8(record, at[TASK_IS_KERNEL], 0))
        return FALSE;
    return strobe_field_u64(record, at[TASK_BYTES], STROBE_ABSENT_U64) != STROBE_ABSENT_U64 ||
           strcasestr(text, "memcpy") || strcasestr(text, "memset") || strcasestr(text, "fill");
}

static void add_task(StrobeDiffKernels *kernels, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&kernels->of_task, record->kind);
    guint64 connection = strobe_field_u64(record, at[TASK_CONNECTION], STROBE_ABSENT_U64);
    double us = strobe_field_f64(record, at[TASK_EXACT], NAN);
    const Value value = {
        .place = {record->begin_ns, record->track, kernels->values->len},
        .name = record->name ? record->name : strobe_field_u32(record, at[TASK_TYPE], 0),
        .connection = connection,
        .block = strobe_diff_steps_at(kernels->steps, record->begin_ns),
        .ns = isnan(us) ? (double)(record->end_ns - record->begin_ns) : us * 1000,
    };

    add_launch(kernels->tasks, record, connection);
    if (!kernels->is_communication && is_copy_or_fill(kernels, record, at))
        g_array_append_val(kernels->values, value);
}

static void add_call(StrobeDiffKernels *kernels, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&kernels->of_call, record->kind);

    add_launch(kernels->calls, record,
               strobe_field_u64(record, at[CALL_CONNECTION], STROBE_ABSENT_U64));
}

void strobe_diff_kernels_add(StrobeDiffKernels *kernels, const StrobeView *record)
{
    if (!strcmp(record->kind->name, "cpu_op"))
        add_operator(kernels, record);
    else if (!strcmp(record->kind->name, "kernel_link"))
        add_link(kernels, record);
    else if (!strcmp(record->kind->name, "device_task"))
        add_task(kernels, record);
    else if (!strcmp(record->kind->name, "api_call"))
        add_call(kernels, record);
    else
        add_kernel(kernels, record);
}

/* ---- paths ---- */

static Path *path_at(const StrobeDiffKernels *kernels, guint32 path)
{
    return &g_array_index(kernels->paths, Path, path);
}

static guint32 path_below(StrobeDiffKernels *kernels, guint32 parent, StrobeStringId name)
{
    gpointer key = GSIZE_TO_POINTER((gsize)parent << 32 | name);
    guint32 path = GPOINTER_TO_UINT(g_hash_table_lookup(kernels->index, key));
    const Path fresh = {
        .parent = parent, .height = path_at(kernels, parent)->height + 1, .name = name};

    if (path)
        return path;
    if (parent == NO_ROOM || fresh.height > HEIGHT_MAX || kernels->paths->len >= PATHS_MAX)
        return NO_ROOM;
    path = kernels->paths->len;
    g_array_append_val(kernels->paths, fresh);
    g_hash_table_insert(kernels->index, key, GUINT_TO_POINTER(path));
    return path;
}

static gint compare_places(const Place *x, const Place *y)
{
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Compares operators so that an outer operator comes before those inside it. Of two operators with
 * the same times, the one that arrived later is the outer one. */
static gint compare_operators(gconstpointer a, gconstpointer b)
{
    const Operator *x = a, *y = b;
    gint order = compare_places(&x->place, &y->place);

    if (order != 0)
        return order;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return (x->place.order < y->place.order) - (x->place.order > y->place.order);
}

static void find_paths(StrobeDiffKernels *kernels)
{
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint));
    const Operator *top = NULL;

    g_array_sort(kernels->operators, compare_operators);
    for (guint i = 0; i < kernels->operators->len; i++) {
        Operator *op = &g_array_index(kernels->operators, Operator, i);

        for (top = NULL; open->len; g_array_set_size(open, open->len - 1)) {
            top = &g_array_index(kernels->operators, Operator,
                                 g_array_index(open, guint, open->len - 1));
            if (top->place.track == op->place.track && top->end_ns >= op->end_ns &&
                (top->end_ns > op->place.begin_ns || top->place.begin_ns == op->place.begin_ns))
                break;
            top = NULL;
        }
        op->path = top ? top->path : TOP;
        if (!op->is_mark)
            op->path = path_below(kernels, op->path, op->name);
        g_array_append_val(open, i);
    }
}

/* ---- launches ---- */

static gint compare_launches(gconstpointer a, gconstpointer b)
{
    const Launch *x = a, *y = b;

    if (x->connection != y->connection)
        return x->connection < y->connection ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Returns the earliest call with this connection. NULL: there is none. */
static const Launch *find_call(const StrobeDiffKernels *kernels, guint64 connection)
{
    guint low = 0, high = kernels->calls->len;
    const Launch *call;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(kernels->calls, Launch, middle).connection < connection)
            low = middle + 1;
        else
            high = middle;
    }
    call = low < kernels->calls->len ? &g_array_index(kernels->calls, Launch, low) : NULL;
    return call && call->connection == connection ? call : NULL;
}

static void note_launched(StrobeDiffKernels *kernels, StrobeTrackId track, gint64 begin_ns)
{
    gint64 *first = g_hash_table_lookup(kernels->first, GUINT_TO_POINTER(track));

    if (!first)
        g_hash_table_insert(kernels->first, GUINT_TO_POINTER(track),
                            g_memdup2(&begin_ns, sizeof begin_ns));
    else
        *first = MIN(*first, begin_ns);
}

static void find_first_launched(StrobeDiffKernels *kernels)
{
    for (guint i = 0; i < kernels->calls->len; i++) {
        gint64 begin_ns = g_array_index(kernels->calls, Launch, i).begin_ns;
        kernels->first_call_ns = i ? MIN(kernels->first_call_ns, begin_ns) : begin_ns;
    }
    g_array_sort(kernels->calls, compare_launches);
    for (guint i = 0; i < kernels->tasks->len; i++) {
        const Launch *task = &g_array_index(kernels->tasks, Launch, i);
        if (find_call(kernels, task->connection))
            note_launched(kernels, task->track, task->begin_ns);
    }
    for (guint i = 0; i < kernels->links->len; i++) {
        const Place *kernel = &g_array_index(kernels->links, Link, i).kernel;
        note_launched(kernels, kernel->track, kernel->begin_ns);
    }
}

/* Whether the task was launched before the recording. A stream runs tasks in the order of their
 * launches, so all tasks before the first one whose launch was recorded count. On a stream without
 * such a task, the tasks before the first recorded call count. */
static gboolean is_from_before(const StrobeDiffKernels *kernels, const Place *place)
{
    const gint64 *first = g_hash_table_lookup(kernels->first, GUINT_TO_POINTER(place->track));

    return place->begin_ns < (first ? *first : kernels->first_call_ns);
}

/* Returns the block in which the value counts: for a copy or fill with a known call, the block at
 * the begin of this call, otherwise value->block. */
static gint block_of(const StrobeDiffKernels *kernels, const Value *value)
{
    const Launch *call =
        value->connection == STROBE_ABSENT_U64 ? NULL : find_call(kernels, value->connection);

    return call ? strobe_diff_steps_at(kernels->steps, call->begin_ns) : value->block;
}

/* ---- output ---- */

static gint compare_links(gconstpointer a, gconstpointer b)
{
    const Link *x = a, *y = b;
    gint order = compare_places(&x->kernel, &y->kernel);

    return order ? order
                 : (x->kernel.order > y->kernel.order) - (x->kernel.order < y->kernel.order);
}

static guint first_link(const StrobeDiffKernels *kernels, const Place *place)
{
    guint low = 0, high = kernels->links->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (compare_places(&g_array_index(kernels->links, Link, middle).kernel, place) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static guint last_operator(const StrobeDiffKernels *kernels, const Place *place)
{
    guint low = 0, high = kernels->operators->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (compare_places(&g_array_index(kernels->operators, Operator, middle).place, place) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sets *path to the path of the operator that launched a kernel. If several operators with the
 * linked name begin at the same time, uses the innermost one. FALSE: the operator is not known. */
static gboolean find_path(const StrobeDiffKernels *kernels, const Place *kernel, guint32 *path)
{
    guint at = first_link(kernels, kernel);
    const Link *link = at < kernels->links->len ? &g_array_index(kernels->links, Link, at) : NULL;

    if (!link || compare_places(&link->kernel, kernel) != 0)
        return FALSE;
    for (guint i = last_operator(kernels, &link->op); i > 0; i--) {
        const Operator *op = &g_array_index(kernels->operators, Operator, i - 1);
        if (compare_places(&op->place, &link->op) != 0)
            break;
        if (op->name != link->op_name)
            continue;
        *path = op->path;
        return TRUE;
    }
    return FALSE;
}

static StrobeDiffRow *row_of(StrobeDiffKernels *kernels, StrobeDiffRows *rows, guint32 at)
{
    const char *names[HEIGHT_MAX];
    Path *path = path_at(kernels, at);
    gsize n = 0;

    if (path->has_row || at == NO_ROOM)
        return path->row;
    for (guint32 i = at; i > TOP; i = path_at(kernels, i)->parent)
        names[n++] = kernels->host->string(kernels->self, path_at(kernels, i)->name).bytes;
    path->row = strobe_diff_rows_get(rows, names, n);
    path->has_row = TRUE;
    return path->row;
}

static void deliver_value(StrobeDiffKernels *kernels, StrobeDiffRows *rows, guint side,
                          StrobeDiffRest *rest, const Value *value, guint32 path)
{
    gint block = block_of(kernels, value);

    if (!kernels->by_name && is_from_before(kernels, &value->place)) {
        strobe_diff_rows_add_before(rows, side, value->ns);
    } else if (block == STROBE_DIFF_OUTSIDE) {
        rest->n_outside++;
        rest->outside_ns += value->ns;
    } else {
        path = path_below(kernels, path, value->name);
        strobe_diff_rows_add(rows, row_of(kernels, rows, path), side, (guint32)block, value->ns, 1);
    }
}

void strobe_diff_kernels_finish(StrobeDiffKernels *kernels, StrobeDiffRows *rows, guint side,
                                StrobeDiffRest *rest, StrobeDiffKernelCounts *counts)
{
    find_paths(kernels);
    g_array_sort(kernels->links, compare_links);
    find_first_launched(kernels);
    *counts = (StrobeDiffKernelCounts){.n_values = kernels->values->len};
    for (guint i = 0; i < kernels->values->len; i++) {
        const Value *value = &g_array_index(kernels->values, Value, i);
        guint32 path = TOP;

        counts->n_linked += kernels->by_name || find_path(kernels, &value->place, &path);
        deliver_value(kernels, rows, side, rest, value, path);
    }
}
