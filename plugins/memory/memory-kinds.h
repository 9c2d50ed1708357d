/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of this plugin: facts that distinguish blocks of memory. */
#ifndef STROBE_PLUGINS_MEMORY_KINDS_H
#define STROBE_PLUGINS_MEMORY_KINDS_H

#include <strobe/record.h>

/* "memory.tensor_use": a tensor among the inputs of an operator as that begins, of each operator
 * within another one as well; on the thread's track, named by the operator. */
struct memory_tensor_use {
    uint64_t address; /* of its storage's memory */
    uint64_t bytes;   /* B; of that */
    uint32_t input;   /* number of the input */
    uint8_t is_written;
    uint8_t is_leaf; /* a gradient is gathered for it */
};

enum { MEMORY_ROLE_PARAMETER = 0, MEMORY_ROLE_GRADIENT = 1, MEMORY_ROLE_OPTIMIZER_STATE = 2 };
#define MEMORY_N_ROLES 3

/* "memory.tensor_role": what the program says that a tensor is for. */
struct memory_tensor_role {
    uint64_t address; /* of its storage's memory */
    uint64_t bytes;   /* B; of that */
    uint32_t role;    /* MEMORY_ROLE_* */
};

extern const StrobeKind memory_kind_tensor_use, memory_kind_tensor_role;

#endif
