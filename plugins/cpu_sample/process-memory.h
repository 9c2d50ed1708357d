/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the memory of another process page by page. Any address is allowed: reading fails if the
 * address is not mapped or not aligned. Only one thread at a time may use a reader. */
#ifndef STROBE_CPU_SAMPLE_PROCESS_MEMORY_H
#define STROBE_CPU_SAMPLE_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MEMORY_PAGE 4096u
#define MEMORY_PAGES_MAX 32u

/* Reads exactly `size` bytes. Returns 0, or -1 with errno. */
typedef int (*MemoryRead)(void *user, uint64_t address, void *to, size_t size);

typedef struct ProcessMemory {
    MemoryRead read;
    void *user;
    uint32_t n_pages, next;
    uint64_t addresses[MEMORY_PAGES_MAX];
    char pages[MEMORY_PAGES_MAX][MEMORY_PAGE];
} ProcessMemory;

/* Reads with process_vm_readv; `user` points to the process's pid_t. */
int process_memory_read_live(void *user, uint64_t address, void *to, size_t size);

/* Forgets the pages that were read, so that later calls read them again. */
void process_memory_refresh(ProcessMemory *memory);

/* Read a number of 8, 4 or 1 bytes at an address that is a multiple of its size. Return 0, or -1
 * with errno. */
int process_memory_word(ProcessMemory *memory, uint64_t address, uint64_t *value);
int process_memory_half(ProcessMemory *memory, uint64_t address, uint32_t *value);
int process_memory_byte(ProcessMemory *memory, uint64_t address, uint8_t *value);

#endif
