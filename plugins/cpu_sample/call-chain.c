/* SPDX-License-Identifier: Apache-2.0 */
#include "call-chain.h"

#include <linux/perf_event.h>
#include <string.h>

#define FRAMES_MAX 256
#define TEXT_MAX 4352

/* An id that is good for one record only is not kept. */
static void keep_id(NumberTable *frames, uint64_t address, StrobeStringId id)
{
    if (strobe_string_is_lasting(id))
        number_table_add(frames, address, id);
}

static StrobeStringId intern_user(CallChains *chains, StrobeWriter *writer, const MappedCode *code,
                                  uint64_t address)
{
    CodeObject *object = code->object;
    char text[TEXT_MAX];
    uint64_t place = code_object_address(object, address - code->begin + code->offset);
    StrobeStringId id = (StrobeStringId)number_table_find(&object->frames, place);

    if (id)
        return id;
    if (object->path[0] == '/') {
        size_t length =
            strobe_native_frame_write(text, sizeof text, object->path, &object->build_id, place);
        id = chains->host->intern(writer, text, length);
    } else
        id = chains->host->intern(writer, object->path, strlen(object->path));
    keep_id(&object->frames, place, id);
    return id;
}

static StrobeStringId intern_kernel(CallChains *chains, StrobeWriter *writer, uint64_t address)
{
    char text[TEXT_MAX];
    StrobeStringId id = (StrobeStringId)number_table_find(&chains->kernel_frames, address);

    if (id)
        return id;
    kernel_symbols_name(chains->kernel, address, text, sizeof text);
    id = chains->host->intern(writer, text, strlen(text));
    keep_id(&chains->kernel_frames, address, id);
    return id;
}

/* All but the innermost are return addresses: the call lies before them. */
StrobeStackId call_chain_intern(CallChains *chains, StrobeWriter *writer, const AddressSpace *space,
                                const uint64_t *addresses, size_t n)
{
    StrobeStringId frames[FRAMES_MAX];
    size_t n_frames = 0;
    int is_kernel = 0, is_innermost = 1;

    for (size_t i = 0; i < n && n_frames < FRAMES_MAX; i++) {
        uint64_t address = addresses[i];
        if (address >= (uint64_t)PERF_CONTEXT_MAX) {
            is_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
            is_innermost = 1; /* of the user's frames too, where the call into the kernel is */
            continue;
        }
        address -= !is_innermost;
        is_innermost = 0;
        const MappedCode *code = is_kernel ? NULL : address_space_find(space, address);
        if (!is_kernel && !code)
            break;
        frames[n_frames++] = is_kernel ? intern_kernel(chains, writer, address)
                                       : intern_user(chains, writer, code, address);
    }
    return n_frames ? chains->host->stack(writer, frames, n_frames) : 0;
}

int call_chains_prepare(CallChains *chains)
{
    if (!chains->kernel)
        chains->kernel = kernel_symbols_open("/proc/kallsyms");
    return !chains->kernel || kernel_symbols_read(chains->kernel);
}

void call_chains_clear(CallChains *chains)
{
    kernel_symbols_free(chains->kernel);
    number_table_clear(&chains->kernel_frames);
}
