/* SPDX-License-Identifier: Apache-2.0 */
/* The size of each allocated block, by its address, for collectors of memory: a release does not
 * say the size. One table for the process. libc only. Since 1.0. */
#ifndef STROBE_HELPERS_BLOCK_TABLE_H
#define STROBE_HELPERS_BLOCK_TABLE_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Places in the process's own data, and in the first part of the memory that is mapped. */
#define STROBE_BLOCKS_NEAR 16384u
#define STROBE_BLOCKS_FAR 1048576u

/* Makes room for `n_blocks` at once, or as many as there can be; once per process. Returns the
 * places, of which seven in eight can be had at least; without memory only those near have room.
 * What is mapped is touched as it is used: 16 bytes a block. Control thread. */
uint64_t strobe_blocks_prepare(uint64_t n_blocks);

/* These may come from any thread and never wait, allocate or call the system. An address may be
 * added by one thread and taken by another, as the memory itself may: never both at a time. */

/* 1; or 0: there is no room. *before is the size of a block that was at the address already, whose
 * release nobody told, else 0. */
int strobe_blocks_add(uint64_t address, uint64_t size, uint64_t *before);
/* 1 and the block's size, 0: there is none. */
int strobe_blocks_take(uint64_t address, uint64_t *size);

#if defined(__cplusplus)
}
#endif

#endif
