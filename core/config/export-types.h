/* SPDX-License-Identifier: Apache-2.0 */
/* Export types of the Ascend PyTorch Profiler: they select the exporters if the configuration names
 * no exporter. */
#ifndef STROBE_CORE_EXPORT_TYPES_H
#define STROBE_CORE_EXPORT_TYPES_H

#include "config-json.h"

enum {
    STROBE_EXPORT_TEXT = 1u << 0, /* text files and both databases, the default */
    STROBE_EXPORT_DB = 1u << 1    /* databases only */
};

/* Parses "text", "db", or both joined by '+', to STROBE_EXPORT_*. */
gboolean strobe_export_types_parse(const char *text, const char *origin, guint32 *types,
                                   GError **error);
/* Reads the key "export_type", a text or an array of texts; leaves *types unchanged if the key is
 * missing. */
gboolean strobe_export_types_read(JsonObject *top, const char *origin, guint32 *types,
                                  GError **error);

/* Returns the name of exporter number `index` of these types; NULL after the last. */
const char *strobe_export_types_exporter(guint32 types, guint index);

#endif
