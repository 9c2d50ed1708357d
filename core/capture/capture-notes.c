/* SPDX-License-Identifier: Apache-2.0 */
#include "capture-notes.h"

#include <string.h>
#include <strobe/exporter.h>
#include <strobe/kinds.h>
#include "kind-table.h"
#include "span-names.h"

/* Writes an inline string with an id that no thread buffer uses. Returns its number of words. */
static uint32_t put_text(uint64_t *out, uint32_t id, const char *text, size_t size)
{
    size_t n = strnlen(text, size);
    uint32_t words = (uint32_t)(2 + (n + 7) / 8);

    out[0] = (uint64_t)id << 32 | (uint64_t)STROBE_KIND_STRING << 16 | words;
    out[words - 1] = 0;
    out[1] = n;
    memcpy(out + 2, text, n);
    return words;
}

static uint32_t put_diagnostic(uint64_t *out, const struct pool_note *note, uint32_t id,
                               uint32_t track, uint64_t ticks)
{
    const struct strobe_diagnostic fields = {id + 1, STROBE_LOG_WARNING};
    uint32_t at = put_text(out, id, note->component, sizeof note->component);
    uint32_t words = 3 + sizeof fields / 8;

    at += put_text(out + at, id + 1, note->text, sizeof note->text);
    out[at] = (uint64_t)id << 32 | (uint64_t)STROBE_KIND_ID_DIAGNOSTIC << 16 |
              STROBE_RECORD_HAS_TRACK | words;
    out[at + 1] = ticks;
    out[at + 2] = track;
    memcpy(out + at + 3, &fields, sizeof fields);
    return at + words;
}

int strobe_capture_write_notes(const struct pool_header *pool, StrobeCaptureWriter *writer,
                               uint64_t ticks)
{
    const uint32_t first_id =
        STROBE_NAME_IS_KEPT | (STROBE_POOL_THREAD_BUFFERS * STROBE_POOL_SPANS);
    const struct pool_notes *notes = &pool->notes;
    uint64_t *out = (uint64_t *)(void *)writer->buffer;
    uint32_t at = 0, track = atomic_load(&notes->track);

    for (uint32_t i = 0; i < STROBE_NOTES; i++)
        if (atomic_load(&notes->missing[i].is_set))
            at += put_diagnostic(out + at, &notes->missing[i], first_id + 2 * i, track, ticks);
    return at ? strobe_capture_write_block(writer, STROBE_BLOCK_RECORDS, writer->buffer, 8 * at)
              : 0;
}
