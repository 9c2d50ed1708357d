/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a timeline in one of its file formats. The functions return 0 or an errno value. */
#ifndef STROBE_MEMORY_TIMELINE_FILE_H
#define STROBE_MEMORY_TIMELINE_FILE_H

#include <strobe/helpers/safe-file.h>

#include "timeline-data.h"

/* Writes [[time in ns, action, bytes, category], ...]. A write, which replaces a version by a new
 * one, has two entries. */
int timeline_write_raw(const TimelineText *text, StrobeSafeFile *file);
/* Writes [[times in us], [[0, bytes of each category], ...]]. */
int timeline_write_json(const TimelineText *text, StrobeSafeFile *file);
/* Writes an HTML page that needs no other files. */
int timeline_write_page(const TimelineText *text, StrobeSafeFile *file);

#endif
