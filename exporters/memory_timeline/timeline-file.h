/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a timeline in its file formats. */
#ifndef STROBE_MEMORY_TIMELINE_FILE_H
#define STROBE_MEMORY_TIMELINE_FILE_H

#include <strobe/helpers/safe-file.h>

#include "timeline-data.h"

/* Each returns 0 or an errno value. [[time ns, action, bytes, category], ...]; writing a version
 * gives two entries. */
int timeline_write_raw(const TimelineText *text, StrobeSafeFile *file);
/* [[times us], [[0, bytes of each category], ...]]. */
int timeline_write_json(const TimelineText *text, StrobeSafeFile *file);
/* A self-contained page. */
int timeline_write_page(const TimelineText *text, StrobeSafeFile *file);

#endif
