/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-strings.h"

#include "mock-memory.h"

static uint64_t hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211u;
    return hash;
}

static uint32_t *find_bucket(MockStrings *strings, const char *bytes, size_t length)
{
    size_t at = hash_bytes(bytes, length) & (strings->n_buckets - 1);

    for (;; at = (at + 1) & (strings->n_buckets - 1)) {
        const StrobeText *text = &strings->texts[strings->buckets[at]];

        if (!strings->buckets[at] ||
            (text->length == length && !memcmp(text->bytes, bytes, length)))
            return &strings->buckets[at];
    }
}

static void grow_strings(MockStrings *strings)
{
    strings->room = strings->room ? 2 * strings->room : 256;
    strings->texts = mock_must(realloc(strings->texts, strings->room * sizeof *strings->texts));
    free(strings->buckets);
    strings->n_buckets = 4 * strings->room;
    strings->buckets = mock_must(calloc(strings->n_buckets, sizeof *strings->buckets));
    for (size_t i = 1; i < strings->n; i++)
        *find_bucket(strings, strings->texts[i].bytes, strings->texts[i].length) = (uint32_t)i;
}

uint32_t strobe_mock_strings_id(MockStrings *strings, const char *bytes, size_t length)
{
    uint32_t *bucket;

    if (strings->n == strings->room)
        grow_strings(strings);
    if (strings->n == 0)
        strings->texts[strings->n++] = (StrobeText){mock_copy("", 0), 0};
    bucket = find_bucket(strings, bytes, length);
    if (!*bucket) {
        *bucket = (uint32_t)strings->n;
        strings->texts[strings->n++] = (StrobeText){mock_copy(bytes, length), length};
    }
    return *bucket;
}

StrobeText strobe_mock_strings_text(const MockStrings *strings, uint32_t id)
{
    return id && id < strings->n ? strings->texts[id] : (StrobeText){"", 0};
}

void strobe_mock_strings_clear(MockStrings *strings)
{
    for (size_t i = 0; i < strings->n; i++)
        free((char *)(uintptr_t)strings->texts[i].bytes);
    free(strings->texts);
    free(strings->buckets);
    *strings = (MockStrings){0};
}
