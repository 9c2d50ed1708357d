/* SPDX-License-Identifier: Apache-2.0 */
/* A table of the allocated blocks of the process, from address to size. Collectors of memory need
 * it because a release states only the address. A process has one such table. libc only. Since
 * 1.0. */
#ifndef STROBE_HELPERS_BLOCK_TABLE_H
#define STROBE_HELPERS_BLOCK_TABLE_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* STROBE_BLOCKS_NEAR entries are in static memory. When these are full, a mapped part of
 * STROBE_BLOCKS_FAR entries is used; further parts are larger. */
#define STROBE_BLOCKS_NEAR 16384u
#define STROBE_BLOCKS_FAR 1048576u

/* Makes room for `n_blocks` at the same time, or for as many as memory allows. Call it once per
 * process. Returns the number of entries; at least seven in eight can be used. If no memory is
 * available, only the STROBE_BLOCKS_NEAR entries exist. Mapped memory is touched only as entries
 * are used: 16 bytes for each block. Control thread. */
uint64_t strobe_blocks_prepare(uint64_t n_blocks);

/* Any thread may call these functions; they never wait, allocate or make a system call. One thread
 * may add an address and another take it (as one may allocate memory and another free it), but not
 * at the same time. */

/* Returns 1, or 0 if there is no room. *before receives the size of a block that was already at
 * the address because its release was not reported, otherwise 0. */
int strobe_blocks_add(uint64_t address, uint64_t size, uint64_t *before);
/* Returns 1 and the block's size, or 0 if there is no such block. */
int strobe_blocks_take(uint64_t address, uint64_t *size);

#if defined(__cplusplus)
}
#endif

#endif
