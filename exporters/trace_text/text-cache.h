/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts strings and stacks to JSON strings, including quotes, and caches the results by id. The
 * cache is bounded: the ids share a fixed number of slots, and long texts are not cached.
 */
#ifndef STROBE_CHROME_TRACE_TEXT_CACHE_H
#define STROBE_CHROME_TRACE_TEXT_CACHE_H

#include <glib.h>
#include <strobe/exporter.h>

enum {
    TEXT_CACHE_PLAIN = 0, /* a string */
    TEXT_CACHE_LIST = 1,  /* a string; CR LF is inserted after each ';' */
    TEXT_CACHE_STACK = 2, /* a stack; its frames are joined by ';' CR LF */
    TEXT_CACHE_KINDS = 3
};

/* A JSON string. It is valid until the next call for the same cache. trace_out_padded can write
 * it. */
typedef struct CachedText {
    guint32 id;
    guint32 length;
    char *bytes;
} CachedText;

/* A hash table by id. The members are private to text-cache.c. */
typedef struct TextCache {
    CachedText *slots[TEXT_CACHE_KINDS];
    guint n_slots[TEXT_CACHE_KINDS]; /* each number is a power of two */
} TextCache;

TextCache *text_cache_new(const StrobeConsumerHost *host, StrobeInstance *self);
void text_cache_free(TextCache *cache);
const CachedText *text_cache_make(TextCache *cache, guint kind, guint32 id);
/* Converts bytes of the caller to a JSON string, which is not cached. */
const CachedText *text_cache_escape(TextCache *cache, const char *bytes, gsize length);

static inline const CachedText *text_cache_get(TextCache *cache, guint kind, guint32 id)
{
    const CachedText *slot = &cache->slots[kind][id & (cache->n_slots[kind] - 1)];

    return G_LIKELY(slot->bytes && slot->id == id) ? slot : text_cache_make(cache, kind, id);
}

#endif
