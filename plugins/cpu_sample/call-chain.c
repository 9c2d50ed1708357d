/* SPDX-License-Identifier: Apache-2.0 */
#include "call-chain.h"

#include <linux/perf_event.h>
#include <string.h>

#define FRAMES_MAX 256
#define TEXT_MAX 4352

/* Adds the id to `frames`, unless the id is valid for only one record. */
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

static size_t append_python(CallChains *chains, StrobeWriter *writer, const PythonStack *stack,
                            StrobeStringId *frames, size_t room)
{
    size_t n = stack->n < room ? stack->n : room;

    for (size_t i = 0; i < n; i++)
        frames[i] = python_code_intern(chains->host, writer, stack->frames[i]);
    return n;
}

/* Iterates over the addresses of a chain. */
typedef struct ChainWalk {
    const AddressSpace *space;
    const uint64_t *addresses;
    size_t n, at;
    /* is_inner: the next address is a return address, before which the call is; 0: it is the
     * innermost address */
    int is_kernel, is_inner;
    uint64_t address;
    const MappedCode *code; /* NULL: the address is of the kernel */
} ChainWalk;

/* Advances to the next address. Returns 0 at the end of the chain. */
static int walk_on(ChainWalk *walk)
{
    while (walk->at < walk->n) {
        uint64_t address = walk->addresses[walk->at++];
        if (address >= (uint64_t)PERF_CONTEXT_MAX) {
            walk->is_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
            /* the first address after a marker is no return address: in the first user frame it is
             * the address of the system call */
            walk->is_inner = 0;
            continue;
        }
        walk->address = address - (uint64_t)walk->is_inner;
        walk->is_inner = 1;
        walk->code = walk->is_kernel ? NULL : address_space_find(walk->space, walk->address);
        return walk->is_kernel || walk->code;
    }
    return 0;
}

int call_chain_has(const AddressSpace *space, const uint64_t *addresses, size_t n,
                   const CodeObject *object)
{
    ChainWalk walk = {.space = space, .addresses = addresses, .n = n};

    while (walk_on(&walk))
        if (walk.code && walk.code->object == object)
            return 1;
    return 0;
}

StrobeStackId call_chain_intern(CallChains *chains, StrobeWriter *writer, const AddressSpace *space,
                                const uint64_t *addresses, size_t n, const PythonCallers *python)
{
    const size_t most = chains->frames_max ? chains->frames_max : FRAMES_MAX;
    ChainWalk walk = {.space = space, .addresses = addresses, .n = n};
    StrobeStringId frames[FRAMES_MAX];
    size_t n_frames = 0;

    while (n_frames < most && walk_on(&walk)) {
        if (python && walk.code && walk.code->object == python->interpreter) {
            n_frames +=
                append_python(chains, writer, python->stack, frames + n_frames, most - n_frames);
            break;
        }
        frames[n_frames++] = walk.code ? intern_user(chains, writer, walk.code, walk.address)
                                       : intern_kernel(chains, writer, walk.address);
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
