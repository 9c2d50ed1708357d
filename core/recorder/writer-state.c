/* SPDX-License-Identifier: Apache-2.0 */
#include "writer-state.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int strobe_writer_hold_word(struct pool_header *pool)
{
    /* The kernel reads this list when the thread ends. It is not the C library's list of robust
     * futexes, whose pointers would be in the pool, where the program could change them. */
    static struct robust_list entry;
    static struct robust_list_head head;
    _Atomic uint32_t *word = &pool->control.writer;

    entry.next = &head.list;
    head.list.next = &entry;
    head.futex_offset = (long)((intptr_t)word - (intptr_t)&entry);
    atomic_store(word, (uint32_t)syscall(SYS_gettid));
    return syscall(SYS_set_robust_list, &head, sizeof head) ? errno : 0;
}
