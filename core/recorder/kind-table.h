/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of a session and their ids. libc only. */
#ifndef STROBE_CORE_KIND_TABLE_H
#define STROBE_CORE_KIND_TABLE_H

#include <stddef.h>
#include <strobe/record.h>
#include "pool.h"

/* Ids of the kinds that the core itself writes: their positions in strobe_standard_kinds, from
 * 1. */
#define STROBE_KIND_ID_MARKER 4u
#define STROBE_KIND_ID_MARKER_INSTANT 5u
#define STROBE_KIND_ID_COUNTER 6u
#define STROBE_KIND_ID_LOSS 10u
#define STROBE_KIND_ID_DIAGNOSTIC 12u

/* Registers a kind and returns its id (from 1). An equal declaration gets the existing id. 0: the
 * kind is rejected; `error` receives the reason, with the name of the field. Control thread. */
uint32_t strobe_kind_register(struct pool_header *header, const StrobeKind *kind, char *error,
                              size_t size);

/* Returns the id of a standard kind, 0 before strobe_kind_begin(). */
uint32_t strobe_kind_id(const StrobeKind *kind);

/* Removes all kinds and registers the standard raw kinds. */
void strobe_kind_begin(struct pool_header *header);

/* In the writer process: takes over the kinds that the program has registered, first those of
 * strobe_kind_begin(), then `more`. The pool's definition of each kind must equal the declaration
 * in this process. No further kinds can be registered afterwards. */
void strobe_kind_join(struct pool_header *header, const StrobeKind *const *more, size_t n_more);

#endif
