/* SPDX-License-Identifier: Apache-2.0 */
/* Reads when a collection of CANN began, in the clocks that its raw data use. The values come from
 * start_info and host_start.log, in a folder host or device_N of a PROF_* directory. */
#ifndef STROBE_FORMATS_PROF_START_H
#define STROBE_FORMATS_PROF_START_H

#include <glib.h>

/* Reads the offset that converts CLOCK_MONOTONIC_RAW to ns since the epoch, and the begin of the
 * collection (ns since the epoch; `begin` may be NULL). FALSE: the folder does not contain these
 * values. */
gboolean prof_start_offset(int folder, gint64 *offset, gint64 *begin);

/* Reads the offset as prof_start_offset does, from the folder "host" in a directory PROF_*. */
gboolean prof_start_of_host(int prof, gint64 *offset);

/* Reads the counter and CLOCK_MONOTONIC_RAW (ns) at one moment from host_start.log of the folder.
 * If the file does not contain both values, returns FALSE and changes nothing. */
gboolean prof_start_count(int folder, gint64 *count, gint64 *ns);

/* Is `name` the name of a directory with CANN's raw data? */
gboolean prof_is_name(const char *name);

#endif
