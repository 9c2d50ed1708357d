/* SPDX-License-Identifier: Apache-2.0 */
#include "live-blocks.h"

#include <strobe/helpers/keyed-hash.h>
#include <strobe/record.h>

#include "state-blocks.h"

/* Sort key of a block that the device's allocator never released: it comes after the released
 * blocks. */
#define ORDER_UNMATCHED (G_MAXUINT64 / 2)

struct LiveBlocks {
    gboolean are_reported; /* the source has an event for every block, so states are ignored */
    GHashTable *by_key;    /* a set of MemoryBlock: blocks with an address or id */
    GHashTable *guessed;   /* a set of MemoryBlock: blocks that were derived from totals */
    StateBlocks *states;
    GArray *finished; /* elements of type MemoryBlock */
    guint64 n_allocated, n_released, n_orphans, n_dropped;
};

static guint key_hash(gconstpointer data)
{
    const MemoryKey *key = data;
    const StrobeHashKey *secret = strobe_hash_key();
    guint64 hash = strobe_hash_pair(secret, key->pid, key->address);

    hash = strobe_hash_pair(secret, hash, (guint64)key->name << 32 | key->source.component);
    return (guint)(hash + (guint32)key->source.device);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const MemoryKey *x = a, *y = b;

    return x->address == y->address && x->name == y->name && x->is_id == y->is_id &&
           x->pid == y->pid && memory_source_equal(&x->source, &y->source);
}

LiveBlocks *live_blocks_new(gboolean are_reported)
{
    LiveBlocks *live = g_new0(LiveBlocks, 1);

    live->are_reported = are_reported;
    live->by_key = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
    live->guessed = g_hash_table_new_full(g_direct_hash, g_direct_equal, g_free, NULL);
    live->states = state_blocks_new();
    live->finished = g_array_new(FALSE, FALSE, sizeof(MemoryBlock));
    return live;
}

void live_blocks_free(LiveBlocks *live)
{
    g_hash_table_unref(live->by_key);
    g_hash_table_unref(live->guessed);
    state_blocks_free(live->states);
    g_array_unref(live->finished);
    g_free(live);
}

static void finish_block(LiveBlocks *live, MemoryBlock *block)
{
    if (block->key.source.is_ge)
        block->order = block->release_ns == STROBE_ABSENT_I64 ? ORDER_UNMATCHED + block->order
                                                              : live->n_released++;
    g_array_append_vals(live->finished, block, 1);
}

static MemoryBlock *new_block(LiveBlocks *live, const MemoryEvent *event)
{
    static const MemoryTotals unknown = {STROBE_ABSENT_I64, STROBE_ABSENT_I64, STROBE_ABSENT_I64};
    const MemoryBlock block = {.key = event->key,
                               .begin_ns = event->at_ns,
                               .size = event->size,
                               .release_ns = STROBE_ABSENT_I64,
                               .block_release_ns = STROBE_ABSENT_I64,
                               .allocation = event->totals,
                               .release = unknown,
                               .stream = event->stream,
                               .order = live->n_allocated,
                               .track = event->track,
                               .name = event->name ? event->name : event->op.name};

    if (g_hash_table_size(live->by_key) + g_hash_table_size(live->guessed) >= LIVE_BLOCKS_MAX) {
        live->n_dropped++;
        return NULL;
    }
    live->n_allocated++;
    return g_memdup2(&block, sizeof block);
}

/* Stores a release in the block. The block gets the totals after MEMORY_RELEASE or, if this event
 * has not come, the totals after MEMORY_BLOCK_RELEASE. */
static void give_back(MemoryBlock *block, const MemoryEvent *event, guint32 action)
{
    if (action == MEMORY_RELEASE)
        block->release_ns = event->at_ns;
    else
        block->block_release_ns = event->at_ns;
    if (action == MEMORY_RELEASE || block->release_ns == STROBE_ABSENT_I64)
        block->release = event->totals;
}

static gboolean has_both(const MemoryBlock *block)
{
    return block->release_ns != STROBE_ABSENT_I64 && block->block_release_ns != STROBE_ABSENT_I64;
}

/* ---- blocks with an address ---- */

