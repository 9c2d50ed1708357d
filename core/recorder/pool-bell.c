/* SPDX-License-Identifier: Apache-2.0 */
#include "pool-bell.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void strobe_bell_ring(_Atomic uint32_t *bell)
{
    atomic_fetch_add(bell, 1);
    syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void strobe_bell_wait(_Atomic uint32_t *bell, uint32_t seen, int64_t ns)
{
    struct timespec time = {ns / 1000000000, ns % 1000000000};

    if (atomic_load(bell) == seen)
        syscall(SYS_futex, bell, FUTEX_WAIT, seen, &time, NULL, 0);
}
