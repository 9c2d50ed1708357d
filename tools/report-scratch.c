/* SPDX-License-Identifier: Apache-2.0 */
#include "report-scratch.h"

#include <errno.h>
#include <page-escape.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"

#define ROWS_MAX 500u
/* maximum number of bytes in the page, above which the exporter refuses a file */
#define BYTES_MAX 768000u

typedef struct ReportScratch {
    FILE *file;
    gsize n_bytes; /* number of bytes that the JSON has in the page, where it is escaped */
} ReportScratch;

static int write_to(void *user, const char *bytes, size_t length)
{
    ReportScratch *scratch = user;

    scratch->n_bytes += page_escaped_length(bytes, length);
    return fwrite(bytes, 1, length, scratch->file) == length ? 0 : EIO;
}

/* Makes a file and writes the JSON into it. Sets *n_bytes to the bytes that the JSON has in the
 * page. Returns the file's descriptor; -1 with errno set. */
static int write_once(ReportScratchWrite write, gpointer data, guint most, gsize *n_bytes)
{
    int descriptor = memfd_create("strobe-report", MFD_CLOEXEC);
    ReportScratch scratch = {.file = descriptor >= 0 ? fdopen(dup(descriptor), "w") : NULL};
    gboolean good = FALSE;

    if (scratch.file) {
        StrobeJsonWriter json;

        strobe_json_init(&json, write_to, &scratch, 0);
        write(data, most, &json);
        good = strobe_json_flush(&json) == 0;
        good = fclose(scratch.file) == 0 && good;
    }
    *n_bytes = scratch.n_bytes;
    if (!good && descriptor >= 0)
        close(descriptor);
    return good ? descriptor : -1;
}

int report_scratch_write(ReportScratchWrite write, gpointer data, const char *what, GError **error)
{
    gsize n_bytes = 0;
    guint most = ROWS_MAX;
    int descriptor = write_once(write, data, most, &n_bytes);

    while (descriptor >= 0 && n_bytes > BYTES_MAX && most > 0) {
        close(descriptor);
        most /= 2;
        descriptor = write_once(write, data, most, &n_bytes);
    }
    if (descriptor < 0)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot keep %s: %s", what,
                    g_strerror(errno));
    return descriptor;
}
