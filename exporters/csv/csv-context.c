/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-context.h"

#include <string.h>

CsvContext *csv_context_copy(const CsvContext *context, guint n_copies)
{
    CsvContext *copy = g_memdup2(context, sizeof *context);

    copy->cache = cell_cache_new(context->host, context->self, n_copies);
    copy->cell = (StrobeCell){NULL};
    return copy;
}

void csv_context_free(CsvContext *context)
{
    cell_cache_free(context->cache);
    strobe_cell_clear(&context->cell);
    g_free(context);
}

gboolean csv_context_has_text(const CsvContext *context, guint32 id, const char *text)
{
    StrobeText name = context->host->string(context->self, id);

    return name.length == strlen(text) && memcmp(name.bytes, text, name.length) == 0;
}
