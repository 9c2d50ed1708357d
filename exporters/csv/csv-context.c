/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-context.h"

#include <string.h>

gboolean csv_context_has_text(const CsvContext *context, guint32 id, const char *text)
{
    StrobeText name = context->host->string(context->self, id);

    return name.length == strlen(text) && memcmp(name.bytes, text, name.length) == 0;
}
