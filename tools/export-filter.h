/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a filter from the conditions that a user types. */
#ifndef STROBE_TOOLS_EXPORT_FILTER_H
#define STROBE_TOOLS_EXPORT_FILTER_H

#include "filter.h"
#include "result.h"

/* Texts of the command line; NULL: no such condition. */
typedef struct StrobeFilterTexts {
    char *from, *to; /* durations since the result's begin */
    char **steps;    /* "3" or "3-5" */
    char **ranks;    /* numbers */
    char **tracks, **kinds, **names;
} StrobeFilterTexts;

/* Whether the form of the texts is right. */
gboolean strobe_filter_texts_check(const StrobeFilterTexts *texts, GError **error);

/* Returns the filter for one result. Sets *is_other and returns NULL without an error if the
 * result's rank is not requested. */
StrobeFilter *strobe_filter_of(const StrobeFilterTexts *texts, const StrobeResult *result,
                               gboolean *is_other, GError **error);

#endif
