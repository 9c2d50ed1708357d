/* SPDX-License-Identifier: Apache-2.0 */
/* Computes heap_path from heap.block. */
#include "heap-path.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/external-sorter.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>

#include "sorted-values.h"

#define BLOCKS_MAX 16777216u /* maximum number of blocks that are allocated at one time */
#define PATHS_MAX 262144u

enum { ADDRESS, SIZE, WEIGHT, STACK, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [ADDRESS] = {"address", STROBE_FIELD_U64},
    [SIZE] = {"size", STROBE_FIELD_I64},
    [WEIGHT] = {"weight", STROBE_FIELD_F64},
    [STACK] = {"stack", STROBE_FIELD_STACK},
};

static const StrobeField fields[] = {
    STROBE_FIELD("live_bytes", I64, "B", "Allocated in the window and there at its end."),
    STROBE_FIELD("most_bytes", I64, "B", "Most that was there at one time."),
    STROBE_FIELD("peak_bytes", I64, "B", "There at the peak, when all paths together held most."),
    STROBE_FIELD("allocated_bytes", I64, "B", "Allocated in the window."),
    STROBE_FIELD("live_blocks", I64, "", "Blocks that are there at the end."),
    STROBE_FIELD("allocated_blocks", I64, "", "Blocks allocated in the window."),
    STROBE_FIELD("stack", STACK, "", "The call path."),
};
const StrobeKind heap_path_kind =
    STROBE_KIND("heap_path", INSTANT, fields, "Memory by the call path that allocated it.");

typedef struct Path {
    StrobeStackId stack;
    double live_bytes, most_bytes, peak_bytes, allocated_bytes, live_blocks, allocated_blocks;
    guint64 peak; /* number of the peak for which peak_bytes is the path's memory */
} Path;

typedef struct Block {
    guint64 address; /* key in `blocks` */
    double bytes, weight;
    Path *path;
} Block;

typedef struct Event {
    guint64 address;
    gint64 size; /* negative: the event is a release */
    double weight;
    StrobeStackId stack;
} Event;

typedef struct HeapPaths {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder;
    StrobeExternalSorter *events;  /* elements of type Event, sorted by time */
    GHashTable *paths;             /* stack -> Path */
    GHashTable *blocks;            /* address -> Block */
    double live_bytes, most_bytes; /* sums over all paths */
    /* number of times that the sum of all paths reached a new maximum */
    guint64 peak;
    guint64 n_dropped;
} HeapPaths;

static StrobeStatus heap_path_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                   void **state)
{
    HeapPaths *pass = g_new0(HeapPaths, 1);

    pass->host = host;
    pass->self = self;
    pass->binder.wanted = wanted;
    pass->binder.n_wanted = N_WANTED;
    pass->events = strobe_external_sorter_new(host->storage(self));
    pass->paths = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    pass->blocks = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    *state = pass;
    return STROBE_OK;
}

static void heap_path_close(void *state)
{
    HeapPaths *pass = state;

    strobe_external_sorter_free(pass->events);
    g_hash_table_unref(pass->blocks);
    g_hash_table_unref(pass->paths);
    g_free(pass);
}

/* Stores the path's memory at the last peak. Must be called before the path changes, because a path
 * that has not changed since the last peak still has the same memory. */
static void keep_peak(const HeapPaths *pass, Path *path)
{
    if (path->peak == pass->peak)
        return;
    path->peak_bytes = path->live_bytes;
    path->peak = pass->peak;
}

static void change_path(HeapPaths *pass, Path *path, double bytes, double blocks)
{
    keep_peak(pass, path);
    path->live_bytes += bytes;
    path->live_blocks += blocks;
    pass->live_bytes += bytes;
    if (pass->live_bytes <= pass->most_bytes)
        return;
    pass->most_bytes = pass->live_bytes;
    pass->peak++;
}

static void release_block(HeapPaths *pass, guint64 address)
{
    Block *block = g_hash_table_lookup(pass->blocks, &address);

    if (!block)
        return; /* the block was allocated before the window */
    change_path(pass, block->path, -block->bytes, -block->weight);
    g_hash_table_remove(pass->blocks, &address);
}

/* Returns the path of a stack, and adds it if necessary. Returns NULL if there are too many
 * paths. */
static Path *path_of(HeapPaths *pass, StrobeStackId stack)
{
    Path *path = g_hash_table_lookup(pass->paths, GUINT_TO_POINTER(stack));

    if (path || g_hash_table_size(pass->paths) >= PATHS_MAX)
        return path;
    path = g_new0(Path, 1);
    path->stack = stack;
    g_hash_table_insert(pass->paths, GUINT_TO_POINTER(stack), path);
    return path;
}

