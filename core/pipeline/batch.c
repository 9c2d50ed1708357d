/* SPDX-License-Identifier: Apache-2.0 */
#include "batch.h"

/* Fills the batch with records. Calls the reader several times if its blocks have few records. */
static gsize read_views(StrobeBatch *batch, StrobeReader *reader, GError **error)
{
    gsize n = 0, more = 1;

    while (more && n < STROBE_BATCH && batch->n_blocks < STROBE_BATCH_BLOCKS) {
        more = strobe_reader_next(reader, batch->views + n, STROBE_BATCH - n, error);
        n += more;
        StrobeBlockMemory *block =
            more ? strobe_block_memory_ref(strobe_reader_memory(reader)) : NULL;
        if (!block)
            continue;
        batch->blocks[batch->n_blocks++] = block;
        batch->bytes += block->size;
    }
    return n;
}

static guint16 place_of(StrobeBatch *batch, const StrobeKindView *kind)
{
    for (guint i = 0; i < batch->n_kinds; i++)
        if (batch->kinds[i] == kind)
            return (guint16)i;
    batch->kinds[batch->n_kinds] = kind;
    return (guint16)batch->n_kinds++;
}

static void find_kinds(StrobeBatch *batch)
{
    for (guint i = 0; i < batch->n; i++)
        batch->kind_of[i] = i && batch->views[i].kind == batch->views[i - 1].kind
                                ? batch->kind_of[i - 1]
                                : place_of(batch, batch->views[i].kind);
}

StrobeBatch *strobe_batch_read(StrobeReader *reader, StrobeFilter *filter, guint64 *n_read,
                               GError **error)
{
    StrobeBatch *batch = g_malloc(sizeof *batch);
    GError *failure = NULL;

    batch->refs = 1;
    batch->n_kinds = batch->n_blocks = 0;
    batch->bytes = sizeof *batch;
    gsize n = read_views(batch, reader, &failure);
    *n_read += n;
    batch->n = (guint)(filter ? strobe_filter_apply(filter, reader, batch->views, n) : n);
    find_kinds(batch);
    if (n && !failure)
        return batch;
    if (failure)
        g_propagate_error(error, failure);
    strobe_batch_unref(batch);
    return NULL;
}

StrobeBatch *strobe_batch_ref(StrobeBatch *batch)
{
    g_atomic_int_inc(&batch->refs);
    return batch;
}

void strobe_batch_unref(StrobeBatch *batch)
{
    if (!g_atomic_int_dec_and_test(&batch->refs))
        return;
    for (guint i = 0; i < batch->n_blocks; i++)
        strobe_block_memory_unref(batch->blocks[i]);
    g_free(batch);
}
