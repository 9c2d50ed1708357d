/* SPDX-License-Identifier: Apache-2.0 */
/* Reads when a collection of CANN began, in the clocks of its raw data: from start_info and
 * host_start.log of a folder host or device_N in a PROF_* directory. */
#ifndef STROBE_FORMATS_PROF_START_H
#define STROBE_FORMATS_PROF_START_H

#include <glib.h>

/* Reads the ns from CLOCK_MONOTONIC_RAW to the epoch, and when the collection began (ns since the
 * epoch; may be NULL). FALSE: the folder does not have them. */
gboolean prof_start_offset(int folder, gint64 *offset, gint64 *begin);

/* Reads the offset of the host's folder in a directory PROF_*. */
gboolean prof_start_of_host(int prof, gint64 *offset);

/* Reads the counter and CLOCK_MONOTONIC_RAW (ns) at one moment from host_start.log of the
 * folder. Returns FALSE and changes neither if the file does not have both. */
gboolean prof_start_count(int folder, gint64 *count, gint64 *ns);

/* Is it a name of a directory of CANN's raw data? */
gboolean prof_is_name(const char *name);

#endif
