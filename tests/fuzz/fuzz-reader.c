/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a capture, which is read unchanged, and with all checksums corrected. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "capture-bytes.h"
#include "fuzz.h"

const char fuzz_target[] = "reader";

static void read_bytes(const guint8 *bytes, gsize n, gsize batch)
{
    int fd = memfd_create("capture", MFD_CLOEXEC);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);

    FUZZ_REQUIRE(fd >= 0 && write(fd, bytes, n) == (gssize)n);
    capture_read_all(path, batch);
    close(fd);
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    g_autofree guint8 *repaired = g_memdup2(bytes, n);

    read_bytes(bytes, n, 64);
    capture_bytes_repair(repaired, n);
    read_bytes(repaired, n, 1 + n % 7);
    return 0;
}
