/* SPDX-License-Identifier: Apache-2.0 */
#include "fake-kinds.h"

#include <string.h>

#define FIELD(name_, type_, summary_) STROBE_FIELD(name_, type_, "", summary_)
#define KIND(symbol_, ...) const StrobeKind fake_kind_##symbol_ = STROBE_KIND(__VA_ARGS__)

static const StrobeField pulse_fields[] = {
    FIELD("byte", U8, "Low byte of the number."),
    FIELD("count", U32, "Number of the record in its source."),
    FIELD("difference", I32, "The number, negated."),
    FIELD("check", U64, "Checksum of seed, window, source and number."),
    FIELD("offset", I64, "A large negative number."),
    FIELD("ratio", F64, "The number divided by eight."),
    FIELD("flag", BOOL, "The number is odd."),
    FIELD("text", STRING, "The record's name again."),
    FIELD("stack", STACK, "Three frames."),
    FIELD("place", TRACK, "The device stream, if there is one."),
    FIELD("link", LINK, "An id of its own."),
};
KIND(pulse, "fake.pulse", SPAN, pulse_fields, "A simulated span with a field of every type.");

static const StrobeField block_fields[] = {
    FIELD("address", U64, "Simulated address."),
    {.name = "size",
     .type = STROBE_FIELD_I64,
     .unit = "B",
     .summary = "Size; negative: given back."},
};
KIND(block, "fake.block", MEMORY, block_fields, "A simulated allocation or release.");

static const StrobeField pair_fields[] = {
    FIELD("from", LINK, "Id of the one record."),
    FIELD("to", LINK, "Id of the other record."),
};
KIND(pair, "fake.pair", LINK, pair_fields, "A simulated link between two records.");

void fake_extend_cpu_op(StrobeKind *kind, StrobeField *fields)
{
    static const StrobeField extra = FIELD(FAKE_EXTRA_FIELD, U32, "Number of the record.");
    uint32_t n = strobe_kind_cpu_op.n_fields;
    if (n > STROBE_KIND_FIELDS_MAX - 1)
        n = STROBE_KIND_FIELDS_MAX - 1;
    memcpy(fields, strobe_kind_cpu_op.fields, n * sizeof *fields);
    fields[n] = extra;
    *kind = strobe_kind_cpu_op;
    kind->fields = fields;
    kind->n_fields = n + 1;
}
