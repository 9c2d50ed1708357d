/* SPDX-License-Identifier: Apache-2.0 */
#include "heap-kinds.h"

#define FIELD(name_, type_, unit_, summary_)                                                       \
    {.name = name_, .type = STROBE_FIELD_##type_, .unit = unit_, .summary = summary_}

static const StrobeField block_fields[] = {
    FIELD("address", U64, "", "Address."),
    FIELD("size", I64, "B", "Bytes asked for, negative: given back."),
    FIELD("total", I64, "B", "Of the recorded blocks that are allocated after it."),
    FIELD("weight", F64, "", "Blocks like it that it stands for; 1 without sampling."),
    FIELD("stack", STACK, "", "Call path of an allocation."),
};
const StrobeKind heap_kind_block = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_MEMORY,
    .name = "heap.block",
    .summary = "One allocation of the C library, or its release.",
    .fields = block_fields,
    .n_fields = sizeof block_fields / sizeof block_fields[0],
};

static const StrobeField cost_fields[] = {
    FIELD("allocations", U64, "", "Allocations that were recorded."),
    FIELD("releases", U64, "", "Releases that were recorded."),
    FIELD("duration", I64, "ns", "Time in recording them, of all threads."),
};
const StrobeKind heap_kind_cost = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_INSTANT,
    .name = "heap.cost",
    .summary = "What a window's recording of the heap took.",
    .fields = cost_fields,
    .n_fields = sizeof cost_fields / sizeof cost_fields[0],
};