static void allocate_block(LiveBlocks *live, const MemoryEvent *event)
{
    MemoryBlock *before = g_hash_table_lookup(live->by_key, &event->key), *block;

    if (before) {
        finish_block(live, before);
        g_hash_table_remove(live->by_key, &event->key);
    }
    block = new_block(live, event);
    if (block)
        g_hash_table_add(live->by_key, block);
}

static void release_block(LiveBlocks *live, const MemoryEvent *event)
{
    MemoryBlock *block = g_hash_table_lookup(live->by_key, &event->key);
    gint64 *reported;
    gboolean is_again;

    if (!block) {
        live->n_orphans++;
        return;
    }
    reported = event->action == MEMORY_RELEASE ? &block->release_ns : &block->block_release_ns;
    is_again = *reported != STROBE_ABSENT_I64;
    if (is_again)
        live->n_orphans++;
    else
        give_back(block, event, event->action);
    /* The allocator of a device, unlike that of the host, may keep a released block until the
     * device's work is finished. So only blocks of a device wait for the second event of their
     * release. */
    if (!is_again && !block->key.source.is_ge && block->key.source.device >= 0 && !has_both(block))
        return;
    finish_block(live, block);
    g_hash_table_remove(live->by_key, &event->key);
}

/* ---- blocks that are derived from totals ---- */

static void take_state(LiveBlocks *live, MemoryEvent *event)
{
    MemoryBlock *block;
    guint32 action;

    if (live->are_reported)
        return;
    action = state_blocks_take(live->states, event, &block);
    if (action == MEMORY_ALLOCATION || action == MEMORY_FIRST) {
        block = new_block(live, event);
        if (!block)
            return;
        block->is_unsure = action == MEMORY_FIRST;
        g_hash_table_add(live->guessed, block);
        state_blocks_add(live->states, block);
    } else if (action != MEMORY_STATE && block) {
        give_back(block, event, action);
        if (!has_both(block))
            return;
        finish_block(live, block);
        g_hash_table_remove(live->guessed, block);
    } else if (action != MEMORY_STATE) {
        live->n_orphans++;
    }
}

void live_blocks_take(LiveBlocks *live, MemoryEvent *event)
{
    /* Stores the totals of this event, because later states are compared with them. */
    if (event->action != MEMORY_STATE && !event->key.source.is_ge)
        state_blocks_skip(live->states, event);
    switch (event->action) {
    case MEMORY_ALLOCATION:
        allocate_block(live, event);
        break;
    case MEMORY_RELEASE:
    case MEMORY_BLOCK_RELEASE:
        release_block(live, event);
        break;
    case MEMORY_STATE:
        if (!event->key.source.is_ge)
            take_state(live, event);
        break;
    default:
        live->n_orphans++;
    }
}

void live_blocks_skip(LiveBlocks *live, const MemoryEvent *event)
{
    state_blocks_skip(live->states, event);
}

/* ---- finishing ---- */

static void finish_all(LiveBlocks *live, GHashTable *blocks)
{
    GHashTableIter iter;
    gpointer block;

    g_hash_table_iter_init(&iter, blocks);
    while (g_hash_table_iter_next(&iter, &block, NULL))
        if (!((const MemoryBlock *)block)->is_unsure)
            finish_block(live, block);
    g_hash_table_remove_all(blocks);
}

void live_blocks_finish(LiveBlocks *live)
{
    finish_all(live, live->by_key);
    finish_all(live, live->guessed);
}

static gint compare_blocks(gconstpointer a, gconstpointer b)
{
    const MemoryBlock *x = a, *y = b;

    if (x->key.source.is_ge != y->key.source.is_ge)
        return x->key.source.is_ge ? 1 : -1;
    if (!x->key.source.is_ge && x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

GArray *live_blocks_sorted(LiveBlocks *live)
{
    g_array_sort(live->finished, compare_blocks);
    return live->finished;
}

guint live_blocks_n_finished(const LiveBlocks *live)
{
    return live->finished->len;
}

guint64 live_blocks_n_orphans(const LiveBlocks *live)
{
    return live->n_orphans;
}

guint64 live_blocks_n_dropped(const LiveBlocks *live)
{
    return live->n_dropped;
}
