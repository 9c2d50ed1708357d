/* SPDX-License-Identifier: Apache-2.0 */
/* A source as importers are shown it. */
#ifndef STROBE_CORE_IMPORT_SOURCE_H
#define STROBE_CORE_IMPORT_SOURCE_H

#include <glib.h>
#include <strobe/importer.h>

/* Opens `path` (lent); `head` has STROBE_SOURCE_HEAD bytes and is filled for a file. */
gboolean strobe_source_open(StrobeSource *source, const char *path, guchar *head, GError **error);
void strobe_source_close(StrobeSource *source);

#endif
