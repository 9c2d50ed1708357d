/* SPDX-License-Identifier: Apache-2.0 */
#include "lone-pages.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Headers may be older than the system. */
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC (1 << 15)
#endif

static int watcher = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Of writes to protected pages, which there are none of: nobody reads from it. */
static void open_watcher(void)
{
    struct uffdio_api wanted = {.api = UFFD_API, .features = UFFD_FEATURE_WP_ASYNC};

    watcher = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    if (watcher >= 0 && ioctl(watcher, UFFDIO_API, &wanted) != 0) {
        close(watcher);
        watcher = -1;
    }
}

/* Where the system watches for writes to protected pages it takes no pages that were not asked for,
 * as they might be protected. There is no other way to say that of one mapping. */
bool lone_pages_make(void *at, size_t size)
{
    struct uffdio_register wanted = {.range = {.start = (uintptr_t)at, .len = size},
                                     .mode = UFFDIO_REGISTER_MODE_WP};

    pthread_once(&once, open_watcher);
    return watcher >= 0 && ioctl(watcher, UFFDIO_REGISTER, &wanted) == 0;
}
