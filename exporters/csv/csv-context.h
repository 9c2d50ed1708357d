/* SPDX-License-Identifier: Apache-2.0 */
/* The state that all rows of an export share. */
#ifndef STROBE_CSV_CSV_CONTEXT_H
#define STROBE_CSV_CSV_CONTEXT_H

#include "cell-cache.h"

typedef struct CsvContext {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    gint32 generation, level;
    gboolean keeps_formulas;
    CellCache *cache;
    StrobeCell cell;
} CsvContext;

/* Returns whether the string with the id `id` is `text`. */
gboolean csv_context_has_text(const CsvContext *context, guint32 id, const char *text);

#endif
