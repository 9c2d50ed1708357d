/* SPDX-License-Identifier: Apache-2.0 */
/* Computes call_path from cpu_sample, cpu_sample.wait and python_call. */
#include "call-path.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/native-frame.h>
#include <strobe/kinds.h>

#include "call-tree.h"
#include "sorted-values.h"

/* maximum number of different stacks; further samples have no frames */
#define STACKS_MAX 4194304u
#define FRAMES_MAX 1024

enum { TIME, STACK, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [TIME] = {"time", STROBE_FIELD_I64},
    [STACK] = {"stack", STROBE_FIELD_STACK},
};

/* The sums of a thread's stack, or of a path of functions. */
typedef struct PathSum {
    /* for a sum by stack: name of the thread and stack; for a sum by path: the path */
    guint64 key;
    StrobeStringId thread; /* name of the thread */
    StrobeStackId stack;
    gint64 time;
    guint64 count;
} PathSum;

typedef struct CallPaths {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder;
    GHashTable *samples, *waits; /* elements of type PathSum, by key */
    GHashTable *functions;       /* frame -> id of its function */
    CallTree *calls;
} CallPaths;

static StrobeStatus call_path_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                   void **state)
{
    CallPaths *paths = g_new0(CallPaths, 1);

    paths->host = host;
    paths->self = self;
    paths->binder.wanted = wanted;
    paths->binder.n_wanted = N_WANTED;
    paths->samples = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    paths->waits = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    paths->functions = g_hash_table_new(g_direct_hash, g_direct_equal);
    paths->calls = call_tree_new();
    *state = paths;
    return STROBE_OK;
}

static void call_path_close(void *state)
{
    CallPaths *paths = state;

    call_tree_free(paths->calls);
    g_hash_table_unref(paths->samples);
    g_hash_table_unref(paths->waits);
    g_hash_table_unref(paths->functions);
    g_free(paths);
}

static void add_sum(GHashTable *sums, const PathSum *wanted_sum)
{
    PathSum *sum = g_hash_table_lookup(sums, &wanted_sum->key);

    if (!sum) {
        sum = g_memdup2(wanted_sum, sizeof *wanted_sum);
        g_hash_table_add(sums, sum);
        return;
    }
    sum->time += wanted_sum->time;
    sum->count += wanted_sum->count;
}

/* Adds `time` to the sum of the record's stack. */
static void add_stack(CallPaths *paths, GHashTable *stacks, const StrobeView *record, gint64 time)
{
    const uint32_t *at = strobe_binder_offsets(&paths->binder, record->kind);
    PathSum sum = {.thread = record->name,
                   .stack = strobe_field_u32(record, at[STACK], 0),
                   .time = time,
                   .count = 1};

    if (sum.time < 0)
        return;
    sum.key = (guint64)sum.thread << 32 | sum.stack;
    if (g_hash_table_size(stacks) >= STACKS_MAX && !g_hash_table_contains(stacks, &sum.key)) {
        sum.stack = 0;
        sum.key = (guint64)sum.thread << 32;
    }
    add_sum(stacks, &sum);
}

static gint64 sampled_time(CallPaths *paths, const StrobeView *record)
{
    return strobe_field_i64(record, strobe_binder_offsets(&paths->binder, record->kind)[TIME], 0);
}

static StrobeStatus call_path_batch(void *state, const StrobeView *records, size_t n)
{
    CallPaths *paths = state;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(records[i].kind->name, "cpu_sample") == 0)
            add_stack(paths, paths->samples, &records[i], sampled_time(paths, &records[i]));
        else if (strcmp(records[i].kind->name, "cpu_sample.wait") == 0)
            add_stack(paths, paths->waits, &records[i], records[i].end_ns - records[i].begin_ns);
        else if (strcmp(records[i].kind->name, "python_call") == 0)
            call_tree_add(paths->calls, &records[i]);
    }
    return STROBE_OK;
}

static StrobeStatus call_path_raw_end(void *state)
{
    call_tree_finish(((CallPaths *)state)->calls);
    return STROBE_OK;
}

/* Returns the name of a frame's function: the frame's text without file and line. */
static StrobeStringId function_of(CallPaths *paths, StrobeStringId frame)
{
    gpointer known = g_hash_table_lookup(paths->functions, GUINT_TO_POINTER(frame));

    if (known)
        return GPOINTER_TO_UINT(known);
    StrobeText text = paths->host->string(paths->self, frame);
    StrobeFrameParts parts = strobe_frame_parts(text.bytes, text.length);
    StrobeStringId id = paths->host->intern(paths->self, text.bytes, parts.function_length);
    g_hash_table_insert(paths->functions, GUINT_TO_POINTER(frame), GUINT_TO_POINTER(id));
    return id;
}

/* Returns the path of a sum: the functions of its stack, innermost first, then the thread's
 * name. */
