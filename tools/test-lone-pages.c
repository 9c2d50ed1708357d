/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a mapped file, one by one. */
#include "lone-pages.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGES 64

static long n_faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

static void test_each_page_is_a_fault(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
    int file = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    volatile char *at;
    long before;

    if (file < 0 || ftruncate(file, (off_t)size) != 0) {
        g_test_skip("No file can be made in /var/tmp");
        return;
    }
    at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    g_assert_true(at != MAP_FAILED);
    if (!lone_pages_make((void *)at, size)) {
        g_test_skip("The system has no mappings of single pages, or not for us");
        return;
    }
    for (int i = 0; i < PAGES; i++)
        at[(size_t)i * page] = (char)i;
    madvise((void *)at, size, MADV_DONTNEED); /* they are in the file's cache from now on */
    before = n_faults();
    for (int i = 0; i < PAGES; i++)
        g_assert_cmpint(at[(size_t)i * page], ==, i);
    g_assert_cmpint(n_faults() - before, >=, PAGES);
    munmap((void *)at, size);
    close(file);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lone-pages/each-page-is-a-fault", test_each_page_is_a_fault);
    return g_test_run();
}
