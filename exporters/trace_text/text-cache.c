/* SPDX-License-Identifier: Apache-2.0 */
#include "text-cache.h"

#include <string.h>
#include <strobe/helpers/json-writer.h>

#include "trace-out.h"

/* The number of slots is a power of two. All texts together have at most 16384 * 1 KB * 2 + 4096 *
 * 8 KB = 64 MB. */
static const struct {
    guint slots;
    guint longest;
} limits[TEXT_CACHE_KINDS] = {
    [TEXT_CACHE_PLAIN] = {16384, 1024},
    [TEXT_CACHE_LIST] = {16384, 1024},
    [TEXT_CACHE_STACK] = {4096, 8192},
};

/* Maximum size of a stack's text. A damaged capture may contain a stack with any number of frames
 * of any length. */
#define STACK_TEXT_MAX (16u * 1024 * 1024)

typedef struct Cache {
    TextCache base;
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    GString *made; /* the text that was made last */
    CachedText unkept;
    StrobeJsonWriter json;
} Cache;

TextCache *text_cache_new(const StrobeConsumerHost *host, StrobeInstance *self)
{
    Cache *cache = g_new0(Cache, 1);
    TextCache *base = &cache->base;

    cache->host = host;
    cache->self = self;
    cache->made = g_string_sized_new(2 * TRACE_OUT_PADDING);
    for (guint kind = 0; kind < TEXT_CACHE_KINDS; kind++) {
        base->n_slots[kind] = limits[kind].slots;
        base->slots[kind] = g_new0(CachedText, base->n_slots[kind]);
    }
    return base;
}

void text_cache_free(TextCache *base)
{
    Cache *cache = (Cache *)base;

    for (guint kind = 0; kind < TEXT_CACHE_KINDS; kind++) {
        for (guint i = 0; i < base->n_slots[kind]; i++)
            g_free(base->slots[kind][i].bytes);
        g_free(base->slots[kind]);
    }
    g_string_free(cache->made, TRUE);
    g_free(cache);
}

static int append_bytes(void *user, const char *bytes, size_t length)
{
    g_string_append_len(user, bytes, (gssize)length);
    return 0;
}

static void begin_text(Cache *cache)
{
    g_string_truncate(cache->made, 0);
    strobe_json_init(&cache->json, append_bytes, cache->made, 0);
    strobe_json_string_begin(&cache->json);
}

static void end_text(Cache *cache)
{
    strobe_json_string_end(&cache->json);
    strobe_json_flush(&cache->json);
}

static void put_list(Cache *cache, StrobeText text)
{
    const char *at = text.bytes, *stop = text.bytes + text.length, *mark;

    while ((mark = memchr(at, ';', (size_t)(stop - at)))) {
        strobe_json_string_part(&cache->json, at, (size_t)(mark + 1 - at));
        strobe_json_string_part(&cache->json, "\r\n", 2);
        at = mark + 1;
    }
    strobe_json_string_part(&cache->json, at, (size_t)(stop - at));
}

static void put_stack(Cache *cache, StrobeStackId id)
{
    const StrobeStringId *frames = NULL;
    size_t n = cache->host->stack_frames(cache->self, id, &frames);

    for (size_t i = 0; i < n; i++) {
        StrobeText text = cache->host->string(cache->self, frames[i]);

        if (i)
            strobe_json_string_part(&cache->json, ";\r\n", 3);
        if (cache->made->len > STACK_TEXT_MAX) {
            strobe_json_string_part(&cache->json, "...", 3);
            break;
        }
        strobe_json_string_part(&cache->json, text.bytes, text.length);
    }
}

static void make_text(Cache *cache, guint kind, guint32 id)
{
    StrobeText text;

    begin_text(cache);
    if (kind == TEXT_CACHE_STACK) {
        put_stack(cache, id);
    } else {
        text = cache->host->string(cache->self, id);
        if (kind == TEXT_CACHE_LIST)
            put_list(cache, text);
        else
            strobe_json_string_part(&cache->json, text.bytes, text.length);
    }
    end_text(cache);
}

const CachedText *text_cache_make(TextCache *base, guint kind, guint32 id)
{
    Cache *cache = (Cache *)base;
    CachedText *slot = &base->slots[kind][id & (base->n_slots[kind] - 1)];

    make_text(cache, kind, id);
    if (cache->made->len > limits[kind].longest)
        slot = &cache->unkept;
    else if (slot->bytes)
        g_free(slot->bytes);
    slot->id = id;
    slot->length = (guint32)cache->made->len;
    slot->bytes = slot == &cache->unkept ? cache->made->str
                                         : trace_out_pad(cache->made->str, cache->made->len);
    return slot;
}

const CachedText *text_cache_escape(TextCache *base, const char *bytes, gsize length)
{
    Cache *cache = (Cache *)base;

    begin_text(cache);
    strobe_json_string_part(&cache->json, bytes, length);
    end_text(cache);
    cache->unkept = (CachedText){0, (guint32)cache->made->len, cache->made->str};
    return &cache->unkept;
}
