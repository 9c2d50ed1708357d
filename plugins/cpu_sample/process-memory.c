/* SPDX-License-Identifier: Apache-2.0 */
#include "process-memory.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

int process_memory_read_live(void *user, uint64_t address, void *to, size_t size)
{
    const struct iovec here = {to, size};
    const struct iovec there = {(void *)(uintptr_t)address, size};
    ssize_t n = process_vm_readv(*(const pid_t *)user, &here, 1, &there, 1, 0);

    if (n == (ssize_t)size)
        return 0;
    if (n >= 0)
        errno = EFAULT;
    return -1;
}

void process_memory_refresh(ProcessMemory *memory)
{
    memory->n_pages = memory->next = 0;
}

static const char *find_page(ProcessMemory *memory, uint64_t address)
{
    for (uint32_t i = 0; i < memory->n_pages; i++)
        if (memory->addresses[i] == address)
            return memory->pages[i];
    uint32_t place = memory->next;
    if (memory->n_pages == place)
        memory->n_pages++;
    memory->addresses[place] = UINT64_MAX; /* invalid until the page is read completely */
    memory->next = (place + 1) % MEMORY_PAGES_MAX;
    if (memory->read(memory->user, address, memory->pages[place], MEMORY_PAGE) != 0)
        return NULL;
    memory->addresses[place] = address;
    return memory->pages[place];
}

static int read_number(ProcessMemory *memory, uint64_t address, void *value, size_t size)
{
    const char *page;

    if (address < MEMORY_PAGE || address % size != 0) {
        errno = EFAULT;
        return -1;
    }
    page = find_page(memory, address & ~(uint64_t)(MEMORY_PAGE - 1));
    if (!page)
        return -1;
    memcpy(value, page + address % MEMORY_PAGE, size);
    return 0;
}

int process_memory_word(ProcessMemory *memory, uint64_t address, uint64_t *value)
{
    return read_number(memory, address, value, sizeof *value);
}

int process_memory_half(ProcessMemory *memory, uint64_t address, uint32_t *value)
{
    return read_number(memory, address, value, sizeof *value);
}

int process_memory_byte(ProcessMemory *memory, uint64_t address, uint8_t *value)
{
    return read_number(memory, address, value, sizeof *value);
}
