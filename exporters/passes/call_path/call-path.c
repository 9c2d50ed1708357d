/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_sample -> call_path. */
#include "call-path.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/native-frame.h>
#include <strobe/kinds.h>

#include "sorted-values.h"

#define STACKS_MAX 4194304u /* maximum number of different stacks; further ones have no frames */
#define FRAMES_MAX 1024

enum { TIME, STACK, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [TIME] = {"time", STROBE_FIELD_I64},
    [STACK] = {"stack", STROBE_FIELD_STACK},
};

/* Sums of a stack of a thread, or of a path of functions. */
typedef struct PathSum {
    guint64 key;           /* thread's name and stack, or the path */
    StrobeStringId thread; /* name */
    StrobeStackId stack;
    gint64 time;
    guint64 count;
} PathSum;

typedef struct CallPaths {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder;
    GHashTable *stacks;    /* of PathSum, by key */
    GHashTable *functions; /* frame -> id of its function */
} CallPaths;

static StrobeStatus call_path_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                   void **state)
{
    CallPaths *paths = g_new0(CallPaths, 1);

    paths->host = host;
    paths->self = self;
    paths->binder.wanted = wanted;
    paths->binder.n_wanted = N_WANTED;
    paths->stacks = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    paths->functions = g_hash_table_new(g_direct_hash, g_direct_equal);
    *state = paths;
    return STROBE_OK;
}

static void call_path_close(void *state)
{
    CallPaths *paths = state;

    g_hash_table_unref(paths->stacks);
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

static StrobeStatus call_path_batch(void *state, const StrobeView *records, size_t n)
{
    CallPaths *paths = state;

    for (size_t i = 0; i < n; i++) {
        const uint32_t *at = strobe_binder_offsets(&paths->binder, records[i].kind);
        PathSum sum = {.thread = records[i].name,
                       .stack = strobe_field_u32(&records[i], at[STACK], 0),
                       .time = strobe_field_i64(&records[i], at[TIME], 0),
                       .count = 1};

        if (strcmp(records[i].kind->name, "cpu_sample") != 0 || sum.time < 0)
            continue;
        sum.key = (guint64)sum.thread << 32 | sum.stack;
        if (g_hash_table_size(paths->stacks) >= STACKS_MAX &&
            !g_hash_table_contains(paths->stacks, &sum.key)) {
            sum.stack = 0;
            sum.key = (guint64)sum.thread << 32;
        }
        add_sum(paths->stacks, &sum);
    }
    return STROBE_OK;
}

/* The frame without its file and line. */
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

/* The functions of a stack, innermost first, followed by the thread's name. */
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

/* Stacks that differ only in lines have the same path. */
static GHashTable *sum_by_path(CallPaths *paths)
{
    GHashTable *sums = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    g_autoptr(GPtrArray) stacks = sorted_values(paths->stacks, compare_sums);

    for (guint i = 0; i < stacks->len; i++) { /* in a fixed order, so that interned texts get the
                                               * same ids */
        PathSum sum = *(const PathSum *)g_ptr_array_index(stacks, i);
        sum.key = sum.stack = path_of(paths, &sum);
        add_sum(sums, &sum);
    }
    return sums;
}

static StrobeStatus call_path_end(void *state)
{
    CallPaths *paths = state;
    g_autoptr(GHashTable) sums = sum_by_path(paths);
    g_autoptr(GPtrArray) sorted = sorted_values(sums, compare_sums);
    StrobeStringId source = paths->host->intern(paths->self, "cpu_sample", strlen("cpu_sample"));
    gboolean is_incomplete = paths->host->touches_gap(paths->self, 0, G_MININT64, G_MAXINT64) != 0;

    for (guint i = 0; i < sorted->len; i++)
        if (!emit_path(paths, g_ptr_array_index(sorted, i), source, is_incomplete))
            return paths->host->fail(paths->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                     "Cannot emit call_path: the host has no room for it");
    return STROBE_OK;
}

const StrobeConsumerOps call_path_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = call_path_open,
    .batch = call_path_batch,
    .end = call_path_end,
    .close = call_path_close,
};
