/* SPDX-License-Identifier: Apache-2.0 */
#include "emitter.h"

#include <string.h>

#include "core-types.h"

#define LENGTH_MAX 65536u
#define PROBES 64u

void npu_emitter_open(NpuEmitter *emitter, const StrobeHost *host, StrobeInstance *self)
{
    memset(emitter, 0, offsetof(NpuEmitter, stage));
    emitter->host = host;
    emitter->self = self;
}

int npu_emitter_begin(NpuEmitter *emitter)
{
    emitter->writer = emitter->host->writer(emitter->self);
    return emitter->writer != NULL;
}

void npu_emitter_end(NpuEmitter *emitter)
{
    npu_emitter_flush(emitter);
    emitter->writer = NULL;
}

/* Passes the records in the buffer to the host. If the host has no room for them, it counts
 * them. */
void npu_emitter_flush(NpuEmitter *emitter)
{
    uint32_t bytes = emitter->used * 8;
    void *out = NULL;

    if (emitter->n && emitter->writer)
        out = emitter->host->reserve_bulk(emitter->writer, bytes, emitter->n);
    if (out) {
        memcpy(out, emitter->stage, bytes);
        emitter->host->commit(emitter->writer);
    }
    emitter->used = emitter->n = 0;
    emitter->has_passing_text = 0;
}

static StrobeStringId intern_text(NpuEmitter *emitter, const char *text)
{
    return emitter->host->intern(emitter->writer, text, strnlen(text, LENGTH_MAX));
}

/* Interns a text. A string id that does not last must be interned right before its record, so the
 * records in the buffer are first passed to the host. */
static NpuText describe_text(NpuEmitter *emitter, const char *text)
{
    const char *core = npu_core_type(text);
    NpuText made = {.at = text,
                    .mix_block_num = core && strncmp(core, "MIX_", 4) ? 0 : STROBE_ABSENT_U32};

    if (!emitter->has_passing_text)
        npu_emitter_flush(emitter);
    made.id = intern_text(emitter, text);
    if (core)
        made.core = intern_text(emitter, core);
    return made;
}

static int is_lasting(const NpuText *text)
{
    return strobe_string_is_lasting(text->id) &&
           (!text->core || strobe_string_is_lasting(text->core));
}

const NpuText *npu_emitter_find_text(NpuEmitter *emitter, const char *text)
{
    static const NpuText none = {.mix_block_num = STROBE_ABSENT_U32};
    uint32_t first = (uint32_t)(((uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
    NpuText *free = NULL;

    if (!text || !*text || !emitter->writer)
        return &none;
    for (uint32_t i = 0; i < PROBES && !free; i++) {
        NpuText *slot = &emitter->texts[(first + i) % NPU_TEXTS];
        if (slot->at == text)
            return slot;
        if (!slot->at)
            free = slot;
    }
    NpuText made = describe_text(emitter, text);
    if (!is_lasting(&made)) {
        emitter->has_passing_text = 1;
        emitter->passing = made;
        return &emitter->passing;
    }
    /* no entry near `first` is free, so one is replaced; its text is interned again when it is
     * needed */
    if (!free)
        free = &emitter->texts[first];
    *free = made;
    return free;
}
