/* SPDX-License-Identifier: Apache-2.0 */
/* The fake collector's own kinds, and the standard kind that it extends. */
#ifndef STROBE_PLUGINS_FAKE_KINDS_H
#define STROBE_PLUGINS_FAKE_KINDS_H

#include <strobe/kinds.h>

/* "fake.pulse": a span with a field of every type. */
struct fake_pulse {
    uint8_t byte;
    uint32_t count;
    int32_t difference;
    uint64_t check; /* fake_check(seed, window, source, number): detects a torn record */
    int64_t offset;
    double ratio;
    uint8_t flag;
    StrobeStringId text;
    StrobeStackId stack;
    StrobeTrackId place;
    uint64_t link;
};

/* "fake.block": memory taken (size > 0) or given back (size < 0). */
struct fake_block {
    uint64_t address;
    int64_t size;
};

/* "fake.pair": joins two records by ids. */
struct fake_pair {
    uint64_t from, to;
};

extern const StrobeKind fake_kind_pulse;
extern const StrobeKind fake_kind_block;
extern const StrobeKind fake_kind_pair;

#define FAKE_EXTRA_FIELD "fake.extra"

/* Makes the kind "cpu_op" with the field fake.extra (u32) after the standard fields. `fields` has
 * room for STROBE_KIND_FIELDS_MAX fields and must live as long as the kind. */
void fake_extend_cpu_op(StrobeKind *kind, StrobeField *fields);

#endif
