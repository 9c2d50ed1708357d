/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores records one after the other in a buffer, and passes them to the host in bulk.
 *
 * Only one thread at a time may use an emitter. Texts are identified by their address: the vendor's
 * library never frees them, and keeps equal texts at one address.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_EMITTER_H
#define STROBE_PLUGINS_NPU_TASK_EMITTER_H

#include <strobe/collector.h>

#define NPU_STAGE_BYTES 16384u /* fits the first-level cache; at most STROBE_BULK_MAX */
#define NPU_TEXTS 16384u

typedef struct NpuText {
    const char *at;
    StrobeStringId id;
    StrobeStringId core; /* the core type, if the text is a kernel's type */
    /* mix_block_num of a kernel of this type: 0 if all its cores have the same type; else absent */
    uint32_t mix_block_num;
} NpuText;

typedef struct NpuEmitter {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeWriter *writer; /* NULL: nothing is recorded */
    uint32_t used, n;
    uint16_t flags;       /* flags of the next record: STROBE_RECORD_OF_WINDOW */
    int has_passing_text; /* the next record uses a string id that is valid only for this record */
    uint32_t n_texts;
    NpuText passing;
    NpuText texts[NPU_TEXTS];
    uint64_t stage[NPU_STAGE_BYTES / 8];
} NpuEmitter;

/* Begins a session: forgets the string ids of the previous session. */
void npu_emitter_open(NpuEmitter *emitter, const StrobeHost *host, StrobeInstance *self);

/* Lets the calling thread record until npu_emitter_end(). Returns 0 if no window records. */
int npu_emitter_begin(NpuEmitter *emitter);
void npu_emitter_end(NpuEmitter *emitter);

/* Passes the records in the buffer to the host. */
void npu_emitter_flush(NpuEmitter *emitter);

/* Returns the text's ids. One record may have at most four new texts, which must be looked up right
 * before the record. The id of NULL and "" is 0. */
const NpuText *npu_emitter_find_text(NpuEmitter *emitter, const char *text);

static inline const NpuText *npu_emitter_text(NpuEmitter *emitter, const char *text)
{
    uint32_t slot = (uint32_t)(((uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15)) >> 50);

    if (__builtin_expect(text && emitter->texts[slot].at == text, 1))
        return &emitter->texts[slot];
    return npu_emitter_find_text(emitter, text);
}

static inline StrobeStringId npu_emitter_text_id(NpuEmitter *emitter, const char *text)
{
    return npu_emitter_text(emitter, text)->id;
}

/* Adds a record to the buffer and returns its fields, `size` bytes, which the caller must fill.
 * `end` NULL: the record is an instant. */
static inline void *npu_emitter_put(NpuEmitter *emitter, StrobeKindId kind, uint32_t size,
                                    StrobeTrackId track, StrobeStringId name, uint64_t begin,
                                    const uint64_t *end)
{
    uint32_t words = 3u + (end != NULL) + size / 8;

    if (__builtin_expect(emitter->used + words > NPU_STAGE_BYTES / 8, 0))
        npu_emitter_flush(emitter);
    uint64_t *out = emitter->stage + emitter->used;
    const StrobeRecordHeader header = {(uint16_t)(words | STROBE_RECORD_HAS_TRACK | emitter->flags),
                                       (uint16_t)kind, name};
    __builtin_memcpy(out++, &header, sizeof header);
    *out++ = begin;
    if (end)
        *out++ = *end;
    *out++ = track;
    emitter->used += words;
    emitter->n++;
    emitter->flags = 0;
    return out;
}

/* Must be called when the record's fields are filled. */
static inline void npu_emitter_done(NpuEmitter *emitter)
{
    if (__builtin_expect(emitter->has_passing_text, 0))
        npu_emitter_flush(emitter);
}

#endif
