/* SPDX-License-Identifier: Apache-2.0 */
#include "report-scratch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"

static int write_to(void *file, const char *bytes, size_t length)
{
    return fwrite(bytes, 1, length, file) == length ? 0 : EIO;
}

void report_scratch_open(ReportScratch *scratch)
{
    scratch->descriptor = memfd_create("strobe-report", MFD_CLOEXEC);
    scratch->file = scratch->descriptor >= 0 ? fdopen(dup(scratch->descriptor), "w") : NULL;
    if (scratch->file)
        strobe_json_init(&scratch->json, write_to, scratch->file, 0);
}

int report_scratch_finish(ReportScratch *scratch, const char *what, GError **error)
{
    if (scratch->file && strobe_json_flush(&scratch->json) == 0 && fclose(scratch->file) == 0)
        return scratch->descriptor;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot keep %s: %s", what,
                g_strerror(errno));
    if (scratch->descriptor >= 0)
        close(scratch->descriptor);
    return -1;
}
