/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of a filter as a user types them. */
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

/* Whether the texts are well formed. */
gboolean strobe_filter_texts_check(const StrobeFilterTexts *texts, GError **error);

/* The filter for one result. *is_other: the result has a rank that is not requested (then NULL
 * without an error). */
StrobeFilter *strobe_filter_of(const StrobeFilterTexts *texts, const StrobeResult *result,
                               gboolean *is_other, GError **error);

#endif
