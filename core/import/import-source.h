/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of imports, and the importers that read them. */
#ifndef STROBE_CORE_IMPORT_SOURCE_H
#define STROBE_CORE_IMPORT_SOURCE_H

#include <glib.h>
#include <strobe/importer.h>
#include "registry.h"

/* Opens the file or folder `path` and fills *source, which keeps the pointer `path`. `head` has
 * room for STROBE_SOURCE_HEAD bytes, and receives the first bytes of a file. */
gboolean strobe_source_open(StrobeSource *source, const char *path, guchar *head, GError **error);
void strobe_source_close(StrobeSource *source);

/* A source and the importer that reads it. */
typedef struct StrobeImportSource {
    char *path;
    const StrobeComponent *importer;
    char *format; /* recognised format, for messages */
} StrobeImportSource;

/* Returns the sources at `path`: the path itself, or the sources in a folder that no importer reads
 * as a whole. `format` is the name of the importer (NULL: the importer that recognises the source).
 * Returns a GPtrArray of StrobeImportSource in order of their names, never empty; an error contains
 * each importer's reason. */
GPtrArray *strobe_import_find(StrobeRegistry *registry, const char *path, const char *format,
                              GError **error);

#endif
