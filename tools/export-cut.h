/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of a cut as a user types them. */
#ifndef STROBE_TOOLS_EXPORT_CUT_H
#define STROBE_TOOLS_EXPORT_CUT_H

#include "cut.h"
#include "result.h"

/* Texts of the command line; NULL: no such condition. */
typedef struct StrobeCutTexts {
    char *from, *to; /* durations since the result's begin */
    char **steps;    /* "3" or "3-5" */
    char **ranks;    /* numbers */
    char **tracks, **kinds, **names;
} StrobeCutTexts;

/* Are they well formed? */
gboolean strobe_cut_texts_check(const StrobeCutTexts *texts, GError **error);

/* The cut of one result. *is_other: it is of a rank that is not asked for (NULL is returned then
 * too, without an error). */
StrobeCut *strobe_cut_of(const StrobeCutTexts *texts, const StrobeResult *result,
                         gboolean *is_other, GError **error);

#endif
