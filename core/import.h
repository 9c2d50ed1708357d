/* SPDX-License-Identifier: Apache-2.0 */
/* Results of others into captures: who reads a source, and reading it. */
#ifndef STROBE_CORE_IMPORT_H
#define STROBE_CORE_IMPORT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/importer.h>
#include "config.h"
#include "pipeline.h"
#include "registry.h"
#include "result.h"

/* A source and the importer that reads it. */
typedef struct StrobeImportSource {
    char *path;
    const StrobeComponent *importer;
    char *format; /* as recognised, for people */
} StrobeImportSource;

/* What is to be read at `path`: it itself, or, of a folder that nobody reads as a whole, the
 * sources in it. `format` names the importer (NULL: whoever recognises it). A GPtrArray of
 * StrobeImportSource in order of their names, never empty; an error says why each importer
 * declined. */
GPtrArray *strobe_import_find(StrobeRegistry *registry, const char *path, const char *format,
                              GError **error);

typedef struct StrobeImportWish {
    const StrobeConfigComponent *options; /* of the importer, NULL: defaults */
    gboolean stored_derived;
    const char *parent; /* of the result directory to make */
    StrobeProgress progress;
    gpointer progress_user;
    /* The result directory at `path` is half made, and then whole or gone; may be NULL. */
    void (*making)(const char *path);
    void (*made)(const char *path);
} StrobeImportWish;

/* A line of the listing. */
typedef struct StrobeImportItem {
    char *part;
    char *name; /* what is unknown, or the reason of damage; NULL for what was found */
    guint64 n;  /* rows, or how often */
} StrobeImportItem;

typedef struct StrobeImport {
    StrobeResult result;
    char *format;
    gint64 begin_ns;
    guint64 n_records;
    GPtrArray *kinds;   /* of StrobeImportItem: part is the kind */
    GPtrArray *found;   /* of StrobeImportItem */
    GPtrArray *unknown; /* of StrobeImportItem, at most 1000 */
    GPtrArray *damage;  /* of StrobeImportItem, at most 1000 */
    guint64 n_damage;
    JsonObject *facts;
} StrobeImport;

/* Reads the source and makes a result directory {host}_{pid}_{time}_ascend_pt (time of the first
 * record; a source of such a name keeps it) with FRAMEWORK/capture.strobe and the files that belong
 * beside it. NULL on failure, with nothing left behind. */
StrobeImport *strobe_import_run(const StrobeImportSource *source, const StrobeImportWish *wish,
                                GError **error);
void strobe_import_free(StrobeImport *import);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeImport, strobe_import_free)

#endif
