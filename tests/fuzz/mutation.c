/* SPDX-License-Identifier: Apache-2.0 */
#include "mutation.h"

#include <string.h>

static guint64 rng_state;
static const GPtrArray *segments;

void mutation_seed(guint64 seed)
{
    rng_state = seed;
}

static guint64 next_random(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state * G_GUINT64_CONSTANT(0x2545f4914f6cdd1d);
}

gsize mutation_below(gsize n)
{
    return n ? (gsize)(next_random() >> 16) % n : 0;
}

static void flip_bit(GByteArray *b)
{
    if (b->len)
        b->data[mutation_below(b->len)] ^= (guint8)(1u << mutation_below(8));
}

static void set_number(GByteArray *b)
{
    static const guint64 values[] = {0,          1,          7,          8,          0x7f,
                                     0xff,       0x7fff,     0xffff,     0x7fffffff, 0x80000000,
                                     0xffffffff, G_MAXINT64, G_MAXUINT64};
    guint64 value = values[mutation_below(G_N_ELEMENTS(values))];
    gsize size = (gsize)1 << mutation_below(4), at = mutation_below(b->len);

    if (mutation_below(2))
        at &= ~(size - 1); /* aligned, like a number in a file format */
    memcpy(b->data + at, &value, MIN(size, b->len - at));
}

static void remove_segment(GByteArray *b)
{
    gsize at = mutation_below(b->len), n = mutation_below(MIN(b->len - at, 200));

    g_byte_array_remove_range(b, (guint)at, (guint)n);
}

static void insert_segment(GByteArray *b)
{
    GBytes *other = g_ptr_array_index(segments, mutation_below(segments->len));
    gsize size, longest = mutation_below(8) ? 300 : 8192; /* the maximum is larger than a block */
    const guint8 *from = g_bytes_get_data(other, &size);
    gsize start = mutation_below(size), n = mutation_below(MIN(size - start, longest));
    gsize at = mutation_below(b->len + 1);
    guint old = b->len;

    if (n == 0 || old + n > MUTATION_LONGEST)
        return;
    g_byte_array_set_size(b, (guint)(old + n));
    memmove(b->data + at + n, b->data + at, old - at);
    memcpy(b->data + at, from + start, n);
}

static void truncate_bytes(GByteArray *b)
{
    g_byte_array_set_size(b, (guint)mutation_below(b->len + 1));
}

void mutation_apply(GByteArray *b, const GPtrArray *others)
{
    static void (*const ways[])(GByteArray *) = {
        flip_bit, flip_bit, set_number, set_number, set_number, remove_segment, insert_segment};

    segments = others;
    for (gsize n = 1 + mutation_below(6); n > 0; n--)
        if (b->len)
            ways[mutation_below(G_N_ELEMENTS(ways))](b);
    if (mutation_below(20) == 0)
        truncate_bytes(b);
}
