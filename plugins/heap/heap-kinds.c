/* SPDX-License-Identifier: Apache-2.0 */
#include "heap-kinds.h"

static const StrobeField block_fields[] = {
    STROBE_FIELD("address", U64, "", "Address."),
    STROBE_FIELD("size", I64, "B", "Requested bytes; negative: a release."),
    STROBE_FIELD("total", I64, "B",
                 "Bytes of all recorded blocks that are allocated after this record."),
    STROBE_FIELD("weight", F64, "",
                 "How many allocations of this size the record represents; 1 without sampling."),
    STROBE_FIELD("stack", STACK, "", "Call path of an allocation."),
};
const StrobeKind heap_kind_block = STROBE_KIND("heap.block", MEMORY, block_fields,
                                               "One allocation of the C library, or its release.");

static const StrobeField cost_fields[] = {
    STROBE_FIELD("allocations", U64, "", "Allocations that were recorded."),
    STROBE_FIELD("releases", U64, "", "Releases that were recorded."),
    STROBE_FIELD("duration", I64, "ns", "Time that recording took, summed over all threads."),
};
const StrobeKind heap_kind_cost =
    STROBE_KIND("heap.cost", INSTANT, cost_fields, "The cost of recording the heap in a window.");