static StrobeStackId path_of(CallPaths *paths, const PathSum *sum)
{
    StrobeStringId path[FRAMES_MAX + 1];
    const StrobeStringId *frames = NULL;
    size_t n = sum->stack ? paths->host->stack_frames(paths->self, sum->stack, &frames) : 0;

    n = MIN(n, FRAMES_MAX);
    for (size_t i = 0; i < n; i++)
        path[i] = function_of(paths, frames[i]);
    path[n] = sum->thread;
    return paths->host->stack(paths->self, path, n + 1);
}

static gint compare_sums(gconstpointer a, gconstpointer b)
{
    const PathSum *x = *(PathSum *const *)a, *y = *(PathSum *const *)b;

    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static gboolean emit_path(CallPaths *paths, const PathSum *sum, StrobeStringId source,
                          gboolean is_incomplete)
{
    const StrobeMetadata *metadata = paths->host->metadata(paths->self);
    const StrobeStringId *frames = NULL;
    size_t n = paths->host->stack_frames(paths->self, sum->stack, &frames);
    struct strobe_call_path *out = paths->host->emit(
        paths->self, 0, 0, n ? frames[0] : 0, metadata->window_begin_ns, metadata->window_begin_ns);

    if (!out)
        return FALSE;
    *out = (struct strobe_call_path){
        .source = source, .path = sum->stack, .time = sum->time, .count = sum->count};
    if (is_incomplete)
        paths->host->flag(paths->self, STROBE_VIEW_INCOMPLETE);
    return TRUE;
}

/* Adds up, for each path, the sums of the stacks that have this path. Stacks that differ only in
 * files and lines have the same path. */
static GHashTable *sum_by_path(CallPaths *paths, GHashTable *found)
{
    GHashTable *sums = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    g_autoptr(GPtrArray) stacks = sorted_values(found, compare_sums);

    /* in a fixed order, so that texts are interned in the same order in every run */
    for (guint i = 0; i < stacks->len; i++) {
        PathSum sum = *(const PathSum *)g_ptr_array_index(stacks, i);
        sum.key = sum.stack = path_of(paths, &sum);
        add_sum(sums, &sum);
    }
    return sums;
}

typedef struct PathsOfCalls {
    CallPaths *paths;
    GHashTable *sums; /* elements of type PathSum, by key */
} PathsOfCalls;

static void add_call_path(void *user, const CallTreePath *path)
{
    const PathsOfCalls *calls = user;
    const StrobeStackId stack =
        calls->paths->host->stack(calls->paths->self, path->frames, path->n_frames);
    const PathSum sum = {.key = stack, .stack = stack, .time = path->self_ns, .count = path->calls};

    add_sum(calls->sums, &sum);
}

static void add_other_calls(PathsOfCalls *calls)
{
    const StrobeConsumerHost *host = calls->paths->host;
    const StackSum *others = call_tree_others(calls->paths->calls);
    const StrobeStringId name = host->intern(calls->paths->self, "(others)", strlen("(others)"));
    const CallTreePath path = {&name, 1, others->calls, others->self_ns};

    if (!others->calls)
        return;
    host->log(calls->paths->self, STROBE_LOG_WARNING,
              "The time of %" G_GUINT64_FORMAT
              " Python calls is shown as \"(others)\": there are more than %d call paths, %d "
              "calls on one path or %d different calls below one call",
              others->calls, NODES_MAX, HEIGHT_MAX, WIDTH_MAX);
    add_call_path(calls, &path);
}

static GHashTable *sum_calls(CallPaths *paths)
{
    PathsOfCalls calls = {
        paths, g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL)};

    /* does nothing if it was already called at the end of the raw records */
    call_tree_finish(paths->calls);
    call_tree_visit(paths->calls, add_call_path, &calls);
    add_other_calls(&calls);
    return calls.sums;
}

/* Emits the paths, those with the most time first. */
static gboolean emit_paths(CallPaths *paths, GHashTable *sums, const char *kind)
{
    g_autoptr(GPtrArray) sorted = sorted_values(sums, compare_sums);
    const StrobeStringId source = paths->host->intern(paths->self, kind, strlen(kind));
    const gboolean is_incomplete =
        paths->host->touches_gap(paths->self, 0, G_MININT64, G_MAXINT64) != 0;

    for (guint i = 0; i < sorted->len; i++)
        if (!emit_path(paths, g_ptr_array_index(sorted, i), source, is_incomplete))
            return FALSE;
    return TRUE;
}

static StrobeStatus call_path_end(void *state)
{
    CallPaths *paths = state;
    g_autoptr(GHashTable) samples = sum_by_path(paths, paths->samples);
    g_autoptr(GHashTable) waits = sum_by_path(paths, paths->waits);
    g_autoptr(GHashTable) calls = sum_calls(paths);

    if (emit_paths(paths, samples, "cpu_sample") && emit_paths(paths, calls, "python_call") &&
        emit_paths(paths, waits, "cpu_sample.wait"))
        return STROBE_OK;
    return paths->host->fail(paths->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                             "Cannot emit call_path: the host has no room for it");
}

const StrobeConsumerOps call_path_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = call_path_open,
    .batch = call_path_batch,
    .end = call_path_end,
    .close = call_path_close,
    .raw_end = call_path_raw_end,
};
