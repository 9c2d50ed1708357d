/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread needs that composes rows. */
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

/* The same with a memory of its own, for another thread; so many share what one may take. */
CsvContext *csv_context_copy(const CsvContext *context, guint n_copies);
void csv_context_free(CsvContext *context);

/* Is that the text of the string? */
gboolean csv_context_has_text(const CsvContext *context, guint32 id, const char *text);

#endif
