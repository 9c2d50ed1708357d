/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and runs a vendor's program, such as CANN's msprof. */
#ifndef STROBE_FORMATS_VENDOR_TOOL_H
#define STROBE_FORMATS_VENDOR_TOOL_H

#include <glib.h>

/* Returns the path, without links, of the program `name` in an absolute folder of PATH, or in
 * `home`/bin. Skips a file if users other than root and the user may write it or its folder, and
 * names it in `refused`. NULL: there is no such program. */
char *vendor_tool_find(const char *name, const char *home, GString *refused);

/* Makes the checks of vendor_tool_find for the file at the absolute path `path`, which an
 * interpreter runs and which need not be executable. Returns the path without links; NULL: the file
 * was refused. */
char *vendor_tool_vet(const char *path, GString *refused);

/* How a run of a program ended. */
typedef struct VendorRun {
    gint error;     /* errno of the start, 0: the program ran */
    gint exit_code; /* 0: success; -1: the signal `signal` ended the program */
    gint signal;
    gboolean is_late; /* the program was still running after the limit */
    gboolean is_lost; /* the program's status is unknown: SIGCHLD is ignored, or other code waited
                         for the child */
} VendorRun;

/* Runs the program in `folder` (a descriptor), with its output appended to `log` (-1: dropped), for
 * at most `limit_ns` (0: no limit). The program runs in a separate process group, which is ended
 * when the limit is over, and when the calling thread ends, even if it is killed. */
VendorRun vendor_tool_run(char *const arguments[], gint folder, gint log, gint64 limit_ns);

#endif
