/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's program, such as CANN's msprof: finding and running it. */
#ifndef STROBE_FORMATS_VENDOR_TOOL_H
#define STROBE_FORMATS_VENDOR_TOOL_H

#include <glib.h>

/* Path without links of `name` in an absolute folder of PATH, or in `home`/bin. A file, or its
 * folder, that others than root and the user may write is passed over, and told in `refused`. NULL:
 * there is none. */
char *vendor_tool_find(const char *name, const char *home, GString *refused);

/* The same of a file that a program of its own runs: it need not be executable. `path` is absolute.
 */
char *vendor_tool_vet(const char *path, GString *refused);

/* How a run of a program ended. */
typedef struct VendorRun {
    gint error;     /* errno of starting it, 0: it ran */
    gint exit_code; /* 0 is good; -1: it was killed by `signal` */
    gint signal;
    gboolean is_late; /* it was still running after the limit */
    gboolean is_lost; /* it has ended with unknown status: SIGCHLD is ignored, or another waited */
} VendorRun;

/* Runs it in `folder` (a descriptor), with its output at the end of `log` (-1: nowhere), for at
 * most `limit_ns` (0: as long as it takes). It has a process group of its own, which ends with the
 * limit, and when the calling thread does, however that ends. */
VendorRun vendor_tool_run(char *const arguments[], gint folder, gint log, gint64 limit_ns);

#endif
