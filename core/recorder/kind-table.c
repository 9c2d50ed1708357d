/* SPDX-License-Identifier: Apache-2.0 */
#include "kind-table.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strobe/kinds.h>
#include "kind-declaration.h"
#include "lane.h"
#include "testpoint.h"

static const StrobeKind *kinds[STROBE_KINDS_MAX]; /* by id; declarations are never unloaded */
static _Atomic uint32_t n_kinds;                  /* counted when all of the last one is there */

/* Writes the definition behind the others; 0 when there is no room. */
static int store(struct pool_header *header, const StrobeKind *kind, uint32_t id)
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
    if (n_kinds + 1 >= STROBE_KINDS_MAX || !store(header, kind, n_kinds + 1)) {
        snprintf(error, size, "too many kinds (at most %u)", STROBE_KINDS_MAX - 1);
        return 0;
    }
    uint32_t id = n_kinds + 1;
    uint32_t has_end = kind->shape == STROBE_SHAPE_SPAN;
    kinds[id] = kind;
    uint16_t words = (uint16_t)(2 + has_end + (strobe_kind_offset(kind, kind->n_fields) + 7) / 8);
    strobe_lane_kinds[id] = (struct lane_kind){
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

void strobe_kind_begin(struct pool_header *header)
{
    char error[256];

    n_kinds = 0;
    memset(strobe_lane_kinds, 0, sizeof strobe_lane_kinds);
    /* Kinds of devices and of the host are in a capture when someone declares them; derived kinds
     * are the readers' business and never are. */
    for (const StrobeKind *const *kind = strobe_standard_kinds; *kind; kind++) {
        if (*kind == &strobe_kind_api_call)
            break;
        strobe_kind_register(header, *kind, error, sizeof error);
    }
}
