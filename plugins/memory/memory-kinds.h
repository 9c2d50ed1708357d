/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of this plugin: uses and roles of tensors, from which an exporter classifies blocks of
 * memory. */
#ifndef STROBE_PLUGINS_MEMORY_KINDS_H
#define STROBE_PLUGINS_MEMORY_KINDS_H

#include <strobe/record.h>

/* "memory.tensor_use": an input tensor of an operator, recorded when the operator begins, for
 * nested operators too; on the thread's track, named after the operator. */
struct memory_tensor_use {
    uint64_t address; /* address of its storage's memory */
    uint64_t bytes;   /* B; size of that memory */
    uint32_t input;   /* number of the input */
    uint8_t is_written;
    uint8_t is_leaf; /* PyTorch accumulates a gradient for it */
};

enum { MEMORY_ROLE_PARAMETER = 0, MEMORY_ROLE_GRADIENT = 1, MEMORY_ROLE_OPTIMIZER_STATE = 2 };
#define MEMORY_N_ROLES 3

/* "memory.tensor_role": the role that the program gives to a tensor. */
struct memory_tensor_role {
    uint64_t address; /* address of its storage's memory */
    uint64_t bytes;   /* B; size of that memory */
    uint32_t role;    /* MEMORY_ROLE_* */
};

extern const StrobeKind memory_kind_tensor_use, memory_kind_tensor_role;

#endif
