/* SPDX-License-Identifier: Apache-2.0 */
#include "state-blocks.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#define SOURCES_MAX 256u /* maximum number of allocators; they are searched one by one */
#define SEARCH_MAX 4096u /* maximum number of blocks of one size that are checked */

/* The state of an allocator on one device. */
typedef struct State {
    MemorySource source;
    MemoryTotals last;
    /* a block whose MEMORY_BLOCK_RELEASE was derived, and whose MEMORY_RELEASE may follow; NULL:
     * none */
    MemoryBlock *half;
    MemoryBlock *first; /* a block that may have been allocated at the first totals; NULL: none */
    GHashTable *held;   /* size -> GPtrArray of MemoryBlock, in the order of allocation */
    GHashTable *freed;  /* like `held`, for blocks whose memory is released but still active */
} State;

struct StateBlocks {
    GPtrArray *states; /* elements of type State */
};

static void free_state(gpointer data)
{
    State *state = data;

    g_hash_table_unref(state->held);
    g_hash_table_unref(state->freed);
    g_free(state);
}

StateBlocks *state_blocks_new(void)
{
    StateBlocks *states = g_new0(StateBlocks, 1);

    states->states = g_ptr_array_new_with_free_func(free_state);
    return states;
}

void state_blocks_free(StateBlocks *states)
{
    g_ptr_array_unref(states->states);
    g_free(states);
}

static GHashTable *new_sizes(void)
{
    return g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free,
                                 (GDestroyNotify)g_ptr_array_unref);
}

/* Finds or adds the state of the event's allocator. Sets *is_first if there are no earlier totals.
 * Returns NULL if there are too many states. */
static State *state_of(StateBlocks *states, const MemoryEvent *event, gboolean *is_first)
{
    State *state;

    *is_first = FALSE;
    for (guint i = 0; i < states->states->len; i++) {
        state = g_ptr_array_index(states->states, i);
        if (memory_source_equal(&state->source, &event->key.source))
            return state;
    }
    *is_first = TRUE;
    if (states->states->len >= SOURCES_MAX)
        return NULL;
    state = g_new0(State, 1);
    state->source = event->key.source;
    state->last = event->totals;
    state->held = new_sizes();
    state->freed = new_sizes();
    g_ptr_array_add(states->states, state);
    return state;
}

static void keep_block(GHashTable *sizes, gint64 size, MemoryBlock *block)
{
    GPtrArray *blocks = g_hash_table_lookup(sizes, &size);

    if (!blocks) {
        blocks = g_ptr_array_new();
        g_hash_table_insert(sizes, g_memdup2(&size, sizeof size), blocks);
    }
    g_ptr_array_add(blocks, block);
}

static gboolean may_release(const MemoryBlock *block, const MemoryEvent *event)
{
    return block->stream == event->stream &&
           !(event->op.is_node && block->begin_ns >= event->op.begin_ns);
}

static MemoryBlock *take_out(GHashTable *sizes, gint64 size, const MemoryEvent *event)
{
    GPtrArray *blocks = g_hash_table_lookup(sizes, &size);

    for (guint i = blocks ? blocks->len : 0, n = 0; i-- > 0 && n < SEARCH_MAX; n++) {
        MemoryBlock *block = g_ptr_array_index(blocks, i);

        if (!may_release(block, event))
            continue;
        g_ptr_array_remove_index(blocks, i);
        if (!blocks->len)
            g_hash_table_remove(sizes, &size);
        return block;
    }
    return NULL;
}

static gint64 compute_change(gint64 now, gint64 before)
{
    gint64 by;

    if (now == STROBE_ABSENT_I64 || before == STROBE_ABSENT_I64)
        return 0;
    return __builtin_sub_overflow(now, before, &by) || by == G_MININT64 ? 0 : by;
}

/* Returns the block of a release that fits no other block. This is the block of the first totals if
 * the size is equal; NULL: a block from before the first totals. Clears state->first. */
static MemoryBlock *take_first(State *state, gint64 size, const MemoryEvent *event)
{
    MemoryBlock *first = state->first;

    state->first = NULL;
    if (!first || first->size != size || !may_release(first, event))
        return NULL;
    first->is_unsure = FALSE;
    return first;
}

/* Returns whether the first totals may be the totals after a first allocation. */
static gboolean may_allocate_all(const MemoryTotals *totals)
{
    return totals->allocated > 0 &&
           (totals->active == totals->allocated || totals->active == STROBE_ABSENT_I64);
}

guint32 state_blocks_take(StateBlocks *states, MemoryEvent *event, MemoryBlock **block)
{
    gboolean is_first;
    State *state = state_of(states, event, &is_first);
    gint64 allocated, active;
    MemoryBlock *half;

    *block = NULL;
    if (is_first) {
        event->size = event->totals.allocated;
        return state && may_allocate_all(&event->totals) ? MEMORY_FIRST : MEMORY_STATE;
    }
    allocated = compute_change(event->totals.allocated, state->last.allocated);
    active = compute_change(event->totals.active, state->last.active);
    half = state->half;
    state->half = NULL;
    state->last = event->totals;
    if (allocated > 0) {
        event->size = allocated;
        return MEMORY_ALLOCATION;
    }
    if (allocated < 0) {
        *block = take_out(state->held, -allocated, event);
        if (!*block)
            *block = take_first(state, -allocated, event);
        if (active < 0)
            state->half = *block;
        else if (*block)
            keep_block(state->freed, -allocated, *block);
        return active < 0 ? MEMORY_BLOCK_RELEASE : MEMORY_RELEASE;
    }
    if (active < 0) {
        *block = take_out(state->freed, -active, event);
        return MEMORY_BLOCK_RELEASE;
    }
    if (!half) /* the second event of a release whose first event came before the first totals */
        state->first = NULL;
    *block = half;
    return half ? MEMORY_RELEASE : MEMORY_STATE;
}

void state_blocks_add(StateBlocks *states, MemoryBlock *block)
{
    for (guint i = 0; i < states->states->len; i++) {
        State *state = g_ptr_array_index(states->states, i);

        if (memory_source_equal(&state->source, &block->key.source)) {
            if (block->is_unsure)
                state->first = block;
            else
                keep_block(state->held, block->size, block);
            return;
        }
    }
}

void state_blocks_skip(StateBlocks *states, const MemoryEvent *event)
{
    gboolean is_first;
    State *state = state_of(states, event, &is_first);

    if (state && event->totals.allocated != STROBE_ABSENT_I64) {
        state->last = event->totals;
        state->half = NULL;
    }
}
