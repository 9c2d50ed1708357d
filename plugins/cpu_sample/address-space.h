/* SPDX-License-Identifier: Apache-2.0 */
/* The executable mappings of a process. */
#ifndef STROBE_CPU_SAMPLE_ADDRESS_SPACE_H
#define STROBE_CPU_SAMPLE_ADDRESS_SPACE_H

#include "code-object.h"

typedef struct MappedCode {
    uint64_t begin, end, offset;
    CodeObject *object;
} MappedCode;

typedef struct AddressSpace {
    MappedCode *mapped; /* sorted by address, without overlap */
    size_t n, room;
    CodeObject *dump;   /* the jitdump that lists code that is in no file; NULL: none */
    uint64_t n_changes; /* number of mappings that were added */
} AddressSpace;

/* Adds a mapping, which replaces the mappings, or parts of mappings, in its range. */
void address_space_add(AddressSpace *space, const MappedCode *code);

/* Returns the mapping that contains the address; NULL: there is none. */
const MappedCode *address_space_find(const AddressSpace *space, uint64_t address);

void address_space_empty(AddressSpace *space);
void address_space_copy(AddressSpace *space, const AddressSpace *from);
void address_space_clear(AddressSpace *space);

/* Replaces all mappings by the current mappings of the process (/proc/PID/maps). Returns -1 with
 * errno if this file cannot be read. */
int address_space_read(AddressSpace *space, CodeObjects *objects, pid_t pid);

#endif
