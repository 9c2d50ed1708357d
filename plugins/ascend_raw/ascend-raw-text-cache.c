/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-raw-text-cache.h"

#include <string.h>
#include <strobe/helpers/utf8.h>

#define SETS (1u << 13)
#define WAYS 2u /* number of entries for the same hash */
#define SLOTS (SETS * WAYS)
#define SHORT_BYTES TEXT_CACHE_MARGIN
#define SHORT_WORDS (SHORT_BYTES / 8)
#define ENTRY_BYTES_MAX (64u << 10)
#define CACHE_BYTES_MAX (16u << 20)
#define FRAMES_MAX 4096u

/* An entry has the size of one line of the processor's cache. Most texts are short and are stored
 * in the entry itself, padded with zeros. */
typedef struct Entry {
    guint32 tag; /* bits of the hash */
    guint32 id;  /* 0: the entry is free */
    guint32 length;
    guint8 is_stack, is_invalid;
    union {
        guint64 words[SHORT_WORDS];
        char *far;
    } text;
} Entry;
G_STATIC_ASSERT(sizeof(Entry) == 64);

struct TextCache {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    gpointer room;
    Entry *entries; /* inside `room`, each aligned to a cache line */
    gsize far_bytes;
    guint64 n_invalid;
    /* id of the replacement for invalid texts; 0: there was no invalid text */
    StrobeStringId invalid;
};

TextCache *text_cache_new(const StrobeImporterHost *host, StrobeInstance *self)
{
    TextCache *cache = g_new0(TextCache, 1);

    cache->host = host;
    cache->self = self;
    cache->room = g_malloc0((SLOTS + 1) * sizeof(Entry));
    cache->entries = (Entry *)(((guintptr)cache->room + sizeof(Entry) - 1) & -sizeof(Entry));
    return cache;
}

static void forget_entry(TextCache *cache, Entry *entry)
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
        forget_entry(cache, &cache->entries[i]);
}

void text_cache_free(TextCache *cache)
{
    if (!cache)
        return;
    forget_all(cache);
    g_free(cache->room);
    g_free(cache);
}

guint64 text_cache_n_invalid(const TextCache *cache)
{
    return cache->n_invalid;
}

StrobeStringId text_cache_invalid(const TextCache *cache)
{
    return cache->invalid;
}

