/* SPDX-License-Identifier: Apache-2.0 */
#include "kind-table.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include "kind-declaration.h"
#include "thread-buffer.h"
#include "testpoint.h"

/* indexed by id; plugins with their declarations are never unloaded */
static const StrobeKind *kinds[STROBE_KINDS_MAX];
static _Atomic uint32_t n_kinds; /* incremented when a new entry of `kinds` is complete */
/* In the writer process: number of bytes of the pool's definitions that this process has already
 * matched with declarations. */
static uint32_t joined_bytes;
static int is_joined, is_joining;

/* Appends the definition of `kind` to the pool. Returns 0 if there is no room. */
static int store_kind(struct pool_header *header, const StrobeKind *kind, uint32_t id)
{
    uint32_t used = atomic_load(&header->kinds_used);
    size_t bytes = strobe_kind_stored_bytes(kind);

    if (used + bytes > STROBE_POOL_KIND_BYTES)
        return 0;
    strobe_kind_put((char *)strobe_pool_at(header, header->kinds_at) + used, kind, id);
    STROBE_TESTPOINT("kind-stored");
    atomic_store_explicit(&header->kinds_used, used + (uint32_t)bytes, memory_order_release);
    return 1;
}

/* Is the definition of `kind` the next of the program's definitions in the pool? If so, goes on to
 * the definition after it. */
static int find_stored(const struct pool_header *header, const StrobeKind *kind, uint32_t id)
{
    size_t bytes = strobe_kind_stored_bytes(kind);
    const char *there = (const char *)strobe_pool_at(header, header->kinds_at) + joined_bytes;

    if (!is_joining || bytes > STROBE_POOL_KIND_BYTES - joined_bytes)
        return 0;
    char *wanted = malloc(bytes);
    int is_there = wanted != NULL;
    if (wanted) {
        strobe_kind_put(wanted, kind, id);
        is_there = memcmp(wanted, there, bytes) == 0;
        free(wanted);
    }
    joined_bytes += is_there ? (uint32_t)bytes : 0;
    return is_there;
}

static int place_definition(struct pool_header *header, const StrobeKind *kind, uint32_t id,
                            char *error, size_t size)
{
    if (is_joined && !find_stored(header, kind, id))
        return snprintf(error, size,
                        "\"%s\" is not among the kinds that the component declares, which it must "
                        "be to be recorded outside of the program",
                        kind->name),
               0;
    if (is_joined || store_kind(header, kind, id))
        return 1;
    snprintf(error, size, "too many kinds (at most %u)", STROBE_KINDS_MAX - 1);
    return 0;
}

uint32_t strobe_kind_register(struct pool_header *header, const StrobeKind *kind, char *error,
                              size_t size)
{
    uint32_t family = 0;

    if (!kind || !strobe_kind_check(kind, error, size))
        return 0;
    for (uint32_t id = 1; id <= n_kinds; id++) {
        if (strcmp(kinds[id]->name, kind->name))
            continue;
        family = family ? family : id;
        if (strobe_kind_is_same(kind, kinds[id]))
            return id;
        if (!strobe_kind_is_extension(kind, kinds[id], error, size))
            return 0;
    }
    if (n_kinds + 1 >= STROBE_KINDS_MAX) {
        snprintf(error, size, "too many kinds (at most %u)", STROBE_KINDS_MAX - 1);
        return 0;
    }
    if (!place_definition(header, kind, n_kinds + 1, error, size))
        return 0;
    uint32_t id = n_kinds + 1;
    uint32_t has_end = kind->shape == STROBE_SHAPE_SPAN;
    kinds[id] = kind;
    uint16_t words = (uint16_t)(2 + has_end + (strobe_kind_offset(kind, kind->n_fields) + 7) / 8);
    strobe_thread_buffer_kinds[id] = (struct thread_buffer_kind){
        .words = words,
        .has_end = (uint16_t)has_end,
        .span_words = has_end ? words : 0,
        .family = (uint16_t)(family ? family : id),
    };
    n_kinds = id;
    return id;
}

uint32_t strobe_kind_id(const StrobeKind *kind)
{
    for (uint32_t id = 1; id <= n_kinds; id++)
        if (kinds[id] == kind || strcmp(kinds[id]->name, kind->name) == 0)
            return id;
    return 0;
}

void strobe_kind_join(struct pool_header *header, const StrobeKind *const *more, size_t n_more)
{
    char error[512];

    is_joined = is_joining = 1;
    joined_bytes = 0;
    strobe_kind_begin(header);
    for (size_t i = 0; i < n_more; i++)
        strobe_kind_register(header, more[i], error, sizeof error);
    is_joining = 0;
}

void strobe_kind_begin(struct pool_header *header)
{
    char error[512];

    n_kinds = 0;
    memset(strobe_thread_buffer_kinds, 0, sizeof strobe_thread_buffer_kinds);
    /* Registers only the core's raw kinds. Kinds of devices and of the host are in a capture only
     * if a component declares them. Derived kinds are never in a capture, because readers make
     * them. */
    for (const StrobeKind *const *kind = strobe_standard_kinds; *kind; kind++) {
        if (*kind == &strobe_kind_api_call)
            break;
        strobe_kind_register(header, *kind, error, sizeof error);
    }
}
