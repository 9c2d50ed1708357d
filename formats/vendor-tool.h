/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's program, such as CANN's msprof: finding and running it. */
#ifndef STROBE_FORMATS_VENDOR_TOOL_H
#define STROBE_FORMATS_VENDOR_TOOL_H

#include <glib.h>

/* Returns the path, without links, of the program `name` in an absolute folder of PATH, or in
 * `home`/bin. Passes over a file that users other than root and the user may write, or whose folder
 * they may write, and names it in `refused`. NULL: there is none. */
char *vendor_tool_find(const char *name, const char *home, GString *refused);

/* Checks a file that is run by an interpreter in the same way; the file need not be executable.
 * `path` is absolute. */
char *vendor_tool_vet(const char *path, GString *refused);

/* How a run of a program ended. */
typedef struct VendorRun {
    gint error;     /* errno of starting it, 0: it ran */
    gint exit_code; /* 0 is good; -1: it was killed by `signal` */
    gint signal;
    gboolean is_late; /* it was still running after the limit */
    gboolean is_lost; /* its status is unknown: SIGCHLD is ignored, or other code waited for it */
} VendorRun;

/* Runs the program in `folder` (a descriptor), with its output appended to `log` (-1: dropped), for
 * at most `limit_ns` (0: no limit). It runs in a process group of its own. The group is ended when
 * the limit is over, and when the calling thread ends, even if it is killed. */
VendorRun vendor_tool_run(char *const arguments[], gint folder, gint log, gint64 limit_ns);

#endif