static inline guint64 load_word(const char *bytes)
{
    guint64 word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

__extension__ typedef unsigned __int128 Wide;

/* Multiplies two numbers, and combines the two halves of the product. Each half depends on all bits
 * of both factors. */
static inline guint64 fold_product(guint64 a, guint64 b)
{
    Wide product = (Wide)a * b;

    return (guint64)product ^ (guint64)(product >> 64);
}

/* factors of the hash; texts are compared completely, so a bad hash costs only time */
static const guint64 one = 0x9e3779b97f4a7c15u, other = 0xd1b54a32d192ed03u;

static inline guint64 hash_far(const char *bytes, gsize length, gboolean is_stack)
{
    guint64 hash = length * 2 + (is_stack != 0);
    gsize at = 0;

    for (; at + 16 < length; at += 16)
        hash = fold_product(hash ^ load_word(bytes + at) ^ one, load_word(bytes + at + 8) ^ other);
    return fold_product(hash ^ load_word(bytes + length - 16) ^ one,
                        load_word(bytes + length - 8) ^ other);
}

/* Loads the words of a short text, padded with zeros. There is no branch, because the processor
 * could not predict the lengths. Reads TEXT_CACHE_MARGIN bytes. */
static inline void load_short(const char *bytes, gsize length, guint64 words[SHORT_WORDS])
{
    static const guint64 ones[2 * SHORT_WORDS] = {~(guint64)0, ~(guint64)0, ~(guint64)0,
                                                  ~(guint64)0, ~(guint64)0, ~(guint64)0};
    const char *mask = (const char *)ones + SHORT_BYTES - length;

    for (guint i = 0; i < SHORT_WORDS; i++)
        words[i] = load_word(bytes + 8 * i) & load_word(mask + 8 * i);
}

static inline guint64 rotate_word(guint64 word, guint bits)
{
    return word << bits | word >> (64 - bits);
}

static inline guint64 hash_short(const guint64 words[SHORT_WORDS], gsize length, gboolean is_stack)
{
    guint64 even = words[0] ^ rotate_word(words[2], 17) ^ rotate_word(words[4], 41);
    guint64 odd = words[1] ^ rotate_word(words[3], 23) ^ rotate_word(words[5], 47);

    return fold_product(even ^ (length * 2 + (is_stack != 0)) ^ one, odd ^ other);
}

static inline guint64 compare_words(const guint64 a[SHORT_WORDS], const guint64 b[SHORT_WORDS])
{
    guint64 difference = 0;

    for (guint i = 0; i < SHORT_WORDS; i++)
        difference |= a[i] ^ b[i];
    return difference;
}

gboolean text_is_utf8(const char *bytes, gsize length)
{
    guint64 word;

    for (; length >= 8; bytes += 8, length -= 8) { /* most texts are ASCII */
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

static void keep_entry(TextCache *cache, Entry *entry, const Entry *made, const char *bytes)
{
    forget_entry(cache, entry);
    if (made->length > SHORT_BYTES && cache->far_bytes > CACHE_BYTES_MAX)
        forget_all(cache);
    *entry = *made;
    if (made->length > SHORT_BYTES) {
        cache->far_bytes += made->length;
        entry->text.far = g_memdup2(bytes, made->length);
    }
}

static guint32 make_entry(TextCache *cache, Entry *entry, Entry *made, const char *bytes,
                          gsize length)
{
    made->is_invalid = !text_is_utf8(bytes, length);
    cache->n_invalid += made->is_invalid;
    if (made->is_invalid)
        made->id =
            made->is_stack
                ? make_stack(cache, TEXT_CACHE_INVALID, strlen(TEXT_CACHE_INVALID))
                : cache->host->intern(cache->self, TEXT_CACHE_INVALID, strlen(TEXT_CACHE_INVALID));
    else
        made->id = made->is_stack ? make_stack(cache, bytes, length)
                                  : cache->host->intern(cache->self, bytes, length);
    if (made->is_invalid && !made->is_stack)
        cache->invalid = made->id;
    if (length <= ENTRY_BYTES_MAX && made->id) {
        made->length = (guint32)length;
        keep_entry(cache, entry, made, bytes);
    }
    return made->id;
}

/* Returns a free entry of the set; if there is none, a used entry that depends on `tag`. */
static Entry *place_for(Entry *set, guint32 tag)
{
    if (!set[0].id || !set[1].id)
        return set[0].id ? &set[1] : &set[0];
    return &set[tag % WAYS];
}

static inline Entry *set_of(TextCache *cache, guint64 hash)
{
    return &cache->entries[(hash >> 40) % SETS * WAYS];
}

static guint32 find_far(TextCache *cache, const char *bytes, gsize length, gboolean is_stack)
{
    guint64 hash = hash_far(bytes, length, is_stack);
    Entry *set = set_of(cache, hash), made = {.tag = (guint32)hash, .is_stack = is_stack != 0};

    for (guint way = 0; way < WAYS; way++)
        if (set[way].tag == made.tag && set[way].id && set[way].length == length &&
            set[way].is_stack == made.is_stack && !memcmp(set[way].text.far, bytes, length)) {
            cache->n_invalid += set[way].is_invalid;
            return set[way].id;
        }
    return make_entry(cache, place_for(set, made.tag), &made, bytes, length);
}

static guint32 make_short(TextCache *cache, guint64 hash, const guint64 words[SHORT_WORDS],
                          const char *bytes, gsize length, gboolean is_stack)
{
    Entry made = {.tag = (guint32)hash, .is_stack = is_stack != 0};

    memcpy(made.text.words, words, sizeof made.text.words);
    return make_entry(cache, place_for(set_of(cache, hash), made.tag), &made, bytes, length);
}

static inline guint32 find_text(TextCache *cache, const char *bytes, gsize length,
                                gboolean is_stack)
{
    guint64 words[SHORT_WORDS], hash;
    const Entry *entry;

    if (length > SHORT_BYTES)
        return find_far(cache, bytes, length, is_stack);
    load_short(bytes, length, words);
    hash = hash_short(words, length, is_stack);
    entry = set_of(cache, hash);
    for (guint way = 0; way < WAYS; way++, entry++)
        if (!((entry->length ^ length) | (guint64)(entry->is_stack ^ (is_stack != 0)) |
              compare_words(entry->text.words, words)) &&
            entry->id) {
            cache->n_invalid += entry->is_invalid;
            return entry->id;
        }
    return make_short(cache, hash, words, bytes, length, is_stack);
}

StrobeStringId text_cache_string(TextCache *cache, const char *bytes, gsize length)
{
    char copy[SHORT_BYTES] = {0};

    if (length > SHORT_BYTES)
        return find_far(cache, bytes, length, FALSE);
    if (length)
        memcpy(copy, bytes, length);
    return find_text(cache, copy, length, FALSE);
}

StrobeStringId text_cache_field(TextCache *cache, const char *bytes, gsize length)
{
    return find_text(cache, bytes, length, FALSE);
}

StrobeStackId text_cache_stack(TextCache *cache, const char *bytes, gsize length)
{
    return find_text(cache, bytes, length, TRUE);
}
