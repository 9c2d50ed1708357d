/* SPDX-License-Identifier: Apache-2.0 */
#include "shared-block.h"

StrobeBlockMemory *strobe_block_memory_ref(StrobeBlockMemory *memory)
{
    if (memory)
        g_atomic_int_inc(&memory->refs);
    return memory;
}

static void free_appendix(StrobeBlockMemory *memory)
{
    g_slist_free_full(memory->appendix, g_free);
    memory->appendix = NULL;
}

void strobe_block_memory_unref(gpointer user)
{
    StrobeBlockMemory *memory = user;

    if (!memory || !g_atomic_int_dec_and_test(&memory->refs))
        return;
    free_appendix(memory);
    g_free(memory->bytes);
    g_free(memory);
}

StrobeBlockMemory *strobe_block_memory_renew(StrobeBlockMemory *memory, gsize size)
{
    if (memory && g_atomic_int_get(&memory->refs) == 1 && memory->size >= size) {
        free_appendix(memory);
        return memory;
    }
    strobe_block_memory_unref(memory);
    memory = g_new0(StrobeBlockMemory, 1);
    memory->refs = 1;
    memory->size = size;
    memory->bytes = g_malloc(MAX(size, 8));
    return memory;
}

gpointer strobe_block_memory_append(StrobeBlockMemory *memory, gsize n)
{
    gpointer bytes = g_malloc0(MAX(n, 8));

    memory->appendix = g_slist_prepend(memory->appendix, bytes);
    return bytes;
}
