/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-kinds.h"

#define FIELD(name_, type_, unit_, summary_)                                                       \
    {.name = name_, .type = STROBE_FIELD_##type_, .unit = unit_, .summary = summary_}

static const StrobeField tensor_use_fields[] = {
    FIELD("address", U64, "", "Address of its storage's memory."),
    FIELD("bytes", U64, "B", "Size of its storage."),
    FIELD("input", U32, "", "Number of the input."),
    FIELD("is_written", BOOL, "", "The operator writes to it."),
    FIELD("is_leaf", BOOL, "", "A gradient is gathered for it."),
};
const StrobeKind memory_kind_tensor_use = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_INSTANT,
    .name = "memory.tensor_use",
    .summary = "A tensor among the inputs of an operator.",
    .fields = tensor_use_fields,
    .n_fields = sizeof tensor_use_fields / sizeof tensor_use_fields[0],
};

static const StrobeField tensor_role_fields[] = {
    FIELD("address", U64, "", "Address of its storage's memory."),
    FIELD("bytes", U64, "B", "Size of its storage."),
    FIELD("role", U32, "", "0 parameter, 1 gradient, 2 state of an optimizer."),
};
const StrobeKind memory_kind_tensor_role = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_INSTANT,
    .name = "memory.tensor_role",
    .summary = "What a tensor is for, as the program says.",
    .fields = tensor_role_fields,
    .n_fields = sizeof tensor_role_fields / sizeof tensor_role_fields[0],
};
