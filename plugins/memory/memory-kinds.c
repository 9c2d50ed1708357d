/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-kinds.h"

static const StrobeField tensor_use_fields[] = {
    STROBE_FIELD("address", U64, "", "Address of its storage's memory."),
    STROBE_FIELD("bytes", U64, "B", "Size of its storage."),
    STROBE_FIELD("input", U32, "", "Number of the input."),
    STROBE_FIELD("is_written", BOOL, "", "The operator writes to it."),
    STROBE_FIELD("is_leaf", BOOL, "", "A gradient is gathered for it."),
};
const StrobeKind memory_kind_tensor_use = STROBE_KIND(
    "memory.tensor_use", INSTANT, tensor_use_fields, "A tensor among the inputs of an operator.");

static const StrobeField tensor_role_fields[] = {
    STROBE_FIELD("address", U64, "", "Address of its storage's memory."),
    STROBE_FIELD("bytes", U64, "B", "Size of its storage."),
    STROBE_FIELD("role", U32, "", "0 parameter, 1 gradient, 2 state of an optimizer."),
};
const StrobeKind memory_kind_tensor_role =
    STROBE_KIND("memory.tensor_role", INSTANT, tensor_role_fields,
                "What a tensor is for, as the program says.");
