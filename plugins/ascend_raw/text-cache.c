/* SPDX-License-Identifier: Apache-2.0 */
#include "text-cache.h"

#include <string.h>
#include <strobe/helpers/utf8.h>

#define SLOTS (1u << 15)
#define SHORT_BYTES 40u
#define ENTRY_BYTES_MAX (64u << 10)
#define CACHE_BYTES_MAX (16u << 20)
#define FRAMES_MAX 4096u

/* A line of the processor's cache: most texts are short, and stand in it themselves. */
typedef struct Entry {
    guint32 tag; /* of the hash */
    guint32 id;  /* 0: free */
    guint32 length;
    guint8 is_stack, is_invalid;
    union {
        char bytes[SHORT_BYTES];
        char *far;
    } text;
} Entry;

struct TextCache {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    Entry *entries;
    gsize far_bytes;
    guint64 n_invalid;
};

TextCache *text_cache_new(const StrobeImporterHost *host, StrobeInstance *self)
{
    TextCache *cache = g_new0(TextCache, 1);

    cache->host = host;
    cache->self = self;
    cache->entries = g_new0(Entry, SLOTS);
    return cache;
}

static const char *bytes_of(const Entry *entry)
{
    return entry->length > SHORT_BYTES ? entry->text.far : entry->text.bytes;
}

static void forget(TextCache *cache, Entry *entry)
{
    if (entry->id && entry->length > SHORT_BYTES) {
        cache->far_bytes -= entry->length;
        g_free(entry->text.far);
    }
    entry->id = 0;
}

static void forget_all(TextCache *cache)
{
    for (guint i = 0; i < SLOTS; i++)
        forget(cache, &cache->entries[i]);
}

void text_cache_free(TextCache *cache)
{
    if (!cache)
        return;
    forget_all(cache);
    g_free(cache->entries);
    g_free(cache);
}

guint64 text_cache_n_invalid(const TextCache *cache)
{
    return cache->n_invalid;
}

static inline guint64 load(const char *bytes, gsize n)
{
    guint64 word = 0;

    memcpy(&word, bytes, n);
    return word;
}

/* The words of a text, the last one overlapping: without a call, and without a loop over bytes. */
static inline guint64 tail_of(const char *bytes, gsize length)
{
    if (length >= 4)
        return load(bytes, 4) << 32 | load(bytes + length - 4, 4);
    if (length == 0)
        return 0;
    return (guint64)(guchar)bytes[0] << 16 | (guint64)(guchar)bytes[length / 2] << 8 |
           (guchar)bytes[length - 1];
}

__extension__ typedef unsigned __int128 Wide;

/* Both halves of a product depend on all bits of both factors. */
static inline guint64 fold(guint64 a, guint64 b)
{
    Wide product = (Wide)a * b;

    return (guint64)product ^ (guint64)(product >> 64);
}

/* Texts are compared whole, so a bad hash costs time only. Two words a step: a product takes longer
 * than all else here, and the next step waits for it. */
static inline guint64 hash_text(const char *bytes, gsize length, gboolean is_stack)
{
    const guint64 one = 0x9e3779b97f4a7c15u, other = 0xd1b54a32d192ed03u;
    guint64 hash = (length * 2 + (is_stack != 0)) ^ one;
    gsize at = 0;

    for (; at + 16 < length; at += 16)
        hash = fold(hash ^ load(bytes + at, 8), load(bytes + at + 8, 8) ^ other);
    if (length >= 16)
        return fold(hash ^ load(bytes + length - 16, 8), load(bytes + length - 8, 8) ^ other);
    if (length >= 8)
        return fold(hash ^ load(bytes, 8), load(bytes + length - 8, 8) ^ other);
    return fold(hash ^ tail_of(bytes, length), other);
}

/* The differences of two steps at a time. */
static inline guint64 differ(const char *a, const char *b)
{
    return (load(a, 8) ^ load(b, 8)) | (load(a + 8, 8) ^ load(b + 8, 8));
}

static inline gboolean is_same(const char *a, const char *b, gsize length)
{
    guint64 difference = 0;

    if (length < 8)
        return tail_of(a, length) == tail_of(b, length);
    if (length < 16)
        return !((load(a, 8) ^ load(b, 8)) | (load(a + length - 8, 8) ^ load(b + length - 8, 8)));
    for (gsize at = 0; at + 16 < length; at += 16)
        difference |= differ(a + at, b + at);
    return !(difference | differ(a + length - 16, b + length - 16));
}

gboolean text_is_utf8(const char *bytes, gsize length)
{
    guint64 word;

    for (; length >= 8; bytes += 8, length -= 8) { /* most of it is ASCII */
        memcpy(&word, bytes, 8);
        if (word & 0x8080808080808080u)
            break;
    }
    while (length) {
        int n = strobe_utf8_next(bytes, length);

        if (n < 0)
            return FALSE;
        bytes += n;
        length -= (gsize)n;
    }
    return TRUE;
}

static StrobeStackId make_stack(TextCache *cache, const char *bytes, gsize length)
{
    StrobeStringId frames[FRAMES_MAX];
    const char *end = bytes + length;
    gsize n = 0;

    while (n < FRAMES_MAX && bytes <= end) {
        const char *next = memchr(bytes, ';', (gsize)(end - bytes));

        if (!next)
            next = end;
        frames[n++] = cache->host->intern(cache->self, bytes, (gsize)(next - bytes));
        bytes = next + 1;
    }
    return cache->host->stack(cache->self, frames, n);
}

static void keep(TextCache *cache, Entry *entry, const Entry *made, const char *bytes)
{
    forget(cache, entry);
    if (made->length > SHORT_BYTES && cache->far_bytes > CACHE_BYTES_MAX)
        forget_all(cache);
    *entry = *made;
    if (made->length > SHORT_BYTES) {
        cache->far_bytes += made->length;
        entry->text.far = g_memdup2(bytes, made->length);
    } else if (made->length) {
        memcpy(entry->text.bytes, bytes, made->length);
    }
}

static guint32 make(TextCache *cache, Entry *entry, Entry *made, const char *bytes, gsize length)
{
    made->is_invalid = !text_is_utf8(bytes, length);
    cache->n_invalid += made->is_invalid;
    if (made->is_invalid)
        made->id = made->is_stack ? make_stack(cache, "N/A", 3)
                                  : cache->host->intern(cache->self, "N/A", 3);
    else
        made->id = made->is_stack ? make_stack(cache, bytes, length)
                                  : cache->host->intern(cache->self, bytes, length);
    if (length <= ENTRY_BYTES_MAX && made->id) {
        made->length = (guint32)length;
        keep(cache, entry, made, bytes);
    }
    return made->id;
}

static inline guint32 find(TextCache *cache, const char *bytes, gsize length, gboolean is_stack)
{
    guint64 hash = hash_text(bytes, length, is_stack);
    Entry *entry = &cache->entries[(hash >> 40) % SLOTS];
    Entry made = {.tag = (guint32)hash, .is_stack = is_stack != 0};

    if (entry->tag == made.tag && entry->id && entry->length == length &&
        entry->is_stack == made.is_stack && is_same(bytes_of(entry), bytes, length)) {
        cache->n_invalid += entry->is_invalid;
        return entry->id;
    }
    return make(cache, entry, &made, bytes, length);
}

StrobeStringId text_cache_string(TextCache *cache, const char *bytes, gsize length)
{
    return find(cache, bytes, length, FALSE);
}

StrobeStackId text_cache_stack(TextCache *cache, const char *bytes, gsize length)
{
    return find(cache, bytes, length, TRUE);
}
