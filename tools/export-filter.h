/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a filter from the conditions that a user types. */
#ifndef STROBE_TOOLS_EXPORT_FILTER_H
#define STROBE_TOOLS_EXPORT_FILTER_H

#include "filter.h"
#include "result.h"

/* Conditions, as the user typed them. NULL: there is no such condition. */
typedef struct StrobeFilterTexts {
    char *from, *to; /* begin and end of the time range, as durations since the result's begin */
    char **steps;    /* numbers or ranges, for example "3" or "3-5" */
    char **ranks;    /* numbers of ranks */
    char **tracks, **kinds, **names;
} StrobeFilterTexts;

/* Whether the times, steps and ranks in `texts` can be parsed and `from` is before `to`. FALSE with
 * an error. */
gboolean strobe_filter_texts_check(const StrobeFilterTexts *texts, GError **error);

/* Returns the filter for one result. NULL with an error. If the result's rank is not requested,
 * sets *is_other to TRUE and returns NULL without an error. */
StrobeFilter *strobe_filter_of(const StrobeFilterTexts *texts, const StrobeResult *result,
                               gboolean *is_other, GError **error);

#endif
