/* SPDX-License-Identifier: Apache-2.0 */
/* Texts by id in the mock hosts of importers and consumers; id 0 is no text. */
#ifndef STROBE_CHECK_MOCK_STRINGS_H
#define STROBE_CHECK_MOCK_STRINGS_H

#include <stddef.h>
#include <stdint.h>
#include <strobe/exporter.h>

/* A table of texts. A table of zeros is empty. */
typedef struct MockStrings {
    StrobeText *texts; /* indexed by id */
    size_t n, room;
    uint32_t *buckets; /* hash table of ids, by hash of the bytes; 0: free */
    size_t n_buckets;
} MockStrings;

uint32_t strobe_mock_strings_id(MockStrings *strings, const char *bytes, size_t length);
/* Returns the text with this id, empty for an unknown id. */
StrobeText strobe_mock_strings_text(const MockStrings *strings, uint32_t id);
void strobe_mock_strings_clear(MockStrings *strings);

#endif