static void allocate_block(HeapPaths *pass, const Event *event)
{
    Block made = {.address = event->address, .weight = event->weight > 0 ? event->weight : 1};

    made.bytes = (double)event->size * made.weight;
    /* a block that is still at this address was released, but the release was not recorded */
    release_block(pass, made.address);
    made.path = path_of(pass, event->stack);
    if (!made.path || g_hash_table_size(pass->blocks) >= BLOCKS_MAX) {
        pass->n_dropped++;
        return;
    }
    change_path(pass, made.path, made.bytes, made.weight);
    made.path->most_bytes = MAX(made.path->most_bytes, made.path->live_bytes);
    made.path->allocated_bytes += made.bytes;
    made.path->allocated_blocks += made.weight;
    g_hash_table_add(pass->blocks, g_memdup2(&made, sizeof made));
}

/* Processes the events in the order of their times. In the order of records, the release of a block
 * may come before its allocation, because another thread may have released the block. */
static void take_sorted(HeapPaths *pass)
{
    const Event *event;
    size_t length;

    while ((event = strobe_external_sorter_next(pass->events, &length))) {
        if (event->size < 0)
            release_block(pass, event->address);
        else
            allocate_block(pass, event);
    }
}

static StrobeStatus check_sorter(const HeapPaths *pass)
{
    const int error = strobe_external_sorter_error(pass->events);

    return error ? strobe_storage_fail(pass->host, pass->self, "allocations", error) : STROBE_OK;
}

static StrobeStatus heap_path_batch(void *state, const StrobeView *records, size_t n)
{
    HeapPaths *pass = state;

    for (size_t i = 0; i < n; i++) {
        const uint32_t *at = strobe_binder_offsets(&pass->binder, records[i].kind);
        const Event event = {.address = strobe_field_u64(&records[i], at[ADDRESS], 0),
                             .size = strobe_field_i64(&records[i], at[SIZE], STROBE_ABSENT_I64),
                             .weight = strobe_field_f64(&records[i], at[WEIGHT], 1),
                             .stack = strobe_field_u32(&records[i], at[STACK], 0)};

        if (!strcmp(records[i].kind->name, "heap.block") && event.size != STROBE_ABSENT_I64)
            strobe_external_sorter_add(pass->events, (StrobeSortKey){records[i].begin_ns, 0},
                                       &event, sizeof event);
    }
    return check_sorter(pass);
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    const Path *x = *(Path *const *)a, *y = *(Path *const *)b;

    if (x->live_bytes != y->live_bytes)
        return x->live_bytes > y->live_bytes ? -1 : 1;
    if (x->allocated_bytes != y->allocated_bytes)
        return x->allocated_bytes > y->allocated_bytes ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

static gint64 round_value(double value)
{
    return value >= 9e18 ? STROBE_ABSENT_I64 : (gint64)(value + 0.5);
}

static gboolean emit_path(HeapPaths *pass, Path *path)
{
    const StrobeMetadata *metadata = pass->host->metadata(pass->self);
    const StrobeStringId *frames = NULL;
    size_t n = path->stack ? pass->host->stack_frames(pass->self, path->stack, &frames) : 0;
    struct heap_path *out = pass->host->emit(pass->self, 0, 0, n ? frames[0] : 0,
                                             metadata->window_begin_ns, metadata->window_begin_ns);

    if (!out)
        return FALSE;
    keep_peak(pass, path);
    out->peak_bytes = round_value(MAX(path->peak_bytes, 0));
    out->live_bytes = round_value(MAX(path->live_bytes, 0));
    out->most_bytes = round_value(path->most_bytes);
    out->allocated_bytes = round_value(path->allocated_bytes);
    out->live_blocks = round_value(MAX(path->live_blocks, 0));
    out->allocated_blocks = round_value(path->allocated_blocks);
    out->stack = path->stack;
    return TRUE;
}

/* Emits the paths; those with the most memory come first. */
static StrobeStatus heap_path_end(void *state)
{
    HeapPaths *pass = state;
    g_autoptr(GPtrArray) sorted = NULL;
    gboolean is_full = FALSE;

    take_sorted(pass);
    if (check_sorter(pass))
        return STROBE_ERROR_IO;
    sorted = sorted_values(pass->paths, compare_paths);
    for (guint i = 0; i < sorted->len && !is_full; i++)
        is_full = !emit_path(pass, g_ptr_array_index(sorted, i));
    if (is_full)
        return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                "Cannot emit heap_path: the host has no room for it");
    if (pass->n_dropped)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " allocations beyond %u blocks and %u call paths are "
                        "not counted",
                        pass->n_dropped, BLOCKS_MAX, PATHS_MAX);
    return STROBE_OK;
}

const StrobeConsumerOps heap_path_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = heap_path_open,
    .batch = heap_path_batch,
    .end = heap_path_end,
    .close = heap_path_close,
};
