/* SPDX-License-Identifier: Apache-2.0 */
/* The library's iteration over a buffer, with its faults: it keeps one position for each thread,
 * independently of the buffer and the record that are passed, and resets the position only at the
 * end of a buffer. */
#include <stdint.h>
#include <string.h>

#include "double-buffers.h"

int msptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);

__attribute__((visibility("default"))) int msptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
                                                                      uint8_t **record)
{
    static _Thread_local size_t at;
    uint32_t kind;

    if (!buffer)
        return 1;
    if (at >= valid) {
        at = 0;
        return 3;
    }
    memcpy(&kind, buffer + at, sizeof kind);
    size_t size = double_size_of(kind);
    if (!size)
        return 999;
    *record = buffer + at;
    at += size;
    return 0;
}
