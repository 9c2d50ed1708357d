/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of kinds: checks whether they are valid, equal or compatible, and writes their
 * stored form. libc only. */
#ifndef STROBE_CORE_KIND_DECLARATION_H
#define STROBE_CORE_KIND_DECLARATION_H

#include <stddef.h>
#include <strobe/record.h>

/* Head of a kind's stored definition. After it come the NUL-terminated texts name and summary, then
 * for each field one byte of type and the texts name, unit and summary; padded to a multiple of 8
 * bytes. */
struct strobe_stored_kind {
    uint32_t bytes; /* size of the whole definition */
    uint32_t id;
    uint32_t shape;
    uint32_t n_fields;
};

/* Is the declaration valid? If not, returns 0 and writes the reason to `error`. */
int strobe_kind_check(const StrobeKind *kind, char *error, size_t size);
/* Do the declarations have the same shape and fields? Units and summaries may differ. */
int strobe_kind_is_same(const StrobeKind *a, const StrobeKind *b);
/* May `kind` exist together with `old`, a kind of the same name? It may if it only adds fields
 * named plugin.field. Otherwise writes the reason to `error`. */
int strobe_kind_is_extension(const StrobeKind *kind, const StrobeKind *old, char *error,
                             size_t size);
/* Returns the size of the stored definition in bytes, a multiple of 8. */
size_t strobe_kind_stored_bytes(const StrobeKind *kind);
/* Writes the stored definition to `base`, which is aligned to 8. */
void strobe_kind_put(char *base, const StrobeKind *kind, uint32_t id);

#endif
